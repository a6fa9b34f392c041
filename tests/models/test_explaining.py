import builtins
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import seamark as sm
from seamark.models import Explanation
from seamark.models.explanation import Reason

RNG = np.random.default_rng(0)
TWO = np.arange(30) % 2
WORDS = ["ab"[k % 2] * (k + 1) for k in range(30)]
POINTS = RNG.normal(size=(30, 3)) + TWO[:, None]
SERIES = [RNG.normal(size=RNG.integers(4, 9)) + t for t in TWO]
CHANNELS = [RNG.normal(size=(2, RNG.integers(4, 9))) + t for t in TWO]
SETS = [RNG.normal(size=(RNG.integers(2, 5), 2)) + t for t in TWO]


def difference(a, b):
    return float(abs(len(str(a)) - len(str(b))))


def fitted(measure, X):
    return sm.LandmarkClassifier(measure, n_landmarks=8, random_state=0).fit(X, TWO)


@pytest.mark.parametrize(
    ("measure", "X", "domain"),
    [
        ("levenshtein", WORDS, "strings"),
        ("levenshtein", [word.encode() for word in WORDS], "strings"),
        ("euclidean", POINTS, "vectors"),
        ("euclidean", POINTS.astype(np.float32), "vectors"),
        ("dtw", SERIES, "series"),
        ("dtw", CHANNELS, "series"),
        ("dtw", np.stack([s[:4] for s in SERIES]), "series"),
        ("dtw", np.stack([s[:, :4] for s in CHANNELS]), "series"),
        ("hausdorff", SETS, "sets"),
        (difference, WORDS, "objects"),
        (difference, [{"a": word} for word in WORDS], "objects"),
        (sm.measures.Precomputed(), sm.cross("euclidean", POINTS), "rows of values"),
    ],
)
def test_one_object_has_one_explanation(measure, X, domain):
    model = fitted(measure, X)
    alone, listed = model.explain(X[3]), model.explain(X[3:4])
    assert isinstance(alone, Explanation)
    assert [alone.domain, len(listed)] == [domain, 1]
    assert str(alone) == str(listed[0])
    np.testing.assert_array_equal(alone.object, X[3])
    assert len(model.explain(X)) == 30


def test_rows_of_a_frame_keep_their_names():
    frame = pd.DataFrame(POINTS, columns=["a", "b", "c"])
    model = fitted("euclidean", frame)
    assert str(model.explain(frame.iloc[3])) == str(model.explain(frame)[3])


def test_rows_of_a_sparse_matrix_are_matrices():
    model = fitted("euclidean", sparse.csr_matrix(POINTS))
    assert len(model.explain(sparse.csr_matrix(POINTS)[3])) == 1


def test_a_list_is_several_objects():
    def shared(a, b):
        return float(len(set(a) & set(b)))

    lists = [list(word) for word in WORDS]
    model = fitted(shared, lists)
    assert len(model.explain([lists[0], lists[1]])) == 2


@pytest.mark.parametrize(("measure", "X"), [("levenshtein", WORDS), ("dtw", CHANNELS)])
def test_a_frame_has_one_row_per_reason(measure, X):
    explanation = fitted(measure, X).explain(X[0], n_landmarks=3)
    frame = explanation.to_frame()
    columns = ["landmark", "index", "label", "value", "contribution", "share", "block", "where"]
    assert frame.columns.tolist() == columns
    assert frame["contribution"].dtype == np.float64
    for row, reason in zip(frame.itertuples(), explanation.reasons, strict=True):
        np.testing.assert_array_equal(row.landmark, reason.landmark)
        assert (row.index, row.value) == (reason.index, reason.value)


def test_an_explanation_is_one_line_per_reason_whatever_the_objects():
    reasons = [
        Reason("a\nb\x1b[31m", 3, "x\n", 1.0, 0.5),
        Reason(np.zeros((40, 50)), None, None, 2.0, -0.25),
        Reason(("left", "right"), None, None, 2.0, 0.125),
    ]
    text = str(Explanation("y\n", reasons, 0.3))
    assert text.isprintable() is False  # it has line ends,
    lines = text.split("\n")  # and nothing else that cannot be seen
    assert all(line.isprintable() for line in lines)
    first = [line.split()[0] for line in lines]
    assert first == ["predicted", "+0.300", "the", "+0.500", "-0.250", "+0.125"]
    assert "left − right" in lines[5]


