"""Ridges on features in blocks: which blocks help, and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.optimize import lsq_linear, minimize, nnls
from scipy.special import logsumexp

from ..engine import backend, settings, tick
from ..features import Selected
from .ridge_fit import RidgeFit, RidgeTask, solved
from .ridge_solve import Dual, Fold, Grams, PenaltyChoice, Primal, Ridges, choose, raw_coefficients
from .ridge_statistics import FoldRows, FoldSums, Precision

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_TOGETHER = 1000  # unknowns of one ridge on all blocks: it seldom errs less, and costs (Σ R)³
LARGEST = 1.0  # weight: a ridge that seems worth more than it says is chance of few rows
MOST_OF_MANY = 3000  # the same where rows are so many that sums cost more, and it errs much less
MOST_NESTED = 20_000  # rows whose features are read again, to report on weights found without them
AT_ONCE = 2  # folds that a choice is made without: the fewer choices, the sooner they are made
DECIDED_VALUES, FEWEST_DECIDED = 200_000, 2000  # scores, and rows, that tell weights of classes
NEGLIGIBLE = 0.5  # standard errors of likelihood that a block is not worth
FAINTEST = 1e-3  # weight or squared factor, against the largest, below which a block is left out


@dataclass(frozen=True, eq=False)
class BlockRidge:
    """A ridge on one block, by itself; what it says is given in terms of all columns."""

    whole: Ridges
    columns: Rows
    ridges: Ridges
    choice: PenaltyChoice

    @classmethod
    def of(cls, whole: Any, columns: Rows, start: float | None = None) -> BlockRidge:
        """Choose the penalty of a block by its own out-of-fold error, from `start` if known."""
        data = whole.data.some(columns)
        ridges: Any
        if isinstance(data, FoldSums):
            ridges = Primal(data, whole.centred)
        elif len(data.rows) <= len(columns):
            ridges = Dual(data, whole.centred, by_rows=whole.by_rows)
        else:  # fewer columns than rows
            parts = [data.rows[data.folds == fold] for fold in range(data.n_folds)]
            moments = np.stack([part.T @ part for part in parts])
            given = data.centre, data.scale, data.n_features
            ridges = Primal(FoldSums(moments, *given, allowed=data.allowed), whole.centred)
        choice = ridges.with_solutions(choose(ridges, [len(columns)], start=start))
        ridges.known.clear()  # n² numbers for each fold
        return cls(whole, columns, ridges, choice)

    @cached_property
    def left(self) -> list[Floats]:
        """What models without each fold leave of its rows: residuals, or residual vectors."""
        solutions: Any = self.ridges.with_solutions(self.choice).solutions
        if self.ridges.by_rows:
            return list(solutions)
        placed = map(self._placed, solutions)
        return [as_left_out(self.whole, fold, vectors) for fold, vectors in enumerate(placed)]

    def vectors(self) -> Floats:
        """Residual vectors (1 + R + T, T) of the model of all rows."""
        return self._placed(self.ridges.vectors(None, self.choice.penalty, len(self.columns)))

    def _placed(self, own: Floats) -> Floats:
        """Residual vectors of all columns from those of these."""
        targets = 1 + self.whole.data.n_features
        vectors = np.zeros((len(self.whole.data.centre), own.shape[1]))
        vectors[0], vectors[1 + self.columns] = own[0], own[1 : 1 + len(self.columns)]
        vectors[targets:] = own[1 + len(self.columns) :]
        return vectors

    @cached_property
    def grams(self) -> Grams:
        """Products of rows."""
        if isinstance(self.ridges, Dual):
            return self.ridges.grams
        return Dual(self.whole.data.some(self.columns), self.whole.centred).grams


def as_left_out(whole: Any, fold: int, vectors: Floats) -> Floats:
    """Residual vectors, or the residuals of a fold's rows where ridges are judged by these."""
    if not whole.by_rows:
        return vectors
    used = np.flatnonzero(vectors.any(axis=1))
    return np.asarray(whole.data.rows[whole.data.folds == fold][:, used] @ vectors[used])


