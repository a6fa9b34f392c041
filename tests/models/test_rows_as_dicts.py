"""Rows of tables as dicts, lazy frames and less, and what is said of what is no table."""

import datetime

import numpy as np
import pandas as pd
import pytest

import seamark as sm

RNG = np.random.default_rng(0)
N = 80
CODES = np.arange(N) % 2
FRAME = pd.DataFrame(
    {
        "junk": ["".join(RNG.choice(list("xyz"), 6)) for _ in range(N)],
        "name": ["".join(RNG.choice(list("abc" if k else "bcd"), 6)) for k in CODES],
        "price": RNG.normal(size=N) + 2 * CODES,
    }
)
MODEL = sm.LandmarkClassifier(random_state=0).fit(FRAME, CODES)


def test_dicts_are_rows():
    rows = FRAME.to_dict("records")
    said = MODEL.predict(FRAME)
    np.testing.assert_array_equal(MODEL.predict(rows), said)
    np.testing.assert_array_equal(MODEL.predict(rows[3]), said[3:4])
    np.testing.assert_array_equal(MODEL.predict(FRAME.to_dict("list")), said)
    turned = [dict(reversed(row.items())) for row in rows]
    np.testing.assert_array_equal(MODEL.predict(turned), said)
    assert str(MODEL.explain(rows[3])) == str(MODEL.explain(FRAME[3:4])[0])
    assert len(MODEL.explain(rows[:2])) == 2


def test_a_model_is_fitted_to_dicts():
    model = sm.LandmarkClassifier(random_state=0).fit(FRAME.to_dict("records"), CODES)
    np.testing.assert_array_equal(model.predict_proba(FRAME), MODEL.predict_proba(FRAME))


def test_lazy_frames_are_collected():
    pl = pytest.importorskip("polars")
    lazy = pl.from_pandas(FRAME).lazy()
    np.testing.assert_array_equal(MODEL.predict(lazy), MODEL.predict(FRAME))
    model = sm.LandmarkClassifier(random_state=0).fit(lazy, CODES)
    np.testing.assert_array_equal(model.predict(lazy), MODEL.predict(FRAME))
    numbers = lazy.select("price")
    model = sm.LandmarkClassifier(random_state=0).fit(numbers, CODES)
    np.testing.assert_array_equal(model.predict(numbers), model.predict(FRAME[["price"]]))


@pytest.mark.parametrize("given", [0, "abc", [["x", "abc", 1.0]]])
@pytest.mark.parametrize("method", ["predict", "explain"])
def test_what_is_no_table_is_refused_in_a_sentence(given, method):
    with pytest.raises(TypeError, match=r"reads a table with columns 'junk', .*; give a DataFrame"):
        getattr(MODEL, method)(given)


def test_a_column_that_fit_dropped_may_be_absent():
    assert "junk" not in MODEL.map_.columns_
    without = FRAME.drop(columns="junk")
    np.testing.assert_array_equal(MODEL.predict(without), MODEL.predict(FRAME))
    with pytest.raises(ValueError, match="price"):
        MODEL.predict(FRAME.drop(columns="price"))
    with pytest.raises(ValueError, match="more"):
        MODEL.predict(FRAME.assign(more=1))


class Thing:
    def __init__(self, number):
        self.number = number


@pytest.mark.parametrize(
    ("made", "number"),
    [
        (lambda k: {"number": k}, lambda one: one["number"]),
        (Thing, lambda one: one.number),
        (lambda k: frozenset([k]), min),
        (lambda k: datetime.date.fromordinal(738000 + k), datetime.date.toordinal),
    ],
    ids=["dict", "class", "frozenset", "date"],
)
def test_explanations_of_objects_of_ones_own_are_printed(made, number):
    numbers = np.random.default_rng(0).permutation(60)
    objects = [made(int(k)) for k in numbers]

    def apart(a, b):
        return abs(number(a) - number(b)) + 3.0 * ((number(a) - number(b)) % 7)

    y = (numbers % 13 > 5).astype(int)
    model = sm.LandmarkClassifier(sm.measures.Custom(apart, kind="distance"), random_state=0)
    model.fit(objects, y)
    assert str(model.explain([made(61), made(62)])[0]).startswith("predicted")


def test_what_would_change_a_prediction_is_the_class_it_is_told_from():
    rng = np.random.default_rng(0)
    endings = {"FR": "eau", "ES": "ez", "IT": "ini"}
    y = np.array(list(endings) * 30)
    names = ["".join(rng.choice(list("abcdelmnor"), 3)) + endings[k] for k in y]
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(names, y)
    for one in model.explain(names[:30]):
        said = [line for line in one.remarks() if line.startswith("nearest that is predicted")]
        assert all(f"predicted {one.rival}:" in line for line in said)
