"""Measures: similarities and distances between objects, one class each.

`get` resolves a name, a callable or a measure; `catalogue` lists what there is; `cross` computes.
"""

# Written by docs/make_measures.py from the classes of this room; `make api` writes it again.

from ..engine import MeasureError, SlowMeasureWarning
from .adapters import Aeon, RapidFuzz, Scipy, SklearnKernel
from .algebra import Negated, Normalised, Scaled
from .arc_cosine import ArcCosineKernel
from .base import Measure, get
from .catalogue import catalogue
from .columns import ScaledColumns
from .cross import cross
from .custom import Custom
from .dot_products import Cosine, Linear
from .elastic import EDR, ERP, LCSS, MSM, TWE, Elastic
from .equality import Equality
from .filled import FilledColumns
from .graphs import WeisfeilerLehman
from .kernels import Exponential, Polynomial, Sigmoid, Vovk
from .matrices import Bilinear, Mahalanobis
from .member import Member
from .ngrams import NGrams
from .power_series import PowerSeries
from .precomputed import Columns, Precomputed
from .radial import Gaussian, Laplacian
from .series import DTW
from .sets import Chamfer, Hausdorff, ModifiedHausdorff
from .shared_symbols import LCS, JaroWinkler
from .strings import DamerauLevenshtein, Indel, Levenshtein, OptimalAlignment
from .subsequence import Subsequence
from .substring import Substring
from .summaries import Summaries
from .sums import Sum
from .vectors import Euclidean, Manhattan, SqEuclidean
from .warping import ADTW, DDTW, WDTW

__all__ = [
    "ADTW",
    "DDTW",
    "DTW",
    "EDR",
    "ERP",
    "LCS",
    "LCSS",
    "MSM",
    "TWE",
    "WDTW",
    "Aeon",
    "ArcCosineKernel",
    "Bilinear",
    "Chamfer",
    "Columns",
    "Cosine",
    "Custom",
    "DamerauLevenshtein",
    "Elastic",
    "Equality",
    "Euclidean",
    "Exponential",
    "FilledColumns",
    "Gaussian",
    "Hausdorff",
    "Indel",
    "JaroWinkler",
    "Laplacian",
    "Levenshtein",
    "Linear",
    "Mahalanobis",
    "Manhattan",
    "Measure",
    "MeasureError",
    "Member",
    "ModifiedHausdorff",
    "NGrams",
    "Negated",
    "Normalised",
    "OptimalAlignment",
    "Polynomial",
    "PowerSeries",
    "Precomputed",
    "RapidFuzz",
    "Scaled",
    "ScaledColumns",
    "Scipy",
    "Sigmoid",
    "SklearnKernel",
    "SlowMeasureWarning",
    "SqEuclidean",
    "Subsequence",
    "Substring",
    "Sum",
    "Summaries",
    "Vovk",
    "WeisfeilerLehman",
    "catalogue",
    "cross",
    "get",
]
