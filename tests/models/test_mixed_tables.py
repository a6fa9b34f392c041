"""Tables of text, numbers, dates, categories and series, with gaps, in pandas and polars."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline

import seamark as sm
from seamark.maps import (
    BagScores,
    DateParts,
    LandmarkMap,
    NumericColumns,
    RandomConvolution,
    WithGaps,
)
from seamark.measures import (
    DTW,
    MSM,
    Equality,
    FilledColumns,
    Levenshtein,
    NGrams,
    Subsequence,
    Substring,
)
from seamark.models import measures_of_columns
from seamark.transfers import Shares

RNG = np.random.default_rng(5)
N = 240
CODES = np.arange(N) % 2
COLUMNS = ["name", "colour", "price", "count", "fresh", "sold", "trace"]


def with_gaps(values, rng, share=0.1):
    series = pd.Series(values)
    gaps = pd.Series(rng.random(len(series)) < share)
    return series.mask(gaps)


def table(rng):
    words = ["".join(rng.choice(list("abc" if k else "bcd"), rng.integers(3, 9))) for k in CODES]
    columns = {
        "name": words,
        "colour": rng.choice(["red", "green", "blue"], N),
        "price": rng.normal(size=N) + CODES,
        "count": pd.array(rng.integers(0, 9, N), dtype="Int64"),
        "fresh": pd.array(rng.random(N) < 0.5 + 0.3 * CODES, dtype="boolean"),
        "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, N), "D"),
        "trace": pd.Series([rng.normal(size=8) + k for k in CODES]),
    }
    return pd.DataFrame({name: with_gaps(values, rng) for name, values in columns.items()})


TABLE = table(RNG)


def as_polars(frame):
    pl = pytest.importorskip("polars")
    traces = [None if isinstance(t, float) else t.tolist() for t in frame["trace"]]
    plain = pl.from_pandas(frame.drop(columns="trace"))
    return plain.with_columns(pl.Series("trace", traces))


@pytest.mark.parametrize("read", [lambda frame: frame, as_polars], ids=["pandas", "polars"])
def test_columns_are_read_by_what_they_hold(read):
    found = measures_of_columns(read(TABLE))
    assert {name: kinds_of(what) for name, what in found.items()} == {
        "name": [Levenshtein, NGrams, Substring, BagScores],
        "colour": [Equality],
        "sold": [DateParts],
        "trace": [Subsequence, Subsequence, RandomConvolution, DTW, MSM],
        ("price", "count", "fresh"): [NumericColumns],
        ("colour", "price", "count", "fresh"): [FilledColumns] * 4,
    }


def kinds_of(what):
    """Return the types of what compares a column: of measures, or of maps that have none."""
    blocks = what if isinstance(what, list) else [what]
    inner = [getattr(one, "measure", None) or one for one in blocks]
    return [type(one) for one in inner]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["2024-02-29", None, "2024-03-01T10:00"], DateParts),
        ([date(2024, 1, 2), None, datetime(2024, 1, 3, 4)], DateParts),
        (["2024-02-29", "tomorrow"], Levenshtein),
        (["yes", "no"] * 5, Equality),
        ([f"name {i % 40}" for i in range(400)], Shares),
        (["red"] * 50 + ["rde", "erd", "redd"], Shares),
        (["a long tale " * 20, "another " * 30], Levenshtein),
        ([[1, 2.5], (3.0,), np.arange(4)], Subsequence),
        ([np.zeros((2, 5)), np.zeros((2, 7))], Subsequence),
        ([1, "one"] * 5, Equality),
        ([True, None, 2.5], NumericColumns),
        (pd.Series([1, 2, 1, 2], dtype="category"), Equality),
        (pd.to_timedelta(["1 day", None]).to_series(), NumericColumns),
        (pd.to_datetime(["2024-01-01T00:00+02:00"]).to_series(), DateParts),
    ],
)
def test_a_column_is_compared_by_what_it_holds(cells, kind):
    column = cells if isinstance(cells, pd.Series) else pd.Series(cells, dtype=object)
    found = measures_of_columns(pd.DataFrame({"it": column.reset_index(drop=True)}))
    (what,) = found.values()
    first = what[0] if isinstance(what, list) else what
    shares = isinstance(getattr(first, "transfer", None), Shares)
    assert (Shares if shares else kinds_of(first)[0]) is kind


def test_what_nobody_knows_how_to_compare_is_said():
    with pytest.raises(ValueError, match="column 'it' holds dict objects, .* no measure is known"):
        measures_of_columns(pd.DataFrame({"it": [{"a": 1}, {"b": 2}]}))
    with pytest.raises(ValueError, match="column 'it' holds text beside numbers"):
        measures_of_columns(pd.DataFrame({"it": [1, "a", 2, "b"]}, dtype=object))
    with pytest.raises(ValueError, match="two columns named 'a'"):
        measures_of_columns(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TypeError, match="give a DataFrame"):
        measures_of_columns([1, 2])
    with pytest.warns(UserWarning, match="column 'void' is empty, and left out"):
        assert "void" not in measures_of_columns(pd.DataFrame({"a": [1], "void": [None]}))


@pytest.mark.parametrize("read", [lambda frame: frame, as_polars], ids=["pandas", "polars"])
def test_a_table_with_gaps_is_learned_from(read, tmp_path):
    frame = read(TABLE)
    model = sm.LandmarkClassifier(measures_of_columns(frame), n_landmarks=40, random_state=0)
    model.fit(frame[:160], CODES[:160])
    assert model.score(frame[160:], CODES[160:]) > 0.9
    sm.save(model, tmp_path / "m")
    loaded = sm.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert str(loaded.explain(frame[:2])) == str(model.explain(frame[:2]))


def test_pandas_and_polars_say_the_same():
    model = sm.LandmarkRegressor(measures_of_columns(TABLE), n_landmarks=30, random_state=0)
    model.fit(TABLE, CODES.astype(float))
    np.testing.assert_allclose(model.predict(as_polars(TABLE)), model.predict(TABLE), atol=1e-6)


@pytest.fixture(scope="module")
def model():
    columns = measures_of_columns(TABLE)
    model = sm.LandmarkClassifier(columns, n_landmarks=10, head="svm", random_state=0)
    return model.fit(TABLE, CODES)  # ridge may drop a column, and then does not read it


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"price": ["dear"] * N}, "column 'price' holds 'dear' in row 0, where numbers"),
        ({"sold": ["soon"] * N}, "column 'sold' holds 'soon' in row 0, which is no date"),
        ({"name": [3] * N}, "in column 'name': string 0 is an int"),
        ({"trace": [["a"]] * N}, "in column 'trace': "),
        ({"price": [np.inf] * N}, "infinity"),
    ],
)
def test_other_types_at_predict_are_said_with_the_column(model, change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.predict(TABLE.assign(**change))


def test_unseen_categories_and_dtypes_are_read():
    frame = pd.DataFrame({"kind": [1, 2, 3] * 30, "colour": ["red", "blue", "red"] * 30})
    frame["kind"] = frame["kind"].astype("category")
    y = np.tile([1.0, 2.0, 3.0], 30)
    model = sm.LandmarkRegressor(measures_of_columns(frame), random_state=0).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), y, atol=0.05)
    as_floats = frame.assign(kind=frame["kind"].astype(float))
    np.testing.assert_allclose(model.predict(as_floats), y, atol=0.05)
    unseen = pd.DataFrame({"kind": ["new"], "colour": ["mauve"]})
    assert 0 < model.predict(unseen)[0] < 4


def test_several_blocks_of_one_column():
    measure = {"name": ["levenshtein", LandmarkMap("ngrams")], "price": "passthrough"}
    model = sm.LandmarkClassifier(measure, n_landmarks=20, head="svm", random_state=0)
    model.fit(TABLE, CODES)
    assert model.map_.columns_ == ["name", "name", "price"]
    assert model.score(TABLE, CODES) > 0.9


def test_in_a_column_transformer():
    columns = ColumnTransformer(
        [
            ("name", WithGaps(LandmarkMap("levenshtein", n_landmarks=30, random_state=0)), "name"),
            ("colour", WithGaps(LandmarkMap("equality", random_state=0)), "colour"),
            ("numbers", NumericColumns(), ["price", "count", "fresh"]),
            ("dates", DateParts(), ["sold"]),
        ]
    )
    model = make_pipeline(columns, Ridge(10.0)).fit(TABLE[:160], CODES[:160])
    assert ((model.predict(TABLE[160:]) > 0.5) == CODES[160:]).mean() > 0.85
    names = columns.get_feature_names_out()
    assert {"name__missing", "numbers__price_missing", "dates__sold_year"} <= set(names)


def dirty_categories(rng, n=4000, n_spellings=202, n_seen=120):
    """Clean names with a value each, misspelt; some spellings are in no training row."""
    clean = ["".join(rng.choice(list("abcdefghijklmnop"), 10)) for _ in range(20)]
    effects = rng.normal(size=20)
    spellings, owners = [], []
    while len(spellings) < n_spellings:
        k = len(spellings) % 20
        word = list(clean[k])
        for _ in range(int(rng.integers(0, 3))):
            word[rng.integers(len(word))] = str(rng.choice(list("abcdefghijklmnop")))
        if "".join(word) not in spellings:
            spellings.append("".join(word))
            owners.append(k)
    order = rng.permutation(n_spellings)
    rows = rng.integers(n_spellings, size=n)
    y = effects[np.array(owners)[rows]] + 0.3 * rng.normal(size=n)
    seen = np.isin(rows, order[:n_seen])
    names = np.array(spellings, dtype=object)[rows]
    return pd.DataFrame({"name": names}), y, seen, effects[np.array(owners)[rows]]


def test_unseen_spellings_do_as_well_as_seen_ones():
    """Within 0.03 of R², and hardly further apart than if the true names were told."""
    gaps, more = [], []
    for seed in (0, 1, 2, 3, 8):
        frame, y, seen, told = dirty_categories(np.random.default_rng(seed))
        rng = np.random.default_rng(10 + seed)
        train = seen & (rng.random(len(y)) < 0.7)
        model = sm.LandmarkRegressor(measures_of_columns(frame), random_state=0)
        model.fit(frame[train], y[train])
        known = model.score(frame[seen & ~train], y[seen & ~train])
        assert known > 0.85
        gaps.append(known - model.score(frame[~seen], y[~seen]))
        best = r2_score(y[seen & ~train], told[seen & ~train]) - r2_score(y[~seen], told[~seen])
        more.append(gaps[-1] - best)
    assert max(gaps) < 0.03
    assert np.mean(gaps) < 0.01
    assert max(more) < 0.015


@pytest.mark.parametrize("drops", [{"weighing": "greedy"}, {"n_landmarks": "cv"}], ids=str)
def test_models_that_drop_landmarks_take_features_that_belong_to_one_each(drops):
    frame, y, _, _ = dirty_categories(np.random.default_rng(0), n=400)
    model = sm.LandmarkRegressor(measures_of_columns(frame), random_state=0, **drops).fit(frame, y)
    assert model.map_.is_divisible
    assert model.score(frame, y) > 0.8
    given = {"name": sm.LandmarkMap("levenshtein", transfer=Shares(0.1))}
    model = sm.LandmarkRegressor(given, random_state=0, **drops)
    with pytest.raises(ValueError, match="drops landmarks"):
        model.fit(frame, y)


def test_names_are_judged_by_other_rows_that_have_them():
    """Folds that kept equal rows together would find that a category tells nothing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(list("abcdef"), 300)})
    y = frame["kind"].map(dict(zip("abcdef", [3, -1, 2, 0, 5, 1], strict=True))).to_numpy(float)
    model = sm.LandmarkRegressor(measures_of_columns(frame), random_state=0)
    model.fit(frame, y + 0.1 * rng.normal(size=300))
    np.testing.assert_allclose(model.predict(frame), y, atol=0.1)
    error = model.head_.cv_results_["mean_error"].min()
    assert error < 0.02
    assert model.landmark_indices_ == [None]


def test_rows_of_a_table_are_shown_by_column():
    days = np.array(["2024-02-29T00:00", "2023-01-01T12:30", "NaT"], "datetime64[s]")[NINE % 3]
    names = np.array(["sea", None, "mark"], dtype=object)[NINE // 3]
    model = sm.LandmarkClassifier({"name": "equality", "day": DateParts()}, random_state=0)
    frame = pd.DataFrame({"name": names, "day": days})
    model.fit(frame, NINE)  # no block can be left out
    said = [str(one.object) for one in model.explain(frame)]
    assert "name sea; day 2024-02-29" in said
    assert "name missing; day 2023-01-01 12:30" in said
    assert "name mark; day missing" in said


NINE = np.arange(90) % 9
