"""How many landmarks a single measure gets where nobody says."""

import numpy as np
import pytest

import seamark as sm
from seamark.linear_model import RidgeClassifier
from seamark.models.auto import usual_landmarks
from seamark.models.blocks import Block

WORDS = ["sea", "seal", "lake", "late", "tea"] * 4
LONG = list(np.random.default_rng(0).normal(size=(16, 1, 2000)).cumsum(axis=-1))


def block(measure, objects):
    domain = sm.measures.get(measure).domain
    return Block(None, measure, domain, objects, domain.ingest(objects), is_plain=True)


@pytest.mark.parametrize(("n", "expected"), [(2000, None), (4500, 1500), (90_000, 2000)])
def test_a_third_of_the_rows_within_bounds(n, expected):
    assert usual_landmarks(block("levenshtein", WORDS), RidgeClassifier(), n) == expected


@pytest.mark.parametrize(
    ("measure", "objects"),
    [
        (sm.measures.Custom(lambda a, b: float(a == b), kind="similarity"), WORDS),
        ("dtw", LONG),
        ("subsequence", LONG),
    ],
)
def test_dear_values_and_parts_get_what_a_map_gets(measure, objects):
    assert usual_landmarks(block(measure, objects), RidgeClassifier(), 90_000) is None


def test_a_model_of_many_rows_has_more_landmarks_than_a_map():
    X = np.random.default_rng(0).normal(size=(3600, 3))
    y = X[:, 0] * X[:, 1] > 0
    model = sm.LandmarkClassifier("manhattan", random_state=0).fit(X, y)
    assert model.map_.n_landmarks_ == 1200
    assert sm.LandmarkMap("manhattan", random_state=0).fit(X).n_landmarks_ == 1000
