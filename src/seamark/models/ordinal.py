"""Ordinal regression on any objects through landmarks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from ..feature_selection import weighings_of
from ..linear_model import Ordinal, RidgeRegressor, ordered_ranks
from ..targets import require_targets
from .base import LandmarkModel, with_callbacks
from .explain import Decision, of_numbers, require_no_target
from .likely_mistakes import require_paired
from .uncertainty import class_sets, has_probabilities


@dataclass(eq=False, repr=False)
class LandmarkOrdinal(ClassifierMixin, LandmarkModel):
    """Predict ordered labels (grades, stars, stages) of any objects by likeness to landmarks.

    Parameters
    ----------
    measure : "auto", Measure, str, callable, list of these or of maps, or dict, default="auto"
        "auto": by what the objects are, several blocks with landmarks of their own; see
        `seamark.models.auto.auto_blocks`. Or what compares objects with landmarks: any similarity
        or distance, also an indefinite, asymmetric or slow one. Several measures share the
        landmarks. A list that holds maps, such as ``[LandmarkMap("dtw"), RandomFourier()]``, makes
        a block of each, with landmarks of its own; so does ``{column: measure or map}`` for the
        columns of a table, by name or number, several in a tuple, "passthrough" for columns of
        numbers. A ridge head weighs the blocks by their out-of-fold errors, and drops those that do
        not help (its `blocks_`).
    n_landmarks : int, optional
        How many; default 1000, or as many as there are objects.
    landmarks : str, Strategy or objects, default="auto"
        "uniform", "stratified", "diverse", "farthest", "generated", "pairs", "parts", a
        `Strategy`, or the landmarks themselves. "auto": from every class its share; parts of
        objects for a measure that compares objects with parts.
    transfer : str or Transfer, default="auto"
        How values become features: "identity", "decay", "gaussian_decay", "ramp", "sign",
        "whitening", or a `Transfer`. "auto": for distances, the distances themselves or exp(−γd);
        a ramp for differences of pairs; otherwise the values themselves. γ and slope are chosen
        by cross-validation, on values that are computed once.
    weighing : None, "aligned", "greedy", "learned" or an estimator, default=None
        Keep only the landmarks that matter; prediction never evaluates the others. "learned"
        chooses `n_landmarks` from a pool of up to 10,000 random and training objects (see
        `seamark.feature_selection.Learned`); the others choose among `n_landmarks`.
    head : "ordinal" or an estimator, default="auto"
        `linear_model.Ordinal`: a score with thresholds between the labels. The order of labels
        that are no numbers is said by ``head=Ordinal(categories=[…])``, or by y, an ordered
        categorical.
    calibrate : bool, default=True
        Whether the head gets probabilities from scores of rows it has not seen, which costs three
        more fits; see `seamark.linear_model.CalibratedOrder`.
    tune : "cv", "held_out" or a `seamark.tuning.HeldOut`, default="cv"
        How open parameters are chosen: those of the transfer by the cross-validated error of a
        ridge, or those of transfer and head by the head's own score on rows held out.
    passthrough : bool, default=False
        For vectors: give the head the columns of X as well.
    effort : {"quick", "default", "best"}, default="default"
        Of ``measure="auto"``: fewer blocks and landmarks, and no search for relevant columns; the
        usual; or more, with two draws of what is drawn at random.
    relevance : "auto" or None, default="auto"
        Of ``measure="auto"`` with vectors: scale columns by how much they matter to a small forest
        or to a first fit, if a half of the rows that has not been asked says that it pays. None:
        all columns count alike.
    budget : int, optional
        Bytes that a fit may hold beside X: sums to solve for come first, and the rest keeps values,
        which beyond that are computed again. Default: the `budget` of `engine.using`, or 2**30
        and, where sums alone take more, what these take.
    progress : bool, default=False
        Show how far values, tuning, fitting and calibration are.
    random_state : int, RandomState or Generator, optional
        Decides which landmarks are drawn, and how rows are dealt to folds.
    n_jobs : int, optional
        Threads (processes for Python functions) that compute values. Default: all cores available;
        for Python functions the calling process.

    Attributes
    ----------
    classes_ : ndarray
        Labels in their order.
    map_ : LandmarkMap or MapUnion
        Fitted; knows landmarks, measures and transfers. With several blocks, their union.
    head_ : estimator
        Fitted.
    landmarks_, landmark_indices_, landmark_sources_, landmark_labels_
        The landmarks themselves, the rows of X that they are, the rows that they are or (parts)
        were cut from, and the labels of these. With several blocks, a list with those of each.
    measure_ : list, dict or Measure
        What ``measure="auto"`` came to, as `measure` takes it; only then.
    relevance_ : ndarray or None
        Factors of the columns that came of `relevance`; None if all count alike.
    tuning_ : dict
        Everything tried, and its cross-validated error or its score on held-out rows.
    n_evaluations_ : int
        Measure evaluations in fit.
    fit_times_ : dict
        Seconds that `fit` spent on "values", "tuning", "fitting", "calibration" and all "other".

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["a" * k for k in range(1, 31)]
    >>> stars = np.repeat([1, 2, 3], 10)
    >>> sm.LandmarkOrdinal("levenshtein", random_state=0).fit(words, stars).predict(["a" * 15])
    array([2])
    """

    _: KW_ONLY
    calibrate: bool = True

    strategy: ClassVar[str] = "stratified"
    heads: ClassVar[dict[str, Any]] = {"ordinal": Ordinal}
    weighings: ClassVar[dict[str, Any]] = weighings_of("regression")
    yardstick: ClassVar[Any] = partial(RidgeRegressor, cv=3)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to objects and their ordered labels: numbers, or an ordered categorical.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            For the head.

        Returns
        -------
        self
        """
        require_paired(self, X, y)
        require_targets(y)
        checked = validate_data(self, y=y)
        has_order = bool(getattr(getattr(y, "dtype", None), "ordered", False))
        categories = getattr(self.head, "categories", None)
        self.classes_, ranks = ordered_ranks(y if has_order else checked, categories)
        labels, as_numbers = self.classes_[ranks], ranks.astype(np.float64)
        self._fit(X, ranks, labels, as_numbers, sample_weight=sample_weight)
        return self

    def _parts(self, rng: np.random.Generator) -> tuple[Any, Any]:
        head, weighing = super()._parts(rng)
        if hasattr(head, "categories"):  # it learns ranks, whose order is plain
            head.set_params(categories=None)
        return head, weighing

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy."""
        require_targets(y)
        return float(super().score(X, y, sample_weight))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Score of each object, large for late labels; of heads that have `scores`."""
        return np.asarray(self._predict(X, "scores"), dtype=np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision of the head: (n,) for two labels, else (n, number of labels)."""
        return np.asarray(self._predict(X, "decision_function"), dtype=np.float64)

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the labels, (n, number of labels), calibrated on rows held out.

        In the order of `classes_`. Those of neighbouring labels go together: each is what lies
        between two cuts of a logistic distribution around the score. `predict` goes by the
        thresholds of the head, so that the likeliest label is mostly, not always, the predicted
        one.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n, number of labels)

        Examples
        --------
        >>> import seamark as sm
        >>> words = ["a" * k for k in range(1, 61)]
        >>> model = sm.LandmarkOrdinal("levenshtein", random_state=0)
        >>> model = model.fit(words, np.repeat([1, 2, 3], 20))
        >>> model.predict_proba(["a" * 10, "a" * 20]).round(1)
        array([[1. , 0. , 0. ],
               [0.5, 0.5, 0. ]])
        """
        said = self._predict(X, "predict_proba")
        return said.astype(np.float64, copy=False)  # type: ignore[no-any-return]

    def predict_set(
        self,
        X: Any,
        coverage: float = 0.9,
        *,
        by_class: bool = False,
        groups: Any = None,
        calibration: Any = None,
    ) -> NDArray[np.bool_]:
        """Say which labels each object may have; see `LandmarkClassifier.predict_set`.

        Parameters
        ----------
        X : objects
        coverage : float, default=0.9
            Between 0 and 1.
        by_class : bool, default=False
            Let the coverage hold in each class, rare ones too; sets are then larger.
        groups : array-like of shape (n,), optional
            The group of each object: coverage then holds in each group (Mondrian). Needs
            `calibration`.
        calibration : tuple of (X, y) or (X, y, groups), optional
            Objects that `fit` has not seen, with targets and groups: their errors take the place of
            those out of fold. Coverage then holds on average over such objects, for certain.

        Returns
        -------
        ndarray of bool, shape (n, number of labels)
            In the order of `classes_`.
        """
        return class_sets(self, X, coverage, by_class, groups, calibration)

    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        require_no_target(target, self)
        labels = self.classes_[self.head_.predict(features)]
        linear = getattr(self.head_, "scores", None)
        scores = features @ self.coef_[0] if linear is None else linear(features)
        return of_numbers(self.head_, features, labels, scores)
