"""What is wrong with rows of a source is said, with the row's number."""

import re

import numpy as np
import pytest
from test_many_rows import FEW, LENGTH, NAMES, OPTIONS, SEX, blocks

import seamark as sm


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=FEW):
        yield


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"head": "svm"}, "LinearSVM needs the features of all rows at once"),
        ({"weighing": "greedy"}, "needs all features at once"),
        ({"measure": {"a": "levenshtein"}}, "columns that have no names cannot be read in chunks"),
    ],
)
def test_what_cannot_stream_says_so_before_any_work(options, said):
    model = sm.LandmarkClassifier(**{"measure": "levenshtein", **OPTIONS, **options})
    with sm.engine.counting() as counter, pytest.raises(ValueError, match=said):
        model.fit(sm.rows(NAMES, target=SEX))
    assert counter.evaluations == 0


def test_what_is_wrong_with_a_row_names_it(folder):
    names, y = list(NAMES), LENGTH.copy()
    names[1234] = None
    with pytest.raises(TypeError, match="in the rows from 1200 on: string 34 is missing"):
        sm.LandmarkRegressor("levenshtein").fit(sm.rows(names, target=y, chunk_rows=100))
    y[777] = np.nan
    with pytest.raises(ValueError, match="row 777 has no target"):
        sm.LandmarkRegressor("levenshtein").fit(sm.rows(NAMES, target=y, chunk_rows=100))
    with pytest.raises(ValueError, match="no column 'nam'; the columns are name, sex, length"):
        sm.rows(folder / "*.parquet", column="nam", target="sex")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        sm.rows(folder / "*.pq", column="name")
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        sm.LandmarkRegressor("levenshtein").fit(sm.rows(NAMES, target=y), LENGTH)
    with pytest.raises(ValueError, match="no targets"):
        sm.LandmarkRegressor("levenshtein").fit(sm.rows(NAMES))


def test_a_factory_must_begin_anew():
    once = blocks()
    with pytest.raises(ValueError, match="the same iterator twice"):
        sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(sm.rows(lambda: once))


def test_functions_name_the_row_of_the_source():
    sampled = sm.LandmarkRegressor("levenshtein", n_landmarks=5, random_state=0)
    with sm.engine.counting() as counter:
        sampled.fit(sm.rows(NAMES, target=LENGTH, chunk_rows=100))
    assert counter.evaluations < 5 * (len(NAMES) + 2 * FEW)  # each row once, and the sample
    alone = [i for i, name in enumerate(NAMES) if NAMES.count(name) == 1 and len(name) > 5]
    calls = []

    def lengths(a, b):
        calls.append(a)
        if len(calls) > 5 * FEW * 3 and a in late:
            raise KeyError(a)
        return abs(len(a) - len(b))

    late = {NAMES[i] for i in alone if i > 1500}
    model = sm.LandmarkRegressor(sm.measures.Custom(lengths, kind="distance"), n_landmarks=5)
    with pytest.raises(sm.engine.MeasureError, match="row") as error:
        model.fit(sm.rows(NAMES, target=LENGTH, chunk_rows=100))
    row = int(re.search(r"row (\d+)", str(error.value))[1])
    assert NAMES[row] in late


@pytest.mark.parametrize("few_rows", [True, False])
@pytest.mark.parametrize("bad", [None, -1.0, float("inf"), "much"])
def test_a_weight_that_is_none_names_its_row(folder, few_rows, bad):
    pa = pytest.importorskip("pyarrow")
    weight = [1.0 if isinstance(bad, float | None) else "1"] * len(NAMES)
    weight[1300] = bad
    table = pa.table({"name": NAMES, "length": LENGTH, "w": weight})
    source = sm.rows(table, column="name", target="length", weight="w", chunk_rows=100)
    said = "weights must be numbers" if isinstance(bad, str) else "row 1300 has the weight"
    with (
        sm.engine.using(hashed_from=10_000 if few_rows else FEW),
        pytest.raises(ValueError, match=said),
    ):
        sm.LandmarkRegressor("levenshtein", **OPTIONS).fit(source)


def test_rows_that_change_between_passes_are_noticed():
    times = []

    def fewer():
        times.append(1)
        return blocks() if len(times) < 4 else list(blocks())[:4]

    with pytest.raises(ValueError, match="2500 rows were read before and 1332 now"):
        sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(sm.rows(fewer))


def test_what_is_no_source_is_said():
    with pytest.raises(TypeError, match="generator cannot be read again; give the function"):
        sm.rows(blocks())
    with pytest.raises(TypeError, match="rows of a int cannot be read"):
        sm.rows(5)
    with pytest.raises(ValueError, match="no rows"):
        sm.LandmarkRegressor("levenshtein").fit(sm.rows([], target=[]))
