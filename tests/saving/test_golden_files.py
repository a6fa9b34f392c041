"""Files of format 1, written by seamark 0.1.0, load and predict what they predicted then."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import seamark as sm

GOLDEN = Path(__file__).parent / "golden"
sys.path.insert(0, str(GOLDEN))
import tasks  # noqa: E402

EXPECTED = json.loads((GOLDEN / "format_1" / "expected.json").read_text())
OBJECTS = {name: X for name, _, X, _ in tasks.tasks()}


def test_every_file_is_expected_and_every_expectation_has_a_file():
    files = {path.stem for path in (GOLDEN / "format_1").glob("*.seamark")}
    assert files == set(EXPECTED) == set(OBJECTS)
    assert len(files) > 90


# The scikit-learn that wrote a file may be older than the one that reads it.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_format_1_predicts_what_it_predicted(name):
    model = sm.load(GOLDEN / "format_1" / f"{name}.seamark", tasks.FUNCTIONS)
    found = tasks.said(model, OBJECTS[name])
    assert set(found) == set(EXPECTED[name])
    for method, values in EXPECTED[name].items():
        if found[method].dtype.kind in "fc":  # processors and BLAS round differently
            np.testing.assert_allclose(found[method], values, rtol=1e-4, atol=1e-4)
        else:
            assert found[method].tolist() == values


@pytest.mark.parametrize("kind", ["strings", "series", "vectors"])
def test_a_map_written_before_it_scaled_gives_features_as_they_are(kind):
    name = f"map-{kind}"
    bearings = sm.load(GOLDEN / "format_1" / f"{name}.seamark", tasks.FUNCTIONS)
    assert bearings.scale is False
    expected, columns = np.array(EXPECTED[name]["transform"]), [2, 0]
    some = bearings.subset(columns).transform(OBJECTS[name][: len(expected)])
    np.testing.assert_allclose(some, expected[:, columns], rtol=1e-4, atol=1e-4)
    # Fitted anew it stays what the file says, as a clone of it does.
    assert clone(bearings).fit(OBJECTS[name]).mean_ is None
