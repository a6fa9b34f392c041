"""Distances as kernels: RSM and D2KE."""

from __future__ import annotations

from typing import Any

from ..landmarks import Generated
from ..linear_model import LinearSVM
from ..models import LandmarkClassifier
from ..transfers import Decay
from .parts import SMALL_COSTS, filled, plain, scaled_costs


def rsm(
    measure: Any = "euclidean", n_landmarks: int = 512, random_state: Any = None, **overrides: Any
) -> LandmarkClassifier:
    """RSM, the representative-set method, as D2KE's paper (Wu et al., 2018) compares with it.

    Landmarks drawn uniformly from the training objects, exp(−γd) as features, a linear SVM; γ and
    C ∈ {0.01, 0.1, 1, 10}/R are chosen on held-out rows (the paper: by 10-fold cross-validation),
    the distances themselves, to which small γ lead, being among the choices. The paper keeps its
    representatives out of training; here they stay in it.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="euclidean"
        What compares two objects: a distance, as the method needs one.
    n_landmarks : int, default=512
        How many training objects are landmarks.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and the rows held out.
    **overrides
        Further parameters of `LandmarkClassifier`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    >>> model = papers.rsm("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15).predict(["abba", "dcdc"])
    array([0, 1])
    """
    parts = plain(n_landmarks, random_state, LinearSVM(), scaled_costs(n_landmarks, SMALL_COSTS))
    parts["calibrate"] = False  # as published
    parts |= {"transfer": Decay("auto")}
    return filled(LandmarkClassifier, measure, parts, overrides)


def d2ke(
    measure: Any = "euclidean",
    n_landmarks: int = 1024,
    random_state: Any = None,
    *,
    sizes: Any = "auto",
    scale: Any = "auto",
    **overrides: Any,
) -> LandmarkClassifier:
    """D2KE of Wu et al., *D2KE: from distance to kernel and embedding* (2018).

    Landmarks are random objects that nobody has seen; exp(−γd) as features, a linear SVM; γ and C
    as in `rsm`. With ``head="ridge"`` the penalty and γ are chosen by cross-validation, which is
    much quicker for many landmarks or classes.

    The largest size D_max and the scale σ of random objects are chosen too, among fewer values
    than in the paper (nine for series, five for strings); distances are computed once for each.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="euclidean"
        What compares two objects: a distance, as the method needs one.
    n_landmarks : int, default=1024
        How many random objects are drawn.
    random_state : int, RandomState or Generator, optional
        Decides the random objects, and the rows held out.
    sizes : tuple of int or "auto", default="auto"
        Smallest and largest length or size; with `scale`, say it if you know it.
    scale : float or "auto", default="auto"
        σ of the numbers in random series; for vectors, in units of the data's deviations. Vectors
        of random sets lie on the unit sphere, where yours should lie too; else give a radius.
    **overrides
        Further parameters of `LandmarkClassifier`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    >>> model = papers.d2ke("levenshtein", n_landmarks=30, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15).predict(["ababab", "dcdcdc"])
    array([0, 1])
    >>> model.tuning_["landmarks"][:2]
    [Generated(sizes=(2, 5)), Generated(sizes=(2, 10))]
    """
    parts = {"landmarks": Generated(sizes, scale)} | overrides
    return rsm(measure, n_landmarks, random_state, **parts)
