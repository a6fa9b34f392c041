"""Several measures side by side: as text, frame, notebook table and picture."""

import numpy as np
import pytest

import seamark as sm
from seamark.measures import Custom


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.repeat([0, 1], 45)
    X[:, 0] += 4 * y

    def evil(a, b):
        return float(abs(a[1] - b[1]))

    evil.__name__ = evil.__qualname__ = "<script>alert(1)</script>"
    return sm.assess(["euclidean", Custom(evil, kind="distance")], X, y, random_state=0)


def test_as_text(found):
    head, first, _ = str(found).splitlines()
    names = ("measure", "verdict", "landmark model", "constant", "nearest", "balanced accuracy")
    assert all(name in head for name in names)
    assert first.startswith("Euclidean")


def test_as_a_frame(found):
    frame = found.to_frame()
    assert frame["measure"].tolist() == [one.title for one in found]
    best = found[0].estimates["landmark model"]
    assert frame.loc[0, ["landmark model", "landmark model low"]].tolist() == [best.value, best.low]
    assert {"recall of 0", "recall of 1", "constant", "balanced accuracy"} <= set(frame.columns)


def test_in_a_notebook(found):
    html = found._repr_html_()
    assert html.count("<tr>") == 3
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_as_a_picture(found):
    display = found.plot()
    (ax,) = display.axes_
    assert next(label.get_text() for label in ax.get_xticklabels()).startswith("Euclidean")
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {
        "constant",
        "nearest neighbour",
        "average vote",
        "landmark model",
    }


def test_measures_without_scores_are_left_out_of_the_picture():
    X, y = np.arange(60.0)[:, None], np.arange(60) > 29
    some = sm.assess(["euclidean", lambda a, b: 1.0], X, y, random_state=0)
    assert len(some.plot().axes_[0].get_xticks()) == 1
    with pytest.raises(ValueError, match="no score to draw"):
        sm.assess([lambda a, b: 1.0], X, y).plot()
