"""Warnings point at the line of the user's code, however deep they arise."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import seamark as sm
from seamark import validation

RNG = np.random.default_rng(0)
SHORT = [RNG.normal(size=size) for size in RNG.integers(6, 9, 40)]
Y = np.arange(40) % 2


def windows_in_a_pipeline():
    make_pipeline(sm.LandmarkClassifier("subsequence", random_state=0)).fit(SHORT, Y)


def windows_in_folds():
    cross_val_score(sm.LandmarkClassifier("subsequence", random_state=0), SHORT, Y, cv=2)


def too_many_landmarks():
    sm.LandmarkMap("euclidean", n_landmarks=500, random_state=0).fit(RNG.normal(size=(40, 2)))


@pytest.mark.parametrize("work", [windows_in_a_pipeline, windows_in_folds, too_many_landmarks])
def test_a_warning_names_the_users_line(work, monkeypatch):
    monkeypatch.setattr(validation, "_told", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        work()
    ours = [one for one in told if issubclass(one.category, UserWarning)]
    assert len(ours) == 1
    assert Path(ours[0].filename).name == Path(__file__).name
    assert ours[0].lineno == work.__code__.co_firstlineno + 1


def test_nothing_in_the_package_warns_at_its_own_line():
    """Only `warn_user` knows which line is the user's."""
    folder = Path(sm.__file__).parent
    found = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "warnings.warn(" in path.read_text(encoding="utf-8")
    ]
    assert found == ["validation.py"]
