"""Scores where there is nothing to learn: intervals do not promise anything.

Of 95 % intervals, 2.5 in 100 lie wholly above the truth. Seeds are fixed, so a test that passes
keeps passing; with other seeds, or after a change that draws other random numbers, each would fail
by chance in fewer than 1 of 1,000 cases.
"""

from itertools import product

import numpy as np
import pytest
from benchmarks.noise import KINDS, drawn
from scipy.stats import binom

from seamark import LandmarkClassifier, LandmarkRegressor
from seamark.datasets import load_splice

RUNS, DUE, FALSE_ALARM = 3, 0.025, 1e-3


@pytest.mark.filterwarnings("ignore")
def test_scores_of_noise_are_not_said_to_be_above_chance():
    """Strings, series, sets, vectors, tables, and with missing values; with copies and without."""
    above = np.zeros((RUNS, 2), dtype=int)
    for seed in range(RUNS):
        for kind, copies in product(KINDS, (False, True)):
            X, y, z = drawn(kind, 60, np.random.default_rng(seed), copies)
            classes = LandmarkClassifier(random_state=seed).fit(X, y).describe()
            numbers = LandmarkRegressor(random_state=seed).fit(X, z).describe()
            above[seed] += classes.interval[0] > 0.5, numbers.interval[0] > 0
    chance = binom.sf(above.sum(axis=0) - 1, 2 * len(KINDS) * RUNS, DUE)
    assert (chance > FALSE_ALARM).all()


@pytest.mark.filterwarnings("ignore")
def test_copies_of_rows_do_not_make_intervals_of_predictions_too_short():
    # Coverage is at 0.9; of 16 fits to 25 objects, four times each, its mean varies by about 0.02.
    covered = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        X, z = rng.normal(size=(25, 3)).repeat(4, axis=0), rng.normal(size=25).repeat(4)
        ends = LandmarkRegressor("manhattan", random_state=0).fit(X, z)
        low, high = ends.predict_interval(rng.normal(size=(300, 3)), 0.9).T
        new = rng.normal(size=300)
        covered.append(np.mean((low <= new) & (new <= high)))
    assert np.mean(covered) > 0.86


@pytest.mark.parametrize("n", [100, 60])
@pytest.mark.filterwarnings("ignore")
def test_numbers_of_few_values_are_judged_on_rows_that_come_again(n):
    # Folds that hide all equal rows do not see that a model repeats what each of them was like.
    # In the second case fewer than half of the rows have an equal one.
    if n == 100:
        rng = np.random.default_rng(1006)
        X, new = (rng.integers(0, 3, (m, 4)).astype(float) for m in (100, 600))
        rng.integers(0, 2, 700)
        z, later = rng.normal(size=100), rng.normal(size=600)
    else:
        rng = np.random.default_rng(8)
        X, z = rng.integers(0, 3, (560, 4)).astype(float), rng.normal(size=560)
        X, new, z, later = X[:60], X[60:], z[:60], z[60:]
    model = LandmarkRegressor(random_state=6 if n == 100 else 8).fit(X, z)
    low, high = model.describe().interval
    assert low <= model.score(new, later) <= high
    ends = model.predict_interval(new, 0.9)
    assert np.mean((ends[:, 0] <= later) & (later <= ends[:, 1])) > 0.86


def test_whitened_rows_are_judged_without_their_own_landmarks():
    # A row that is a landmark is unlike any new row where values are indefinite.
    data = load_splice()
    order = np.random.default_rng(0).permutation(len(data.target))
    (X, y), (new, later) = (
        ([data.data[i] for i in some], data.target[some])
        for some in (order[:500], order[1000:2000])
    )
    model = LandmarkClassifier("levenshtein", transfer="whitening", random_state=0).fit(X, y)
    low, high = model.describe().interval
    assert low <= model.score(new, later) <= high
    places = np.searchsorted(model.classes_, later)
    assert model.predict_set(new, 0.9)[np.arange(1000), places].mean() > 0.86
