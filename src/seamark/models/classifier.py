"""Classification of any objects through landmarks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from ..data import is_collection
from ..feature_selection import weighings_of
from ..io import RowSource
from ..linear_model import EachLabel, LinearSVM, RidgeClassifier, RidgeLabels
from ..targets import (
    checked_weights,
    class_factors,
    class_targets,
    holds_labels,
    label_matrix,
    label_targets,
    require_targets,
)
from .base import LandmarkModel, are_many, with_callbacks
from .explain import Decision, decision_of_label, has_labels, of_classes
from .incremental import add_classes, add_labels
from .likely_mistakes import require_paired
from .out_of_core import load_training_data
from .uncertainty import class_sets, has_probabilities


@dataclass(eq=False, repr=False)
class LandmarkClassifier(ClassifierMixin, LandmarkModel):
    """Classify strings, series, sets, vectors or anything by their likeness to landmarks.

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
    head : "ridge", "svm", "linear_svc", "logistic" or an estimator, default="auto"
        The linear model. "auto" is ridge, which reads features in chunks of rows, chooses its
        penalty by exact cross-validation, and gives calibrated probabilities. The others get all
        features at once, standardised: "svm" is `linear_model.LinearSVM`, which does quickly what
        scikit-learn's `LinearSVC`, "linear_svc", does; "logistic" is its `LogisticRegression`.
        A parameter `C` or `alpha` of an estimator of your own, such as ``LinearSVC(C="cv")``, is
        chosen on a fifth of the rows where it says "cv".
    class_weight : None, "balanced" or dict, default=None
        Factors of the rows' weights by class, for every head that takes weights. "balanced" gives
        all classes the same weight, so that a rare one is not given up; classes that a dict lacks
        keep 1. Tuning and calibration count them too: probabilities are those for data in which
        classes are as frequent as they weigh.
    calibrate : bool, default=True
        Whether heads that do not calibrate themselves, as ridge does, get probabilities from scores
        of rows they have not seen, which costs three more fits; see `linear_model.Calibrated`.
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
        The classes, sorted; or the labels.
    multilabel_ : bool
        True, where objects have any number of labels; not there otherwise.
    map_ : LandmarkMap or MapUnion
        Fitted; knows landmarks, measures and transfers. With several blocks, their union.
    head_ : estimator
        Fitted.
    landmarks_, landmark_indices_, landmark_sources_, landmark_labels_
        The landmarks themselves, the rows of X that they are, the rows that they are or (parts)
        were cut from, and the labels of these. With several blocks, a list with those of each.
    measure_weights_ : ndarray
        With several measures or blocks: the share of each in the variance of the decision.
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
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
    >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
    >>> model.fit(names, ["f", "f", "f", "m", "m", "m"] * 3).predict(["Susanna", "Lotto"]).tolist()
    ['f', 'm']
    """

    _: KW_ONLY
    class_weight: Any = None
    calibrate: bool = True

    strategy: ClassVar[str] = "stratified"
    heads: ClassVar[dict[str, Any]] = {
        "ridge": RidgeClassifier,
        "svm": LinearSVM,
        "linear_svc": LinearSVC,
        "logistic": partial(LogisticRegression, max_iter=1000),
    }
    weighings: ClassVar[dict[str, Any]] = weighings_of("classification")
    yardstick: ClassVar[Any] = partial(RidgeClassifier, cv=3, calibrate=False)

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None
    ) -> Self:
        """Fit to objects and their classes.

        Parameters
        ----------
        X : objects or RowSource
            What `seamark.rows` returns may have more rows than fit into memory.
        y : array-like of shape (n,), matrix of shape (n, L), or collection of sets
            Classes of any type; a source of rows has its own. Or any number of labels for each
            object: a matrix of 0 and 1, dense or sparse, or sets of labels.
        sample_weight : array-like of shape (n,), optional
            For the head.
        checkpoint : path, optional
            Folder that keeps sums of finished rows, where these are many: a fit that was killed
            goes on from there when it is called again, to the same bits.

        Returns
        -------
        self
        """
        self.__dict__.pop("multilabel_", None)  # of an earlier fit
        require_paired(self, X, y)
        if holds_labels(y):
            return self._fit_to_labels(X, y, sample_weight)
        many = None
        if checkpoint is not None or are_many(X):
            X, y, sample_weight, many = load_training_data(
                self, X, y, sample_weight, read="classes", checkpoint=checkpoint
            )
        self.classes_, codes = class_targets(y)
        labels = self.classes_[codes]
        if many is not None:
            many.classes = self.classes_
        if self.class_weight is None:
            self._fit(X, codes, labels, many=many, sample_weight=sample_weight)
            return self
        head = self._parts(np.random.default_rng(0))[0]
        if not has_fit_parameter(head, "sample_weight"):
            raise ValueError(
                f"class_weight needs a head whose fit takes sample_weight, and that of {head!r} "
                'does not; take head="ridge", or leave class_weight out.'
            )
        if getattr(head, "class_weight", None) is not None:
            raise ValueError(
                f"class_weight={self.class_weight!r} and head={head!r} both weigh classes; leave "
                "one of the two out."
            )
        given = checked_weights(sample_weight, len(codes))
        factors = class_factors(self.class_weight, self.classes_, codes, given)
        if isinstance(head, RidgeClassifier):
            # Its penalty does not mind the scale, and its calibration takes weights for numbers of
            # rows: a class is not to be better known for being given more weight.
            factors = factors / factors.max()
        if many is not None:
            many.factors = factors[np.unique(codes, return_index=True)[1]]
        self._fit(X, codes, labels, weights=factors, many=many, sample_weight=given * factors)
        return self

    def _fit_to_labels(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fit to a matrix of 0 and 1, or to sets of labels."""
        if isinstance(X, RowSource) or is_collection(X):
            raise ValueError(
                "several labels of an object are not read from a source of rows; give a list or an "
                "array of the objects, and a matrix of 0 and 1 as y."
            )
        if self.class_weight is not None:
            raise ValueError(
                f"class_weight={self.class_weight!r} weighs rows by their one class, and y has "
                "several labels for each; leave it out, or give sample_weight."
            )
        self.classes_, codes = label_targets(self, y)
        self.multilabel_ = True
        yardstick = RidgeLabels(cv=3, calibrate=False)
        self._fit(X, codes, codes, yardstick=yardstick, sample_weight=sample_weight)
        return self

    def _parts(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return head and weighing; a ridge learns all labels at once, other heads each of them."""
        head, weighing = super()._parts(rng)
        if not has_labels(self):
            return head, weighing
        if hasattr(weighing, "task"):
            weighing.set_params(task="regression")  # on columns of 0 and 1
        if isinstance(head, RidgeClassifier):
            parameters = head.get_params()
            del parameters["class_weight"]
            head = RidgeLabels(**parameters)
        elif not isinstance(head, (RidgeLabels, EachLabel)):
            head = EachLabel(head)
        return head, weighing

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Fit to a first chunk of rows, or learn from a further one.

        See `LandmarkRegressor.partial_fit`. Probabilities are calibrated on 2,000 rows drawn from
        all that came.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,), matrix of shape (n, L), or collection of sets
        classes : array-like, optional
            All classes, or labels, that may come, in the first call. Default: those of the first
            block, which has two or more.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self
        """
        begun = hasattr(self, "incremental_")
        labels = has_labels(self) if begun else holds_labels(y)
        (add_labels if labels else add_classes)(self, X, y, classes, sample_weight)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: (n,) for two classes, else (n, number of classes or labels)."""
        said = self._predict(X, "decision_function")
        return said.astype(np.float64, copy=False)  # type: ignore[no-any-return]

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, or of each label, calibrated on rows held out."""
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
        """Say which classes each object may be of.

        Those whose probability is at least 1 − q, q the quantile of 1 − p(true class) out of fold.
        About `coverage` of new objects have their class in their set, on the terms of
        `LandmarkRegressor.predict_interval`. Sets may be empty: no class is likely enough. Where
        the model is right more often than asked for, some must be; ask for more then.

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
        ndarray of bool, shape (n, number of classes)
            In the order of `classes_`.

        Examples
        --------
        >>> import seamark as sm
        >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
        >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
        >>> model.fit(names, ["f", "f", "f", "m", "m", "m"] * 3).predict_set(["Susanna"], 0.8)
        array([[ True, False]])
        """
        return class_sets(self, X, coverage, by_class, groups, calibration)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; of labels, the share of objects for which all are right.

        Parameters
        ----------
        X : objects
        y : as in `fit`
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        require_targets(y)
        y = label_matrix(self.classes_, y) if has_labels(self) else y
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        if has_labels(self):
            return decision_of_label(self.head_, self.classes_, features, target)
        return of_classes(self.head_, self.classes_, features, target)
