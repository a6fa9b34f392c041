"""Fits of every kind of object, task, option and effort predict what they predicted before.

`tests/saving/golden/make.py` wrote the expectations; they change only with a change that means to.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import seamark as sm

GOLDEN = Path(__file__).parent / "saving" / "golden"
sys.path.insert(0, str(GOLDEN))
import tasks  # noqa: E402

EXPECTED = json.loads((GOLDEN / "expected.json").read_text())
TASKS = {name: rest for name, *rest in tasks.tasks()}
ON_NUMPY = [name for name in TASKS if name.startswith(("LandmarkClassifier-", "quick-"))]
# Processors and BLAS round differently, and nearly collinear features make more of it.
TOLERANCE = 1e-4


def predictions_agree(model, X, expected, tolerance=TOLERANCE):
    found = tasks.said(model, X)
    assert set(found) == set(expected)
    for method, values in expected.items():
        if found[method].dtype.kind in "fc":
            np.testing.assert_allclose(found[method], values, rtol=tolerance, atol=tolerance)
        else:
            assert found[method].tolist() == values


def fitted(name):
    model, X, targets = TASKS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, **targets), X


def test_every_task_is_expected():
    assert set(TASKS) == set(EXPECTED)


@pytest.mark.parametrize("name", TASKS)
def test_a_fit_predicts_what_it_predicted(name):
    predictions_agree(*fitted(name), EXPECTED[name])


@pytest.mark.skipif(sm.engine.backend().name == "reference", reason="the same as above")
@pytest.mark.parametrize("name", ON_NUMPY)
def test_the_numpy_reference_predicts_the_same(name):
    with sm.engine.using("reference"):
        predictions_agree(*fitted(name), EXPECTED[name], 1e-3)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", sorted((GOLDEN / "files").glob("*.seamark")), ids=lambda p: p.stem)
def test_a_file_predicts_what_its_model_predicted(path):
    model = sm.load(path, tasks.FUNCTIONS)
    predictions_agree(model, TASKS[path.stem][1], EXPECTED[path.stem])
