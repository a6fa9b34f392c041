"""The kernels in numpy: what the native ones are compared with, and the fall-back without them."""

from .dtw import DTWPlan
from .levenshtein import LevenshteinPlan
from .manhattan import manhattan
from .sets import SetsPlan

__all__ = ["DTWPlan", "LevenshteinPlan", "SetsPlan", "manhattan"]
