"""The kernels in numpy: what the native ones are compared with, and the fall-back without them."""

from .series import ElasticPlan, dtw, envelopes
from .strings import BagsPlan, EditsPlan, LevenshteinPlan, StringsPlan, ngram_spans, ngrams
from .vectors import PRODUCT_ROWS, MembersPlan, SetsPlan, TreesPlan, manhattan, products
from .windows import KERNELS, TAPS, ConvolutionPlan, SubsequencePlan, Windows, convolved

__all__ = [
    "KERNELS",
    "PRODUCT_ROWS",
    "TAPS",
    "BagsPlan",
    "ConvolutionPlan",
    "EditsPlan",
    "ElasticPlan",
    "LevenshteinPlan",
    "MembersPlan",
    "SetsPlan",
    "StringsPlan",
    "SubsequencePlan",
    "TreesPlan",
    "Windows",
    "convolved",
    "dtw",
    "envelopes",
    "manhattan",
    "ngram_spans",
    "ngrams",
    "products",
]
