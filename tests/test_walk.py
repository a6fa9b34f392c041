"""How far an object walks: functions and modules that a fit and a prediction enter."""

import sys

import numpy as np
import pandas as pd
import pytest

import seamark as sm

rng = np.random.default_rng(0)
NAMES = ["".join(rng.choice(list("abcdefghij"), rng.integers(4, 12))) for _ in range(300)]
FIT, PREDICT = (545, 60), (95, 26)  # functions and modules
CHANGES = {"strings": 1_500, "series": 1_800, "vectors": 7_500, "table": 7_200}  # in a fit
LABELS = ["a" in name for name in NAMES]


def walk(work):
    """Return the functions of ours that work enters, as (module, name), and changes of module.

    A change is a call of a function of another module than that of the call before it.
    Comprehensions do not count: to Python 3.11 they are functions, to later ones they are not.
    Lambdas, generators and properties do.
    """
    entered, changes, last = set(), 0, None

    def look(frame, event, argument):
        nonlocal changes, last
        module = str(frame.f_globals.get("__name__"))
        written = frame.f_code.co_filename.endswith(".py")  # not made by `dataclass`
        written &= frame.f_code.co_name not in ("<listcomp>", "<dictcomp>", "<setcomp>")
        if event == "call" and written and module.partition(".")[0] == "seamark":
            entered.add((module, frame.f_code.co_qualname))
            changes += module != last
            last = module

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered, changes


@pytest.fixture(scope="module")
def model():
    return sm.LandmarkClassifier("levenshtein", n_landmarks=256, random_state=0).fit(NAMES, LABELS)


def kinds():
    """Return objects and classes of each kind, for models without a measure."""
    vectors = rng.standard_normal((600, 8))
    series = [rng.standard_normal((1, rng.integers(40, 60))).cumsum(1) for _ in range(120)]
    table = pd.DataFrame(
        {
            "name": NAMES,
            "price": rng.lognormal(size=300),
            "kind": rng.choice(["x", "y", "z"], 300),
        }
    )
    return {
        "strings": (NAMES, LABELS),
        "series": (series, [x[0, -1] > 0 for x in series]),
        "vectors": (vectors, vectors[:, 0] * vectors[:, 1] > 0),
        "table": (table, LABELS),
    }


@pytest.mark.skipif(
    sm.engine.backend().name == "reference", reason="kernels in numpy are walked through too"
)
@pytest.mark.parametrize("kind", ["strings", "series", "vectors", "table"])
def test_a_default_fit_and_prediction_get_no_longer_than_they_are(kind):
    """What is found once in a process, as names of measures are, was found by the first fit."""
    X, y = kinds()[kind]
    new = sm.LandmarkClassifier(random_state=0).fit(X[:100], y[:100])
    for work, (functions, modules), most in (
        (lambda: new.fit(X, y), FIT, CHANGES[kind]),
        (lambda: new.predict(X[:1]), PREDICT, 160),
    ):
        entered, changes = walk(work)
        assert len(entered) <= functions
        assert len({module for module, _ in entered}) <= modules
        assert changes <= most


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_few_objects_and_many_are_told_the_same(model, method):
    """One object goes to the head by itself, many go in blocks through the threads."""
    say = getattr(model, method)
    together = say(NAMES)
    alone = np.concatenate([say([name]) for name in NAMES[:20]])
    if method == "predict":
        np.testing.assert_array_equal(alone, together[:20])
    else:
        np.testing.assert_allclose(alone, together[:20], rtol=1e-6, atol=1e-6)
