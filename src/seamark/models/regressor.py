"""Regression on any objects through landmarks."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.svm import LinearSVR

from ..feature_selection import weighings_of
from ..linear_model import RidgeRegressor
from ..targets import number_targets, require_targets
from .base import LandmarkModel, are_many, with_callbacks
from .explain import Decision, of_numbers, require_no_target
from .incremental import add_rows
from .likely_mistakes import require_paired
from .out_of_core import load_training_data
from .uncertainty import intervals


class LandmarkRegressor(MultiOutputMixin, RegressorMixin, LandmarkModel):
    """Predict a number for strings, series, sets, vectors or anything by likeness to landmarks.

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
    n_landmarks : int or "cv", optional
        How many; default 1000, or as many as there are objects; with one measure and the ridge
        head a third of the objects, up to 2000, where values are cheap. "cv": the fewest of these,
        half of them, a quarter, …, whose cross-validated error is within one standard error of the
        best; values are computed once, and only those landmarks are kept. For the ridge head.
    landmarks : str, Strategy or objects, default="auto"
        "uniform", "stratified", "diverse", "farthest", "generated", "pairs", "parts", a
        `Strategy`, or the landmarks themselves. "auto": drawn uniformly; parts of
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
    head : "ridge", "svr" or an estimator, default="auto"
        The linear model; "auto" is ridge, which takes several targets at once. "svr" is
        scikit-learn's `LinearSVR`. A parameter `C` or `alpha` of an estimator of your own, such as
        ``Lasso(alpha="cv")``, is chosen on a fifth of the rows where it says "cv".
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
    >>> words = ["a" * k for k in range(1, 30)]
    >>> model = sm.LandmarkRegressor("levenshtein", random_state=0).fit(words, range(1, 30))
    >>> model.predict(["a" * 12]).round()
    array([12.])
    """

    incremental_: Any
    strategy: ClassVar[str] = "uniform"
    heads: ClassVar[dict[str, Any]] = {
        "ridge": partial(RidgeRegressor, calibrate=True),
        "svr": partial(LinearSVR, C="cv"),
    }
    weighings: ClassVar[dict[str, Any]] = weighings_of("regression")
    yardstick: ClassVar[Any] = partial(RidgeRegressor, cv=3)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None
    ) -> Self:
        """Fit to objects and their numbers.

        Parameters
        ----------
        X : objects or RowSource
            What `seamark.rows` returns may have more rows than fit into memory.
        y : array-like of shape (n,) or (n, T)
            A source of rows has its own.
        sample_weight : array-like of shape (n,), optional
            For the head.
        checkpoint : path, optional
            Folder that keeps sums of finished rows, where these are many: a fit that was killed
            goes on from there when it is called again, to the same bits.

        Returns
        -------
        self
        """
        require_paired(self, X, y)
        many = None
        if checkpoint is not None or are_many(X):
            X, y, sample_weight, many = load_training_data(
                self, X, y, sample_weight, read="numbers", checkpoint=checkpoint
            )
        targets = number_targets(self, y, several=True)
        self._fit(X, targets, targets, many=many, sample_weight=sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a first chunk of rows, or learn from a further one.

        The first block settles landmarks, transfers and all else; of each block sums are kept, and
        the head is fitted to the sums of all. Before calibration that is the fit to all rows with
        the same landmarks, transfers and folds. For the ridge head.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,) or (n, T)
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self

        Examples
        --------
        >>> import seamark as sm
        >>> model = sm.LandmarkRegressor("levenshtein", random_state=0)
        >>> for k in range(1, 61, 20):
        ...     words = ["a" * length for length in range(k, k + 20)]
        ...     model = model.partial_fit(words, range(k, k + 20))
        >>> model.predict(["a" * 50]).round()
        array([50.])
        """
        if not hasattr(self, "incremental_"):
            self.fit(X, y, sample_weight)
        y = number_targets(self, y, several=True)
        add_rows(self, X, y.reshape(len(y), -1), y, sample_weight)
        self.head_ = self.incremental_.fitted(self.incremental_.y, self.map_)
        return self

    def predict_interval(
        self, X: Any, coverage: float = 0.9, *, groups: Any = None, calibration: Any = None
    ) -> NDArray[np.float64]:
        """Say between which numbers the target of each object lies.

        f(x) ± q·s(x): s is an estimate of the size of errors, and q the quantile of |y − f| / s,
        all out of fold. About `coverage` of new objects lie within, if they come from where those
        of `fit` came from and are unlike these: a promise on average over objects, not for each
        kind of them, and one that is kept empirically, not for certain. Of repeats more lie within.

        Parameters
        ----------
        X : objects
        coverage : float, default=0.9
            Between 0 and 1.
        groups : array-like of shape (n,), optional
            The group of each object: coverage then holds in each group (Mondrian). Needs
            `calibration`.
        calibration : tuple of (X, y) or (X, y, groups), optional
            Objects that `fit` has not seen, with targets and groups: their errors take the place of
            those out of fold. Coverage then holds on average over such objects, for certain.

        Returns
        -------
        ndarray of shape (n, 2), or (n, T, 2) of several targets
            Lower and upper ends; infinite where there are too few objects for the coverage.

        Examples
        --------
        >>> import seamark as sm
        >>> words = ["a" * k for k in range(1, 60)]
        >>> model = sm.LandmarkRegressor("levenshtein", random_state=0).fit(words, range(1, 60))
        >>> low, high = model.predict_interval(["a" * 30])[0]
        >>> bool(low < 30 < high)
        True
        """
        return intervals(self, X, coverage, groups, calibration)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R² of the predictions."""
        require_targets(y)
        return float(super().score(X, y, sample_weight))

    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        predictions = self.head_.predict(features)
        if predictions.ndim == 1:
            require_no_target(target, self)
            return of_numbers(self.head_, features, predictions, predictions)
        if target not in range(predictions.shape[1]):
            raise ValueError(
                f"there are {predictions.shape[1]} outputs; say which one to explain, such as "
                "explain(X, target=0)."
            )
        asked = predictions[:, target]
        return of_numbers(self.head_, features, asked, asked, target)