def mean_vectors(ridges: Ridges, without: Fold) -> Floats:
    """Residual vectors of the model that says the mean of the targets, or 0 if not centred."""
    _, mean, unit = ridges.standard(without)
    n_targets = len(mean) - 1 - len(unit)
    vectors = np.zeros((len(mean), n_targets))
    vectors[-n_targets:] = np.eye(n_targets)
    vectors[0] = -mean[-n_targets:]
    return vectors


def inner_products(ridges: Ridges, fold: int, stacked: Floats) -> Floats:
    """Products of what several models leave of a fold, (m, …, T), over its rows: (m, m)."""
    data = ridges.data
    if not ridges.by_rows and not isinstance(data, FoldRows):
        moments = data.moments[fold]
        return sum((v @ moments @ v.T for v in np.moveaxis(stacked, 2, 0)), np.zeros((1, 1)))
    if not ridges.by_rows:
        stacked = data.rows[data.folds == fold] @ stacked
    flat = stacked.reshape(len(stacked), -1)
    return np.asarray(flat @ flat.T)


@dataclass(frozen=True, eq=False)
class StackedRidge:
    """Ridges of single blocks, added up with weights, about the mean of the targets.

    ŷ = ȳ + Σ w_b (ŷ_b − ȳ), so that weights need not add up to 1: the rest is the mean.
    """

    whole: Ridges
    alone: list[BlockRidge]
    weights: Floats
    error: float

    @classmethod
    def of(cls, whole: Ridges, alone: list[BlockRidge]) -> StackedRidge:
        """Find the weights of the least out-of-fold error: it is a quadratic form in them."""
        data, n = whole.data, len(alone)
        units = data.scale[1 + data.n_features :]
        total = np.zeros((n + 1, n + 1))
        for fold in range(len(whole.fold_weights)):
            constant = as_left_out(whole, fold, mean_vectors(whole, fold))
            stacked = np.stack([constant, *(block.left[fold] - constant for block in alone)])
            total += inner_products(whole, fold, stacked * units)  # targets in their own units
        weights = _weights_of(total)
        mixed = np.r_[1.0, weights]
        share = whole.fold_weights.sum() * len(units)
        return cls(whole, alone, weights, float(mixed @ total @ mixed) / share)

    @cached_property
    def left(self) -> list[Floats]:
        """As of a block alone."""
        every = []
        for fold in range(len(self.whole.fold_weights)):
            left = constant = as_left_out(self.whole, fold, mean_vectors(self.whole, fold))
            for weight, block in zip(self.weights, self.alone, strict=True):
                if weight > 0:
                    left = left + weight * (block.left[fold] - constant)
            every.append(left)
        return every

    def vectors(self) -> Floats:
        """Residual vectors of the model of all rows."""
        vectors = constant = mean_vectors(self.whole, None)
        for weight, block in zip(self.weights, self.alone, strict=True):
            if weight > 0:
                vectors = vectors + weight * (block.vectors() - constant)
        return vectors

    @property
    def penalty(self) -> Floats:
        """Of each block."""
        return np.array([block.choice.penalty for block in self.alone])


@dataclass(frozen=True, eq=False)
class JointRidge:
    """One ridge on all columns, each block with its factor."""

    ridges: Ridges
    weights: Floats  # factor of each block
    choice: PenaltyChoice
    error: float

    @classmethod
    def of(
        cls, whole: Ridges, alone: list[BlockRidge], factors: Floats, bar: float = np.inf
    ) -> JointRidge:
        """Choose the one penalty by the out-of-fold error, beginning where blocks alone ended."""
        columns = np.zeros(whole.data.n_features)
        for block, factor in zip(alone, factors, strict=True):
            columns[block.columns] = factor
        other: dict[str, Any] = {"factors": columns, "known": {}}
        if whole.by_rows:
            other["made"] = Grams.added([block.grams for block in alone], factors**2)
        ridges: Any = replace(whole, **other)  # type: ignore[type-var]
        penalties = np.array([block.choice.penalty for block in alone])
        start = float(np.median((penalties * factors**2)[factors > 0]))
        choice = choose(ridges, [len(columns)], start=start, bar=bar, final=False)
        ridges.known.clear()  # n² numbers for each fold
        return cls(ridges, factors, choice, float(np.min(choice.results["mean_error"])))

    @property
    def penalty(self) -> float:
        """Of all blocks, before their factors."""
        return self.choice.penalty

    @cached_property
    def left(self) -> list[Floats]:
        """As of a block alone."""
        solutions: Any = self.ridges.with_solutions(self.choice).solutions
        return list(solutions)

    def vectors(self) -> Floats:
        """Residual vectors of the model of all rows."""
        return self.ridges.vectors(None, self.penalty, self.ridges.data.n_features)


