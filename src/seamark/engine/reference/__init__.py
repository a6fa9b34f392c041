"""The kernels in numpy: what the native ones are compared with, and the fall-back without them."""

from .dtw import DTWPlan
from .elastic import ElasticPlan
from .levenshtein import LevenshteinPlan
from .manhattan import manhattan
from .products import PRODUCT_ROWS, products
from .sets import SetsPlan
from .subsequence import SubsequencePlan

__all__ = [
    "PRODUCT_ROWS",
    "DTWPlan",
    "ElasticPlan",
    "LevenshteinPlan",
    "SetsPlan",
    "SubsequencePlan",
    "manhattan",
    "products",
]
