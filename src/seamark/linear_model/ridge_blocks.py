"""Ridges on features in blocks: which blocks help, and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.optimize import lsq_linear, minimize, nnls
from scipy.special import logsumexp

from ..engine import backend, settings, tick
from ..features import Floats, Rows
from .ridge_fit import Fitted, RidgeFit, RidgeTask, solved
from .ridge_solve import (
    WHOLE,
    Dual,
    Grams,
    PenaltyChoice,
    Primal,
    Ridges,
    choose,
    raw_coefficients,
)
from .ridge_statistics import FoldRows, FoldSums

MOST_TOGETHER = 1000  # unknowns of one ridge on all blocks: it seldom errs less, and costs (Σ R)³
LARGEST = 1.0  # weight: a ridge that seems worth more than it says is chance of few rows
MOST_OF_MANY = 3000  # the same where rows are so many that sums cost more, and it errs much less
MOST_NESTED = 20_000  # rows whose features are read again, to report on weights found without them
AT_ONCE = 2  # folds that a choice is made without: the fewer choices, the sooner they are made
DECIDED_VALUES, FEWEST_DECIDED = 200_000, 2000  # scores, and rows, that tell weights of classes
NEGLIGIBLE = 0.5  # standard errors of likelihood that a block is not worth
FAINTEST = 1e-3  # weight or squared factor, against the largest, below which a block is left out


# What models without a fold leave of its rows: their residuals, or, of sums, residual vectors.
# Either way it is linear in the models. In the place of a fold, `WHOLE` asks for the residual
# vectors of the model of all rows.


def as_left(whole: Any, fold: int, vectors: Floats) -> Floats:
    """What residual vectors leave of a fold."""
    if fold == WHOLE or not isinstance(whole, Dual):
        return vectors
    used = np.flatnonzero(vectors.any(axis=1))
    return np.asarray(whole.data.rows[whole.data.folds == fold][:, used] @ vectors[used])


def left_by_mean(whole: Any, fold: int) -> Floats:
    """What the model leaves of a fold that says the mean of the targets, or 0 if not centred."""
    targets = slice(1 + whole.data.n_features, None)
    means = whole.mean[fold, targets]
    vectors = np.zeros((whole.mean.shape[1], len(means)))
    vectors[0], vectors[targets] = -means, np.eye(len(means))
    return as_left(whole, fold, vectors)


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
            ridges = Dual(data, whole.centred)
        else:  # fewer columns than rows
            ridges = Primal(data.added_up(whole.n_folds), whole.centred)
        choice = choose(ridges, [len(columns)], start=start)
        choice = replace(choice, left=ridges.left(choice))
        ridges.known.clear()  # n² numbers for each fold
        return cls(whole, columns, ridges, choice)

    @cached_property
    def left(self) -> list[Floats]:
        """What models without each fold leave of its rows."""
        own = self.ridges.left(self.choice)
        if isinstance(self.ridges, Dual):
            return own
        return [as_left(self.whole, fold, self._placed(one)) for fold, one in enumerate(own)]

    def vectors(self) -> Floats:
        """Residual vectors (1 + R + T, T) of the model of all rows."""
        return self._placed(self.ridges.vectors(self.choice.penalty, len(self.columns)))

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
        ridges: Any = self.ridges
        if not isinstance(ridges, Dual):
            ridges = Dual(self.whole.data.some(self.columns), self.whole.centred)
        return ridges.grams or Grams.of(ridges.data, ridges.unit[WHOLE])


@dataclass(frozen=True, eq=False)
class StackedRidge:
    """Ridges of single blocks, added up with weights, about the mean of the targets.

    ŷ = ȳ + Σ w_b (ŷ_b − ȳ), so that weights need not add up to 1: the rest is the mean.
    """

    whole: Ridges
    alone: list[BlockRidge]
    weights: Floats
    error: float
    penalty: Floats  # of each block

    @classmethod
    def of(cls, whole: Ridges, alone: list[BlockRidge]) -> StackedRidge:
        """Find the weights of the least out-of-fold error: it is a quadratic form in them."""
        data: Any = whole.data
        units = data.scale[1 + data.n_features :]
        total = np.zeros((len(alone) + 1,) * 2)
        for fold in range(whole.n_folds):
            constant = left_by_mean(whole, fold)
            stacked = np.stack([constant, *(block.left[fold] - constant for block in alone)])
            for v in np.moveaxis(stacked * units, 2, 0):  # of each target, in its own units
                total += v @ v.T if isinstance(whole, Dual) else v @ data.moments[fold] @ v.T
        weights = _weights_of(total)
        mixed = np.r_[1.0, weights]
        error = float(mixed @ total @ mixed) / (whole.fold_weights.sum() * len(units))
        penalty = np.array([block.choice.penalty for block in alone])
        return cls(whole, alone, weights, error, penalty)

    def left(self, fold: int) -> Floats:
        """What the model without a fold leaves of its rows."""
        constant = mixed = left_by_mean(self.whole, fold)
        for weight, block in zip(self.weights, self.alone, strict=True):
            if weight > 0:
                own = block.vectors() if fold == WHOLE else block.left[fold]
                mixed = mixed + weight * (own - constant)
        return mixed


@dataclass(frozen=True, eq=False)
class JointRidge:
    """One ridge on all columns, each block with its factor."""

    ridges: Ridges
    weights: Floats  # factor of each block
    choice: PenaltyChoice
    error: float
    penalty: float  # of all blocks, before their factors

    @classmethod
    def of(
        cls, whole: Ridges, alone: list[BlockRidge], factors: Floats, bar: float = np.inf
    ) -> JointRidge:
        """Choose the one penalty by the out-of-fold error, beginning where blocks alone ended."""
        ridges = joint_ridges(whole, alone, factors)
        penalties = np.array([block.choice.penalty for block in alone])
        start = float(np.median((penalties * factors**2)[factors > 0]))
        choice = choose(ridges, [whole.data.n_features], start=start, bar=bar, final=False)
        ridges.known.clear()  # n² numbers for each fold
        error = float(np.min(choice.results["mean_error"]))
        return cls(ridges, factors, choice, error, choice.penalty)

    def left(self, fold: int) -> Floats:
        """What the model without a fold leaves of its rows."""
        if fold == WHOLE:
            return self.ridges.vectors(self.penalty, self.ridges.data.n_features)
        return self.ridges.left(self.choice)[fold]


def joint_ridges(whole: Any, alone: list[BlockRidge], factors: Floats) -> Any:
    """Return ridges on all columns, those of each block times its factor."""
    columns = np.zeros(whole.data.n_features)
    for block, factor in zip(alone, factors, strict=True):
        columns[block.columns] = factor
    other: dict[str, Any] = {"factors": columns, "known": {}}
    if isinstance(whole, Dual):
        other["made"] = Grams.added([block.grams for block in alone], factors**2)
    return replace(whole, **other)


Rule = StackedRidge | JointRidge


# Blocks are weighed by what ridges say of rows that they have not seen. The same rows cannot tell
# how good the result is: on noise some block is right by chance, gets a weight, and is right again.
# So for every fold penalties and weights are chosen once more without its rows, by ridges that know
# neither these rows nor the ones they are judged by, and the fold is scored with this choice.


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockFit(RidgeFit):
    """A fit to blocks."""

    rules: list[Rule]  # all that were compared: a `StackedRidge`, and then `JointRidge`

    def judged(self) -> BlockFit:
        """The same for scores to report: each fold has a rule that was chosen without its rows.

        Penalties stay as they are. So does all where folds are too few, or sums on a device.
        """
        data, left = self.ridges.data, list[Floats]()
        if self.ridges.n_folds < 3 or not isinstance(data, (FoldRows, FoldSums)):
            return self
        try:
            for part in _parts(self.ridges.n_folds):
                rule = _rule_without(self.ridges, self.rules, part)
                left += [rule.left(fold) for fold in part]
        except LinAlgError:  # lost to rounding
            return self
        return replace(self, choice=replace(self.choice, left=left))

    def from_rows(self, task: RidgeTask) -> Dual | None:
        """See `Fitted`; on blocks that are in use, but for those that were made with y."""
        averaged: Any = self.rules[0]
        ridges, owners = super().from_rows(task), np.asarray(task.features.owners)
        with_y = np.isin(np.unique(owners), task.features.made_with_targets)
        used = [self.coef[:, block.columns].any() for block in averaged.alone] & ~with_y
        if ridges is None or not used.any():
            return None
        if ridges is self.ridges:  # products of rows are known
            together: Dual = joint_ridges(ridges, averaged.alone, used.astype(float))
            return together
        factors = used[np.searchsorted(np.unique(owners), owners)]
        return replace(ridges, factors=factors.astype(float), known={})


def _parts(n_folds: int) -> list[Rows]:
    """Return folds by twos, for which a choice is made without them."""
    step = AT_ONCE if n_folds >= 2 + AT_ONCE else 1
    return [np.arange(k, min(k + step, n_folds)) for k in range(0, n_folds, step)]


def _rule_without(ridges: Any, rules: list[Any], part: Rows) -> Any:
    """Choose among the rules anew, without the rows of some folds."""
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
        each = others.judge(range(others.n_folds), [rule.penalty], [width])[0][:, 0, 0]
        errors.append(float(np.average(each, weights=others.fold_weights)))
    best = int(np.argmin(errors))
    if best:
        return rules[best]
    main = [
        replace(block, choice=PenaltyChoice(own.choice.penalty, len(block.columns), {}))
        for block, own in zip(averaged.alone, alone, strict=True)
    ]
    return replace(averaged, alone=main, weights=weighed.weights)


def without_folds(ridges: Any, part: Rows, known: bool = True) -> Any:
    """Return ridges on the rows of the other folds, as if those of some had never been there.

    Products of rows are taken from those that are `known`.
    """
    data = ridges.data
    others = ~np.isin(np.arange(ridges.n_folds), part)
    allowed = data.allowed
    if allowed is not None:  # landmarks among the rows are gone with them
        allowed = allowed[np.append(others, True)] & allowed[part].all(axis=0)
    if isinstance(data, FoldSums):
        data = replace(data, moments=data.moments[others], allowed=allowed)
        return Primal(data, ridges.centred, ridges.factors)
    kept = np.flatnonzero(others[data.folds])
    numbers = np.cumsum(others) - 1
    rows = replace(data, rows=data.rows[kept], folds=numbers[data.folds[kept]], allowed=allowed)
    rows.__dict__["edges"] = data.edges[0][others], data.edges[1][others]
    made = ridges.grams.some(kept, part) if known and ridges.grams is not None else None
    return Dual(rows, ridges.centred, ridges.factors, made)


def fit_blocks(task: RidgeTask) -> Fitted:
    """Fit blocks averaged and together, in float64, and keep what errs least out of fold.

    Too many columns for one ridge are never added up together: Σ R² numbers, not (Σ R)².

    Parameters
    ----------
    task : RidgeTask
        Of at least two folds; its features have owners. No penalty is given.
    """
    among = np.asarray(task.features.owners)
    # Rows that are read in chunks are read once; a device holds sums of all.
    at_hand = not task.behind and backend().device is None
    if at_hand and min(task.n_used, task.n_features) > MOST_TOGETHER:
        return _apart(task, among)
    ridges = task.ridges()
    tick()
    starts = task.start if isinstance(task.start, dict) else {}
    alone = [
        BlockRidge.of(ridges, np.flatnonzero(among == b), starts.get(b)) for b in np.unique(among)
    ]
    averaged = StackedRidge.of(ridges, alone)
    rules: list[Rule] = [averaged]
    errors = [averaged.error]
    with_y = np.isin(np.unique(among), task.features.made_with_targets)
    # One ridge on all blocks is tried if its unknowns, and products of rows, are not too many.
    joins = ridges.n_unknowns <= (MOST_OF_MANY if task.behind else MOST_TOGETHER)
    if isinstance(ridges, Dual):
        joins = joins and Dual.fits(ridges.data, len(alone))
    for factors in _factors(averaged, with_y) if joins else ():
        with suppress(LinAlgError):  # lost to rounding: no candidate
            rules.append(JointRidge.of(ridges, alone, factors, min(errors)))
            errors.append(rules[-1].error)
    first = int(np.argmin(errors))
    best, names = rules[first], ["averaged"] + ["together"] * (len(rules) - 1)
    tried: dict[str, Any] = {"tried": names, "error": errors, "rule": names[first]}
    tried |= {"weights": best.weights, "penalty": best.penalty}
    left = [best.left(fold) for fold in range(ridges.n_folds)]
    choice = _chosen(best.penalty, task.n_features, best.error, left)
    coef, intercept = raw_coefficients(ridges.data, best.left(WHOLE))
    return BlockFit(coef, intercept, choice, ridges, tried, rules=rules)


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


@dataclass(frozen=True, eq=False)
class ApartFit(Fitted):
    """A fit to blocks that were averaged, each from sums of its own, which are gone by now.

    The same as a `BlockFit` of `StackedRidge`, without products of one block with another.
    """

    coef: Floats
    intercept: Floats
    choice: PenaltyChoice
    tried: dict[str, Any]
    unseen: Floats  # what models without a row's fold say of it, (n, T)
    honest: Floats  # the same, by weights that were found without the fold

    def judged(self) -> ApartFit:
        """The same for scores to report: a fold's weights were found without its rows."""
        return replace(self, unseen=self.honest)

    def unseen_scores(self, task: RidgeTask) -> Floats:
        """See `Fitted`."""
        return self.unseen


