"""Explanations: a prediction as what it is made of, in the user's own objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Series, as_table, collected
from ..linear_model import coefficients_of
from .describe import Describing
from .explain import (
    Decision,
    Evidence,
    evidence_of,
    examples_of,
    grouped,
    has_labels,
    place_of,
    sides_of,
)
from .explanation import Explanation, Group, Reason
from .tables import as_row

__all__ = ["Explaining", "Explanation", "Reason", "as_one", "strongest"]


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
        dicts = isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], dict)
        if sparse.issparse(X) or isinstance(X, dict) or dicts or np.ndim(X) != 1:
            return None
        return X.to_frame().T if hasattr(X, "to_frame") else np.asarray(X)[None]
    if isinstance(landmark, np.ndarray):
        numeric = isinstance(X, np.ndarray) and X.dtype != object
        return [X] if numeric and X.ndim == landmark.ndim else None
    # A list is a collection, even where objects are lists themselves.
    one = isinstance(X, type(landmark)) and not isinstance(X, (list, tuple))
    return [X] if one else None


class Explaining(Describing):
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

    def explain(self, X: Any, n_landmarks: int = 5, *, target: Any = None) -> Any:
        """Say what the prediction of each object is made of.

        The model sees an object by its likeness to landmarks. An explanation writes it as a
        mixture of the few landmarks that, in the eyes of the model, are most like it; its score
        then is the same mixture of their scores, and a rest that is said. Where landmarks are
        parts or columns, which have no score of their own, a contribution is a coefficient times
        how far the feature is from that of an average object.

        Parameters
        ----------
        X : objects, or one object
            One is a string, or an array of the shape of one; a list is always several.
        n_landmarks : int, default=5
            How many landmarks to show for each object, the strongest first.
        target : class, optional
            The class to ask about; default: the one that is predicted. Where objects have any
            number of labels, one of them; of a regressor with several outputs, the number of one.

        Returns
        -------
        list of Explanation, or Explanation
            As many as there are objects. Each prints itself, and has `to_frame` and `plot`.

        Notes
        -----
        For each object the values of some near landmarks against all landmarks are computed, at
        most 50 and 50 of other classes, which takes as long as 100 predictions; what is known of
        them serves all objects of one call.
        """
        check_is_fitted(self, "head_")
        X = collected(X)
        if isinstance(X, dict) and hasattr(self.map_, "n_features_in_") and len(as_table(X)) == 1:
            return self._explanations(X, n_landmarks, target)[0]
        alone = as_one(X, self._one_landmark(), table=hasattr(self, "n_features_in_"))
        if alone is not None:
            return self._explanations(alone, n_landmarks, target)[0]
        return self._explanations(X, n_landmarks, target)

    def _one_landmark(self) -> Any:
        """Return what single objects look like, as far as landmarks show it."""
        if not self.map_.is_union:
            return self.landmarks_[0]
        blocks = zip(self.landmarks_, self.map_.blocks_, strict=True)
        some = [(objects, one) for objects, one in blocks if objects is not None]
        whole = [objects for objects, one in some if getattr(one, "compares_objects", False)]
        for one in () if whole else self.map_.blocks_:
            look = getattr(one, "look_", None)
            if isinstance(one.domain, Series) and look is not None:  # landmarks are windows
                return np.zeros((look.width, 1) if look.width > 1 else 1)
        return whole[0][0] if whole else some[0][0][0] if some else None

    def _explanations(
        self, X: Any, n_landmarks: int, target: Any, own: NDArray[np.intp] | None = None
    ) -> list[Explanation]:
        """Explain objects; `own` are their rows in fit, which say nothing of themselves."""
        objects = self._ingested(X)
        blocks = [Evidence(self, k) for k in range(len(self.map_.blocks_))]
        if has_labels(self):
            place = place_of(self.classes_, target)
            for block in blocks:
                block.labels = sides_of(block.labels, place, target)
        explanations: list[Explanation] = []
        for rows in self.map_.row_chunks(objects.shape[0]):
            with engine.numbering(rows):
                features = self._seen(blocks, objects[rows])
            decided = self._decide(features, target)
            weights = _by_block(self.map_, decided.weights)
            mine = None if own is None else own[rows]
            base = self._base(blocks, weights, decided)
            found = [
                evidence_of(block, some, decided, n_landmarks, mine, base.get(block.number))
                for block, some in zip(blocks, weights, strict=True)
            ]
            explanations += [
                self._explanation(
                    objects[rows.start + i], decided, i, blocks, found, n_landmarks, target
                )
                for i in range(len(features))
            ]
        return explanations

    def _base(
        self, blocks: list[Evidence], weights: list[Any], decided: Decision
    ) -> dict[int, NDArray[np.float64]]:
        """Return what an average object scores, for the block whose landmarks take it on.

        Of classes that is the heaviest that compares objects; of numbers and columns none.
        """
        main = self._heaviest([one for one in blocks if one.mixes])
        if main is None or decided.rivals is None or not self.map_.is_union:
            return {}
        added = [one.above_average(some) for one, some in zip(blocks, weights, strict=True)]
        return {main.number: decided.scores - np.sum(added, axis=0)}

    def _seen(self, blocks: list[Evidence], objects: Any) -> NDArray[Any]:
        """Let every block look at a few ingested objects; return their features."""
        parts = getattr(objects, "parts", [objects] * len(blocks))
        features = [block.look(part) for block, part in zip(blocks, parts, strict=True)]
        whole = np.concatenate(features, axis=1)
        return whole[:, self.map_.order_] if self.map_.is_union else whole

    def _explanation(
        self,
        thing: Any,
        decided: Decision,
        i: int,
        blocks: list[Evidence],
        found: list[Any],
        n_landmarks: int,
        asked: Any,
    ) -> Explanation:
        """Put together what the blocks say of one object."""
        reasons = [reason for some in found for reason in some[i].reasons]
        groups: list[Group] = grouped(reasons, decided.rivals is not None)
        kept = strongest(np.array([one.contribution for one in reasons]), n_landmarks)
        total = float(sum(some[i].total for some in found))
        alone = None if self.map_.is_union else blocks[0]
        near = self._heaviest([one for one in blocks if one.kind is not None])
        where = self._heaviest([one for one in blocks if one.measure is not None])
        examples = examples_of(self, near, i, decided, asked)
        if where is not near:  # whose landmarks are parts, and no examples
            examples = {**examples, "alike": [], "unlike": []}
        kinds = [block.map.domain.name for block in blocks]
        target, rival = (
            None if some is None else some[i] for some in (decided.targets, decided.rivals)
        )
        return Explanation(
            decided.predictions[i],
            [reasons[k] for k in kept],
            total,
            as_row(self.map_, thing),
            kinds[0] if len(set(kinds)) == 1 else "objects",
            target,
            rival,
            float(decided.scores[i]) - total,
            groups,
            fidelity=found[0][i].fidelity if alone is not None else None,
            measure=where.measure if where is not None else None,
            block=where.name if where is not None else None,
            **examples,
        )

    def _heaviest(self, blocks: list[Evidence]) -> Evidence | None:
        """Return the block that moves decisions most; None: there is none, or each has columns."""
        if not blocks or any(one.columns is not None for one in blocks):
            return None
        weights = getattr(self, "measure_weights_", np.ones(len(self.map_.blocks_)))
        return max(blocks, key=lambda one: float(weights[one.number]))


def _by_block(whole: Any, weights: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the columns of each block, in its own order."""
    if not whole.is_union:
        return [weights]
    sizes = [int(one.n_features_out_) for one in whole.maps_]
    return np.split(weights[:, np.argsort(whole.order_)], np.cumsum(sizes)[:-1], axis=1)
