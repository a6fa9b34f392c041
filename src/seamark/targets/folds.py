"""Rows of each class, in random order; and folds of them, which keep equal objects together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from .. import engine
from ..data import distinct, seed_from, with_copies, with_seed
from .read import Rows


def by_class(y: Any, n: int) -> list[Rows]:
    """Row numbers of each class; all rows as one class if there are no labels."""
    if y is None:
        return [np.arange(n)]
    _, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])


def shuffled(parts: list[Rows], groups: Rows, rng: np.random.Generator) -> list[Rows]:
    """Return the rows of each part in random order; hashed ones in that of seed and object.

    The first few of a hashed order are the same objects in whatever order, and in however many
    chunks, rows were read. Of equal objects the first is in front.
    """
    if len(groups) <= engine.settings().hashed_from:
        return list(map(rng.permutation, parts))
    hashed = with_seed(groups, seed_from(rng))
    return [rows[np.argsort(hashed[rows], kind="stable")] for rows in parts]


def in_turn(y: NDArray[Any], rng: np.random.Generator) -> Rows:
    """Return an order of rows in which kinds of y come one after the other, shuffled within.

    Folds that are dealt in this order have much the same y.
    """
    kinds = np.unique(y, axis=0, return_inverse=True)[1].ravel()
    return np.lexsort((rng.random(len(y)), kinds))


def deal(
    used: NDArray[np.bool_], cv: Any, rng: Any, labels: Any = None, groups: Rows | None = None
) -> Rows:
    """Deal the rows in use to folds at random, the classes of `labels` evenly.

    Folds differ by at most one row, and by at most one member of any class. Fewer rows than folds
    make fewer folds (leave-one-out). Rows not in use get −1 and do not change the others' luck.

    Equal objects share a fold: a row and its copy on two sides would judge a model by what it has
    learned by heart; see `inseparable`.

    More rows than the setting `hashed_from` are dealt by a hash of a seed and the number of their
    group. Where that number is a hash of the object, folds are the same for every order of rows and
    every way of reading them; their sizes then differ as chance has it.

    Parameters
    ----------
    used : ndarray of bool, shape (n,)
        Rows to deal.
    cv : int, array of shape (n,), splitter or iterable of splits
        Number of folds; or the fold number of each row; or a scikit-learn splitter or its
        (train, test) pairs, where every row is tested once and trains all other folds.
    rng : RandomState or Generator
        Source of randomness.
    labels : ndarray of shape (n,), optional
        Classes.
    groups : ndarray of shape (n,), optional
        Number of each row's group of equal objects. Fold numbers and splits that are given stay as
        they are.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> folds = deal(np.ones(6, dtype=bool), 2, rng, np.array([0, 0, 0, 0, 1, 1]))
    >>> sorted(folds[:4]) == [0, 0, 1, 1], sorted(folds[4:]) == [0, 1]
    (True, True)
    >>> folds = deal(np.ones(6, dtype=bool), 2, rng, groups=np.array([0, 1, 2, 0, 1, 2]))
    >>> bool((folds[:3] == folds[3:]).all())
    True
    """
    if not isinstance(cv, (int, np.integer)):
        return _given(used, cv, labels)
    rows, cv = np.flatnonzero(used), int(cv)
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds, or the fold number of each row.")
    if len(rows) < 2:
        raise ValueError(
            f"cross-validation needs at least 2 rows with positive weight, but got n_samples = "
            f"{len(rows)}; give the penalty as a number (and calibrate=False to a classifier)."
        )
    folds = np.full(len(used), -1, dtype=np.intp)
    if groups is not None and len(rows) > engine.settings().hashed_from:
        dealt: Rows = (with_seed(groups[rows], seed_from(rng)) % np.uint64(cv)).astype(np.intp)
        even = np.bincount(dealt, minlength=cv).min() >= len(rows) / (2 * cv)
        single = len(distinct(rows, groups)) == len(rows)
        # If too few objects differ, or one is most of the rows, they are dealt one by one.
        if even and (single or inseparable(rows, labels, groups, cv) is not None):
            folds[rows] = dealt
            return folds
    order = rng.permutation(rows)
    if labels is not None:
        # Dealt class after class without starting over, so that rare classes spread too.
        order = order[np.argsort(labels[order], kind="stable")]
    groups = inseparable(rows, labels, groups, cv)
    if groups is None:
        folds[order] = np.arange(len(order)) % min(cv, len(order))
    else:
        folds[order] = _dealt_whole(order, cv, labels, groups)
    return folds


def inseparable(rows: Rows, labels: Any, groups: Rows | None, least: int = 2) -> Rows | None:
    """Return the groups of equal objects that no split of these rows may part; None: no such.

    Copies may be parted where fewer than `least` objects differ, so that there are not enough to
    make the parts, or no more than there are classes, so that nothing of one could be learned from
    the others.

    Examples
    --------
    >>> inseparable(np.arange(4), None, np.array([0, 1, 2, 3])) is None
    True
    >>> inseparable(np.arange(4), None, np.array([0, 0, 1, 2]))
    array([0, 0, 1, 2])
    >>> inseparable(np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])) is None
    True
    """
    if groups is None:
        return None
    n_classes = 1 if labels is None else len(np.unique(labels[rows]))
    different = len(distinct(rows, groups))
    return groups if max(least, n_classes + 1) <= different < len(rows) else None


def split_off(
    rows: Rows, share: Any, rng: Any, labels: Any = None, groups: Rows | None = None
) -> tuple[Rows, Rows]:
    """Return rows to fit to and a share of rows to hold out, of each class alike, both sorted.

    Equal objects are on one side, unless a class has no two objects to part. Of more rows than the
    setting `hashed_from` those are held out that have the smallest hashes of a seed and the object.

    Parameters
    ----------
    rows : ndarray of int
    share : float
        Of rows to hold out.
    rng : RandomState
    labels : ndarray, optional
        Classes, of all rows there are; at least two rows of each.
    groups : ndarray of int, optional
        Of equal objects, among all rows there are.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> split_off(np.arange(6), 0.3, rng, groups=np.array([0, 1, 2, 0, 1, 2]))
    (array([0, 1, 3, 4]), array([2, 5]))
    """
    kinds, groups = groups, inseparable(rows, labels, groups)
    if groups is not None and labels is not None:
        counts = np.unique(labels[distinct(rows, groups)], return_counts=True)[1]
        groups = None if counts.min() < 2 else groups
    one_of_each = distinct(rows, groups)
    strata = None if labels is None else labels[one_of_each]
    if kinds is not None and len(rows) > engine.settings().hashed_from:
        classes = [one_of_each[some] for some in by_class(strata, len(one_of_each))]
        held = [some[: max(1, round(share * len(some)))] for some in shuffled(classes, kinds, rng)]
        parts = [np.setdiff1d(one_of_each, np.concatenate(held)), np.concatenate(held)]
    else:
        parts = train_test_split(one_of_each, test_size=share, stratify=strata, random_state=rng)
    fitted, out = (np.intersect1d(with_copies(part, groups), rows) for part in parts)
    return fitted, out


def _dealt_whole(order: Rows, cv: int, labels: Any, groups: Rows) -> Rows:
    """Deal groups to folds, each to one with the fewest rows of its class, and then of all.

    Of single rows this is round and round, as if there were no groups. Large groups come first
    within a class, so that small ones can make up for them.
    """
    members, sizes = np.unique(groups[order], return_inverse=True, return_counts=True)[1:]
    first = np.unique(members, return_index=True)[1]  # of each group, its place in the order
    classes = np.zeros(len(order), dtype=np.intp)
    if labels is not None:
        classes = np.unique(labels[order], return_inverse=True)[1]
    rows, of_class = [0] * cv, np.zeros((classes.max() + 1, cv), dtype=int).tolist()
    folds, numbers = np.empty(len(sizes), dtype=np.intp), range(cv)
    ordered = np.lexsort((first, -sizes, classes[first]))
    ends = np.searchsorted(classes[first][ordered], np.arange(len(of_class)), side="right")
    for own, of_this in zip(of_class, np.split(ordered, ends[:-1]), strict=True):
        for place, group in enumerate(of_this):
            size = int(sizes[group])
            if size == 1 and min(own) == max(own):  # from here on round and round
                turn = sorted(zip(rows, numbers, strict=True))
                folds[of_this[place:]] = np.resize([f for _, f in turn], len(of_this) - place)
                for fold, count in enumerate(np.bincount(folds[of_this[place:]], minlength=cv)):
                    own[fold] += int(count)
                    rows[fold] += int(count)
                break
            fold = min(zip(own, rows, numbers, strict=True))[2]
            folds[group] = fold
            own[fold] += size
            rows[fold] += size
    return folds[members]


def _given(used: NDArray[np.bool_], cv: Any, labels: Any) -> NDArray[np.intp]:
    """Return folds that are given, as numbers or as (train, test) splits, numbered from 0."""
    if hasattr(cv, "split"):
        cv = cv.split(np.zeros((len(used), 1)), labels)
    cv = cv if isinstance(cv, np.ndarray) else list(cv)
    if isinstance(cv, list) and len(cv) > 0 and isinstance(cv[0], tuple):
        numbers, times = np.zeros(len(used), dtype=np.intp), np.zeros(len(used), dtype=np.intp)
        for fold, (train, test) in enumerate(cv):
            numbers[test] = fold
            times[test] += 1
            if len(train) + len(test) != len(used):
                raise ValueError(
                    f"split {fold} of cv leaves rows out; each model must train on all rows but "
                    "its test rows, as in KFold."
                )
        if np.any(times != 1):
            raise ValueError(
                f"cv tests row {int(np.argmax(times != 1))} {int(times[times != 1][0])} times; "
                "every row must be tested once, as in KFold."
            )
    else:
        numbers = np.asarray(cv)
    if numbers.shape != used.shape or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"cv must be a number of folds or one integer per row ({len(used)} rows), "
            f"but has shape {numbers.shape} and type {numbers.dtype}."
        )
    folds = np.full(len(used), -1, dtype=np.intp)
    names, folds[used] = np.unique(numbers[used], return_inverse=True)
    if len(names) < 2:
        raise ValueError("cv puts all rows into one fold; cross-validation needs at least 2.")
    return folds