def _apart(task: RidgeTask, among: Rows) -> ApartFit:
    """Average ridges of single blocks, holding the sums of one at a time.

    Weights come from what models say of the rows of other folds: those of the least squared error,
    as of `StackedRidge`, or, of classes, those that make them likely.
    """
    used, names = np.flatnonzero(task.folds >= 0), np.unique(among)
    Y, folds = task.Y[used], task.folds[used]
    w = np.ones(len(used)) if task.weights is None else task.weights[used]
    sums = np.stack([(folds == k) * w for k in range(int(folds.max()) + 1)])
    first, weight = sums @ Y, sums.sum(axis=1)

    def mean_without(part: Rows) -> Floats:
        """Of the targets of the rows outside a part and outside each row's fold."""
        total, others = (s.sum(axis=0) - s[part].sum(axis=0) for s in (first, weight))
        of_folds = (total - first) / (others - weight)[:, None] * task.centred
        return np.asarray(of_folds[folds])

    of_classes = _are_classes(Y)

    def weights_of(rows: Any, constant: Floats, scores: list[Floats], kept: Any = None) -> Floats:
        truth, own, w_own = Y[rows], constant[rows], w[rows]
        if of_classes:
            return decision_weights(truth, own, scores, w_own, kept)
        root = np.sqrt(w_own)[:, None]
        stacked = np.stack([(root * one).ravel() for one in (own - truth, *scores)])
        return _weights_of(stacked @ stacked.T)

    starts = task.start if isinstance(task.start, dict) else {}
    # Weights are found anew without each part, if rows are few, and if there is room for a second
    # set of sums of the widest block.
    widths, budget = np.unique(among, return_counts=True)[1].tolist(), settings().budget
    needed = 2 * solving_bytes(len(used), len(weight), widths)
    nests = len(weight) > 2 and len(used) <= MOST_NESTED and (budget is None or needed <= budget)
    parts = _parts(len(weight)) if nests else []
    nowhere = np.empty(0, dtype=np.intp)
    constant, every = mean_without(nowhere), slice(None)
    models, scored, nested = [], [], []
    for name in names:
        columns = np.flatnonzero(among == name)
        own = replace(task.some(columns), start=starts.get(name))
        fit = solved(own, own.ridges())
        models.append((columns, fit.coef, fit.intercept, fit.choice.penalty))
        scored.append(fit.unseen_scores(own)[used] - constant)
        nested.append([_unseen_without(fit, own, part)[used] for part in parts])
        del fit  # and its sums, before the next ones take as much room
    weights = weights_of(every, constant, scored)
    mean = first.sum(axis=0) / weight.sum() * task.centred
    coef, intercept = np.zeros((Y.shape[1], task.n_features)), mean.copy()
    said = constant.copy()
    for share, scores, (columns, own_coef, own_intercept, _) in zip(
        weights, scored, models, strict=True
    ):
        coef[:, columns] = share * own_coef
        intercept += share * (own_intercept - mean)
        said += share * scores
    unseen, honest = np.zeros(task.Y.shape), np.zeros(task.Y.shape)
    unseen[used] = honest[used] = said
    for k, part in enumerate(parts):
        out = np.isin(folds, part)
        known = mean_without(part)
        others = [of_block[k][~out] - known[~out] for of_block in nested]
        shares = weights_of(~out, known, others, weights > 0)
        mixed = sum(share * scores[out] for share, scores in zip(shares, scored, strict=True))
        honest[used[out]] = constant[out] + mixed
    error = float(w @ np.square(Y - said).sum(axis=1)) / (weight.sum() * Y.shape[1])
    penalty = np.array([one[-1] for one in models])
    tried: dict[str, Any] = {"tried": ["averaged"], "error": [error], "rule": "averaged"}
    tried |= {"weights": weights, "penalty": penalty}
    choice = _chosen(penalty, task.n_features, error)
    return ApartFit(coef, intercept, choice, tried, unseen, honest)


