"""Explanations: which landmarks decided, and how much each contributed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..displays import ExplanationDisplay
from ..displays.text import brief, visible
from ..estimating import pandas_for
from ..heads import coefficients_of
from ..landmarks import NOT_A_ROW


@dataclass(frozen=True)
class Reason:
    """One landmark's part in a prediction.

    Attributes
    ----------
    landmark : object
        The landmark itself (a pair of them, if values are differences).
    index : int or None
        The row of the training data that it is, or was cut from.
    label : object
        The label of that row, if it has one.
    value : float
        What the measure said of object and landmark.
    contribution : float
        What it added to the decision, relative to an average object.
    """

    landmark: Any
    index: int | None
    label: Any
    value: float
    contribution: float

    def __str__(self) -> str:
        row = "" if self.index is None else f"row {self.index}"
        label = "" if self.label is None else f"({brief(self.label, 30)})"
        shown = visible(self.landmark, 60)
        parts = [_signed(self.contribution), f"at {self.value:<7.4g}", f"{row:9}", label, shown]
        return "  ".join(part for part in parts if part.strip())


@dataclass(frozen=True)
class Explanation:
    """A prediction, and the landmarks that decided it, the strongest first.

    Attributes
    ----------
    prediction : object
    reasons : list of Reason
    total : float
        Sum of the contributions of all landmarks, shown or not.
    object : object
        What was predicted.
    domain : str
        What kind of object it is: "strings", "series", "sets", "vectors", …

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
    >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
    >>> explanation = model.fit(names, ["f", "f", "f", "m", "m", "m"] * 3).explain("Susanna")
    >>> print(explanation.object, explanation.prediction, len(explanation.reasons))
    Susanna f 5
    >>> explanation.to_frame().columns.tolist()
    ['landmark', 'index', 'label', 'value', 'contribution']
    """

    prediction: Any
    reasons: list[Reason]
    total: float
    object: Any = field(default=None, repr=False)
    domain: str = field(default="objects", repr=False)

    def __str__(self) -> str:
        shown = sum(reason.contribution for reason in self.reasons)
        head = f"predicted {brief(self.prediction)}: contributions {_signed(self.total)} in all, "
        head += f"{_signed(shown)} of these {len(self.reasons)}"
        return "\n  ".join([head, *map(str, self.reasons)])

    def to_frame(self) -> Any:
        """Return the reasons as a pandas DataFrame, one row each."""
        pd = pandas_for("to_frame")
        columns = list(Reason.__dataclass_fields__)
        frame = pd.DataFrame(index=range(len(self.reasons)), columns=columns, dtype=object)
        for name in columns:  # as objects first: landmarks may be arrays, of unequal length even
            values = np.empty(len(self.reasons), dtype=object)
            for k, reason in enumerate(self.reasons):
                values[k] = getattr(reason, name)
            frame[name] = values
        return frame.astype({"value": float, "contribution": float})

    def plot(self, ax: Any = None) -> ExplanationDisplay:
        """Draw the contributions, and the landmarks as what they are.

        Parameters
        ----------
        ax : matplotlib axes, optional
            For the bars; landmarks are drawn to the right of them.
        """
        return ExplanationDisplay.from_explanation(self, ax=ax)


def _signed(number: float) -> str:
    """Return a contribution to three places, or four digits where it is large."""
    return f"{number:+.3f}" if abs(number) < 10 else f"{'+' if number > 0 else ''}{brief(number)}"


def strongest(contributions: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Positions of the n largest contributions by size.

    Examples
    --------
    >>> strongest(np.array([0.1, -3.0, 2.0]), 2)
    array([1, 2])
    """
    return np.argsort(-np.abs(contributions), kind="stable")[:n]


def as_one(X: Any, landmark: Any, *, table: bool) -> Any:
    """Return a collection of one, if X is a single object and not a collection; else None.

    Parameters
    ----------
    X : object or objects
    landmark : object
        What single objects look like.
    table : bool
        Whether objects are rows of a matrix: then whatever has one dimension is one of them.

    Examples
    --------
    >>> as_one("text", "a landmark", table=False)
    ['text']
    >>> as_one(["text"], "a landmark", table=False) is None
    True
    """
    if table:
        if sparse.issparse(X) or isinstance(X, dict) or np.ndim(X) != 1:
            return None
        return X.to_frame().T if hasattr(X, "to_frame") else np.asarray(X)[None]
    if isinstance(landmark, np.ndarray):
        numeric = isinstance(X, np.ndarray) and X.dtype != object
        return [X] if numeric and X.ndim == landmark.ndim else None
    # A list is a collection, even where objects are lists themselves.
    one = isinstance(X, type(landmark)) and not isinstance(X, (list, tuple))
    return [X] if one else None


