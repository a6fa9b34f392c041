"""Features among which a weighing chooses, again for every set of rows it must not know."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..features import Features, Mask, Rows, SomeRows, selected


class Weighed(Features):
    """Features, and an estimator that chooses some of their columns by the targets.

    All columns can be read; `columns_without` says which of them are chosen, from the rows that
    are not hidden, once for each set of these.

    Parameters
    ----------
    features : Features
    weighing : estimator
        Has `support_` after fit.
    targets : ndarray
        What it is fitted to.

    Examples
    --------
    >>> from seamark import Greedy
    >>> from seamark.features import InMemory
    >>> X = np.random.default_rng(0).normal(size=(40, 9))
    >>> weighed = Weighed(InMemory(X), Greedy(2), X[:, 7] + 0.1 * X[:, 3])
    >>> weighed.columns_without(np.arange(40) < 10)
    array([7, 3])
    """

    chooses = True

    def __init__(self, features: Features, weighing: Any, targets: NDArray[Any]) -> None:
        self.features = features
        self.weighing = weighing
        self.targets = targets
        self.shape = features.shape
        self.groups = features.groups
        self.order = features.order
        self.owners = features.owners
        self.made_with_targets = features.made_with_targets
        self._chosen: dict[bytes, Rows] = {}

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield chunks of all columns, or of those asked for."""
        return self.features.chunks(columns)

    def reduce(self, part: Callable[[slice, NDArray[Any]], Any], columns: Any = None) -> Any:
        """Pass over the features' rows."""
        return self.features.reduce(part, columns)

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Pick rows."""
        return self.features.rows(indices, columns)

    def on_device(self) -> Features | None:
        """All columns there."""
        return self.features.on_device()

    def expect(self, folds: Rows) -> None:
        """Choose without each fold and by all rows at once, if the weighing knows how to."""
        n_folds = int(folds.max()) + 1
        if n_folds < 2 or not hasattr(self.weighing, "fit_folds"):
            return
        hidden = [folds == fold for fold in range(n_folds)] + [np.zeros(len(folds), dtype=bool)]
        if any(map(self._is_constant, hidden)):  # then there is nothing to choose by
            return
        offered = [self.features.columns_without(one) for one in hidden]
        each = clone(self.weighing).fit_folds(self.features, self.targets, folds, offered)
        for one, columns in zip(hidden, each, strict=True):
            self._chosen[np.packbits(one).tobytes()] = columns

    def columns_without(self, hidden: Mask) -> Rows:
        """Return the columns chosen from the rows that are not hidden, in the order chosen."""
        key = np.packbits(hidden).tobytes()
        if key not in self._chosen:
            self._chosen[key] = self._choose(hidden)
        return self._chosen[key]

    def _choose(self, hidden: Mask) -> Rows:
        offered = self.features.columns_without(hidden)
        candidates = np.arange(self.shape[1]) if offered is None else offered
        shown = np.flatnonzero(~hidden)
        targets = self.targets[shown]
        if self._is_constant(hidden):  # a fold that holds all but one class
            return candidates
        if not hidden.any():
            fitted = clone(self.weighing).fit(selected(self.features, offered), targets)
        else:
            some = selected(SomeRows(self.features, shown), offered)
            with warnings.catch_warnings():
                # A fold has fewer landmarks to choose among; nobody asked for that number there.
                warnings.simplefilter("ignore", UserWarning)
                fitted = clone(self.weighing).fit(some, targets)
        return np.asarray(candidates[fitted.support_])

    def _is_constant(self, hidden: Mask) -> bool:
        """Whether all targets are the same but for those hidden."""
        targets = self.targets[~hidden]
        return bool((targets == targets[:1]).all())
