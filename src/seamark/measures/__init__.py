"""Measures: similarities and distances between objects, one class each.

`get` resolves a name, a callable or a measure; `catalogue` lists what there is; `cross` computes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..engine import MeasureError, SlowMeasureWarning
from .adapters import Aeon, RapidFuzz, Scipy, SklearnKernel
from .algebra import Negated, Normalised, Scaled, Sum
from .arc_cosine import ArcCosineKernel
from .base import Measure
from .catalogue import catalogue, get
from .custom import Custom
from .dot_products import Cosine, Linear
from .elastic import EDR, ERP, LCSS, MSM, TWE
from .kernels import Exponential, Polynomial, Sigmoid, Vovk
from .matrices import Bilinear, Mahalanobis
from .power_series import PowerSeries
from .precomputed import Columns, Precomputed
from .radial import Gaussian, Laplacian
from .series import DTW
from .sets import Chamfer, Hausdorff, ModifiedHausdorff
from .strings import Levenshtein
from .subsequence import Subsequence
from .vectors import Euclidean, Manhattan, SqEuclidean
from .warping import ADTW, DDTW, WDTW


def cross(
    measure: Any,
    X: Any,
    L: Any = None,
    *,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> NDArray[np.float32]:
    """Values of every object of X against every landmark of L.

    Parameters
    ----------
    measure : Measure, str or callable
        A measure, a name of the catalogue, ``"precomputed"``, or a function of two objects.
    X : objects
        Strings, series, sets, vectors, or whatever the measure compares.
    L : objects, optional
        Landmarks. Left out: X against itself; half of it is mirrored only if the measure is
        declared symmetric.
    n_jobs : int, optional
        Threads (processes for Python callables). Default: the cores available; in-process for
        callables.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    ndarray of shape (n, R), float32

    Examples
    --------
    >>> import seamark as sm
    >>> sm.cross("levenshtein", ["sea", "see"], ["seamark"])
    array([[4.],
           [5.]], dtype=float32)
    """
    return get(measure).cross(X, L, n_jobs=n_jobs, progress=progress)


__all__ = [
    "ADTW",
    "DDTW",
    "DTW",
    "EDR",
    "ERP",
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
    "Euclidean",
    "Exponential",
    "Gaussian",
    "Hausdorff",
    "Laplacian",
    "Levenshtein",
    "Linear",
    "Mahalanobis",
    "Manhattan",
    "Measure",
    "MeasureError",
    "ModifiedHausdorff",
    "Negated",
    "Normalised",
    "Polynomial",
    "PowerSeries",
    "Precomputed",
    "RapidFuzz",
    "Scaled",
    "Scipy",
    "Sigmoid",
    "SklearnKernel",
    "SlowMeasureWarning",
    "SqEuclidean",
    "Subsequence",
    "Sum",
    "Vovk",
    "catalogue",
    "cross",
    "get",
]
