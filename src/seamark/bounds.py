"""Largest numbers that a parameter or a file may give to a loop or to an allocation.

Each is far beyond what is of use, and small enough that whoever asks for it gets an answer: what is
larger would take hours, or more memory than there is, and is refused before any work begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

BOUNDS: dict[str, dict[str, int]] = {
    # Measures
    "Vovk": {"degree": 1_000},  # multiplications for each value
    "Polynomial": {"degree": 1_000},  # binomial coefficients
    "WeisfeilerLehman": {"h": 100},  # rounds of refinement, each kept
    "NGrams": {"n": 64, "bits": 24},  # symbols of a gram; 2^bits weights
    "DTW": {"window": 2**31 - 1},  # steps, as native code counts them
    "Elastic": {"window": 2**31 - 1},
    "Subsequence": {"length": 2**20},
    "WindowList": {"spans": 2**20},  # steps; a shorter series is made as long
    # Maps and landmarks
    "VectorMap": {"n_components": 1_000_000},
    "RandomMaclaurin": {"degrees": 100_000},
    "RandomConvolution": {"n_components": 1_000_000, "dilations_": 2**17},
    "Scores": {"n_trees": 100_000, "max_iter": 100_000, "cv": 10_000},
    "NeighbourScores": {"n_neighbors": 10_000},
    "Trees": {"depth": 1_000},  # steps from a root to a leaf
    "LandmarkMap": {"n_landmarks": 1_000_000},
    "Strategy": {"n": 1_000_000, "size": 1_000_000, "sizes": 2**20},
    # Models, of which the normal equations are square
    "LandmarkModel": {"n_landmarks": 50_000},
    "Learned": {"pool": 1_000_000},
    "IncrementalState": {"n_folds": 10_000},
    "StreamedRidge": {"cv": 10_000},
    "FromUnseen": {"cv": 10_000},
    "Ranking": {"cv": 10_000},
    "Ordinal": {"max_iter": 1_000_000},
    "LinearSVM": {"max_iter": 1_000_000},
    # Streams
    "PairwiseEstimator": {"n_passes": 1_000_000},
    "Buffer": {"size": 1_000_000, "n_classes": 10_000},
    "History": {"_width": 2**52},
    # Search and rivals
    "Index": {"n_landmarks": 1_000_000},
    "DBoost": {"n_pairs": 1_000_000, "n_rounds": 1_000_000, "n_candidates": 1_000_000},
    "JointFeatureSVM": {"max_iter": 1_000_000},
    "MultipleKernelSVM": {"max_iter": 1_000_000},
    "_Neighbours": {"n_neighbors": 100_000},
    "SVC": {"shape_fit_": 100_000},  # rows and columns of a precomputed kernel
    "_OAM": {"size": 1_000_000},
}
"""Classes of ours, whose subclasses are bounded alike, and their numbers."""

SEVERAL = frozenset({"n", "degrees", "sizes", "spans", "dilations_"})
"""Numbers that may be given as several, each of which is bounded."""


def require_bounded(cls: type, given: Mapping[str, Any]) -> None:
    """Stop at a number that no loop or allocation of a class can bear.

    Parameters
    ----------
    cls : type
    given : mapping
        Parameters and fitted attributes by name; those of no bound are left alone.

    Examples
    --------
    >>> from seamark.measures import Vovk
    >>> require_bounded(Vovk, {"degree": 10**9})
    Traceback (most recent call last):
    ValueError: degree of Vovk must be at most 1000, not 1000000000.
    """
    for base in cls.__mro__:
        ours = base.__module__.startswith("seamark.")
        for name, most in BOUNDS.get(base.__name__, {}).items() if ours else ():
            value: Any = given.get(name)
            if name in SEVERAL and isinstance(value, (list, tuple, np.ndarray)):
                several = np.ravel(np.array(value, dtype=object))
                value = max([one for one in several if isinstance(one, Real)], default=None)
            is_number = isinstance(value, Real)  # what is none is for others to say
            if is_number and value > most:
                raise ValueError(
                    f"{name} of {cls.__name__} must be at most {most}, not {str(value)[:40]}."
                )
