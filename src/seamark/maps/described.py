"""What the features of landmarks are called, and which landmark stands behind each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..measures import Columns
from ..plotting.text import visible
from .chunks import dense32
from .evaluating import Evaluating, Values


class Described(Evaluating):
    """Names, texts and shares of single landmarks."""

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names such as ``levenshtein_12``: the measure, and the landmark's row in fit."""
        check_is_fitted(self)
        names: list[str] = []
        for measure, transfer in zip(self.measures_, self.transfers_, strict=True):
            title = measure.name or type(measure).__name__.lower()
            n = transfer.n_features(self.n_landmarks_)
            plain = self.are_rows and self.pairs_ is None
            named = plain and n == self.n_landmarks_
            numbers = self.landmark_indices_ if named else range(n)
            names += [f"{title}_{k}" for k in numbers]  # type: ignore[union-attr]
        if len(set(names)) < len(names):
            names = [f"{name}_{i}" for i, name in enumerate(names)]
        if self.columns_ is not None:
            names = [names[column] for column in self.columns_]
        if self.passthrough:
            given = getattr(self, "feature_names_in_", None)
            names += [f"x{i}" for i in range(self.n_features_in_)] if given is None else list(given)
        return np.array(names, dtype=object)

    def landmark_texts(self) -> list[str] | None:
        """Return for each feature the landmark it belongs to, as text; None if it has none.

        Arrays say little as text: features then are better known by their names.
        """
        if not self.is_divisible or isinstance(self.landmarks_[0], np.ndarray):
            return None
        owners, places = np.divmod(self.grid.numbers, self.n_landmarks_)
        kinds = [measure.name or type(measure).__name__.lower() for measure in self.measures_]
        lead = [f"{kind} of " if len(kinds) > 1 else "" for kind in kinds]
        return [
            f"{lead[m]}{visible(self.landmark(j), 40)}" for m, j in zip(owners, places, strict=True)
        ]

    def landmark(self, place: int) -> Any:
        """Return the landmark, or pair of them, behind the features of one place."""
        if self.pairs_ is None:
            return self.landmarks_[int(place)]
        return tuple(self.landmarks_[int(k)] for k in self.pairs_[place])

    def by_landmark(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Add up numbers per feature by landmark, measures side by side, without columns of X."""
        if self.columns_ is not None:
            return self.grid.side_by_side(parts)
        n, sums, start = self.n_landmarks_, [], 0
        for transfer in self.transfers_:
            if transfer.looks_between:
                raise TypeError(
                    f"{type(transfer).__name__} mixes landmarks in its features, so nothing can be "
                    "said of single ones; take another transfer."
                )
            stop = start + transfer.n_features(n)
            sums.append(parts[:, start:stop].reshape(len(parts), -1, n).sum(axis=1))
            start = stop
        return np.concatenate(sums, axis=1)

    def shown(self, X: Any) -> tuple[Values, NDArray[Any]]:
        """Features of a few ingested objects, and their values: differences, if of pairs."""
        values = self.values(X)
        shown = np.concatenate([self.paired(block) for block in self._split(values)], axis=1)
        return self.with_columns_of(X, self.features(values.copy())), shown

    @property
    def compares_objects(self) -> bool:
        """Whether landmarks are objects of the rows' kind: no columns of a matrix, no parts."""
        parts = any(measure.compares_parts for measure in self.measures_)
        return not parts and not isinstance(self.landmarks_, Columns)

    @property
    def _leading(self) -> int:
        """The first measure of which any value is in use."""
        return next(m for m, read in enumerate(self.grid.read()) if len(read))

    @property
    def nearness(self) -> str | None:
        """Kind of the values that `seen` gives: "distance", "similarity", None if not known."""
        return self.measures_[self._leading].kind

    def of_landmarks(self, places: NDArray[np.intp]) -> Values:
        """Features of some landmarks themselves."""
        return dense32(self.block(self.landmarks_[places]))

    def seen(self, X: Any) -> tuple[Values, Values]:
        """Features of a few ingested objects, and their values against every landmark.

        Values are those of the leading measure, NaN for landmarks that it is not evaluated at.
        """
        values = self.values(X)
        own = np.full((len(values), int(self.landmarks_.shape[0])), np.nan, dtype=np.float32)
        read: Any = slice(None) if self.pairs_ is not None else self.grid.read()[self._leading]
        own[:, read] = self._split(values)[self._leading]
        return self.with_columns_of(X, self.features(values.copy())), own

    def behind(self, column: int) -> Any:
        """Return the landmark, or pair of them, behind a shown value."""
        return self.landmark(self.grid.behind(column))

    def source_of(self, column: int) -> tuple[int, int] | None:
        """Return the place of the landmark behind a shown value; None for pairs."""
        return None if self.pairs_ is not None else (0, self.grid.behind(column))
