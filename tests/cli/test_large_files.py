"""Parquet files of more rows than are read at once."""

import json

import numpy as np
import pytest
from cli_runs import read_csv, run

import seamark as sm

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
RNG = np.random.default_rng(0)
NAMES = ["".join(RNG.choice(list("abcdef"), RNG.integers(3, 9))) for _ in range(1500)]
SEX = ["f" if "a" in name else "m" for name in NAMES]


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=300):
        yield


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "names.parquet"
    columns = {"name": NAMES, "sex": SEX, "x": RNG.normal(size=1500), "run": [1] * 1500}
    pq.write_table(pa.table(columns), path, row_group_size=400)
    return path


def test_fit_predict_and_assess_read_in_chunks(data, tmp_path, capsys):
    model, out = tmp_path / "names.seamark", tmp_path / "out.csv"
    options = ["--target", "sex", "--column", "name", "--landmarks", 30, "--quiet"]
    kept = tmp_path / "kept"
    assert run("fit", data, *options, "-o", model, "--json", "--checkpoint", kept) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["objects"] == 1500
    assert said["out_of_fold_accuracy"] > 0.85
    assert list(kept.glob("sums-*.npz"))
    fitted = sm.load(model)
    own = sm.LandmarkClassifier("levenshtein", n_landmarks=30, random_state=0)
    own.fit(NAMES, SEX)
    np.testing.assert_allclose(fitted.head_.coef_, own.head_.coef_, rtol=1e-6, atol=1e-6)

    assert run("predict", model, data, "-o", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 1500
    rows = read_csv(out.read_text())
    assert [row["name"] for row in rows] == NAMES
    assert [row["prediction"] for row in rows] == fitted.predict(NAMES).tolist()

    assert run("assess", data, *options[:4], "--json", "--quiet") == 0
    assert "levenshtein" in capsys.readouterr().out.lower()


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
