"""The harness of the papers' tables, on a made-up table of two rows."""

import json
import sys

import numpy as np
import pytest
from benchmarks.tables import __main__ as command
from benchmarks.tables import protocol, table_3_1, table_4_1, table_4_2, table_5_1
from benchmarks.tables.page import write_page
from benchmarks.tables.runner import Clock, duration, run
from benchmarks.tables.spec import Cell, Printed, Row, Table, read_printed
from benchmarks.tables.store import Store
from benchmarks.tables.summary import Figure, Results, comparison, distance, verdict
from sklearn.svm import SVC

import seamark as sm

SCORES = {"rival": 0.50, "own": 0.20, "default": 0.10}


class Counted:
    """A cell function that counts its calls."""

    def __init__(self, failing=()):
        self.calls = []
        self.failing = failing

    def __call__(self, cell, row, data):
        self.calls.append(cell)
        if cell.method in self.failing:
            raise ValueError("no such thing | today")
        return {"score": SCORES[cell.method] + 0.01 * cell.split, "seconds": 1.5}


def fake_table(evaluate, definition="first", **changes):
    parameters = {
        "name": "0.0",
        "title": "A made-up table",
        "score": "mean error",
        "lower_is_better": True,
        "rows": (Row("here", "tabular/here"), Row("away", "tabular/away", remark="never seen")),
        "methods": ("rival", "own"),
        "own": ("own",),
        "default": "default",
        "load": lambda row, folder: np.load(folder / f"{row.data}.npz")["X"],
        "evaluate": evaluate,
        "define": lambda cell, row: definition,
        "printed": {
            ("here", "own"): Printed("1.2e-01", "3e-02"),
            ("away", "own"): Printed("0.3", "0.1"),
        },
        "source": "nowhere",
        "protocol": ("Two splits.",),
        "n_splits": 2,
        "quick_splits": 1,
        "n_landmarks": 5,
    }
    return Table(**parameters | changes)


@pytest.fixture
def store(tmp_path):
    (tmp_path / "data" / "tabular").mkdir(parents=True)
    np.savez(tmp_path / "data" / "tabular" / "here.npz", X=np.eye(3))
    return Store(tmp_path / "results", tmp_path / "data")


def quiet(*_):
    pass


def run_all(table, store, **options):
    return run(table, store, list(table.cells()), say=quiet, **options)


def test_a_second_run_finds_the_cells_of_the_first(store):
    evaluate = Counted()
    run_all(fake_table(evaluate), store)
    assert len(evaluate.calls) == 2 * 3  # two splits, three methods, the one row that has data
    run_all(fake_table(evaluate), store)
    assert len(evaluate.calls) == 6
    run_all(fake_table(evaluate), store, fresh=True)
    assert len(evaluate.calls) == 12


def test_a_run_that_was_cut_short_resumes(store):
    evaluate = Counted()
    table = fake_table(evaluate)
    cells = [cell for cell in table.cells() if cell.row == "here"]
    run(table, store, cells[:4], say=quiet)
    run_all(table, store)
    assert evaluate.calls == cells


def test_a_changed_method_or_data_set_is_run_again(store):
    evaluate = Counted()
    run_all(fake_table(evaluate), store)
    run_all(fake_table(evaluate, definition="second"), store)
    assert len(evaluate.calls) == 12
    moved = Store(store.folder, store.data.parent / "other")
    (moved.data / "tabular").mkdir(parents=True)
    np.savez(moved.data / "tabular" / "here.npz", X=np.zeros((3, 3)))
    run_all(fake_table(evaluate), moved)
    assert len(evaluate.calls) == 18


def test_cells_are_kept_as_readable_files(store):
    table = fake_table(Counted())
    run_all(table, store)
    files = sorted((store.folder / "0.0").iterdir())
    assert len(files) == 6
    assert {path.suffix for path in files} == {".json"}
    content = json.loads(files[0].read_text())
    assert {"row", "method", "split", "score", "seconds", "definition", "code"} <= content.keys()


def test_quick_cells_are_some_of_all_cells():
    table = fake_table(Counted(), curve=(2, 9), curve_methods=("own",), curve_splits=2)
    everything = list(table.cells())
    assert set(table.cells(quick=True)) < set(everything)
    assert len(everything) == len(set(everything)) == 2 * 2 * 3 + 2 * 2 * 2


