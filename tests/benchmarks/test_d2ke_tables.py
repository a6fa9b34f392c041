"""D2KE's tables: preparation of the data, rivals on one matrix, every method on a small problem."""

import numpy as np
import pytest
from benchmarks.tables import all_pairs, table_d2ke
from benchmarks.tables.index import END, START, write_index
from benchmarks.tables.spec import Cell, Printed, Row
from benchmarks.tables.summary import Results

import seamark as sm
from seamark.data import Ragged, Series, sets, strings


def series(rng, lengths, n_variables=2):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = 5 + 3 * rng.normal(size=(offsets[-1], n_variables)).astype(np.float32)
    return Ragged(values, offsets, Series(flat=False))


def test_series_in_one_unit_keep_their_neighbours(rng):
    X = series(rng, [5, 7, 6])
    Z = table_d2ke.in_one_unit(X)
    np.testing.assert_allclose(Z.values.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(np.mean(Z.values**2), 1, rtol=1e-5)
    D, scaled = sm.cross("dtw", X), sm.cross("dtw", Z)
    np.testing.assert_allclose(scaled / scaled.max(), D / D.max(), atol=1e-5)


def test_recordings_are_cut_into_windows(rng, monkeypatch):
    monkeypatch.setattr(table_d2ke, "WINDOW", 4)
    monkeypatch.setattr(table_d2ke, "ACTIVITIES", 3)
    X = series(rng, [9, 5])  # windows of 4, 4 and 4 steps; pieces of one step are dropped
    cut, labels = table_d2ke.windows(X, np.array([7, 8]))
    assert cut.lengths.tolist() == [4, 4, 4]
    assert labels.tolist() == [7, 7, 8]
    np.testing.assert_array_equal(cut.values[8:], X.values[9:13])


def test_diagonal_steps_become_two_along_the_axes():
    code = "".join(map(chr, range(8)))
    found = [ord(letter) for letter in table_d2ke.along_axes(strings.ingest([code]))[0]]
    assert found == [0, 0, 2, 2, 2, 4, 4, 4, 6, 6, 6, 0]
    assert table_d2ke.four_letters(strings.ingest(["ACNGT"]))[0] == "ACAGT"


def test_descriptors_lie_on_the_sphere(rng):
    X = sets.ingest([rng.uniform(size=(3, 4)), rng.uniform(size=(2, 4))])
    np.testing.assert_allclose(
        np.linalg.norm(table_d2ke.on_the_sphere(X).values, axis=1), 1, rtol=1e-6
    )


def test_rivals_are_searched_on_some_objects(rng):
    words = ["a" * k for k in range(1, 21)] + ["b" * k for k in range(1, 21)]
    y = np.repeat([0, 1], 20)
    model = all_pairs.dsk_rbf(sm.measures.Levenshtein(), 30, 0).fit(strings.ingest(words), y)
    assert model.n_evaluations_ == 30 * 30
    assert np.mean(model.predict(strings.ingest(words)) == y) > 0.9
    assert model.search_.best_params_["C"] in all_pairs.COSTS


@pytest.mark.parametrize("build", [table_d2ke.series, table_d2ke.texts, table_d2ke.sets])
def test_every_row_and_method_has_its_printed_figure(build):
    table = build()
    assert set(table.printed) == {(row.name, m) for row in table.rows for m in table.methods}
    assert all(printed.seconds for printed in table.printed.values())


def test_every_method_runs_on_a_few_strings(rng):
    table, y = table_d2ke.texts(), np.arange(80) % 2
    letters = np.array(list("AC"))
    words = ["".join(rng.choice(letters, 9, p=[0.8, 0.2] if k else [0.2, 0.8])) for k in y]
    problem, row = table_d2ke.Problem(strings.ingest(words), y), table.row("splice")
    for method in (*table.methods, table.default):
        size = None if table.size(method, row) is None else 40
        result = table.evaluate(Cell(table.name, row.name, method, 0, size), row, problem)
        assert result["score"] > 0.7
        assert result["n_test"] == 24


def test_a_row_may_have_fewer_splits_and_other_sizes():
    table = table_d2ke.texts()
    cells = [cell for cell in table.cells() if cell.row == "mnist-str8"]
    assert {cell.split for cell in cells} == {0, 1}
    row = Row("once", "strings/splice", most_splits=1, sizes={"D2KE": 7})
    assert table.size("D2KE", row) == 7
    assert table.size("KNN", row) is None
    assert str(Printed("0.9")) == "0.9"


def test_the_index_stands_between_its_marks(tmp_path):
    table, cell = table_d2ke.sets(), Cell("d2ke-4", "flower", "D2KE", 0, 2048)
    kept = {cell: {"score": 0.9, "seconds": 1.0}}
    every = [
        Results(table, kept, frozenset(), {}),
        Results(table_d2ke.series(), {}, frozenset(), {}),
        Results(table_d2ke.texts(), {}, frozenset(), {}),
    ]
    assert write_index(tmp_path, every) is None
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{START}\n| [d2ke-2](d2ke-2.md) | as it was |\n{END}\nafter\n")
    write_index(tmp_path, every)
    text = readme.read_text()
    assert text.startswith(f"before\n{START}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "| [d2ke-4](d2ke-4.md) |" in text
    assert "| none comparable |" in text  # the data are not the paper's
    assert f" | 0.0 (1 of {len(list(table.cells()))} cells) |\n" in text
    assert "| [d2ke-2](d2ke-2.md) | as it was |" in text
    assert "d2ke-3" not in text
