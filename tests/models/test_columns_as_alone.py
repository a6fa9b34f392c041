"""Columns of a table get what they would get alone, and a useless column costs next to nothing."""

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.models.describe import choice_sentence

N = 240


def words(rng, codes):
    """Random letters, and somewhere among them a syllable that says the class."""
    letters, found = list("abcdefghijklmnoprstu"), []
    for code in codes:
        left, right = ("".join(rng.choice(letters, rng.integers(2, 20))) for _ in range(2))
        found.append(left + ("ano", "ova", "sen", "eau")[code] + right)
    return found


def mean_scores(column, codes, other):
    """Mean accuracy on two splits of the column alone, and with another column beside it."""
    alone, beside = pd.DataFrame({"it": column}), pd.DataFrame({"it": column, "other": other})
    scores = []
    for seed in (0, 1):
        order = np.random.default_rng(seed).permutation(N)
        train, test = order[:160], order[160:]
        for frame in (alone, beside):
            model = sm.LandmarkClassifier(random_state=0).fit(frame.iloc[train], codes[train])
            scores.append(model.score(frame.iloc[test], codes[test]))
    return np.mean(np.reshape(scores, (2, 2)), axis=0)


@pytest.mark.parametrize("kind", ["strings", "series"])
def test_a_useless_number_costs_at_most_a_point(kind):
    rng = np.random.default_rng(3)
    codes = np.arange(N) % 4
    if kind == "strings":
        column = pd.Series(words(rng, codes), dtype=object)
    else:  # a bump whose width says the class, somewhere
        starts, steps = rng.integers(0, 40, N), np.arange(60)
        bumps = (steps - starts[:, None] >= 0) & (steps - starts[:, None] < 3 + 4 * codes[:, None])
        column = pd.Series(list(bumps + 0.15 * rng.normal(size=(N, 60))))
    alone, beside = mean_scores(column, codes, rng.normal(size=N))
    assert alone > 0.8
    assert beside >= alone - 0.0101


def test_numbers_beside_a_category_have_all_that_numbers_have_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    y = np.where(X[:, 0] > 0.5, 2.0, 0.0) * (X[:, 1] > 0) + 0.2 * rng.normal(size=600)
    alone = pd.DataFrame(X, columns=list("abcdef"))
    beside = alone.assign(kind=rng.choice(list("uvw"), 600))
    beside.iloc[::50, 3] = np.nan
    scores = [
        sm.LandmarkRegressor(random_state=0).fit(frame[:400], y[:400]).score(frame[400:], y[400:])
        for frame in (alone, beside)
    ]
    assert scores[0] > 0.75
    assert scores[1] >= scores[0] - 0.01


def test_what_looks_at_y_learns_from_the_rows_that_are_there():
    rng = np.random.default_rng(1)
    codes = np.arange(N) % 2
    column = pd.Series(words(rng, codes), dtype=object).mask(rng.random(N) < 0.4)
    frame = pd.DataFrame({"it": column, "n": rng.normal(size=N)})
    model = sm.LandmarkClassifier(random_state=0).fit(frame[:160], codes[:160])
    there = frame[160:]["it"].notna()
    assert model.score(frame[160:][there], codes[160:][there]) > 0.9


def test_many_columns_share_the_features_that_a_table_may_have():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{k}": words(rng, rng.integers(4, size=60)) for k in range(12)})
    found = sm.models.measures_of_columns(frame)
    sizes = [one.landmarks.n for some in found.values() for one in some[:3]]
    assert sum(sizes) <= 15_000


def test_the_columns_in_use_are_counted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=rng.choice(list("uvw"), 200))
    model = sm.LandmarkRegressor(random_state=0).fit(frame, X.sum(axis=1))
    assert choice_sentence(model) == "Reading X as a table; using 5 of 6 columns."
