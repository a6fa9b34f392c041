"""The benchmark of Figure 3.1, in small."""

import numpy as np
import pytest
from benchmarks.approximation import measure, page


def test_cells_and_page(tmp_path):
    cells = list(measure.measured(dimensions=(3,), columns=(10, 100), runs=2))
    methods = {(c.kernel, c.method) for c in cells}
    assert ("homogeneous", "H0/1") not in methods  # it has no terms 0 and 1
    assert len(methods) == 3 * 4 - 1
    assert all(len(c.errors) == 2 and np.isfinite(c.mean) and c.seconds > 0 for c in cells)
    page.markdown(cells, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "of 6 comparisons" in text
    assert text.count("| exponential | 3 |") == len(page.SHOWN)


def test_standings():
    def cell(*errors):
        return measure.Cell("k", 1, "m", 10, list(errors))

    assert page.standing(cell(1.0, 1.1), [cell(2.0, 2.1), cell(3.0, 3.1)]) == "lowest"
    assert page.standing(cell(1.0, 2.0), [cell(0.9, 1.9)]) == "tied"
    assert page.standing(cell(5.0, 5.1), [cell(1.0, 1.1)]) == "behind"


def test_rises_of_the_error_are_said():
    def cell(columns, error, square):
        return measure.Cell("k", 1, page.OURS, columns, [error, 1.01 * error], [square, square])

    cells = [cell(10, 1.0, 4.0), cell(20, 2.0, 1.0), cell(50, 2.0, 2.25), cell(100, 0.5, 2.3)]
    said = page.rises_sentence(page.by_panel(cells))
    assert said.startswith("Of 3 steps")
    assert "by more than chance in 1 (at most 2-fold)" in said
    assert "by more than a tenth in 1 (at most 1.5-fold)" in said
    assert page.rises_sentence(page.by_panel(cells[2:])).count("none") == 2


def test_points_lie_in_the_ball():
    X = measure.ball(500, 3, np.random.default_rng(0))
    norms = np.linalg.norm(X, axis=1)
    assert norms.max() <= 1
    # E‖x‖ = d/(d+1); five standard errors of the mean, a false alarm in 2·10⁶.
    assert norms.mean() == pytest.approx(0.75, abs=5 * norms.std() / np.sqrt(500))
