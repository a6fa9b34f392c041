"""`Learned`: few columns out of very many, screened by alignment and chosen by a ridge."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ..engine import blas_for, side_by_side
from ..engine.lapack import tiles
from ..features import groups_of
from ..linear_model.ridge_statistics import require_finite
from ..targets import TASKS, deal, reads_classes
from ..validation import generator, require_bounded, require_count, require_number
from .columns import Array, Candidates, Chosen, Rows, TargetSums, check_training, encode, read
from .pursuit import largest

_NEGLIGIBLE = 1e-10  # merit against the first one's: what is left to gain is rounding
FOLLOWED_COLUMNS, FOLLOWED_STEPS = 64, 32  # step by step, until all are looked at again
NEAR = 0.7  # of the best merit of the others: those followed must not fall below

Products = Callable[[Rows, Rows | None], NDArray[Any]]


@dataclass(frozen=True)
class RidgePath:
    """Ridge regressions on growing sets of columns.

    Parameters
    ----------
    support : ndarray of int
        Columns in the order chosen.
    factor : ndarray of shape (k, k)
        Upper triangular U with UᵀU = C + λI on them.
    coordinates : ndarray of shape (k, outputs)
        z = U⁻ᵀb.
    """

    support: Rows
    factor: Array
    coordinates: Array

    def __len__(self) -> int:
        return len(self.support)

    def coefficients(self, size: int) -> Array:
        """Return the weights of the first `size` columns."""
        U, z = self.factor[:size, :size], self.coordinates[:size]
        return np.asarray(solve_triangular(U, z, check_finite=False))


def forward_ridge(
    products: Products, room: Array, b: Array, n_features: int, penalty: float
) -> RidgePath:
    """Choose columns one after another, refitting a ridge at every step.

    A plain greedy pursuit looks at gradients, and its refits, which know no penalty, soon fit
    noise. Here a column's merit is by how much the penalised error falls when it joins: its
    gradient squared over what of it is orthogonal to those chosen, plus the penalty. Copies of
    what is there have little merit, and so have columns that only fit by chance what is left.

    The merit of most columns falls from step to step. So the best few are followed, and the others
    are looked at again when these have fallen to about what the others had, or after some steps: a
    column that is best meanwhile comes a few steps later. Up to 64 columns are all followed.

    Parameters
    ----------
    products : callable
        ``products(some, others)``: correlations of some columns with others, None for all M.
    room : ndarray of shape (M,)
        Correlations of the columns with themselves: 1, or 0 for those not to be chosen.
    b : ndarray of shape (M, outputs)
        Covariances of the standardised columns with the targets.
    n_features : int
        Columns to choose.
    penalty : float
        λ, of λ‖β‖² against the mean squared error.

    Returns
    -------
    RidgePath
        Shorter if no column is left that lowers the error.

    Examples
    --------
    >>> C = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> b = np.array([[1.0], [0.95], [0.5]])
    >>> products = lambda some, others: C[some] if others is None else C[np.ix_(some, others)]
    >>> path = forward_ridge(products, np.ones(3), b, 2, penalty=0.1)
    >>> path.support  # the second is all but the first again
    array([0, 2])
    """
    gradient, room = np.array(b.T, order="C"), room + penalty
    size = min(n_features, len(room))
    W = np.empty((size, len(room)))  # rows of U, over all columns
    support: Rows = np.empty(0, dtype=np.intp)
    coordinates = [np.empty((0, len(gradient)))]
    merit = np.einsum("tm,tm->m", gradient, gradient) / room
    enough = _NEGLIGIBLE * float(merit.max(initial=0.0))
    while (t := len(support)) < size:
        merit = np.einsum("tm,tm->m", gradient, gradient) / room
        some, bar = np.arange(len(merit)), enough
        if len(merit) > FOLLOWED_COLUMNS:
            order = np.argpartition(-merit, FOLLOWED_COLUMNS)
            some = np.sort(order[:FOLLOWED_COLUMNS])
            bar = max(bar, NEAR * float(merit[order[FOLLOWED_COLUMNS]]))
        if merit[some].max(initial=0.0) <= enough:
            break
        left = products(some, some) - W[:t, some].T @ W[:t, some]
        limits = min(FOLLOWED_STEPS, size - t), bar, penalty
        places, factor, pulls = followed(left, gradient[:, some], room[some], limits)
        chosen = some[places]
        new = W[t : t + len(chosen)]
        if t + len(chosen) < size:  # carry the steps over to all columns, as more are to come
            left = products(chosen, None) - W[:t, chosen].T @ W[:t]
            new[:] = solve_triangular(factor, left, trans="T", check_finite=False)
            new[:, support] = 0.0  # but for rounding, which would grow from step to step
            gradient -= pulls.T @ new
            gradient[:, chosen] = 0.0  # so that none is chosen again
            # The penalty stays of every column; what rounding takes beyond it is put back.
            room -= np.einsum("sm,sm->m", new, new)
            np.maximum(room, penalty, out=room)
        new[:, chosen] = factor  # with the penalty, which stands on the diagonal alone
        support = np.append(support, chosen)
        coordinates.append(pulls)
    U = np.triu(W[: len(support), support])
    return RidgePath(support, U, np.concatenate(coordinates))


def followed(
    left: Array, gradient: Array, room: Array, limits: tuple[int, float, float]
) -> tuple[Rows, Array, Array]:
    """Take steps among few columns, of which all is known.

    Parameters
    ----------
    left : ndarray of shape (k, k)
        Correlations, less what earlier steps explain of them.
    gradient, room : ndarray of shape (outputs, k) and (k,)
        Of these columns; changed in place.
    limits : tuple
        Most steps; the merit above which all steps but the first must stay; and the penalty.

    Returns
    -------
    places : ndarray of int
        Columns chosen.
    factor : ndarray of shape (steps, steps)
        Rows of U, over these columns.
    coordinates : ndarray of shape (steps, outputs)
    """
    most, bar, penalty = limits
    rows, pulls = np.empty((most, len(room))), np.empty((most, len(gradient)))
    places: list[int] = []
    for t in range(most):
        merit = np.einsum("tk,tk->k", gradient, gradient)
        merit /= room
        j = largest(merit)
        if t and merit[j] <= bar:
            break
        root, new = math.sqrt(room[j]), rows[t]
        np.subtract(left[j], rows[:t, j] @ rows[:t], out=new)
        new /= root
        new[j] = root
        np.divide(gradient[:, j], root, out=pulls[t])
        gradient -= pulls[t, :, None] * new
        gradient[:, j] = 0.0  # so that it is not chosen again
        room -= np.square(new)
        np.maximum(room, penalty, out=room)
        places.append(j)
    chosen, t = np.array(places, dtype=np.intp), len(places)
    # Of what is chosen already, rows hold nothing but rounding.
    return chosen, np.triu(rows[:t, chosen]), pulls[:t]


# Columns moved and scaled once, by all rows: what a model without a fold needs follows by sums.


Singles = NDArray[np.float32]

MOVED_ROWS = 128  # at a time, to need no second matrix in between
PRODUCT_TILE = 512  # columns of a product that are one thread's share
CENTRED = 128  # rows whose mean is near enough to that of all
WORTH = 1e8  # multiplications that are divided among threads
CONSTANT = 1e-5  # deviation of a column against its mean that may be rounding
VANISHED = (
    1e-4  # variance without a fold against the mean square of all rows: float32 tells no less
)


@dataclass(frozen=True, eq=False)
class FoldColumns:
    """Columns about their means and in units of their reach, and sums over the rows of each fold.

    Parameters
    ----------
    Z : ndarray of shape (M, n), float32
        A column's numbers stand together, those of a fold too; the largest is 1 or −1.
    offset : ndarray of shape (M,)
        What Z is about, in units of Z; infinite of a column that does not vary.
    Y : ndarray of shape (n, outputs), float32
        Targets less their means, in the same order.
    ends : ndarray of shape (n_folds + 1,)
        Where folds begin and end.

    Examples
    --------
    >>> rows, Y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 4.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> columns = FoldColumns.of(rows, Y, np.array([0, 0, 1]), np.arange(3))
    >>> columns.shown(None).path(1, 0.01).support
    array([0])
    """

    Z: Singles
    offset: Array
    Y: Singles
    ends: Rows

    @classmethod
    def of(cls, rows: NDArray[Any], Y: Array, folds: Rows, numbers: Rows) -> FoldColumns:
        """Move and scale.

        Parameters
        ----------
        rows : ndarray of shape (n, M)
            Floats; one that is not finite stops it.
        Y : ndarray of shape (n, outputs)
        folds : ndarray of shape (n,)
            Number of each row's fold.
        numbers : ndarray of shape (n,)
            What the user calls the rows.
        """
        order, low, high = np.argsort(folds, kind="stable"), rows.min(axis=0), rows.max(axis=0)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            require_finite(rows, numbers)
        # About the mean, which sums will tell; in the columns' own precision, so that large ones
        # cost no digits.
        centre = rows[:: max(1, len(rows) // CENTRED)].mean(axis=0, dtype=np.float64)
        centre = centre.astype(rows.dtype)
        reach = np.maximum(high - centre, centre - low)
        varies = reach > CONSTANT * np.abs(centre)
        unit = np.divide(1.0, reach, out=np.zeros_like(reach), where=varies)
        offset = np.divide(centre, reach, out=np.full_like(reach, np.inf), where=varies)
        Z = np.empty((rows.shape[1], len(rows)), dtype=np.float32)
        for some in tiles(0, len(rows), MOVED_ROWS):
            moved = rows[order[some]] - centre
            moved *= unit
            Z[:, some] = moved.T
        ends = np.append(0, np.cumsum(np.bincount(folds)))
        pulls = (Y - Y.mean(axis=0))[order].astype(np.float32)
        return cls(Z, offset.astype(np.float64), pulls, ends)

    @cached_property
    def _sums(self) -> tuple[Array, Array, Array]:
        """Of each fold: Σ z, Σ z² and Σ z y, (folds, M), (folds, M) and (folds, M, outputs)."""
        ends = pairwise(self.ends.tolist())
        parts = [(self.Z[:, a:b], self.Y[a:b]) for a, b in ends]
        first = [z.sum(axis=1) for z, _ in parts]
        second = [np.einsum("mi,mi->m", z, z) for z, _ in parts]
        sums = first, second, [z @ y for z, y in parts]
        return tuple(np.array(one, dtype=np.float64) for one in sums)  # type: ignore[return-value]

    def shown(self, without: int | None, own: Rows | None = None) -> Shown:
        """Return some of the columns, over all rows or those outside a fold."""
        n, some = int(self.ends[-1]), slice(None) if own is None else own
        start, stop = (0, 0) if without is None else self.ends[without : without + 2].tolist()
        spans = [one for one in (slice(0, start), slice(stop, n)) if one.stop > one.start]
        kept, count = np.arange(len(self.ends) - 1) != without, n - (stop - start)
        first, second, cross = (one[kept].sum(axis=0)[some] for one in self._sums)
        squares = self._sums[1].sum(axis=0)[some]
        mean, offset = first / count, self.offset[some]
        targets = sum(self.Y[s].sum(axis=0, dtype=np.float64) for s in spans) / count
        variance = np.maximum(second / count - np.square(mean), 0.0)
        deviation = np.sqrt(variance)
        varies = (variance > VANISHED * squares / n) & (deviation > CONSTANT * abs(offset + mean))
        unit = np.divide(1.0, deviation, out=np.zeros_like(mean), where=varies)
        response = (cross / count - np.outer(mean, targets)) * unit[:, None]
        hidden = slice(start, stop)
        return Shown(self.Z[some], spans, count, mean, unit, response, targets, self.Y, hidden)


@dataclass(frozen=True, eq=False)
class Shown:
    """Some columns and rows, and paths of ridges on them.

    Products of columns are of float32: with a penalty of some hundredths that is plenty.

    Parameters
    ----------
    Z, Y
        As in `FoldColumns`, of some columns.
    spans : list of slice
        Rows that are shown.
    count : int
        How many these are.
    mean, unit : ndarray of shape (M,)
        Over these rows; the unit, 1 / deviation, is 0 of columns that are constant there.
    response : ndarray of shape (M, outputs)
        Covariances of the columns, standardised by these rows, with the targets.
    target_mean : ndarray of shape (outputs,)
    hidden : slice
        The other rows.
    """

    Z: Singles
    spans: list[slice]
    count: int
    mean: Array
    unit: Array
    response: Array
    target_mean: Array
    Y: Singles
    hidden: slice

    def products(self, some: Rows, others: Rows | None = None) -> Singles:
        """Correlations of some columns with others, or with all."""
        which = slice(None) if others is None else others
        left, right = self.Z[some], self.Z[which]
        mean, unit = self.mean.astype(np.float32), self.unit.astype(np.float32)
        # The long side first: so BLAS copies less of it.
        found = np.empty((len(right), len(left)), dtype=np.float32)

        def fill(part: slice) -> None:
            out = found[part]
            np.matmul(right[part, self.spans[0]], left[:, self.spans[0]].T, out=out)
            for rows in self.spans[1:]:
                out += right[part, rows] @ left[:, rows].T
            out /= np.float32(self.count)
            out -= mean[which][part, None] * mean[some]
            out *= unit[which][part, None] * unit[some]

        worth = left.size * len(right) > WORTH
        size = PRODUCT_TILE if worth else len(right)
        side_by_side(fill, tiles(0, len(right), size), worth=worth)
        return found.T

    def path(self, size: int, penalty: float) -> RidgePath:
        """Choose columns by the rows shown."""
        room = (self.unit > 0).astype(np.float64)
        return forward_ridge(self.products, room, self.response, size, penalty)

    def errors(self, path: RidgePath, sizes: list[int]) -> Array:
        """Squared error of each hidden row by the first columns of a path, (sizes, rows)."""
        Z = self.Z[path.support, self.hidden] - self.mean[path.support, None]
        Z *= self.unit[path.support, None]
        missed = (self.Y[self.hidden] - self.target_mean).T
        return np.array(
            [np.square(missed - path.coefficients(k).T @ Z[:k]).sum(axis=0) for k in sizes]
        )


# Numbers of columns, of which those that are surely too large are given up after some folds.


SURE = 3.0  # standard errors by which a number of columns must be worse to be given up


@dataclass
class Race:
    """Errors of each row, known fold by fold, of models with some numbers of columns.

    Parameters
    ----------
    sizes : list of int
        Rising; the last are given up once they are surely worse than a smaller one.

    Examples
    --------
    >>> race, rng = Race([8, 16, 32]), np.random.default_rng(0)
    >>> race.add([rng.normal([[1.0], [0.9], [1.5]], 0.1, size=(3, 100))])
    >>> race.sizes
    [8, 16]
    >>> race.add([rng.normal([[1.0], [0.9]], 0.1, size=(2, 100))])
    >>> race.best(), race.means().round(1).tolist()
    ((0, 1), [[1.0, 0.9, nan]])
    """

    sizes: list[int]
    errors: list[Array] = field(default_factory=list)  # of each fold, (penalties, sizes, rows)

    def add(self, errors: list[Array]) -> None:
        """Add what rows of a fold say, (sizes, rows) for each penalty."""
        self.errors.append(np.array(errors))
        seen = np.concatenate([one[:, : len(self.sizes)] for one in self.errors], axis=2)
        i, k = self.best()
        while len(self.sizes) > k + 1:
            worse = seen[:, len(self.sizes) - 1] - seen[i, k]
            spread = worse.std(axis=1) / np.sqrt(worse.shape[1])
            if (worse.mean(axis=1) <= SURE * spread).any():
                break
            self.sizes = self.sizes[:-1]

    def means(self) -> Array:
        """Mean error of each penalty and number of columns; NaN of those given up."""
        found = np.full(self.errors[0].shape[:2], np.nan)  # of the first fold there are all
        kept = len(self.sizes)
        seen = np.concatenate([one[:, :kept] for one in self.errors], axis=2)
        found[:, :kept] = seen.mean(axis=2)
        return found

    def best(self) -> tuple[int, int]:
        """Places of the penalty and the number of columns with the least error."""
        means = self.means()
        i, k = divmod(int(np.nanargmin(means)), means.shape[1])
        return i, k


# Columns worth a closer look: those that correlate best with some output, by quotas.


def screened(
    X: Any, Y: Array, folds: Rows, offered: Sequence[Rows | None], most: int
) -> list[Rows]:
    """Return the columns left by the screening, for each of several models, in one pass.

    Parameters
    ----------
    X : matrix or Features
    Y : ndarray of shape (n, outputs)
    folds : ndarray of shape (n,)
        Rows of a negative fold are not looked at.
    offered : sequence of ndarray of int, or None for all
        What the model of all rows may use, last, and before it what those without a fold may;
        these may be left out.
    most : int
        Columns to leave.
    """
    if X.shape[1] <= most:
        return [np.arange(X.shape[1]) if some is None else some for some in offered]
    rows = np.flatnonzero(folds >= 0)
    Y, folds = Y[rows] - Y[rows].mean(axis=0), folds[rows]
    sums = TargetSums.of(Candidates(X).some(rows), Y, folds, moments=2)
    found: list[Rows] = []
    for fold, some in enumerate(offered):
        last = fold == len(offered) - 1
        shown = sums.without(None if last else fold)
        means = np.zeros(Y.shape[1]) if last else Y[folds != fold].mean(axis=0)
        every = np.arange(X.shape[1]) if some is None else some
        found.append(every[quota_order(shown.correlations(means)[every], most)])
    return found


def quota_order(correlations: Array, most: int | None = None) -> Rows:
    """Return columns by their best rank among all columns for any output, ties by the sum.

    Parameters
    ----------
    correlations : ndarray of shape (columns, outputs)
    most : int, optional
        Only the first so many.

    Examples
    --------
    >>> quota_order(np.array([[0.9, 0.0], [0.8, 0.1], [0.7, 0.2]]))  # best of either output first
    array([0, 2, 1])
    """
    width, n_outputs = correlations.shape
    most = width if most is None else min(most, width)
    falling = np.array(-correlations.T, order="C")
    depth = min(width, 2 * -(-most // n_outputs))
    while True:
        ranks = np.full(width, width)
        for one in falling:
            # Sorting the first few is enough; those that equal the last of them belong to them.
            first = np.arange(width)
            if depth < width:
                first = np.flatnonzero(one <= np.partition(one, depth - 1)[depth - 1])
            first = first[np.argsort(one[first], kind="stable")]
            ranks[first] = np.minimum(ranks[first], np.arange(len(first)))
        # Whoever is among the first for no output comes after all who are.
        few = np.flatnonzero(ranks < depth)
        if len(few) >= most:
            break
        depth = min(width, 2 * depth)
    return few[np.lexsort((falling[:, few].sum(axis=0), ranks[few]))][:most]


# `Learned`: few columns out of very many, screened by alignment and chosen by a ridge.


FOLDS = 3
SHARED_BYTES = 256 << 20  # of columns read once for several models; more are read for each
PENALTIES = (0.01, 0.03, 0.1, 0.3)
SIZES = (8, 16, 32, 64, 128, 256)
POOL, PER_ROW = (2000, 10_000), 20  # landmarks to choose among: least and most, and for each row


@dataclass(eq=False, repr=False)
class Learned(Chosen):
    """The columns out of a large pool that serve a ridge best together.

    Alignment alone picks the same thing again and again, most of all where classes are many; a
    greedy pursuit fits noise in the end. So the pool is screened by alignment, each class
    against the rest having its quota, and among those screened columns are chosen one after
    another by how much they lower the error of a ridge, in which copies count little. Where to
    stop, folds decide, if nobody says how many are wanted.

    Parameters
    ----------
    n_features : int, optional
        Columns to choose. Default: of 8, 16, …, 256 the number with the least error on folds.
    pool : int, optional
        For a landmark model: how many landmarks to choose among, generated ones and objects of
        the training data (see `seamark.landmarks.Mixed`) unless `landmarks` says otherwise;
        its `n_landmarks` is the number to choose. Default: 20 for each different object of the
        training data, since few objects cannot tell which of very many are good; at least 2,000
        and at most 10,000.
    n_screened : int, default=2000
        Columns left by the screening.
    penalty : "cv" or float, default=0.05
        Penalty on the squares of the weights of standardised columns against the mean squared
        error; "cv": of 0.01, 0.03, 0.1 and 0.3 that with the least error on folds.
    n_sample : int, default=10000
        Rows, drawn at random, to choose by; all if there are fewer.
    task : {"auto", "classification", "regression"}, default="auto"
        How to read y. "auto": as classes, unless it holds numbers that are not whole, or more
        than 30 distinct ones.
    random_state : int, RandomState or Generator, optional
        Of the rows and the folds.

    Attributes
    ----------
    support_ : ndarray of int
        Columns in the order chosen.
    weights_ : ndarray
        Scale of each: ones.
    penalty_ : float
        The penalty used.
    cv_results_ : dict
        "penalty", "n_features" and the "error" of each pair, NaN for numbers that were given up
        after some folds as surely too large; empty if nothing was open.
    n_features_in_ : int
        Columns seen.

    Notes
    -----
    Two passes over the features: one for the screening, and one over the columns screened, which
    are held as float32; everything else happens on these.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 40))
    >>> X[:, 20:] = X[:, :20] + 0.1 * rng.normal(size=(300, 20))  # everything twice
    >>> learned = Learned(3, random_state=0).fit(X, 3 * X[:, 1] + 2 * X[:, 2] + X[:, 3])
    >>> sorted(int(j) % 20 for j in learned.support_)
    [1, 2, 3]
    """

    n_features: int | None = None
    _: KW_ONLY
    pool: int | None = None
    n_screened: int = 2000
    penalty: Any = 0.05
    n_sample: int = 10_000
    task: str = "auto"
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Screen the columns, and choose.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
        y : array-like of shape (n,) or (n, outputs)
            Numbers or classes.

        Returns
        -------
        self
        """
        self._check_parameters()
        groups = groups_of(X)
        X, y = check_training(self, X, y)
        target = encode(y, classes=reads_classes(y, self.task))
        rng = generator(self.random_state)
        rows = np.sort(rng.permutation(len(y))[: self.n_sample])
        folds = np.full(len(y), -1, dtype=np.intp)
        folds[rows] = 0
        most = max(self.n_screened, self.n_features or 0)
        columns = screened(X, target.values, folds, [None], most)[0]
        sizes, penalties = self._choices()
        if len(sizes) * len(penalties) > 1:  # else folds have nothing to decide
            everyone = np.ones(len(rows), dtype=bool)
            groups = None if groups is None else groups[rows]
            labels = None if target.codes is None else target.codes[rows]
            folds[rows] = deal(everyone, FOLDS, rng, labels, groups)
        chosen, self.penalty_, self.cv_results_ = self._chosen(X, target.values, folds, [columns])
        self.support_ = chosen[-1]
        self.weights_ = np.ones(len(self.support_))
        return self

    def fit_folds(self, X: Any, y: Any, folds: Rows, offered: Sequence[Rows | None]) -> list[Rows]:
        """Choose for the models without each fold, and for that of all rows, in the same passes.

        Where the number of columns or the penalty is open, the same folds decide, for all.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
        y : array-like of shape (n,) or (n, outputs)
            Numbers or classes.
        folds : ndarray of shape (n,)
            Number of each row's fold; rows of a negative one are left out.
        offered : sequence of ndarray of int, or None for all
            Columns that may be chosen without each fold and, last, by all rows.

        Returns
        -------
        list of ndarray of int
            Columns in the order chosen, for each.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(40, 5))
        >>> folds, offered = np.arange(40) % 2, [None, np.array([0, 1]), None]
        >>> Learned(1).fit_folds(X, X[:, 2] + 0.5 * X[:, 1], folds, offered)
        [array([2]), array([1]), array([2])]
        """
        self._check_parameters()
        X, y = check_training(self, X, y)
        Y = encode(y, classes=reads_classes(y, self.task)).values
        used = np.flatnonzero(folds >= 0)
        some = generator(self.random_state).permutation(used)[: self.n_sample]
        folds = np.where(np.isin(np.arange(len(y)), some), folds, -1)
        most = max(self.n_screened, self.n_features or 0)
        each = screened(X, Y, folds, offered, most)
        return self._chosen(X, Y, folds, each)[0]

    def _chosen(
        self, X: Any, Y: Array, folds: Rows, offered: list[Rows]
    ) -> tuple[list[Rows], float, dict[str, list[Any]]]:
        """Choose among columns screened; where there are folds, their errors decide how many.

        Numbers of columns that are surely too large after the first folds are given up.

        Parameters
        ----------
        X, Y, folds
            As in `screened`.
        offered : list of ndarray of int
            Columns that may be chosen without each fold and, last, by all rows; or these alone.

        Returns
        -------
        columns : list of ndarray of int
            In the order chosen: without each fold, and by all rows.
        penalty : float
        results : dict
            What was tried, and its errors; empty if there is one fold.
        """
        rows, last = np.flatnonzero(folds >= 0), offered[-1]
        columns = np.concatenate([last, np.setdiff1d(np.concatenate(offered), last)])
        place = np.empty(X.shape[1], dtype=np.intp)
        place[columns] = np.arange(len(columns))

        def read_all(some: Rows) -> FoldColumns:
            return FoldColumns.of(read(X, rows, some), Y[rows], folds[rows], rows)

        together = 4 * len(rows) * len(columns) <= SHARED_BYTES
        held = read_all(columns) if together else None

        def shown(fold: int | None, i: int) -> Shown:
            if held is None:
                return read_all(offered[i]).shown(fold)
            everything = len(offered[i]) == len(columns)
            return held.shown(fold, None if everything else place[offered[i]])

        sizes, penalties = self._choices()
        size, penalty, results = sizes[0], penalties[0], {}
        found: list[Rows] = []
        with blas_for(0):
            if (n_folds := int(folds.max()) + 1) > 1:
                race, supports = Race(sizes), []
                for fold in range(n_folds):
                    own = fold % len(offered)
                    part = shown(fold, own)
                    paths = [part.path(race.sizes[-1], one) for one in penalties]
                    race.add([part.errors(path, race.sizes) for path in paths])
                    supports.append([offered[own][path.support] for path in paths])
                i, k = race.best()
                size, penalty = sizes[k], penalties[i]
                means = race.means().tolist()
                results = {"penalty": penalties, "n_features": sizes, "error": means}
                found = [of_fold[i][:size] for of_fold in supports]
            found.append(last[shown(None, -1).path(size, penalty).support])
        if min(map(len, found)) == 0:
            raise ValueError(
                f"none of the {X.shape[1]} columns of X helps to predict y; give others."
            )
        return found, penalty, results

    def pool_for(self, n: int) -> int:
        """How many landmarks a model of so many different objects chooses among.

        Parameters
        ----------
        n : int
            Different objects of the training data.

        Returns
        -------
        int
            `pool`, or as many as `n` objects can tell apart.

        Examples
        --------
        >>> [Learned().pool_for(n) for n in (50, 200, 5000)]
        [2000, 4000, 10000]
        """
        require_bounded(type(self), vars(self))
        few, many = POOL
        return int(np.clip(PER_ROW * n, few, many)) if self.pool is None else self.pool

    def _check_parameters(self) -> None:
        require_bounded(type(self), vars(self))
        for name in ("n_features", "pool", "n_screened", "n_sample"):
            given = getattr(self, name)
            if given is not None or name not in ("n_features", "pool"):
                require_count(name, given)
        if self.penalty != "cv":
            require_number("penalty", self.penalty, 0.0, 1e6, '"cv" or a positive number')
        if self.task not in TASKS:
            raise ValueError(f"task must be one of {', '.join(TASKS)}; got {self.task!r}.")

    def _choices(self) -> tuple[list[int], list[float]]:
        """Return the numbers of columns and the penalties to choose among."""
        sizes = [self.n_features] if self.n_features else list(SIZES)
        return sizes, list(PENALTIES) if self.penalty == "cv" else [float(self.penalty)]