Rule = StackedRidge | JointRidge


@dataclass(frozen=True, eq=False)
class BlockFit(RidgeFit):
    """A fit to blocks."""

    rule: Rule
    tried: dict[str, Any]
    rules: list[Rule]  # all that were compared
    left: list[Floats]  # what models without each fold leave of its rows, by the rule

    def judged(self) -> BlockFit:
        """The same for scores to report: each fold has a rule that was chosen without its rows."""
        return replace(self, left=left_without(self.ridges, self.rules) or self.left)

    def left_out(self) -> list[Floats]:
        """Residuals of the rows of each fold, or residual vectors."""
        return self.left


@dataclass(frozen=True, eq=False)
class ApartFit:
    """A fit to blocks that were averaged, each from sums of its own, which are gone by now.

    The same as a `BlockFit` of `StackedRidge`, without products of one block with another.
    """

    coef: Floats
    intercept: Floats
    choice: PenaltyChoice
    tried: dict[str, Any]
    unseen: Floats  # what models without a row's fold say of it, (n, T)
    honest: Floats  # the same, by weights that were found without the fold
    knows_unseen: ClassVar[bool] = True
    precision: ClassVar[Precision] = "double"

    def judged(self) -> ApartFit:
        """The same for scores to report: a fold's weights were found without its rows."""
        return replace(self, unseen=self.honest)

    def unseen_scores(self, task: RidgeTask) -> Floats:
        """Return the score of every row by the model of the other folds."""
        return self.unseen


def fit_blocks(task: RidgeTask) -> BlockFit | ApartFit:
    """Fit blocks averaged and together, in float64, and keep what errs least out of fold.

    Too many columns for one ridge are never added up together: Σ R² numbers, not (Σ R)².

    Parameters
    ----------
    task : RidgeTask
        Of at least two folds; its features have owners. No penalty is given.
    """
    among = np.asarray(task.features.owners)
    n = int(np.count_nonzero(task.folds >= 0))
    # Rows that are read in chunks are read once; a device holds sums of all.
    if min(n, task.n_features) > MOST_TOGETHER and not task.behind and backend().device is None:
        return _apart(task, among)
    ridges = task.ridges()
    tick()
    starts = task.start if isinstance(task.start, dict) else {}
    alone = [
        BlockRidge.of(ridges, np.flatnonzero(among == b), starts.get(b)) for b in np.unique(among)
    ]
    averaged = StackedRidge.of(ridges, alone)
    rules: list[Rule] = [averaged]
    with_y = np.isin(np.unique(among), task.features.made_with_targets)
    # One ridge on all blocks is tried if its unknowns, and products of rows, are not too many.
    joins = ridges.n_unknowns <= (MOST_OF_MANY if task.behind else MOST_TOGETHER)
    if ridges.by_rows:
        joins = joins and Dual.fits(ridges.data, len(alone))
    for factors in _factors(averaged, with_y) if joins else ():
        with suppress(LinAlgError):  # lost to rounding: no candidate
            least = min(rule.error for rule in rules)
            rules.append(JointRidge.of(ridges, alone, factors, least))
    best = min(rules, key=lambda rule: rule.error)
    names = ["averaged"] + ["together"] * (len(rules) - 1)
    tried: dict[str, Any] = {"tried": names, "error": [rule.error for rule in rules]}
    tried |= {"rule": names[rules.index(best)], "weights": best.weights, "penalty": best.penalty}
    vectors = best.vectors()
    choice = _chosen(best.penalty, task.n_features, best.error)
    return BlockFit(
        *raw_coefficients(ridges.data, vectors),
        vectors,
        choice,
        ridges,
        rule=best,
        tried=tried,
        rules=rules,
        left=best.left,
    )


