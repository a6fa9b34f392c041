"""What single things add to a score: amounts sum to weights times features above average ones."""

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.maps import DateParts, NumericColumns, WithGaps

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abc "), 9)) + "é" for _ in range(60)]
SERIES = RNG.normal(size=(60, 40))
UNEQUAL = [RNG.normal(size=(2, RNG.integers(5, 60))) for _ in range(60)]
NUMBERS = RNG.normal(size=(60, 4))
GAPPED = np.where(RNG.random(NUMBERS.shape) < 0.1, np.nan, NUMBERS)
GRAPHS = [[(0, 1), (k % 3, 3)] for k in range(60)]
DAYS = pd.date_range("2024-01-01", periods=60, freq="17h").to_numpy().astype(str)
Y = np.arange(60) % 3


@pytest.mark.parametrize(
    ("one", "X"),
    [
        (sm.BagScores(), WORDS),
        (sm.BagScores(), [word.encode("latin-1") for word in WORDS]),
        (sm.BagScores(sm.measures.NGrams((2, 3), within="strings")), WORDS),
        (sm.BagScores(sm.measures.get("weisfeiler_lehman")), GRAPHS),
        (sm.ForestScores(20, random_state=0), NUMBERS),
        (sm.ForestScores(20, missing=True, random_state=0), GAPPED),
        (sm.BoostedScores(9, random_state=0), NUMBERS),
        (sm.BoostedScores(9, missing=True, random_state=0), GAPPED),
        (sm.NeighbourScores("levenshtein"), WORDS),
        (sm.NeighbourScores(sm.measures.FilledColumns(sm.measures.Manhattan())), GAPPED),
        (sm.RandomConvolution(500, random_state=0), SERIES),
        (sm.RandomConvolution(500, random_state=0), UNEQUAL),
        (sm.RandomFourier(n_components=20, random_state=0), NUMBERS),
        (sm.Coordinates(), NUMBERS),
        (NumericColumns(), GAPPED),
        (DateParts(), DAYS[:, None]),
        (sm.LandmarkMap("substring", n_landmarks=9, scale=False, random_state=0), WORDS),
        (WithGaps(sm.BagScores()), [None if k % 7 == 2 else w for k, w in enumerate(WORDS)]),
        (WithGaps(sm.LandmarkMap("levenshtein", scale=False)), [None, *WORDS[1:]]),
    ],
    ids=lambda one: repr(one)[:40] if hasattr(one, "fit") else "",
)
def test_amounts_sum_to_weights_times_features(one, X):
    features = one.fit(X, Y).transform(X).astype(np.float64)
    weights, means = RNG.normal(size=features.shape), features.mean(axis=0)
    found = one.contributions(one.ingest(X), weights, means)
    sums = [sum(part.amount for part in row) for row in found]
    np.testing.assert_allclose(sums, (weights * (features - means)).sum(axis=1), atol=1e-4)


def test_what_is_missing_in_all_rows_is_all_there_is_to_say():
    column = WithGaps(sm.BagScores()).fit([None, *WORDS[1:]], Y)
    features = column.transform([None])
    weights = np.ones(features.shape)
    means = np.zeros(features.shape[1])
    (row,) = column.contributions(column.ingest([None]), weights, means)
    assert [part.what for part in row] == ["missing"]
    assert row[0].amount == pytest.approx(features.sum(), abs=1e-5)


def test_n_grams_are_where_they_are_said_to_be():
    scores = sm.BagScores().fit(WORDS, Y)
    for word, row in zip(
        WORDS,
        scores.contributions(scores.ingest(WORDS), np.ones((60, 3)), np.zeros(3)),
        strict=True,
    ):
        for part in row:
            for start, stop in part.where:
                assert part.what in ("end of a word", f"{word[start:stop]}") or (
                    part.what.strip("…") == word[start:stop]
                )


def test_a_column_that_decides_gets_what_the_trees_say():
    y = (NUMBERS[:, 2] > 0).astype(int)
    forest = sm.ForestScores(100, random_state=0).fit(NUMBERS, y)
    weights = np.ones((60, 1))
    found = forest.contributions(forest.ingest(NUMBERS), weights, np.zeros(1), list("abcd"))
    best = [
        max(row, key=lambda part: abs(part.amount) * (part.what is not None)).what for row in found
    ]
    assert np.mean(np.array(best) == "c") > 0.9


def test_a_stretch_that_decides_gets_what_convolutions_say():
    X, y = RNG.normal(size=(80, 60)) * 0.1, np.arange(80) % 2
    X[y == 1, 30:40] += np.sin(np.arange(10))
    model = sm.LandmarkClassifier([sm.RandomConvolution(2000)], random_state=0).fit(X, y)
    (one,) = model.map_.blocks_
    ones = X[y == 1]
    weights = np.broadcast_to(model.coef_, (len(ones), model.coef_.shape[1]))
    found = one.contributions(one.ingest(ones), weights, model.feature_means_)
    best = [max(row, key=lambda part: part.amount).where[0] for row in found]
    assert np.mean([start >= 20 and stop <= 50 for start, stop in best]) > 0.8
