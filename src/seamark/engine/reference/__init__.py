"""The kernels in numpy: what the native ones are compared with, and the fall-back without them."""

from .bags import BagsPlan, ngrams
from .convolution import KERNELS, TAPS, ConvolutionPlan, convolved
from .dtw import DTWPlan
from .edits import EditsPlan
from .elastic import ElasticPlan
from .envelopes import envelopes
from .levenshtein import LevenshteinPlan
from .manhattan import manhattan
from .members import MembersPlan
from .products import PRODUCT_ROWS, products
from .sets import SetsPlan
from .strings import StringsPlan
from .subsequence import SubsequencePlan

__all__ = [
    "KERNELS",
    "PRODUCT_ROWS",
    "TAPS",
    "BagsPlan",
    "ConvolutionPlan",
    "DTWPlan",
    "EditsPlan",
    "ElasticPlan",
    "LevenshteinPlan",
    "MembersPlan",
    "SetsPlan",
    "StringsPlan",
    "SubsequencePlan",
    "convolved",
    "envelopes",
    "manhattan",
    "ngrams",
    "products",
]