class Explaining:
    """What a fitted landmark model says of its own predictions."""

    map_: Any
    head_: Any
    landmarks_: Any
    landmark_labels_: Any
    feature_means_: NDArray[np.float64]
    _ingested: Any
    _decide: Any

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients of the features as `map_` gives them, (rows, features)."""
        return coefficients_of(self.head_)

    def explain(self, X: Any, n_landmarks: int = 5) -> Any:
        """Say which landmarks decided the prediction of each object.

        A contribution is a coefficient times how far the feature is from that of an average
        training object; it speaks for the predicted class, or adds to the predicted number.

        Parameters
        ----------
        X : objects, or one object
            One is a string, or an array of the shape of one; a list is always several.
        n_landmarks : int, default=5
            How many landmarks to show for each object, the strongest first.

        Returns
        -------
        list of Explanation, or Explanation
            As many as there are objects. Each prints itself, and has `to_frame` and `plot`.
        """
        check_is_fitted(self, "head_")
        alone = as_one(X, self._one_landmark(), table=hasattr(self, "n_features_in_"))
        if alone is not None:
            return self._explanations(alone, n_landmarks)[0]
        return self._explanations(X, n_landmarks)

    def _one_landmark(self) -> Any:
        """Return what single objects look like, as far as landmarks show it."""
        if not self.map_.is_union:
            return self.landmarks_[0]
        return next((some[0] for some in self.landmarks_ if some is not None), None)

    def _explanations(self, X: Any, n_landmarks: int) -> list[Explanation]:
        objects = self._ingested(X)
        kinds = [one.domain.name for one in self.map_.blocks_]
        domain = kinds[0] if len(kinds) == 1 else "objects"
        coefficients = self.coef_
        explanations: list[Explanation] = []
        for rows in self.map_.row_blocks(objects.shape[0]):
            with engine.numbering(rows):
                features, shown = self.map_.shown(objects[rows])
            predictions, speakers = self._decide(features)
            parts = (features - self.feature_means_) * coefficients[speakers]
            rows_of = (predictions, self.map_.by_landmark(parts), shown, parts.sum(axis=1))
            explained = [self._explained(*row, n_landmarks) for row in zip(*rows_of, strict=True)]
            explanations += [
                replace(one, object=objects[rows.start + i], domain=domain)
                for i, one in enumerate(explained)
            ]
        return explanations

    def _explained(
        self, prediction: Any, parts: NDArray[Any], values: NDArray[Any], total: float, n: int
    ) -> Explanation:
        reasons = [
            Reason(*self._landmark(int(j)), float(values[j]), float(parts[j]))
            for j in strongest(parts, n)
        ]
        return Explanation(prediction, reasons, float(total))

    def _landmark(self, column: int) -> tuple[Any, int | None, Any]:
        """The landmark behind a feature: itself, the row of fit it comes from, its label."""
        thing, place = self.map_.behind(column), self.map_.source_of(column)
        if place is None:
            return thing, None, None
        block, j = place
        sources = self.map_.blocks_[block].landmark_sources_
        several = self.map_.is_union
        labels = self.landmark_labels_[block] if several else self.landmark_labels_
        row = NOT_A_ROW if sources is None else int(sources[j])
        return (
            (thing, None, None) if row == NOT_A_ROW or labels is None else (thing, row, labels[j])
        )


def measure_weights(
    whole: Any, block: NDArray[Any], coefficients: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of each block, or of each measure of one, in what moves the decision.

    A decision is a sum over these; their parts are compared by variance over a block of rows,
    summed over outputs. Weights of single features would not do: they say little where features
    are alike.
    """
    if whole.is_union:
        owners, n = whole.owners(), len(whole.maps_)
    else:
        owners, n = whole.grid.owners(np.arange(whole.n_features_out_)), len(whole.measures_)
    varied = block - block.mean(axis=0, dtype=np.float64)
    spread = [
        (varied[:, owners == m] @ coefficients[:, owners == m].T).var(axis=0).sum()
        for m in range(n)
    ]
    total = np.sum(spread)
    return np.asarray(spread) / total if total > 0 else np.full(n, 1.0 / n)
