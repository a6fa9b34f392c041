"""Measures: similarities and distances between objects, one class each.

`get` resolves a name, a callable or a measure; `catalogue` lists what there is; `cross` computes.
"""

# Written by docs/make_measures.py from the classes of this room; `make api` writes it again.

from ..engine import MeasureError, SlowMeasureWarning
from .adapters import Aeon, RapidFuzz, Scipy, SklearnKernel
from .algebra import Negated, Normalised, Scaled, Sum
from .alignment import SmithWaterman
from .base import Measure
from .columns import FilledColumns, ScaledColumns, Summaries, summaries_of
from .custom import Custom
from .dtw import DTW
from .edit import (
    LCS,
    DamerauLevenshtein,
    Indel,
    JaroWinkler,
    Levenshtein,
    OptimalAlignment,
    Substring,
)
from .elastic import ADTW, DDTW, EDR, ERP, LCSS, MSM, TWE, WDTW, Elastic
from .encoded import Encoded
from .graphs import WeisfeilerLehman
from .kernels import (
    ArcCosineKernel,
    Cosine,
    Exponential,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    PowerSeries,
    Sigmoid,
    Vovk,
)
from .ngrams import NGrams
from .precomputed import Columns, Precomputed, matrix_inside
from .resolve import (
    ObjectEstimator,
    as_measures,
    catalogue,
    cross,
    get,
    library_measures,
    require_whole_objects,
)
from .sets import Chamfer, Hausdorff, Member, ModifiedHausdorff
from .subsequence import Subsequence
from .transport import POT, Wasserstein
from .vectors import Bilinear, Equality, Euclidean, Mahalanobis, Manhattan, SqEuclidean

__all__ = [
    "ADTW",
    "DDTW",
    "DTW",
    "EDR",
    "ERP",
    "LCS",
    "LCSS",
    "MSM",
    "POT",
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
    "Encoded",
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
    "ObjectEstimator",
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
    "SmithWaterman",
    "SqEuclidean",
    "Subsequence",
    "Substring",
    "Sum",
    "Summaries",
    "Vovk",
    "Wasserstein",
    "WeisfeilerLehman",
    "as_measures",
    "catalogue",
    "cross",
    "get",
    "library_measures",
    "matrix_inside",
]
