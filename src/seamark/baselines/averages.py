"""Means weighted by similarity: votes of classes, and Nadaraya–Watson regression."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ..engine import digest
from ..targets import class_targets, number_targets
from ..validation import generator, require_number
from .base import Numbers, OverObjects, Rows, Values, some_rows

VOTES = ("strong", "weak")


def _votes(kind: str) -> Any:
    return available_if(lambda self: self.vote == kind)


@dataclass(eq=False, repr=False)
class AverageSimilarity(ClassifierMixin, OverObjects):
    """Predict the class of larger mean similarity, or a vote weighted by it.

    These are the rules that make a similarity strongly good (Definitions 4 and 10; with weights
    that are known, Definition 6) or weakly good (Definition 5) useful as it is. A distance is
    negated.

    Parameters
    ----------
    measure : Measure, str or callable, default="gaussian"
        A similarity, or a distance.
    vote : {"strong", "weak"}, default="strong"
        "strong": the class of largest mean similarity. "weak", for two classes: if one class is
        more frequent than ½ + γ/32, always that one; else the second class with probability
        (1 + g(x))/2, g(x) half the difference of mean similarities, scaled to [−1, 1]. An object's
        chance is decided by its content and `random_state`: asked again, the answer is the same.
        (The content of an object that is given by precomputed values are these values.)
    gamma : float, optional
        γ of the weak vote. Default: the mean similarity of same-class pairs less that of
        different-class pairs, in training data.
    n_per_class : int, optional
        References of each class, drawn uniformly. Default: all.
    random_state : int, Generator or None
        Draws the references, and decides weak votes.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    references_ : objects
    reference_classes_ : ndarray
        Their class numbers.
    reference_weights_ : ndarray or None
        Their weights, if fit got some.
    classes_ : ndarray
    range_ : tuple of float
        Similarities that stand for −1 and 1: the measure's bounds if they are finite, else the
        least and largest seen in fit (weak vote only).
    gamma_ : float
        γ used (weak vote only).
    always_ : int or None
        The class number that is always predicted, if one is (weak vote only).
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> model = AverageSimilarity("levenshtein")
    >>> model.fit(["sea", "tea", "mark", "bark"], [0, 0, 1, 1]).predict(["pea", "lark"])
    array([0, 1])
    """

    measure: Any = "gaussian"
    _: KW_ONLY
    vote: Literal["strong", "weak"] = "strong"
    gamma: float | None = None
    n_per_class: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        weak = self.vote == "weak"
        tags.classifier_tags.multi_class = not weak
        tags.classifier_tags.poor_score = weak
        return tags

    def fit(self, X: Any, y: Any, weights: Any = None) -> Self:
        """Keep references; for the weak vote, learn the scale and γ.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)
        weights : array-like of shape (n,), optional
            w(x′) from 0 to 1, how good a reference each object is: the strong vote compares the
            means of w(x′)K(x, x′). Default: all are 1.

        Returns
        -------
        self

        Examples
        --------
        >>> from seamark.measures import Custom
        >>> words, labels = ["sea", "tea", "bark", "mark"], ["sea", "sea", "mark", "mark"]
        >>> model = AverageSimilarity(Custom(lambda a, b: float(a[-1] == b[-1]), "similarity"))
        >>> model.fit(words, labels, weights=[1.0, 0.0, 0.2, 0.2]).decision_function(["pea", "ark"])
        array([ 0.5, -0.2])
        """
        self._counted(X, y, weights)
        return self

    def _fit(self, X: Any, y: Any, weights: Any = None) -> None:
        self.classes_, codes = class_targets(y)
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            if weights.shape != codes.shape or not ((weights >= 0) & (weights <= 1)).all():
                raise ValueError(f"weights must be {len(codes)} numbers from 0 to 1.")
            if self.vote == "weak":
                raise ValueError('weights are for vote="strong"; leave them out.')
        if self.vote not in VOTES:
            raise ValueError(f'vote must be "strong" or "weak", not {self.vote!r}.')
        if self.vote == "weak" and len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported by vote='weak'. The type of the target "
                f"is multiclass ({len(self.classes_)} classes); use vote='strong'."
            )
        if self.gamma is not None:
            require_number("gamma", self.gamma, 0, 2, "a positive number up to 2, or None")
        measure, objects = self._ingest(X, codes)
        measure.distance_sign()
        rng = generator(self.random_state)
        members = [np.flatnonzero(codes == c) for c in range(len(self.classes_))]
        chosen = [m[some_rows(len(m), self.n_per_class, rng, "n_per_class")] for m in members]
        rows = np.sort(np.concatenate(chosen))
        self.references_ = measure.domain.landmarks(objects, rows)
        self.reference_classes_ = codes[rows]
        self.reference_weights_ = None if weights is None else weights[rows]
        self.measure_ = measure.fitted_to(objects, rng)
        if self.vote == "weak":
            self.range_, self.gamma_ = self._scale_and_gamma(objects, rows, codes)
            counts = np.bincount(codes)
            frequent = counts.max() > (0.5 + self.gamma_ / 32) * len(codes)
            self.always_ = int(counts.argmax()) if frequent else None
            self.seed_ = int(rng.integers(2**63))

    def _scale_and_gamma(
        self, objects: Any, rows: Rows, codes: Rows
    ) -> tuple[tuple[float, float], float]:
        """Return the range of similarities and γ; pairs are evaluated only if they must be."""
        low, high = self.measure_.bounds
        if self.measure_.distance_sign() > 0:
            low, high = -high, -low
        bounded = np.isfinite(low) and np.isfinite(high)
        if bounded and self.gamma is not None:
            return (low, high), float(self.gamma)

        def seen(some: slice, values: NDArray[np.float32]) -> Numbers:
            K = self._similarities(values)
            same = codes[some][:, None] == codes[rows]
            other = np.arange(len(codes))[some][:, None] != rows  # no object with itself
            sums = [[K[mask].sum(), mask.sum()] for mask in (same & other, ~same)]
            return np.array([[K.min(), K.max(), *np.ravel(sums)]])

        found = self._stacked(objects, seen)
        if not bounded:
            low, high = float(found[:, 0].min()), float(found[:, 1].max())
        if self.gamma is not None:
            return (low, high), float(self.gamma)
        sums = found[:, 2:].sum(axis=0)
        means = sums[::2] / np.maximum(sums[1::2], 1)
        gap = 2 * float(means[0] - means[1]) / (high - low) if high > low else 0.0
        return (low, high), max(0.0, gap)

    def _similarities(self, values: NDArray[np.float32]) -> Numbers:
        """Return values in float64, distances negated."""
        return -self.measure_.distance_sign() * values.astype(np.float64)

    def _means(self, X: Any) -> tuple[Any, Numbers]:
        """Return the objects, and the mean similarity of each to each class."""
        objects = self._ingest_new(X)
        member = np.eye(len(self.classes_))[self.reference_classes_]
        member /= member.sum(axis=0)
        weights = getattr(self, "reference_weights_", None)
        if weights is not None:
            member *= weights[:, None]

        def means_of(_: slice, values: NDArray[np.float32]) -> Numbers:
            K = self._similarities(values)
            return (np.clip(K, *self.range_) if self.vote == "weak" else K) @ member

        return objects, self._stacked(objects, means_of)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the vote gives.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        objects, means = self._means(X)
        if self.vote == "weak":
            # A number in [0, 1) from an object's content: its place among others is no part.
            is_sparse = sparse.issparse(objects)  # whose items are matrices of one row
            each = (objects[i : i + 1] for i in range(objects.shape[0])) if is_sparse else objects
            digests = [digest((self.seed_, one)) for one in each]
            coins = np.array([int.from_bytes(one[:7], "big") / 2**56 for one in digests])
            chosen = (coins < self._chance(means)).astype(np.intp)
        else:
            chosen = means.argmax(axis=1)  # of equal ones the first
        return np.asarray(self.classes_[chosen])

    @_votes("strong")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Numbers:
        """Return the mean similarity to each class; for two classes the second's less the first's.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
        """
        _, means = self._means(X)
        return means[:, 1] - means[:, 0] if len(self.classes_) == 2 else means

    @_votes("weak")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Numbers:
        """Return the probability with which the weak vote gives each class.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n, 2)
        """
        chance = self._chance(self._means(X)[1])
        return np.column_stack([1 - chance, chance])

    def _chance(self, means: Numbers) -> Numbers:
        """Probability of the second class."""
        if self.always_ is not None:
            return np.full(len(means), float(self.always_))
        low, high = self.range_
        scale = 2 / (high - low) if high > low else 0.0
        return (1 + 0.5 * scale * (means[:, 1] - means[:, 0])) / 2


# Nadaraya–Watson regression: the mean of known targets, weighted by similarity.


# Below this share of Σ|K| a sum ΣK is what rounding left of terms that cancel.
CANCELLED = 1e-5


@dataclass(eq=False, repr=False)
class KernelRegression(RegressorMixin, OverObjects):
    """Nadaraya–Watson: Σ yᵢ K(x, xᵢ) / Σ K(x, xᵢ).

    RegLand is compared with it. Where the denominator vanishes, since all similarities are 0 or
    since those of a sign-changing similarity cancel, the prediction is the mean of y.

    Parameters
    ----------
    measure : Measure, str or callable, default="gaussian"
        A similarity, as a rule. The ratio does not change with the sign of K, so a distance and
        its negative give the same; both weigh far objects more, as in the paper's tables.
    n_references : int, optional
        Training objects to compare with, drawn uniformly. Default: all.
    random_state : int, Generator or None
        Draws the references.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
        With numeric parameters.
    references_ : objects
    targets_ : ndarray
        Their targets.
    fallback_ : float
        The mean of y.
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> from seamark.measures import Custom
    >>> model = KernelRegression(Custom(lambda a, b: float(a[0] == b[0]), kind="similarity"))
    >>> model.fit(["ant", "ape", "bee"], [1.0, 3.0, 8.0]).predict(["asp", "bat", "cow"])
    array([2., 8., 4.])
    """

    measure: Any = "gaussian"
    _: KW_ONLY
    n_references: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # the papers' width, the mean distance, is wide
        return tags

    def _fit(self, X: Any, y: Any) -> None:
        y = number_targets(self, y)
        measure, objects = self._ingest(X, y)
        rng = generator(self.random_state)
        rows = some_rows(objects.shape[0], self.n_references, rng, "n_references")
        self.measure_ = measure.fitted_to(objects, rng)
        self.references_ = measure.domain.landmarks(objects, rows)
        self.targets_ = y[rows]
        self.fallback_ = float(y.mean())

    def predict(self, X: Any) -> Numbers:
        """Weighted means of the targets.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """

        def weighted_means(_: slice, values: Values) -> Numbers:
            K = values.astype(np.float64)
            total = K.sum(axis=1)
            sound = np.abs(total) > CANCELLED * np.abs(K).sum(axis=1)
            means = np.full(len(K), self.fallback_)
            # Targets are centred first, so that a denominator just above the guard meets small
            # sums.
            centred = K @ (self.targets_ - self.fallback_)
            means[sound] += centred[sound] / total[sound]
            return means

        return self._stacked(self._ingest_new(X), weighted_means)
