"""Adapters: measures that other libraries compute, in blocks and at their own speed."""

from .aeon_distances import Aeon
from .base import Adapter, did_you_mean
from .rapidfuzz_scorers import RapidFuzz
from .resolve import find, known_names
from .scipy_metrics import Scipy
from .sklearn_kernels import SklearnKernel

__all__ = [
    "Adapter",
    "Aeon",
    "RapidFuzz",
    "Scipy",
    "SklearnKernel",
    "did_you_mean",
    "find",
    "known_names",
]
