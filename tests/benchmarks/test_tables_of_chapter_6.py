"""Every method of the tables of chapter 6 runs on a small problem, and pages say what is found."""

import numpy as np
import pytest
from benchmarks.tables import table_6_1, table_6_learned
from benchmarks.tables.page import write_page
from benchmarks.tables.spec import Cell
from benchmarks.tables.summary import Results


def results_of(table, problem, row, size=None):
    """Run every method once on one row."""
    kept = {}
    for method in (*table.methods, table.default):
        n = None if table.size(method, table.row(row)) is None else size
        cell = Cell(table.name, row, method, 0, n)
        kept[cell] = table.evaluate(cell, table.row(row), problem) | {"code": "", "warnings": []}
        assert table.define(cell, table.row(row))
    return Results(table, kept, frozenset(), {})


def test_auc_over_buffer_sizes(rng, tmp_path):
    table, y = table_6_1.auc(), np.arange(120) % 2
    assert set(table_6_1.SIZES) == {table.n_landmarks, *table.curve}
    problem = table_6_1.Problem(rng.normal(size=(120, 3)) + 2 * y[:, None], y)
    results = results_of(table, problem, "Sonar", size=50)
    assert all(result["score"] > 0.9 for result in results.kept.values())
    assert {result["n_train"] for result in results.kept.values()} == {72}
    text = write_page(results, tmp_path).read_text()
    assert "50 points in the buffer" in text
    assert "OLP, RS-x² less OAM_gra, RS" in text


@pytest.mark.parametrize("build", [table_6_learned.metric, table_6_learned.combination])
def test_learned_measures(build, rng, tmp_path):
    table, y = build(), np.arange(90) % 3
    problem = table_6_learned.Problem(rng.normal(size=(90, 3)) + 4 * y[:, None], y)
    results = results_of(table, problem, "Segment")
    assert all(result["score"] > 0.8 for result in results.kept.values())
    text = write_page(results, tmp_path).read_text()
    assert f"- {table.default}: " in text
    assert "landmarks" not in text


def test_tasks_of_several_classes():
    y = np.arange(1, 27)
    assert table_6_1.POSITIVE["letter"](y).sum() == 13
    assert table_6_1.POSITIVE["vowel"](y).sum() == table_6_1.POSITIVE["covtype"](y).sum() == 1
