"""Regression, ordered labels and ranking: Kar and Jain (2012)."""

from __future__ import annotations

from typing import Any

from sklearn.svm import LinearSVR

from ..feature_selection import Greedy
from ..landmarks import Everything
from ..linear_model import Ordinal, Ranking, RidgeRegressor
from ..models import LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
from ..transfers import Identity
from .parts import COSTS, as_similarity, filled, plain


def regland(
    measure: Any = "gaussian", n_landmarks: int = 50, random_state: Any = None, **overrides: Any
) -> LandmarkRegressor:
    """RegLand of Kar and Jain, *Supervised learning with similarity functions* (2012).

    Landmarks drawn uniformly, similarities as features, support vector regression, C chosen on
    held-out rows by R².

    The loss is the square of the ε-insensitive one: as good in trials, and solved in a few Newton
    steps where liblinear's descent on the plain loss goes on for 100,000 rounds if C is large. The
    plain one is ``head=LinearSVR()``. C ∈ {1, 10, 100, 1000} is not divided by R for this loss.

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
    """
    head = LinearSVR(epsilon=0.01, loss="squared_epsilon_insensitive", dual=False)
    parts = plain(n_landmarks, random_state, head, {"C": list(COSTS)})
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
        "landmarks": Everything(n_candidates),
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
    each query; the penalty is chosen by NDCG on held-out queries.

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
