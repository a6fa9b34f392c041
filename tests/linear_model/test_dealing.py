"""Groups dealt to folds, against the rule said one group at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seamark.targets import _dealt_whole


def one_by_one(order, cv, labels, groups):
    """Each group to the fold with the fewest rows of its class, then of all, then the first."""
    first, sizes = {}, {}
    for place, row in enumerate(order):
        first.setdefault(groups[row], place)
        sizes[groups[row]] = sizes.get(groups[row], 0) + 1
    of_class = {g: labels[order[place]] for g, place in first.items()}
    rows, own, fold_of = [0] * cv, {}, {}
    for g in sorted(first, key=lambda g: (of_class[g], -sizes[g], first[g])):
        counts = own.setdefault(of_class[g], [0] * cv)
        fold = min(range(cv), key=lambda f: (counts[f], rows[f], f))
        fold_of[g] = fold
        counts[fold] += sizes[g]
        rows[fold] += sizes[g]
    return [fold_of[groups[row]] for row in order]


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 4), st.integers(1, 80))
def test_whole_groups_are_dealt_by_the_rule(seed, cv, n_classes, n_groups):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.r_[np.arange(n_groups), rng.integers(0, n_groups, n_groups // 3)])
    labels = rng.integers(0, n_classes, n_groups)[groups]
    order = rng.permutation(len(groups))
    order = order[np.argsort(labels[order], kind="stable")]
    found = _dealt_whole(order, cv, labels, groups)
    assert found.tolist() == one_by_one(order.tolist(), cv, labels.tolist(), groups.tolist())
