"""Presets: published methods as choices of parts, tuned the way their papers tune.

Every preset takes a measure (or its name, or a callable), the number of landmarks and a
`random_state`; whatever else a model's constructor takes may be given by name, and replaces what
the preset says; a `head` of your own comes with cross-validated tuning unless you say `tune` too.
What is returned is an estimator like any other, whose parts can be read and set.

Where a paper needs a similarity, a distance is negated; a measure that does not say which it is is
taken as it comes. Penalties, slopes and γ are chosen on a share of rows held out, and the winner is
fitted to all rows (`seamark.tuning.HeldOut`); values of the measure are computed once for all.

Two things differ from all the prints. Features are standardised before scikit-learn's heads, so
that factors such as 1/√R cancel, and the printed grid C ∈ {1, 10, 100, 1000}, which belongs to
features of norm about 1, is divided by R. And landmarks, which are training objects, remain among
the objects that the head is fitted to, as the papers themselves allow ("double dipping").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.svm import LinearSVR

from .baselines import DBoost
from .feature_selection import Greedy
from .landmarks import AtMost, Diverse, Generated, LandmarkPairs, Uniform
from .linear_model import LinearSVM, Ordinal, Ranking, RidgeRegressor
from .measures import Measure, get
from .models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
from .transfers import Decay, Identity, Ramp
from .tuning import HeldOut, HeldOutPerClass

__all__ = [
    "as_similarity",
    "bbs",
    "bbs_d",
    "d2ke",
    "dboost",
    "ftune",
    "ftune_m",
    "orland",
    "rank",
    "regland",
    "regland_sp",
    "rsm",
]

Model = TypeVar("Model")
COSTS = (1.0, 10.0, 100.0, 1000.0)
SMALL_COSTS = (0.01, 0.1, 1.0, 10.0)
"""For D2KE, whose paper names no C: with its many landmarks large ones are slow, and worse."""
SHARE = 0.2
"""Rows held out. Of training and validation rows the thesis holds out 1/8 (4.1) and 2/7 (4.2)."""


def as_similarity(measure: Any) -> Any:
    """Return a measure, or a list of them, with distances negated.

    Parameters
    ----------
    measure : str, Measure, callable or list of these
        What compares two objects; if it does not say whether it is a distance, it stays as it is.

    Examples
    --------
    >>> as_similarity("levenshtein")
    Negated(measure=Levenshtein())
    >>> as_similarity("linear")
    Linear()
    """
    if isinstance(measure, (list, tuple)):
        return [as_similarity(one) for one in measure]
    found: Measure = get(measure)
    return found.negated() if found.kind == "distance" else found


def scaled_costs(n_landmarks: int, costs: tuple[float, ...] = COSTS) -> dict[str, list[float]]:
    """Return the grid of C, for features whose norm grows with their number."""
    return {"C": [cost / n_landmarks for cost in costs]}


def plain(n_landmarks: int, random_state: Any, head: Any, grid: dict[str, Any]) -> dict[str, Any]:
    """Return what most of the methods have in common."""
    return {
        "n_landmarks": n_landmarks,
        "landmarks": Uniform(),
        "transfer": Identity(),
        "head": head,
        "tune": HeldOut(SHARE, grid),
        "random_state": random_state,
    }


def filled(
    model: Callable[..., Model], measure: Any, parts: dict[str, Any], overrides: dict[str, Any]
) -> Model:
    """Return a model of these parts, but for those that are overridden."""
    if "head" in overrides:  # the grid is of another head's parameters
        parts = parts | {"tune": "cv"}
    return model(measure, **(parts | overrides))


# Classification: BBS, FTUNE and their rival DBOOST.


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


# Distances as kernels: RSM and D2KE.


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


# Regression, ordered labels and ranking: Kar and Jain (2012).


def regland(
    measure: Any = "gaussian",
    n_landmarks: int = 50,
    random_state: Any = None,
    *,
    loss: str = "squared_epsilon_insensitive",
    **overrides: Any,
) -> LandmarkRegressor:
    """RegLand of Kar and Jain, *Supervised learning with similarity functions* (2012).

    Landmarks drawn uniformly, similarities as features, support vector regression, C chosen on
    held-out rows by R².

    The loss is the square of the ε-insensitive one, max(0, |f − y| − ε)²: as good in trials, and
    solved in a few Newton steps. With ``loss="epsilon_insensitive"`` it is not squared, as
    published; liblinear's descent on it may end at 50,000 rounds with a warning where C is large.
    C ∈ {1, 10, 100, 1000} is divided by R for that loss, and not for its square.

    Targets are not scaled here: the paper's lie in [0, 1], and so should yours, because C and
    ε = 0.01 are in units of y (scikit-learn's `TransformedTargetRegressor` does it).

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=50
        How many training objects are landmarks.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and the rows held out.
    loss : {"squared_epsilon_insensitive", "epsilon_insensitive"}
        What the head minimises.
    **overrides
        Further parameters of `LandmarkRegressor`, which replace what the preset says.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark import papers
    >>> words = ["a" * k for k in range(1, 41)]
    >>> y = np.arange(1, 41) / 40
    >>> model = papers.regland("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, y).score(words, y) > 0.9
    True
    >>> papers.regland(loss="epsilon_insensitive").head.loss
    'epsilon_insensitive'
    """
    if loss == "epsilon_insensitive":
        head = LinearSVR(epsilon=0.01, tol=1e-3, max_iter=50_000, random_state=0)
        grid = scaled_costs(n_landmarks)
    elif loss == "squared_epsilon_insensitive":
        head, grid = LinearSVR(epsilon=0.01, loss=loss, dual=False), {"C": list(COSTS)}
    else:
        raise ValueError(
            f'loss must be "epsilon_insensitive" or "squared_epsilon_insensitive", not {loss!r}.'
        )
    parts = plain(n_landmarks, random_state, head, grid)
    return filled(LandmarkRegressor, as_similarity(measure), parts, overrides)


def regland_sp(
    measure: Any = "gaussian",
    n_landmarks: int = 50,
    random_state: Any = None,
    *,
    n_candidates: int = 5000,
    **overrides: Any,
) -> LandmarkRegressor:
    """RegLand-Sp of Kar and Jain (2012): few landmarks, greedily chosen out of many.

    Fully corrective forward selection of `n_landmarks` with squared loss, which the paper's tables
    use, then least squares on those. Prediction evaluates the chosen ones only.

    The paper does not say how many candidates there are.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=50
        How many landmarks are chosen in the end.
    random_state : int, RandomState or Generator, optional
        Decides the candidates.
    n_candidates : int, default=5000
        How many objects the landmarks are chosen from; all if there are fewer.
    **overrides
        Further parameters of `LandmarkRegressor`, which replace what the preset says.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark import papers
    >>> words = ["a" * k for k in range(1, 41)]
    >>> y = np.abs(np.arange(40) - 20.0)
    >>> model = papers.regland_sp("levenshtein", n_landmarks=3, random_state=0).fit(words, y)
    >>> len(model.landmarks_), model.predict(["a" * 21]).round() + 0.0
    (3, array([0.]))
    """
    parts = {
        "landmarks": AtMost(n_candidates, Uniform()),
        "transfer": Identity(),
        "weighing": Greedy(n_landmarks, task="regression"),
        "head": RidgeRegressor(1e-8),  # least squares that survives equal columns
        "random_state": random_state,
    }
    return filled(LandmarkRegressor, as_similarity(measure), parts, overrides)


def orland(
    measure: Any = "gaussian", n_landmarks: int = 50, random_state: Any = None, **overrides: Any
) -> LandmarkOrdinal:
    """ORLand of Kar and Jain (2012): ordered labels.

    Landmarks drawn uniformly, similarities as features, a score that must clear the two thresholds
    around its label (EXC), which stand at fixed equal distances.

    Thresholds are at i − ½, where the printed bound holds, not at i − 1; the margin is ½, the
    largest that inner labels can reach. The penalty is chosen on held-out rows.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=50
        How many training objects are landmarks.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and the rows held out.
    **overrides
        Further parameters of `LandmarkOrdinal`, which replace what the preset says.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark import papers
    >>> words = ["a" * k for k in range(1, 46)]
    >>> model = papers.orland("levenshtein", n_landmarks=10, random_state=0)
    >>> model.fit(words, np.repeat([1, 2, 3], 15)).predict(["a" * 5, "a" * 22])
    array([1, 2])
    """
    parts = plain(
        n_landmarks, random_state, Ordinal("exc", "fixed"), {"penalty": [1e-1, 1e-2, 1e-3, 1e-4]}
    )
    parts["calibrate"] = False  # as published
    return filled(LandmarkOrdinal, as_similarity(measure), parts, overrides)


def rank(
    measure: Any = "gaussian", n_landmarks: int = 50, random_state: Any = None, **overrides: Any
) -> LandmarkRanker:
    """Ranking of Kar and Jain (2012).

    Landmarks are query–document pairs drawn uniformly; least squares onto the normalised gains of
    each query; the penalty is chosen by NDCG on held-out queries. Another growth or decay than
    2^r − 1 and log(1 + t) is the head's: ``head=Ranking(gain="linear", decay="quadratic")``.

    Parameters
    ----------
    measure : str, Measure, callable or list of these, default="gaussian"
        What compares two objects. Distances are negated, as the method needs similarities.
    n_landmarks : int, default=50
        How many training objects, pairs of query and document, are landmarks.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and the queries held out.
    **overrides
        Further parameters of `LandmarkRanker`, which replace what the preset says.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark import papers
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y, qid = (X[:, 0] > 0.5).astype(int), np.repeat(np.arange(6), 10)
    >>> model = papers.rank("euclidean", n_landmarks=10, random_state=0).fit(X, y, qid=qid)
    >>> model.score(X, y, qid=qid) > 0.9
    True
    """
    parts = plain(
        n_landmarks, random_state, Ranking(), {"penalty": [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5]}
    )
    return filled(LandmarkRanker, as_similarity(measure), parts, overrides)