# Blocks are weighed by what ridges say of rows that they have not seen. The same rows cannot tell
# how good the result is: on noise some block is right by chance, gets a weight, and is right again.
# So for every fold penalties and weights are chosen once more without its rows, by ridges that know
# neither these rows nor the ones they are judged by, and the fold is scored with this choice.


def left_without(ridges: Any, rules: list[Any]) -> list[Floats] | None:
    """Choose among the rules anew for each fold, without its rows, and return what it leaves.

    Penalties stay as they are. None where there are too few folds, or sums that only a device has.

    Parameters
    ----------
    ridges : Primal or Dual
        Of all blocks.
    rules : list
        What was compared: a `StackedRidge`, and then `JointRidge`.
    """
    n_folds = len(ridges.fold_weights)
    if n_folds < 3 or not isinstance(ridges.data, (FoldRows, FoldSums)):
        return None
    left: list[Floats] = []
    try:
        for part in _parts(n_folds):
            rule = _rule_without(ridges, rules, part)
            left += [rule.left[fold] for fold in part]
    except LinAlgError:  # lost to rounding
        return None
    return left


def _parts(n_folds: int) -> list[Rows]:
    """Return folds by twos, for which a choice is made without them."""
    step = AT_ONCE if n_folds >= 2 + AT_ONCE else 1
    return [np.arange(k, min(k + step, n_folds)) for k in range(0, n_folds, step)]


def _unseen_without(fit: RidgeFit, task: RidgeTask, part: Rows) -> Floats:
    """Score the rows outside a part by models that know neither a row's fold nor the part."""
    others = ~np.isin(np.arange(int(task.folds.max()) + 1), part)
    numbers = np.append(np.where(others, np.cumsum(others) - 1, -1), -1)  # the last of no fold
    inner = replace(task, folds=numbers[task.folds])
    ridges = without_folds(fit.ridges, part)
    own = replace(fit, ridges=ridges, choice=_fixed(fit.choice))
    return own.unseen_scores(inner)


def _rule_without(ridges: Any, rules: list[Any], part: Rows) -> Any:
    averaged, whole = rules[0], without_folds(ridges, part, known=False)
    alone = []
    for block in averaged.alone:
        own = without_folds(block.ridges, part)
        choice = choose(own, [len(block.columns)], start=block.choice.penalty, final=False)
        own.known.clear()
        alone.append(BlockRidge(whole, block.columns, own, choice))
    weighed = StackedRidge.of(whole, alone)
    errors = [weighed.error]
    for rule in rules[1:]:
        others, width = without_folds(rule.ridges, part), rule.choice.n_features
        each = others.judge(range(len(others.fold_weights)), [rule.penalty], [width])[0][:, 0, 0]
        errors.append(float(np.average(each, weights=others.fold_weights)))
    best = int(np.argmin(errors))
    if best:
        return rules[best]
    main = [
        replace(block, choice=_fixed(own.choice))
        for block, own in zip(averaged.alone, alone, strict=True)
    ]
    return replace(averaged, alone=main, weights=weighed.weights)


def without_folds(ridges: Any, part: Rows, known: bool = True) -> Any:
    """Return ridges on the rows of the other folds, as if those of some had never been there.

    Products of rows are taken from those that are `known`.
    """
    data = ridges.data
    others = ~np.isin(np.arange(len(ridges.fold_weights)), part)
    allowed = data.allowed
    if allowed is not None:  # landmarks among the rows are gone with them
        allowed = allowed[np.append(others, True)] & allowed[part].all(axis=0)
    if isinstance(data, FoldSums):
        data = replace(data, moments=data.moments[others], allowed=allowed)
        return Primal(data, ridges.centred, ridges.factors)
    kept = np.flatnonzero(others[data.folds])
    numbers = np.cumsum(others) - 1
    rows = replace(data, rows=data.rows[kept], folds=numbers[data.folds[kept]], allowed=allowed)
    rows.__dict__.update(first=data.first[others], second=data.second[others])
    made = ridges.grams.some(kept, part) if known and ridges.by_rows else None
    return Dual(rows, ridges.centred, ridges.by_rows, ridges.factors, made)