def _unseen_without(fit: RidgeFit, task: RidgeTask, part: Rows) -> Floats:
    """Score the rows outside a part by models that know neither a row's fold nor the part."""
    others = ~np.isin(np.arange(int(task.folds.max()) + 1), part)
    numbers = np.append(np.where(others, np.cumsum(others) - 1, -1), -1)  # the last of no fold
    choice = PenaltyChoice(fit.choice.penalty, fit.choice.n_features, {})
    own = replace(fit, ridges=without_folds(fit.ridges, part), choice=choice)
    return own.unseen_scores(replace(task, folds=numbers[task.folds]))


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
    best, bar = most_likely(every[[0, *(1 + k for k in left)]], labels, shares)
    while kept is None and len(left) > 1:
        sizes = [best[1 + i] * every[1 + k].std() for i, k in enumerate(left)]
        fewer = [k for i, k in enumerate(left) if i != int(np.argmin(sizes))]
        other, losses = most_likely(every[[0, *(1 + k for k in fewer)]], labels, shares)
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


def most_likely(scores: Floats, labels: Rows, shares: Floats) -> tuple[Floats, Floats]:
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


def _chosen(
    penalty: float | Floats, n_features: int, error: float, left: list[Floats] | None = None
) -> PenaltyChoice:
    errors = {"mean_error": np.array([[error]]), "sd_error": np.array([[np.nan]])}
    first = np.atleast_1d(penalty)[:1]
    results = {"penalty": first, "n_features": np.array([n_features]), **errors}
    return PenaltyChoice(penalty, n_features, results, left)  # type: ignore[arg-type]


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
    """Return the w ≥ 0 of blocks for which (1, w) P (1, w) is least; all alike where that is none.

    Weights that are next to nothing are 0. Where folds can tell nothing, as of one row for each
    class, a mean would rank nothing; the ridges alone are all but means, and do.
    """
    alike = np.full(len(products) - 1, 1 / max(1, len(products) - 1))
    gram, response = products[1:, 1:], -products[1:, 0]
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    unit = np.where(size > 0, 1 / np.where(size > 0, size, 1.0), 0.0)
    values, basis = np.linalg.eigh(gram * np.outer(unit, unit))
    kept = values > 1e-12 * max(float(values[-1]), 0.0)  # blocks may say the same
    if not kept.any():
        return alike
    root = np.sqrt(values[kept])[:, None] * basis[:, kept].T
    target = (basis[:, kept].T @ (unit * response)) / np.sqrt(values[kept])
    scaled = nnls(root, target)[0]
    if (scaled * unit > LARGEST).any():
        most = np.where(size > 0, LARGEST * size, np.inf)
        scaled = lsq_linear(root, target, bounds=(0.0, most)).x
    scaled[scaled < FAINTEST * scaled.max(initial=0.0)] = 0.0
    return np.asarray(scaled * unit) if scaled.any() else alike
