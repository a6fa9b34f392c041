"""The kernels in numpy: what the native ones are compared with, and the fall-back without them."""

from .bags import BagsPlan, ngrams
from .dtw import DTWPlan
from .levenshtein import LevenshteinPlan
from .manhattan import manhattan
from .members import MembersPlan
from .products import PRODUCT_ROWS, products
from .sets import SetsPlan
from .strings import StringsPlan

__all__ = [
    "PRODUCT_ROWS",
    "BagsPlan",
    "DTWPlan",
    "LevenshteinPlan",
    "MembersPlan",
    "SetsPlan",
    "StringsPlan",
    "manhattan",
    "ngrams",
    "products",
]