def _fixed(choice: PenaltyChoice) -> PenaltyChoice:
    return PenaltyChoice(choice.penalty, choice.n_features, {})


def solving_bytes(n: int, n_folds: int, widths: Sequence[int], *, apart: bool = True) -> int:
    """Return the bytes that a ridge of n rows holds to be solved: sums or rows, and equations.

    Parameters
    ----------
    n, n_folds : int
    widths : sequence of int
        Columns of each block.
    apart : bool
        Whether many columns may be added up block by block.

    Examples
    --------
    >>> solving_bytes(50_000, 5, [4000, 4000]) / 1e9  # seven matrices of 4,000 × 4,000
    0.896
    """
    total = int(sum(widths))
    several = apart and min(n, total) > MOST_TOGETHER
    width = int(max(widths)) if several else total
    if n <= width and apart:
        return 8 * n * (width + 2 * n)
    return 8 * (n_folds + 2) * width**2


def _apart(task: RidgeTask, among: Rows) -> ApartFit:
    """Average ridges of single blocks, holding the sums of one at a time.

    Weights come from what models say of the rows of other folds, and are those of `StackedRidge`.
    """
    used, names = np.flatnonzero(task.folds >= 0), np.unique(among)
    Y, folds = task.Y[used], task.folds[used]
    w = np.ones(len(used)) if task.weights is None else task.weights[used]
    sums = np.stack([(folds == k) * w for k in range(int(folds.max()) + 1)])
    first, weight = sums @ Y, sums.sum(axis=1)
    mean = first.sum(axis=0) / weight.sum() * task.centred
    constant = (first.sum(axis=0) - first) / (weight.sum() - weight)[:, None] * task.centred
    starts = task.start if isinstance(task.start, dict) else {}
    # Weights are found anew without each part, if rows are few, and if there is room for a second
    # set of sums of the widest block.
    widths, budget = np.unique(among, return_counts=True)[1].tolist(), settings().budget
    needed = 2 * solving_bytes(len(used), len(weight), widths)
    nests = len(weight) > 2 and len(used) <= MOST_NESTED and (budget is None or needed <= budget)
    parts = _parts(len(weight)) if nests else []
    penalties, models, scored, nested = [], [], [], []
    for name in names:
        columns = np.flatnonzero(among == name)
        allowed = None if task.allowed is None else task.allowed[:, columns]
        own = replace(
            task,
            features=Selected(task.features, columns),
            n_features=len(columns),
            allowed=allowed,
            start=starts.get(name),
        )
        fit = solved(own, own.ridges())
        penalties.append(fit.choice.penalty)
        models.append((columns, fit.coef, fit.intercept))
        scored.append(fit.unseen_scores(own)[used] - constant[folds])
        nested.append([_unseen_without(fit, own, part)[used] for part in parts])
        del fit  # and its sums, before the next ones take as much room
    weights, products = _weights(Y - constant[folds], scored, w)
    of_classes = _are_classes(Y)
    if of_classes:
        weights = decision_weights(Y, constant[folds], scored, w)
    coef, intercept = np.zeros((Y.shape[1], task.n_features)), mean.copy()
    unseen = np.zeros(task.Y.shape)
    unseen[used] = constant[folds]
    for share, scores, (columns, own_coef, own_intercept) in zip(
        weights, scored, models, strict=True
    ):
        coef[:, columns] = share * own_coef
        intercept += share * (own_intercept - mean)
        unseen[used] += share * scores
    honest = unseen.copy()
    for k, part in enumerate(parts):
        out = np.isin(folds, part)
        rest = np.flatnonzero(~out)
        without = first.sum(axis=0) - first[part].sum(axis=0) - first
        left = weight.sum() - weight[part].sum() - weight
        own_constant = (without[folds[rest]] / left[folds[rest], None]) * task.centred
        others = [every[k][rest] - own_constant for every in nested]
        if of_classes:
            shares = decision_weights(Y[rest], own_constant, others, w[rest], weights > 0)
        else:
            shares, _ = _weights(Y[rest] - own_constant, others, w[rest])
        mixed = sum(share * scores[out] for share, scores in zip(shares, scored, strict=True))
        honest[used[out]] = constant[folds[out]] + mixed
    whole = np.r_[1.0, weights]
    error = float(whole @ products @ whole) / (weight.sum() * Y.shape[1])
    penalty = np.array(penalties)
    tried = {"tried": ["averaged"], "error": [error], "rule": "averaged"}
    choice = _chosen(penalty, task.n_features, error)
    return ApartFit(
        coef, intercept, choice, {**tried, "weights": weights, "penalty": penalty}, unseen, honest
    )


