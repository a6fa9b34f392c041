"""Importance of columns: what unseen rows lose when one is shuffled, and how sure that is."""

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.models.importance import unseen_rows
from seamark.models.report import document_of
from seamark.plotting import page

RNG = np.random.default_rng(0)
N = 300
PLACES = np.array(["north", "south", "east", "west"])
TABLE = pd.DataFrame(
    {
        "place": PLACES[RNG.integers(0, 4, N)],
        "size": RNG.normal(size=N),
        "noise": RNG.normal(size=N),
        "code": ["".join(RNG.choice(list("xyz"), 6)) for _ in range(N)],
    }
)
NUMBER = 3.0 * TABLE["size"] + 2.0 * (TABLE["place"] == "north") + 0.3 * RNG.normal(size=N)
CLASS = np.where(NUMBER > 0, "big", "small")
PRICE = pd.Series(NUMBER, name="price")


@pytest.fixture(scope="module")
def regressor():
    return sm.LandmarkRegressor(random_state=0).fit(TABLE, PRICE)


@pytest.mark.parametrize("y", [PRICE, CLASS], ids=["numbers", "classes"])
def test_columns_that_decide_come_first_even_where_one_block_holds_several(y, regressor):
    model = sm.LandmarkClassifier(random_state=0).fit(TABLE, y) if y is CLASS else regressor
    described = model.describe(TABLE, y)
    found = {one.column: one for one in described.importance}
    assert next(iter(found)) == "size"
    assert found["size"].low > 0.2
    if y is not CLASS:  # in which the place says little
        assert list(found)[1] == "place"
        assert found["place"].low > 0.01
    for name in ("noise", "code"):
        assert name not in found or found[name].low <= 0.02
    assert "importance of columns" in str(described)
    assert described.to_dict()["importance"][0]["column"] == "size"


def test_it_agrees_with_shuffling_by_hand():
    """The oracle shuffles the table itself, and asks a model of other rows."""
    X, y = TABLE[["size", "noise"]], (NUMBER > 0).to_numpy()
    model = sm.LandmarkClassifier("manhattan", random_state=0).fit(X, y)
    fast = {one.column: one.loss for one in unseen_rows(model, X, y).importances}
    slow = sm.LandmarkClassifier("manhattan", random_state=0).fit(X[:225], y[:225])
    for name in X:
        falls = []
        for seed in range(10):
            shuffled = X[225:].assign(
                **{name: X[name][225:].sample(frac=1, random_state=seed).array}
            )
            falls.append(slow.score(X[225:], y[225:]) - slow.score(shuffled, y[225:]))
        assert fast[name] == pytest.approx(np.mean(falls), abs=0.08)


def test_objects_without_columns_have_none():
    words = TABLE["code"].tolist()
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(words, CLASS)
    assert model.describe(words, CLASS).importance == []
    D = sm.cross("euclidean", TABLE[["size"]].to_numpy())
    assert (
        unseen_rows(sm.LandmarkClassifier(sm.measures.Precomputed()).fit(D, CLASS), D, CLASS)
        is None
    )
    with pytest.raises(ValueError, match="needs the X of fit"):
        model.describe(y=CLASS)


def test_copies_of_a_row_are_in_one_part():
    X = np.repeat(RNG.normal(size=(60, 2)), 5, axis=0)
    y = np.repeat(RNG.integers(0, 2, 60), 5)  # nothing but copies tell them
    model = sm.LandmarkClassifier("euclidean", random_state=0).fit(X, y)
    unseen = unseen_rows(model, X, y)
    assert (unseen.truth == unseen.predictions).mean() < 0.75


def test_the_page_says_it_in_twenty_seconds(regressor):
    document = document_of(regressor, TABLE, PRICE, "price of houses.csv")
    assert document["title"].startswith("price of houses.csv: R² 0.9")
    first, compared, following = (one["text"] for one in document["verdict"])
    assert first.startswith("Good: R² 0.9")
    assert compared.startswith("Always predicting the median is off by ")
    assert following.startswith("Next: ")
    summary = dict(document["summary"])
    assert "()" not in summary["decides by"]
    assert summary["R² falls most without"].startswith("size by ")
    titles = [one["title"] for one in document["figures"]]
    assert titles[0] == "predicted against actual"
    assert "importance of columns" in titles
    dots, ideal = document["figures"][0]["series"]
    assert np.corrcoef(dots["x"], dots["y"])[0, 1] > 0.9
    assert ideal["x"] == ideal["y"]
    text = page.render(document)
    assert text.index("time to fit") > text.index("<h2>Details</h2>")
    again = document_of(regressor, name=None, X=None, y=PRICE)
    assert again["title"].startswith("price of rows of a table")
