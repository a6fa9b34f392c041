"""A small saved model, to be damaged."""

import numpy as np
import pytest

import seamark as sm

WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] for i in range(20)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "m.seamark"
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=4, random_state=0)
    sm.save(model.fit(WORDS, np.arange(20) % 2), path)
    return path.read_bytes()
