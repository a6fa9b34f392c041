"""Pairs of rows by several columns are those that comparing everything with everything gives."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark.data import Frame

MEASURES = {"name": "levenshtein", "city": "jaro_winkler", "age": "number", "kind": "equality"}
LARGEST = {"city": 1.0, "kind": 1.0}
CELLS = {
    "name": st.sampled_from(["anna", "hanna", "ana", "otto", "lotto", None, ""]),
    "city": st.sampled_from(["rome", "roma", "oslo", "orlo", None]),
    "age": st.sampled_from([1.0, 2.0, 3.5, 40.0, None]),
    "kind": st.sampled_from(["a", "b", None]),
}
TABLES = st.lists(st.fixed_dictionaries(CELLS), min_size=2, max_size=12).filter(
    lambda rows: all(any(row[name] for row in rows) for name in CELLS)
)


def value(name, one, other):
    if one in (None, "") or other in (None, ""):
        return np.nan
    if name == "age":
        return abs(one - other)
    return float(sm.cross(MEASURES[name], [one], [other])[0, 0])


def apart(name, found):
    return LARGEST[name] - found if name in LARGEST else found


def all_pairs(left, right, keep):
    same = right is None
    pairs = []
    for i, one in enumerate(left):
        for j, other in enumerate(left if same else right):
            if same and j <= i:
                continue
            values = {name: value(name, one[name], other[name]) for name in MEASURES}
            if keep(values):
                pairs.append((i, j))
    return pairs


def within_limits(limits):
    if isinstance(limits, list):
        rules = [within_limits(rule) for rule in limits]
        return lambda values: any(rule(values) for rule in rules)

    def keep(values):
        known = {name: values[name] for name in limits if not np.isnan(values[name])}
        near = [
            value >= limits[name] - 1e-9 if name in LARGEST else value <= limits[name] + 1e-9
            for name, value in known.items()
        ]
        return bool(known) and all(near)

    return keep


def within_sum(weights, most):
    def keep(values):
        known = {name: one for name, one in values.items() if not np.isnan(one)}
        share = sum(weights[name] for name in known)
        if share == 0:
            return False
        total = sum(weights[name] * apart(name, one) for name, one in known.items())
        return total * sum(weights.values()) / share <= most + 1e-6

    return keep


PASSING = st.sampled_from([0.0, 1.0])  # all pairs are compared, or those near in one column
LIMITS = st.sampled_from(
    [
        {"name": 1, "age": 2.0},
        {"name": 2, "city": 0.7, "kind": 1.0},
        {"kind": 1.0, "age": 0.0},
        {"city": 0.8},
        {"kind": 0.0, "name": 3},
        [{"name": 1}, {"city": 0.7, "age": 1.5}],
    ]
)


@settings(deadline=None, max_examples=60)
@given(rows=TABLES, limits=LIMITS, passing=PASSING)
def test_limits_by_column(rows, limits, passing):
    with mock.patch("seamark.search.tables.MOST_PASSING", passing):
        found = sm.duplicates(rows, MEASURES, within=limits)
    assert list(zip(found.left, found.right, strict=True)) == all_pairs(
        rows, None, within_limits(limits)
    )
    for k, (i, j) in enumerate(zip(found.left, found.right, strict=True)):
        for name in MEASURES:
            expected = value(name, rows[i][name], rows[j][name])
            assert found.by_column[name][k] == pytest.approx(expected, nan_ok=True, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(left=TABLES, right=TABLES, limits=LIMITS, passing=PASSING)
def test_links_of_two_tables(left, right, limits, passing):
    with mock.patch("seamark.search.tables.MOST_PASSING", passing):
        found = sm.link(left, right, MEASURES, within=limits)
    assert list(zip(found.left, found.right, strict=True)) == all_pairs(
        left, right, within_limits(limits)
    )


WEIGHTS = st.sampled_from(
    [
        ({"name": 1.0, "city": 4.0, "age": 0.5, "kind": 1.5}, 3.1),
        ({"name": 1.0, "city": 0.0, "age": 0.1, "kind": 0.0}, 1.05),
        ({"name": 0.3, "city": 1.0, "age": 0.0, "kind": 1.0}, 0.35),
    ]
)


@settings(deadline=None, max_examples=60)
@given(rows=TABLES, given_=WEIGHTS, passing=PASSING)
def test_a_weighted_sum(rows, given_, passing):
    weights, most = given_
    with mock.patch("seamark.search.tables.MOST_PASSING", passing):
        found = sm.duplicates(rows, MEASURES, within=most, weights=weights)
    assert list(zip(found.left, found.right, strict=True)) == all_pairs(
        rows, None, within_sum(weights, most)
    )
    assert (found.values <= most + 1e-4).all()


@pytest.mark.parametrize("passing", [0.0, 1.0])
@pytest.mark.parametrize("matrix_values", [0, 10**6])
def test_many_rows_by_the_columns_in_any_order(monkeypatch, matrix_values, passing):
    """Whether pairs of values are looked up in a matrix or evaluated row by row."""
    monkeypatch.setattr("seamark.search.tables.MATRIX_VALUES", matrix_values)
    monkeypatch.setattr("seamark.search.tables.MOST_PASSING", passing)
    monkeypatch.setattr("seamark.search.tables.CHUNK_PAIRS", 1000)
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("abc"), 5)) for _ in range(200)]
    days = [f"2024-{m:02}-{d:02}" for m, d in rng.integers(1, [13, 29], size=(200, 2))]
    frame = Frame({"name": np.array(names, dtype=object), "born": np.array(days, dtype=object)})
    limits = {"name": 2, "born": 20}
    for order in (("name", "born"), ("born", "name")):
        measures = {name: {"name": "levenshtein", "born": "date"}[name] for name in order}
        found = sm.duplicates(frame, measures, within=limits)
        seconds = np.array(days, dtype="datetime64[D]")
        far = np.abs((seconds[:, None] - seconds).astype(int))
        near = (sm.cross("levenshtein", names) <= 2) & (far <= 20)
        expected = np.argwhere(np.triu(near, 1))
        np.testing.assert_array_equal(np.stack([found.left, found.right], axis=1), expected)


def test_asymmetric_measures_compare_left_with_right():
    longer = sm.measures.Custom(lambda x, y: max(0, len(x) - len(y)), kind="distance")
    rows = [{"t": "a", "n": 1}, {"t": "aaaa", "n": 1}, {"t": "aa", "n": 1}]
    found = sm.duplicates(rows, {"t": longer, "n": "number"}, within={"t": 0, "n": 0})
    assert list(zip(found.left, found.right, strict=True)) == [(0, 1), (0, 2)]


def test_frames_keep_their_index_labels():
    pd = pytest.importorskip("pandas", reason="gives index labels")
    table = pd.DataFrame({"name": ["anna", "otto", "ana"], "n": [1, 2, None]}, index=list("xyz"))
    found = sm.duplicates(table, {"name": "levenshtein", "n": "number"}, within={"name": 1})
    (row,) = found.to_frame().to_dict("records")
    assert (row["left"], row["right"], row["name_value"]) == ("x", "z", 1.0)
    assert np.isnan(row["n_value"])
    assert "anna; 1.0" in str(found)
    assert found.labels().tolist() == [0, -1, 0]
    assert len(found[found.values > 5]) == 0


@pytest.mark.parametrize(
    ("measures", "options", "sentence"),
    [
        ({"nome": "levenshtein"}, {"within": {"nome": 1}}, "no column 'nome'; the columns are"),
        ({"name": "levenshtein"}, {"within": 1}, "give within= by column"),
        ({"name": "levenshtein"}, {"within": {"n": 1}}, "'n' is not among the columns"),
        ({"name": "levenshtein"}, {"within": {"name": np.nan}}, "finite number"),
        ({"name": "levenshtein"}, {"within": {}}, "give one for a column"),
        ({}, {"within": {}}, "measure is empty"),
        ({"name": "levenshtein", "n": "number"}, {"within": 1, "weights": {"n": 1}}, "each column"),
        ({"name": "ngrams"}, {"within": {"name": 1}, "weights": {"name": 1}}, "largest sum"),
        ({"name": "number"}, {"within": {"name": 1}}, "in column 'name'.*numbers are needed"),
        ({"none": "levenshtein"}, {"within": {"none": 1}}, "holds no values"),
        ({"name": "linear"}, {"within": {"name": 1}}, "name"),
        ("levenshtein", {"within": {"name": 1}}, "by column are for tables"),
    ],
)
def test_what_makes_no_sense_is_said(measures, options, sentence):
    rows = [{"name": "anna", "n": 1, "none": None}, {"name": "otto", "n": 2, "none": None}]
    with pytest.raises((ValueError, TypeError), match=sentence):
        sm.duplicates(rows, measures, **options)


def test_too_many_pairs_are_refused(monkeypatch):
    rows = [{"a": "x", "b": "y"}] * 60
    with pytest.raises(ValueError, match="raise max_pairs"):
        sm.duplicates(rows, {"a": "equality"}, within={"a": 1}, max_pairs=10)
    monkeypatch.setattr("seamark.search.tables.MOST_COMPARED", 1000)
    with pytest.raises(ValueError, match="100% of all pairs are within the limit of each column"):
        sm.duplicates(rows, {"a": "equality"}, within={"a": 1})
    monkeypatch.setattr("seamark.search.tables.MOST_PASSING", 1.0)
    monkeypatch.setattr("seamark.search.tables.MOST_CANDIDATES", 1000)
    with pytest.raises(ValueError, match="near in column 'a'"):
        sm.duplicates(rows, {"a": "equality"}, within={"a": 1})
