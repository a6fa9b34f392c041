"""Classification: BBS, FTUNE and their rival DBOOST."""

from __future__ import annotations

from typing import Any

from ..baselines import DBoost
from ..landmarks import Diverse, LandmarkPairs
from ..linear_model import LinearSVM
from ..models import LandmarkClassifier
from ..transfers import Ramp
from ..tuning import HeldOutPerClass
from .parts import SHARE, as_similarity, filled, plain, scaled_costs


def bbs(
    measure: Any = "gaussian", n_landmarks: int = 300, random_state: Any = None, **overrides: Any
) -> LandmarkClassifier:
    """Balcan, Blum and Srebro, *A theory of learning with similarity functions* (2008).

    Landmarks drawn uniformly, similarities as features, a linear SVM whose C is chosen on held-out
    rows. Any bounded similarity that is good for the task will do; it need not be a kernel.

    The loss is the squared hinge; several classes are separated one against the rest.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=300
        How many training objects are landmarks.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and the rows held out.
    **overrides
        Further parameters of `LandmarkClassifier`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    >>> model = papers.bbs("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15).predict(["abba", "dcdc"])
    array([0, 1])
    """
    parts = plain(n_landmarks, random_state, LinearSVM(), scaled_costs(n_landmarks))
    parts["calibrate"] = False  # as published
    return filled(LandmarkClassifier, as_similarity(measure), parts, overrides)


def bbs_d(
    measure: Any = "gaussian", n_landmarks: int = 300, random_state: Any = None, **overrides: Any
) -> LandmarkClassifier:
    """`bbs` with landmarks that are unlike each other: DSELECT of Kar and Jain (2011).

    Each next landmark is the object least similar, in sum, to those before. It selects within
    each class, an equal number, because printed as it is it may miss a class.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=300
        How many training objects are landmarks, an equal number from each class.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and the rows held out.
    **overrides
        Further parameters of `LandmarkClassifier`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    >>> model = papers.bbs_d("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15).predict(["abba", "dcdc"])
    array([0, 1])
    """
    parts = {"landmarks": Diverse()} | overrides
    return bbs(measure, n_landmarks, random_state, **parts)


def ftune(
    measure: Any = "gaussian",
    n_landmarks: int = 300,
    random_state: Any = None,
    *,
    diverse: bool = False,
    **overrides: Any,
) -> LandmarkClassifier:
    """FTUNE-S of Kar and Jain, *Similarity-based learning via data driven embeddings* (2011).

    `n_landmarks` pairs of objects of different classes; a feature is a ramp of
    K(x, l⁺) − K(x, l⁻), whose slope is tuned with C on held-out rows: from the difference itself
    (slope 1) almost to its sign (1000). One slope serves all classes.

    K is scaled to [0, 1] by its bounds, or by the largest difference seen where it has none.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=300
        How many pairs of landmarks there are.
    random_state : int, RandomState or Generator, optional
        Decides the pairs, and the rows held out.
    diverse : bool, default=False
        FTUNE+D: pairs are drawn from landmarks chosen by DSELECT, not from random ones.
    **overrides
        Further parameters of `LandmarkClassifier`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    >>> model = papers.ftune("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15).predict(["abba", "dcdc"])
    array([0, 1])
    >>> len(model.tuning_["score"])  # six slopes, four values of C
    24
    """
    parts = {"landmarks": LandmarkPairs(Diverse() if diverse else None), "transfer": Ramp("auto")}
    return bbs(measure, n_landmarks, random_state, **(parts | overrides))


def ftune_m(
    measure: Any = "gaussian",
    n_landmarks: int = 300,
    random_state: Any = None,
    *,
    diverse: bool = False,
    **overrides: Any,
) -> LandmarkClassifier:
    """FTUNE-M: `ftune` with a slope, and a C, for each class against the rest.

    All classes share the pairs and the values; features of the slopes that won stand side by
    side, and each class reads those of its own.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=300
        How many pairs of landmarks there are; all classes share them.
    random_state : int, RandomState or Generator, optional
        Decides the pairs, and the rows held out.
    diverse : bool, default=False
        FTUNE+D: pairs are drawn from landmarks chosen by DSELECT, not from random ones.
    **overrides
        Further parameters of `LandmarkClassifier`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = [piece * k for piece in ("ab", "cd", "ef") for k in range(1, 16)]
    >>> model = papers.ftune_m("levenshtein", n_landmarks=20, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15 + [2] * 15).predict(["abba", "dcdc", "feefe"])
    array([0, 1, 2])
    """
    parts = {"tune": HeldOutPerClass(SHARE, scaled_costs(n_landmarks))} | overrides
    return ftune(measure, n_landmarks, random_state, diverse=diverse, **parts)


def dboost(
    measure: Any = "euclidean", n_landmarks: int = 300, random_state: Any = None, **overrides: Any
) -> DBoost:
    """DBOOST of Wang, Yang and Feng (2007), with which FTUNE is compared.

    Votes sign(d(x, l⁻) − d(x, l⁺)) of `n_landmarks` pairs, weighted by AdaBoost, each the best of a
    few among `n_landmarks` objects of either side. Nothing is tuned.

    Parameters
    ----------
    measure : str, Measure, callable, default="euclidean"
        What compares two objects: a distance, as the method needs one.
    n_landmarks : int, default=300
        How many pairs vote, and how many objects of either side they are chosen from.
    random_state : int, RandomState or Generator, optional
        Decides the objects and pairs that are tried.
    **overrides
        Further parameters of `seamark.baselines.DBoost`, which replace what the preset says.

    Examples
    --------
    >>> from seamark import papers
    >>> words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    >>> model = papers.dboost("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, [0] * 15 + [1] * 15).predict(["abba", "dcdc"])
    array([0, 1])
    """
    parts = {"n_pairs": n_landmarks, "n_rounds": n_landmarks, "random_state": random_state}
    return DBoost(measure, **(parts | overrides))
