"""The kernels in numpy: what the native ones are compared with, and the fall-back without them."""

from .convolution import KERNELS, TAPS, ConvolutionPlan, convolved
from .dtw import DTWPlan
from .elastic import ElasticPlan
from .levenshtein import LevenshteinPlan
from .manhattan import manhattan
from .products import PRODUCT_ROWS, products
from .sets import SetsPlan
from .subsequence import SubsequencePlan

__all__ = [
    "KERNELS",
    "PRODUCT_ROWS",
    "TAPS",
    "ConvolutionPlan",
    "DTWPlan",
    "ElasticPlan",
    "LevenshteinPlan",
    "SetsPlan",
    "SubsequencePlan",
    "convolved",
    "manhattan",
    "products",
]