def test_the_curve_ends_where_objects_do():
    row = Row("small", "tabular/here", most_landmarks=8)
    table = fake_table(Counted(), rows=(row,), curve=(2, 9), curve_methods=("own",))
    assert {cell.n_landmarks for cell in table.cells()} == {2, 5, None}  # None: the default


def test_missing_data_are_reported_and_not_failed(store, tmp_path):
    table, said = fake_table(Counted()), []
    failures = run(table, store, list(table.cells()), say=said.append)
    assert failures == {}
    assert said[0] == "0.0 | away: missing, no tabular/away.npz in the data folder"
    page = write_page(Results.of(table, store, failures), tmp_path).read_text()
    assert "| away | **own** | 0.3 (0.1) | data missing |" in page
    assert "- away: missing, `tabular/away.npz` is not in the data folder." in page


def test_the_page_has_the_figures(store, tmp_path):
    table = fake_table(Counted())
    page = write_page(Results.of(table, store, run_all(table, store)), tmp_path).read_text()
    own = next(line for line in page.splitlines() if line.startswith("| here | **own**"))
    assert "| 1.2e-01 (3e-02) | 0.205 ± 0.007 (2) | 1.5 | **no**, worse by 0.085 (71%) |" in own
    assert own.endswith("| 0.105 ± 0.007 (2) | 1.5 | win |")
    assert "0 of 1 are reached" in page
    assert "1 wins, 0 ties" in page
    assert "- away: never seen." in page
    assert "- Two splits." in page


def test_a_failure_costs_only_its_own_cells(store, tmp_path):
    table = fake_table(Counted(failing=("rival",)))
    failures = run_all(table, store)
    assert {cell.method for cell in failures} == {"rival"}
    page = write_page(Results.of(table, store, failures), tmp_path).read_text()
    assert "| failed: ValueError: no such thing / today |" in page
    assert "0.205" in page