def _weights(truth: Floats, scored: list[Floats], w: Floats) -> tuple[Floats, Floats]:
    """Return the weights of blocks for which their scores err least, and products of all."""
    root = np.sqrt(w)[:, None]
    stacked = np.stack([(root * each).ravel() for each in (truth, *scored)])
    stacked[1:] *= -1.0
    products = stacked @ stacked.T
    return _weights_of(products), products


def _are_classes(Y: Floats) -> bool:
    """Whether targets are signs of classes: of two, or one of several for each row."""
    one = Y.shape[1] == 1 or bool(((Y > 0).sum(axis=1) == 1).all())
    return one and bool((np.abs(Y) == 1).all())


def decision_weights(
    signs: Floats,
    constant: Floats,
    scores: list[Floats],
    w: Floats,
    kept: NDArray[np.bool_] | None = None,
) -> Floats:
    """Return weights of blocks for which the classes of unseen rows are most likely.

    The squared error asks what is sure to be surer still, and passes over what is right more often
    and says so with less conviction, as a forest does. Here conviction is a matter of scale, which
    calibration settles. Blocks without which the likelihood is no worse, but for chance, get no
    weight: the model is smaller.

    Parameters
    ----------
    signs : ndarray of shape (n, T)
        1 for a row's class, else -1; one column for two classes.
    constant : ndarray of shape (n, T)
        What is said of a row that no block says anything of.
    scores : list of ndarray of shape (n, T)
        What each block says beyond that of rows it has not seen.
    w : ndarray of shape (n,)
    kept : ndarray of bool, optional
        Blocks that may have weight, all of which stay. Default: all, and those of no use go.
    """
    n, T = signs.shape
    rows = np.linspace(0, n - 1, min(n, max(FEWEST_DECIDED, DECIDED_VALUES // T))).astype(np.intp)
    every = np.stack([constant[rows], *(one[rows] for one in scores)])
    if T == 1:  # of two classes, the scores of both
        every, signs = np.concatenate([-every, every], axis=2), np.hstack([-signs, signs])
    labels, shares = signs[rows].argmax(axis=1), w[rows] / w[rows].sum()
    found = np.zeros(len(scores))
    left = list(range(len(scores))) if kept is None else np.flatnonzero(kept).tolist()
    best, bar = _most_likely(every[[0, *(1 + k for k in left)]], labels, shares)
    while kept is None and len(left) > 1:
        sizes = [best[1 + i] * every[1 + k].std() for i, k in enumerate(left)]
        fewer = [k for i, k in enumerate(left) if i != int(np.argmin(sizes))]
        other, losses = _most_likely(every[[0, *(1 + k for k in fewer)]], labels, shares)
        more = losses - bar
        if more.mean() > NEGLIGIBLE * more.std() / np.sqrt(len(rows)):
            break
        left, best = fewer, other
    found[left] = best[1:]
    mixed = sum((share * one for share, one in zip(found, scores, strict=True)), np.zeros((n, T)))
    size = float(w @ np.square(mixed).sum(axis=1))
    if size <= 0:
        return np.full(len(scores), 1 / len(scores))  # as in `StackedRidge`
    truth = signs[:, -T:] - constant
    scale = float(w @ (mixed * truth).sum(axis=1)) / size  # that of the least squared error
    return np.asarray(found * max(0.0, min(scale, LARGEST / found.max())))


def _most_likely(scores: Floats, labels: Rows, shares: Floats) -> tuple[Floats, Floats]:
    """Return the weights, none below 0, of scores (m, n, T) under a softmax; and rows' losses."""
    own = scores[:, np.arange(len(labels)), labels]

    def losses(weights: Floats) -> tuple[Floats, Floats]:
        mixed = np.tensordot(weights, scores, axes=1)
        sums = logsumexp(mixed, axis=1)
        return sums - weights @ own, np.exp(mixed - sums[:, None])

    def loss(weights: Floats) -> tuple[float, Floats]:
        each, chances = losses(weights)
        expected = np.tensordot(scores, chances * shares[:, None], axes=([1, 2], [0, 1]))
        return float(shares @ each), expected - own @ shares

    start, bounds = np.ones(len(scores)), [(0.0, None)] * len(scores)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return found.x, losses(found.x)[0]


def _chosen(penalty: float | Floats, n_features: int, error: float) -> PenaltyChoice:
    errors = {"mean_error": np.array([[error]]), "sd_error": np.array([[np.nan]])}
    first = np.atleast_1d(penalty)[:1]
    results = {"penalty": first, "n_features": np.array([n_features]), **errors}
    return PenaltyChoice(penalty, n_features, results)  # type: ignore[arg-type]


def _factors(averaged: StackedRidge, with_y: NDArray[np.bool_]) -> list[Floats]:
    """Return factors of the blocks to try together.

    All alike; all alike of those that help on average; and by what the ridges of single blocks
    say: one that is shrunk a lot by itself is made small beside others. Blocks that were made with
    the help of y stand apart: what they say of a row leaves its own y out, so one ridge on them and
    on columns that tell what is near could find that y by difference, and of new rows cannot.
    """
    helps = (averaged.weights > 0) & ~with_y
    every = [(~with_y).astype(float)]
    if not helps.any():
        return every[: int((~with_y).any())]
    if not helps[~with_y].all():
        every.append(helps.astype(float))
    if helps.sum() > 1:
        own = np.sqrt(np.where(with_y, 0.0, averaged.weights) / averaged.penalty)
        every.append(np.where(own < FAINTEST**0.5 * own.max(), 0.0, own / own.max()))
    return every


def _weights_of(products: Floats) -> Floats:
    """Return the weights of blocks.

    Where folds can tell nothing, as of one row for each class, a mean would rank nothing; the
    ridges alone are all but means, and do.
    """
    weights = _least_squares(products)
    return weights if weights.any() else np.full(len(weights), 1 / len(weights))


def _least_squares(products: Floats) -> Floats:
    """Return w ≥ 0 for which (1, w) P (1, w) is least; weights that are next to nothing are 0."""
    gram, response = products[1:, 1:], -products[1:, 0]
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    unit = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 0.0)
    values, basis = np.linalg.eigh(gram * np.outer(unit, unit))
    kept = values > 1e-12 * max(float(values[-1]), 0.0)  # blocks may say the same
    if not kept.any():
        return np.zeros(len(gram))
    root = np.sqrt(values[kept])[:, None] * basis[:, kept].T
    target = (basis[:, kept].T @ (unit * response)) / np.sqrt(values[kept])
    scaled = nnls(root, target)[0]
    if (scaled * unit > LARGEST).any():
        most = np.where(size > 0, LARGEST * size, np.inf)
        scaled = lsq_linear(root, target, bounds=(0.0, most)).x
    scaled[scaled < FAINTEST * scaled.max(initial=0.0)] = 0.0
    return np.asarray(scaled * unit)
