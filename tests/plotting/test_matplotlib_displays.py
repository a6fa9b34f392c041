import builtins

import numpy as np
import pytest
from documents import arrays_document, strings_document
from hostile import HOSTILE

import seamark as sm
from seamark.plotting import (
    AssessmentDisplay,
    ExplanationDisplay,
    LandmarkMapDisplay,
    SpectrumDisplay,
    WeightsDisplay,
)
from seamark.plotting.text import visible

plt = pytest.importorskip("matplotlib.pyplot")

WORDS = ["sea", "see", "tea", "seal", "mark", "marked", "market", "bark"] * 3
LABELS = ["s", "s", "s", "s", "m", "m", "m", "m"] * 3


class Assessed:
    def __init__(self, document):
        self._document = document

    def document(self):
        return self._document


@pytest.fixture(scope="module")
def model():
    return sm.LandmarkClassifier("levenshtein", n_landmarks=5, random_state=0).fit(WORDS, LABELS)


def test_given_axes_are_used_and_returned(model):
    makers = [
        lambda ax: SpectrumDisplay.from_estimator(model, ax=ax),
        lambda ax: LandmarkMapDisplay.from_estimator(model, WORDS, LABELS, ax=ax),
        lambda ax: WeightsDisplay.from_estimator(model, ax=ax),
    ]
    for make in makers:
        figure, ax = plt.subplots()
        display = make(ax)
        assert display.ax_ is ax
        assert display.figure_ is figure


def test_curves_show_values_and_intervals():
    ends = {"low": [0.0, 0.1, 0.3], "high": [0.2, 0.3, 0.5]}
    curve = {"name": "a", "x": [1, 2, 4], "y": [0.1, 0.2, 0.4], **ends}
    dots = {"name": "b", "x": [1, 2], "y": [0.5, 0.6], "kind": "points"}
    figure = {"kind": "line", "title": "", "xlabel": "", "ylabel": "", "series": [curve, dots]}
    (ax,) = AssessmentDisplay([figure]).plot().axes_
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[1, 0.1], [2, 0.2], [4, 0.4]])
    assert [line.get_linestyle() for line in ax.lines] == ["-", "None"]
    (band,) = ax.collections
    assert band.get_paths()[0].get_extents().bounds == pytest.approx((1, 0.0, 3, 0.5))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_displays_of_an_assessment():
    document = strings_document()
    document["figures"][0]["title"] = "Strong goodness"
    assessed = Assessed(document)
    (goodness,) = AssessmentDisplay.from_assessment(assessed, about="goodness").axes_
    assert len(goodness.lines[0].get_xdata()) == 25
    assert goodness.get_ylabel() == "share ε"
    (landmarks,) = AssessmentDisplay.from_assessment(assessed, about="landmarks").axes_
    assert landmarks.get_xlabel() == "landmarks"
    spectrum = SpectrumDisplay.from_assessment(assessed)
    np.testing.assert_array_equal(spectrum.eigenvalues, document["figures"][2]["series"][0]["y"])
    shown = AssessmentDisplay.from_assessment(assessed)
    assert [ax.get_title() for ax in shown.axes_] == [f["title"] for f in document["figures"]]
    with pytest.raises(ValueError, match="no figure about goodness; its figures are: 'How many"):
        AssessmentDisplay.from_assessment(Assessed(strings_document()), about="goodness")
    with pytest.raises(ValueError, match="no figures"):
        AssessmentDisplay([])


def test_counts_are_logarithmic_and_long_names_aslant():
    names = ["constant", "nearest neighbour", "average vote", "landmark model"]
    empty = {"title": "", "xlabel": "", "ylabel": ""}
    figures = [
        {"kind": "bars", "series": [{"name": "", "x": x, "y": range(len(x))}], **empty}
        for x in (names, names[:2])
    ]
    figures += [
        {"kind": "lines", "series": [{"name": "", "x": x, "y": x}], **empty}
        for x in ([1, 2, 5, 20, 100], [0.1, 0.2, 0.5])
    ]
    crowded, roomy, counts, margins = AssessmentDisplay(figures).plot().axes_
    assert crowded.get_xticklabels()[0].get_rotation() == 20
    assert roomy.get_xticklabels()[0].get_rotation() == 0
    assert (counts.get_xscale(), margins.get_xscale()) == ("log", "linear")