def test_the_plot_is_written_where_there_is_a_curve(store, tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks.tables.plot import write_plot

    flat = fake_table(Counted())
    assert write_plot(Results.of(flat, store, {}), tmp_path) is None
    curved = fake_table(Counted(), curve=(2, 9), curve_methods=("own",))
    run_all(curved, store)
    assert write_plot(Results.of(curved, store, {}), tmp_path) == "0.0.png"
    assert (tmp_path / "0.0.png").stat().st_size > 1000


def test_verdicts_know_the_printed_digits():
    printed = Printed("6.2e-03", "8.4e-04")
    assert verdict(Figure(0.00624, 0, 1, 5), printed, True) == "yes"
    assert verdict(Figure(0.00626, 0, 1, 5), printed, True).endswith("within the paper's sd")
    assert verdict(Figure(0.00950, 0, 1, 5), printed, True).endswith("(53%)")
    accuracy = Printed("0.94", "0.01")
    assert verdict(Figure(0.936, 0, 1, 5), accuracy, False) == "yes"
    assert verdict(Figure(0.92, 0, 1, 5), accuracy, False).startswith("**no**, worse by 0.02")
    assert distance(Figure(0.0093, 0, 1, 5), printed) == "(+50%)"


def test_a_default_wins_ties_or_loses():
    ours = Figure(0.5, 0.02, 1, 5)
    for mean, said in ((0.45, "win"), (0.51, "tie"), (0.55, "**loss**")):
        assert comparison(Figure(mean, 0.01, 1, 5), ours, True) == said
    assert comparison(Figure(0.55, 0.01, 1, 5), ours, False) == "win"
    assert comparison(Figure(0.55, 0.0, 1, 1), ours, False) == "–"


def test_the_clock_guesses_from_what_is_most_alike():
    cells = [cell for cell in fake_table(Counted()).cells() if cell.split == 0]
    clock = Clock()
    assert clock.guess(cells) == 0
    clock.saw(cells[0], 2.0)
    clock.saw(cells[1], 4.0)
    assert clock.guess([cells[0]]) == 2.0
    assert clock.guess([cells[2]]) == 3.0  # a method not seen yet: the mean of all
    assert clock.guess([cells[4]]) == 4.0  # the same method on another row
    assert (duration(99), duration(600)) == ("99 s", "10 min")


@pytest.mark.parametrize("build", [table_5_1.regression, table_5_1.ordinal])
def test_every_row_has_its_printed_figures(build):
    table = build()
    assert len(table.rows) == 12
    assert set(table.printed) == {(row.name, m) for row in table.rows for m in ("KR", *table.own)}
    assert read_printed(table.name)[1].startswith("P. Kar")


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("build", [table_5_1.regression, table_5_1.ordinal])
def test_every_method_runs_on_a_small_problem(build, rng):
    table = build()
    X = rng.uniform(size=(60, 3))
    y = X[:, 0] if table.name == "5.1a" else protocol.equal_frequency(X[:, 0], 3)
    for row in table.rows[:2]:
        for method in (*table.methods, table.default):
            cell = Cell(table.name, row.name, method, 0, 20)
            result = table.evaluate(cell, row, table_5_1.Problem(X, y))
            assert 0 <= result["score"] < 1
            assert (result["n_train"], result["n_test"]) == (42, 18)


@pytest.mark.parametrize("build", [table_4_1.few_landmarks, table_4_1.many_landmarks])
def test_every_method_runs_on_a_small_matrix(build, rng):
    table, y = build(), np.repeat([0, 1, 2], 20)
    assert set(table.printed) == {
        (name, method) for name in table_4_1.NAMES for method in ("BBS", "DBOOST", "FTUNE+D-S")
    }
    places = rng.normal(size=(60, 1)) + 9 * y[:, None]
    problem = table_4_1.Problem(np.exp(-np.abs(places - places.T) / 9).astype(np.float32), y)
    for method in (*table.methods, table.default):
        cell = Cell(table.name, "Voting", method, 0, 20)
        result = table.evaluate(cell, table.row("Voting"), problem)
        assert result["score"] > 0.7
        assert (result["n_train"], result["n_test"]) == (48, 12)


@pytest.mark.parametrize("build", [table_4_2.few_landmarks, table_4_2.many_landmarks])
def test_every_classifier_runs_on_a_small_problem(build, rng):
    table, y = build(), np.repeat([0, 1, 2], 20)
    assert len(table.printed) == len(table.rows) * len(table.methods) == 48
    problem = table_4_2.Problem(rng.normal(size=(60, 2)) + 9 * y[:, None], y)
    for method in (*table.methods, table.default):
        cell = Cell(table.name, "Magic", method, 0, 20)
        result = table.evaluate(cell, table.row("Magic"), problem)
        assert result["score"] > 0.7
        assert (result["n_train"], result["n_test"]) == (42, 18)


def test_an_exact_kernel_predicts_in_blocks_as_it_does_at_once(monkeypatch, rng):
    X, new = rng.uniform(size=(60, 3)), rng.uniform(size=(25, 3))
    y = X[:, 0] * X[:, 1] > 0.2
    model = table_3_1.exact(sm.measures.Exponential(0.5)).fit(X, y)
    at_once = SVC(C=10.0, kernel="precomputed").fit(np.exp(4 * X @ X.T), y)
    monkeypatch.setattr(table_3_1, "BLOCK_ROWS", 10)
    np.testing.assert_array_equal(model.predict(new), at_once.predict(np.exp(4 * new @ X.T)))


@pytest.mark.parametrize("name", command.TABLES)
def test_definitions_are_the_same_in_every_process(name):
    # They are parts of keys: with the address of an object in it no cell would be found again.
    table = command.TABLES[name]()
    for cell in table.cells(quick=True):
        assert " at 0x" not in table.define(cell, table.row(cell.row))


def test_rows_that_are_not_run_are_shown_with_the_reason(monkeypatch, tmp_path):
    words = f"tables --table sd-2 --quick --data {tmp_path} --results {tmp_path / 'r'}"
    monkeypatch.setattr(sys, "argv", [*words.split(), "--out", str(tmp_path / "o")])
    with pytest.raises(SystemExit):
        command.main()
    page = (tmp_path / "o" / "sd-2.md").read_text("utf-8")
    assert "| reuters | Joint | 8.96 | 173.3 | not run |" in page
    assert "- reuters: not run, as RCV1-v2" in page
    assert "The paper's claim: joint optimisation" in page


def test_the_command_says_how_to_name_the_data(monkeypatch):
    monkeypatch.delenv("SEAMARK_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["tables"])
    with pytest.raises(SystemExit, match="Set SEAMARK_DATA"):
        command.main()


def test_the_command_writes_a_page_even_without_any_data(monkeypatch, tmp_path):
    words = f"tables --table 5.1a --quick --data {tmp_path} --results {tmp_path / 'r'}"
    monkeypatch.setattr(sys, "argv", [*words.split(), "--out", str(tmp_path / "o")])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert not ended.value.code
    assert (tmp_path / "o" / "5.1a.md").read_text().count("data missing") == 36