def test_landmarks_of_a_matrix_are_named_by_column():
    D = sm.cross("euclidean", POINTS)
    explanation = fitted(sm.measures.Precomputed(), D).explain(D[0], n_landmarks=1)
    assert f"column {explanation.reasons[0].index}" in str(explanation)


def test_it_draws_itself():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    explanation = fitted("levenshtein", WORDS).explain("aab", n_landmarks=3)
    widths = [bar.get_width() for bar in explanation.plot().ax_.patches]
    assert widths == [reason.contribution for reason in explanation.reasons]
    plt.close("all")


def test_without_pandas_the_remedy_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="pip install pandas"):
        Explanation(0, [], 0.0).to_frame()


def test_what_is_shown_is_told_from_what_there_is():
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=9, random_state=0)
    words = ["a" * k for k in range(1, 30)]
    explanation = model.fit(words, range(1, 30)).explain("a" * 25, n_landmarks=2)
    lines = str(explanation).splitlines()
    assert lines[0] == f"predicted {explanation.prediction:.4g}: score +{explanation.score:.4g}"
    last = next(k for k, line in enumerate(lines) if line.startswith("  the "))
    shown = [float(line.split()[0]) for line in lines[1:last]]
    assert sum(shown) == pytest.approx(explanation.score, abs=2e-2)


def test_numbers_are_shown_to_four_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for factor in (1.0, 1000.0):
        model = sm.LandmarkRegressor("euclidean", random_state=0).fit(X, factor * X[:, 0] + 100)
        explanation = model.explain(X[:1])[0]
        shown = str(explanation)
        assert f"predicted {explanation.prediction:.4g}:" in shown
        assert not re.search(r"\d\.\d{5}|\d{4,}\.\d", shown)
        title = explanation.plot().figure_.axes[0].get_title()
        assert title == f"predicted {explanation.prediction:.4g}"


def test_models_of_several_blocks_have_examples_and_places_too():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcd"), 9)) for _ in range(120)]
    y = np.array(["yes" if "ab" in word else "no" for word in words])
    both = ["levenshtein", sm.LandmarkMap("ngrams")]
    model = sm.LandmarkClassifier(both, random_state=0).fit(words[:100], y[:100])
    assert model.map_.is_union
    for word in words[100:110]:
        one = model.explain(word)
        heaviest = model.map_.blocks_[int(np.argmax(model.measure_weights_))]
        assert one.measure is heaviest.measures_[0]
        near = heaviest.measures_[0].cross([word], heaviest.landmarks_)[0]
        best = near.min() if one.measure.kind == "distance" else near.max()
        assert best in (one.supporting[0].value, one.opposing[0].value)
        assert all(example.label == one.prediction for example in one.supporting)
        assert one.counterfactual.prediction == model.predict([one.counterfactual.landmark])[0]
        assert one.counterfactual.prediction != one.prediction
        if one.saliency is not None:
            own = sum(r.contribution for r in one.reasons if r.block == one.block)
            assert one.saliency.sum() == pytest.approx(own)
        assert "nearest that is predicted" in str(one)
        assert sum(added for _, added in one.lines()) == pytest.approx(one.score)


def test_one_series_is_one_object_whatever_the_first_block_is():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3, 30)), np.arange(40) % 2
    X[y == 1, 0] += np.sin(np.arange(30))
    windows = sm.LandmarkMap("subsequence", n_landmarks=20)
    for blocks in ([windows, sm.LandmarkMap("dtw")], [windows, sm.RandomConvolution(50)]):
        model = sm.LandmarkClassifier(blocks, random_state=0).fit(X, y)
        assert model.explain(X[0]).prediction == model.predict(X[:1])[0]
        assert len(model.explain(X[:2])) == 2
