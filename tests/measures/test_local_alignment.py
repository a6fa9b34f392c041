"""Local alignment and the Wasserstein distance against slow, obvious implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import seamark as sm
from seamark.measures import SmithWaterman, Wasserstein
from seamark.measures.alignment import BLOSUM62, read_matrix

LETTERS, SCORES = read_matrix(BLOSUM62)
PROTEINS = {(a, b): SCORES[i][j] for i, a in enumerate(LETTERS) for j, b in enumerate(LETTERS)}


def best_alignment(x, y, score, gap_open, gap_extend):
    """Every cell from every earlier one: gaps of any length, none kept from cell to cell."""
    best = np.zeros((len(x) + 1, len(y) + 1))
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            options = [0.0, best[i - 1, j - 1] + score(x[i - 1], y[j - 1])]
            options += [best[k, j] - gap_open - (i - k - 1) * gap_extend for k in range(i)]
            options += [best[i, k] - gap_open - (j - k - 1) * gap_extend for k in range(j)]
            best[i, j] = max(options)
    return best.max()


words = st.lists(st.text("ACDE", max_size=12), min_size=1, max_size=5)


@given(words, words, st.floats(0.5, 6), st.floats(0.1, 1), st.booleans())
def test_equals_alignment_over_all_gaps(X, L, gap_open, share, proteins):
    gap_extend = share * gap_open
    measure = SmithWaterman(
        "blosum62" if proteins else None, gap_open=gap_open, gap_extend=gap_extend
    )
    score = (lambda a, b: PROTEINS[a, b]) if proteins else lambda a, b: 2.0 if a == b else -1.0
    expected = [[best_alignment(x, y, score, gap_open, gap_extend) for y in L] for x in X]
    np.testing.assert_allclose(measure.cross(X, L), expected, rtol=1e-6, atol=1e-6)


def test_the_matrix_is_the_published_one():
    table = np.array(SCORES)
    assert LETTERS == "ARNDCQEGHILKMFPSTWYVBZX*"
    np.testing.assert_array_equal(table, table.T)
    assert [PROTEINS[a, b] for a, b in ("WW", "CC", "IV", "WC", "KE", "**")] == [11, 9, 3, -2, 1, 1]
    assert table.diagonal().tolist() == [
        *(4, 5, 6, 6, 9, 5, 5, 6, 8, 4, 4, 5, 5, 6, 7, 4, 5, 11, 7, 4, 4, 4, -1, 1)
    ]


def test_a_textbook_alignment():
    # Durbin and others, Biological sequence analysis, figure 2.6: AWGHE and AW-HE, BLOSUM50 and a
    # linear gap of 8 there; by BLOSUM62 and the same gap 4 + 11 − 8 + 8 + 5.
    measure = SmithWaterman("blosum62", gap_open=8.0, gap_extend=8.0)
    assert measure.cross(["HEAGAWGHEE"], ["PAWHEAE"])[0, 0] == 20


def test_groups_of_many_lengths_and_long_strings(rng):
    X = ["".join(rng.choice(list("acgt"), size=k)) for k in (0, 1, 300, 40)]
    L = ["".join(rng.choice(list("acgt"), size=k)) for k in (0, 2, 9000, 9000, 70, 1, 500)]
    whole = SmithWaterman().cross(X, L)
    one_by_one = np.hstack([SmithWaterman().cross(X, [item]) for item in L])
    np.testing.assert_array_equal(whole, one_by_one)
    assert (whole[0] == 0).all()
    swapped = SmithWaterman().cross(L, X)
    np.testing.assert_array_equal(whole, swapped.T)


def test_normalised_alignment_is_1_of_a_string_with_itself():
    words = ["seamark", "sea", "landmark"]
    values = SmithWaterman().normalised().cross(words)
    np.testing.assert_allclose(values.diagonal(), 1.0)
    assert values[0, 2] == pytest.approx(8 / np.sqrt(14 * 16))


def test_a_model_of_proteins_can_be_saved(rng, tmp_path):
    X = ["".join(rng.choice(list("ACDEFGHIK"), size=12)) for _ in range(40)]
    X = [x + "WWWW" if i % 2 else x for i, x in enumerate(X)]
    y = np.arange(40) % 2
    measure = SmithWaterman("blosum62", gap_open=10.0, gap_extend=0.5).normalised()
    model = sm.LandmarkClassifier(measure, n_landmarks=15, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    sm.save(model, tmp_path / "model.seamark")
    np.testing.assert_array_equal(sm.load(tmp_path / "model.seamark").predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"matrix": "pam"}, 'must be "blosum62" or a pair'),
        ({"matrix": ("AC", [[1.0, 0.0]])}, "a row and a column for each of its 2 letters"),
        ({"matrix": ("AA", np.eye(2))}, "all different"),
        ({"matrix": ("AC", [[1, 2], [0, 1]])}, "finite and symmetric"),
        ({"gap_open": -1.0}, "gap_open"),
        ({"gap_open": 1.0, "gap_extend": 2.0}, "gap_extend"),
        ({"mismatch": 1.0}, "mismatch"),
    ],
)
def test_alignment_refuses_in_a_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        SmithWaterman(**parameters).cross(["A"], ["C"])


def test_letters_that_the_matrix_lacks_are_named():
    measure = SmithWaterman("blosum62")
    with pytest.raises(ValueError, match="must be one of .*; got 'a' in the string 'ajar'"):
        measure.cross(["A"], ["ajar"])
    with pytest.raises(ValueError, match="'J' in the string 'CJD'"):
        measure.cross(["AC", "CJD"], ["A"])


numbers = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=9)


@given(st.lists(numbers, min_size=1, max_size=5), st.lists(numbers, min_size=1, max_size=5))
def test_equals_scipy(X, L):
    values = Wasserstein().cross(
        [np.array(x)[:, None] for x in X], [np.array(y)[:, None] for y in L]
    )
    expected = [[wasserstein_distance(x, y) for y in L] for x in X]
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5])
def test_equals_the_integral_of_quantile_functions(rng, p):
    X = [rng.normal(size=k) for k in (1, 2, 7, 12, 7)]
    u = (np.arange(84 * 50) + 0.5) / (84 * 50)  # 84 is a multiple of all sizes

    def quantiles(x):
        return np.sort(x)[(u * len(x)).astype(int)]

    expected = [
        [np.mean(np.abs(quantiles(x) - quantiles(y)) ** p) ** (1 / p) for y in X] for x in X
    ]
    values = Wasserstein(p).cross([x[:, None] for x in X])
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


def test_is_a_metric(rng):
    X = [rng.normal(size=(k, 1)) for k in rng.integers(1, 6, 30)]
    D = Wasserstein(2).cross(X).astype(float)
    assert (D.diagonal() == 0).all()
    assert np.max(D - (D[:, :, None] + D[None]).min(axis=1)) < 1e-5


def test_histograms_by_their_distribution_functions(rng):
    h = rng.integers(1, 9, size=(4, 6))
    samples = [np.repeat(np.arange(6.0), row)[:, None] for row in h]
    functions = np.cumsum(h / h.sum(axis=1, keepdims=True), axis=1)
    expected = sm.cross("manhattan", functions)
    np.testing.assert_allclose(Wasserstein().cross(samples), expected, rtol=1e-5, atol=1e-6)


def test_sets_of_vectors_are_refused():
    with pytest.raises(ValueError, match="compares sets of single numbers, and these are of 2"):
        Wasserstein().cross([[[0.0, 1.0]]], [[[1.0, 1.0]]])
    with pytest.raises(ValueError, match="p"):
        Wasserstein(0.5).cross([[[0.0]]])