def test_euclidean_distances_have_no_negative_spectrum(rng):
    points = rng.normal(size=(30, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    spectrum = SpectrumDisplay.from_matrix(distances, kind="distance")
    assert spectrum.negative_share_ < 1e-10
    assert (spectrum.eigenvalues > 1e-9).sum() == 2
    assert SpectrumDisplay.from_matrix(distances).negative_share_ == pytest.approx(0.5)
    with pytest.raises(ValueError, match="square"):
        SpectrumDisplay.from_matrix(distances[:3])


def test_the_spectrum_of_a_model_is_that_of_its_landmarks(model):
    values = sm.cross("levenshtein", model.landmarks_)
    expected = SpectrumDisplay.from_matrix(values, kind="distance").eigenvalues
    np.testing.assert_allclose(SpectrumDisplay.from_estimator(model).eigenvalues, expected)


def test_the_map_keeps_what_two_axes_can_keep(rng):
    X = rng.normal(size=(40, 2))
    bearings = sm.LandmarkMap("linear", n_landmarks=6, random_state=0).fit(X)
    display = LandmarkMapDisplay.from_estimator(bearings, X, X[:, 0])
    # Inner products with landmarks are linear in X: two axes hold everything.
    assert display.shares.sum() == pytest.approx(1.0, abs=1e-5)
    rows = bearings.landmark_indices_
    np.testing.assert_allclose(display.landmarks, display.points[rows], atol=1e-5)
    with pytest.raises(ValueError, match="two objects and two landmarks"):
        LandmarkMapDisplay.from_estimator(bearings, X[:1])


def test_landmarks_of_a_matrix_are_columns(rng):
    D = sm.cross("euclidean", rng.normal(size=(20, 2)))
    bearings = sm.LandmarkMap("precomputed", n_landmarks=5, random_state=0).fit(D)
    assert LandmarkMapDisplay.from_estimator(bearings, D, list("abcdefghij") * 2).landmarks is None
    with pytest.raises(TypeError, match="from_matrix"):
        SpectrumDisplay.from_estimator(bearings)


def test_weights_are_those_of_the_head(model):
    display = WeightsDisplay.from_estimator(model, n_features=3)
    order = np.argsort(-np.abs(model.coef_[0]))[:3]
    assert [bar.get_width() for bar in display.ax_.patches] == model.coef_[0, order].tolist()
    names = [model.landmarks_[int(j)] for j in order]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == names
    greedy = sm.Greedy(1).fit(np.eye(5)[:, :3], [0.0, 1.0, 0.0, 0.0, 0.0])
    chosen = WeightsDisplay.from_estimator(greedy)
    assert [t.get_text() for t in chosen.ax_.get_yticklabels()] == ["x1"]
    with pytest.raises(TypeError, match="neither coef_ nor weights_"):
        WeightsDisplay.from_estimator(sm.LandmarkMap())
    with pytest.raises(ValueError, match="2 weights and 1 names"):
        WeightsDisplay([1.0, 2.0], ["a"])
    with pytest.raises(ValueError, match="one row"):
        WeightsDisplay([[1.0]])


def test_strings_are_drawn_letter_under_letter(model):
    display = ExplanationDisplay.from_estimator(model, "seam", n_landmarks=2)
    assert len(display.ax_.patches) == 2
    drawings = [ax for ax in display.figure_.axes[0].child_axes if ax is not display.ax_]
    for ax, landmark in zip(drawings, display.landmarks, strict=True):
        rows = [[t for t in ax.texts if t.get_position()[1] == height] for height in (1.0, 0.0)]
        drawn = ["".join(t.get_text() for t in row).replace("–", "") for row in rows]
        assert drawn == ["seam", landmark]
    display.figure_.canvas.draw()


@pytest.mark.parametrize("domain", ["series", "sets", "vectors"])
def test_arrays_are_drawn_over_the_object(domain):
    one = arrays_document(domain)["explanations"][0]
    landmarks = [reason["object"] for reason in one["reasons"]]
    display = ExplanationDisplay(
        [0.5, -0.2, 0.1, 0.0], landmarks, None, one["object"], "E", domain=domain
    ).plot()
    drawings = [ax for ax in display.figure_.axes[0].child_axes if ax is not display.ax_]
    assert all(len(ax.lines) + len(ax.collections) >= 2 for ax in drawings)
    display.figure_.canvas.draw()


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")  # no font has every character
@pytest.mark.filterwarnings("ignore:Matplotlib currently does not support:UserWarning")
def test_hostile_text_can_be_drawn():
    some = HOSTILE[13:21]
    WeightsDisplay(np.ones(len(HOSTILE)), HOSTILE).plot().figure_.canvas.draw()
    LandmarkMapDisplay(np.eye(4, 2), y=some[:4]).plot().figure_.canvas.draw()
    series = [{"name": text, "x": [0], "y": [0]} for text in some]
    words = {"title": some[0], "xlabel": some[1], "ylabel": some[2]}
    AssessmentDisplay([{"kind": "line", "series": series, **words}]).plot().figure_.canvas.draw()
    ExplanationDisplay(np.ones(8), some, some, some[4], some[1]).plot().figure_.canvas.draw()


def test_without_matplotlib_the_remedy_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'seamark\[plot\]'"):
        WeightsDisplay([1.0]).plot()


def test_weights_are_labelled_by_the_landmarks_themselves(model):
    display = WeightsDisplay.from_estimator(model, n_features=3)
    top = np.argsort(-np.abs(model.coef_[0]), kind="stable")[:3]
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [visible(model.landmarks_[int(j)], 40) for j in top]
    both = sm.LandmarkClassifier(
        ["levenshtein", sm.measures.Levenshtein().normalised()], n_landmarks=3, random_state=0
    ).fit(["Anna", "Hanna", "Otto", "Ottokar"] * 3, [0, 0, 1, 1] * 3)
    names = WeightsDisplay.from_estimator(both).names
    assert names[0] == f"levenshtein of {both.landmarks_[0]}"
    assert names[3].endswith(f" of {both.landmarks_[0]}")
    points = sm.LandmarkRegressor("euclidean", random_state=0).fit(np.eye(4), np.arange(4.0))
    assert WeightsDisplay.from_estimator(points).names[0].startswith("euclidean_")


def test_weights_of_pairs_and_columns_are_labelled(rng):
    words = ["Anna", "Hanna", "Otto", "Ottokar"] * 3
    pairs = sm.LandmarkClassifier(
        "levenshtein", landmarks="pairs", n_landmarks=4, transfer="identity", random_state=0
    ).fit(words, [0, 0, 1, 1] * 3)
    assert all(" − " in name for name in WeightsDisplay.from_estimator(pairs).names)
    X = rng.normal(size=(12, 2))
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    columns = sm.LandmarkRegressor(sm.measures.Precomputed(), random_state=0).fit(D, X[:, 0])
    assert WeightsDisplay.from_estimator(columns).names[:2] == ["column 0", "column 1"]
