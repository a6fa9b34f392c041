"""Files of more rows than are read at once."""

import json
import sys

import numpy as np
import pytest
from cli_runs import read_csv, run

import seamark as sm

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
RNG = np.random.default_rng(0)
N = 900
NAMES = ["".join(RNG.choice(list("abcdef"), RNG.integers(3, 9))) for _ in range(N)]
SEX = ["f" if "a" in name else "m" for name in NAMES]


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=300):
        yield


COLUMNS = {"name": NAMES, "sex": SEX, "x": RNG.normal(size=N), "run": [1] * N}


@pytest.fixture(params=["parquet", "csv", "tsv"])
def data(tmp_path, request, settings_of):
    settings_of(chunk_rows=400)
    path = tmp_path / f"names.{request.param}"
    if request.param == "parquet":
        pq.write_table(pa.table(COLUMNS), path, row_group_size=400)
        return path
    between = "," if request.param == "csv" else "\t"
    rows = zip(*({**COLUMNS, "name": [f'"{name}"' for name in NAMES]}).values(), strict=True)
    lines = [between.join(map(str, row)) for row in [COLUMNS, *rows]]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_fit_predict_and_assess_read_in_chunks(data, tmp_path, capsys):
    model, out = tmp_path / "names.seamark", tmp_path / "out.csv"
    options = ["--target", "sex", "--column", "name", "--landmarks", 30, "--quiet"]
    kept = tmp_path / "kept"
    assert run("fit", data, *options, "-o", model, "--json", "--checkpoint", kept) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["objects"] == N
    assert said["out_of_fold_accuracy"] > 0.85
    assert list(kept.glob("sums-*.npz"))
    fitted = sm.load(model)
    own = sm.LandmarkClassifier(n_landmarks=30, random_state=0)
    own.fit(NAMES, SEX)
    np.testing.assert_allclose(fitted.head_.coef_, own.head_.coef_, rtol=1e-6, atol=1e-6)

    assert run("predict", model, data, "-o", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == N
    rows = read_csv(out.read_text())
    assert [row["name"] for row in rows] == NAMES
    assert [row["prediction"] for row in rows] == fitted.predict(NAMES).tolist()

    assert run("assess", data, *options[:4], "--json", "--quiet") == 0
    assert "levenshtein" in capsys.readouterr().out.lower()


def test_columns_of_several_kinds_are_read_in_chunks(data, tmp_path, capsys):
    model, out = tmp_path / "table.seamark", tmp_path / "out.csv"
    options = ["--target", "sex", "--column", "name:levenshtein", "--column", "x", "--quiet"]
    assert run("fit", data, *options, "--landmarks", 30, "-o", model, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["objects"] == N
    assert said["out_of_fold_accuracy"] > 0.85
    fitted = sm.load(model)
    assert fitted.n_rows_ == N
    assert run("predict", model, data, "-o", out, "--quiet") == 0
    rows = read_csv(out.read_text())
    right = np.mean([row["prediction"] == row["sex"] for row in rows])
    assert len(rows) == N
    assert right > 0.85


def test_numbers_are_learned_from_columns(data, tmp_path, capsys):
    model = tmp_path / "x.seamark"
    options = ["--target", "x", "--column", "name", "--landmarks", 20, "--quiet"]
    assert run("fit", data, *options, "-o", model) == 0
    assert isinstance(sm.load(model), sm.LandmarkRegressor)


def test_what_needs_all_rows_gets_them(data, tmp_path, capsys):
    model, options = tmp_path / "m.seamark", ["--column", "name", "--landmarks", 20, "--quiet"]
    stars = tmp_path / "stars.parquet"
    pq.write_table(pa.table({"name": NAMES, "stars": [len(name) // 3 for name in NAMES]}), stars)
    assert run("fit", stars, *options, "--target", "stars", "--task", "ordinal", "-o", model) == 0
    assert isinstance(sm.load(model), sm.LandmarkOrdinal)
    assert run("fit", data, "--column", "nam", "--target", "sex", "-o", model, "--force") == 2
    assert "no column 'nam'" in capsys.readouterr().err


def test_a_checkpoint_of_a_short_file_is_refused(data, tmp_path, capsys):
    with sm.engine.using(hashed_from=10**5):
        options = ["--target", "sex", "--column", "name", "--checkpoint", tmp_path / "c", "--quiet"]
        assert run("fit", data, *options, "-o", tmp_path / "m.seamark") == 2
    assert "more rows than are read at once" in capsys.readouterr().err


@pytest.fixture
def text(tmp_path, settings_of):
    """Return what writes a CSV file, of which 400 rows at a time are read."""
    settings_of(chunk_rows=400)

    def write(lines, encoding="utf-8"):
        path = tmp_path / "d.csv"
        path.write_bytes("\r\n".join(lines).encode(encoding))
        return path

    return write


ROWS = [f"{name},{sex}" for name, sex in zip(NAMES, SEX, strict=True)]
FIT = ["--target", "sex", "--column", "name", "--landmarks", 20, "--quiet"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("Anna", "line 836 of {path} has 1 field and the header has 2"),
        ("Anna,", "'sex' is missing in line 836 of {path}"),
        ('"An"na,f', "line 836 of {path} is not valid CSV"),
    ],
)
def test_what_is_wrong_late_in_a_file_names_its_line(text, tmp_path, capsys, row, said):
    path = text(["name,sex", *ROWS[:800], "", *ROWS[800:833], row, *ROWS[834:]])
    assert run("fit", path, *FIT, "-o", tmp_path / "m.seamark") == 2
    assert said.format(path=path) in capsys.readouterr().err
    assert not (tmp_path / "m.seamark").exists()


def test_a_sorted_file_of_another_encoding_is_learned_from(text, tmp_path, capsys):
    path = text(["sep=,", "name,sex", *sorted(ROWS, key=lambda row: row[-1])], "utf-16")
    with sm.engine.using(hashed_from=300):
        assert run("fit", path, *FIT, "-o", tmp_path / "m.seamark", "--json") == 0
    assert json.loads(capsys.readouterr().out)["objects"] == N
    bad = text(["name,sex", *ROWS[:850], "Jos\xe9,m"], "latin-1")
    assert run("fit", bad, *FIT, "-o", tmp_path / "other.seamark") == 2
    assert "is not utf-8 (byte 0xe9)" in capsys.readouterr().err


def test_predictions_are_written_as_they_are_made(text, tmp_path, monkeypatch, capsys):
    """Of all pieces, few are held at any time."""
    path, model = text(["name,sex", *ROWS]), tmp_path / "m.seamark"
    assert run("fit", path, *FIT, "-o", model) == 0
    from seamark.cli import predict

    events, plain = [], predict.predictions

    def predictions(*arguments, **options):
        events.append("predicted")
        return plain(*arguments, **options)

    class Bar(sm.engine.Progress):
        def start(self, total, unit="values"):
            events.append((total, unit))

        def advance(self, amount):
            events.append(amount)

    monkeypatch.setattr(predict, "predictions", predictions)
    monkeypatch.setattr(predict, "progress_bar", lambda shown: Bar() if shown else None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run("predict", model, path, "-o", tmp_path / "out.csv") == 0
    assert events[0] == (N, "rows")
    assert events[1:] == ["predicted", 400] * 2 + ["predicted", 100]
    assert len(read_csv((tmp_path / "out.csv").read_text())) == N
