"""Several columns of several kinds on the command line."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cli_runs import read_csv, run, write_csv

from seamark.cli.tables import table_lines


@pytest.fixture
def shop(tmp_path):
    rng = np.random.default_rng(0)
    n = 120
    kind = rng.integers(2, size=n)
    price = (rng.normal(size=n) + kind).round(3).astype(str)
    price[5], price[7] = "", "NA"
    names = ["".join(rng.choice(list("abc" if k else "bcd"), 6)) for k in kind]
    names[3] = ""
    columns = {
        "id": np.arange(n),
        "name": names,
        "price": price,
        "colour": rng.choice(["red", "blue"], n),
        "sold": [f"2024-{m:02d}-03" for m in rng.integers(1, 13, n)],
        "kind": np.where(kind, "good", "bad"),
    }
    return write_csv(tmp_path / "shop.csv", columns)


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (["--all-columns"], ["name", "colour", "sold", "price"]),
        (["--column", "name:indel", "--column", "price"], ["name", "price"]),
        (["--column", "name:levenshtein"], ["name"]),
        (["--all-columns", "--column", "name:jaro_winkler"], ["name", "colour", "sold", "price"]),
    ],
)
def test_several_columns_are_fitted_and_predicted(shop, options, columns, tmp_path, capsys):
    model = tmp_path / "m"
    assert run("fit", shop, "--target", "kind", *options, "-o", model, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["out_of_fold_accuracy"] > 0.8
    read = [part.split(":")[0].split(", ") for part in summary["using"].split("; ")]
    assert {name for names in read for name in names} <= set(columns)
    assert run("predict", model, shop) == 0
    rows = read_csv(capsys.readouterr().out)
    right = [row["prediction"] == row["kind"] for row in rows]
    assert len(rows) == 120
    assert np.mean(right) > 0.85


def test_identifiers_are_left_out_of_all_columns_with_a_note(shop, tmp_path, capsys):
    run("fit", shop, "--target", "kind", "--all-columns", "-o", tmp_path / "m")
    assert "not used: id (looks like an identifier)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "name", "--column", "prise"], "no column 'prise'.*price"),
        (["--column", "name:levenstein", "--column", "price"], "unknown measure 'levenstein'"),
        (["--column", "name", "--column", "name"], "named twice"),
        (["--column", "name", "--column", "kind"], "'kind' is the --target"),
        (["--all-columns", "--measure", "dtw"], "say measures as --column NAME:MEASURE"),
        (["--all-columns", "--columns", "price"], "--columns does not go with several"),
        (["--column", "colour:gaussian", "--column", "price"], "'colour' is .* in line 2 of"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(shop, options, message, tmp_path, capsys):
    assert run("fit", shop, "--target", "kind", *options, "-o", tmp_path / "m") == 2
    said = capsys.readouterr().err
    assert len(said.strip().splitlines()) == 1
    import re

    assert re.search(message, said)


def test_other_cells_at_predict_are_named_by_line(shop, tmp_path, capsys):
    model = tmp_path / "m"
    fitted = ["--column", "name", "--column", "price"]
    assert run("fit", shop, "--target", "kind", *fitted, "-o", model, "--quiet") == 0
    new = write_csv(tmp_path / "new.csv", {"name": ["abc", "bcd"], "price": ["1.5", "dear"]})
    capsys.readouterr()
    assert run("predict", model, new) == 2
    assert "'price' is 'dear' in line 3 of" in capsys.readouterr().err


def test_a_page_names_target_and_file_and_the_important_columns_are_printed(shop, tmp_path, capsys):
    page = tmp_path / "m.html"
    given = ("--target", "kind", "--all-columns", "-o", tmp_path / "m", "--html", page)
    assert run("fit", shop, *given, "--quiet") == 0
    printed = capsys.readouterr().out
    assert "accuracy falls most without" in printed
    html = page.read_text(encoding="utf-8")
    assert "<h1>kind of shop.csv: " in html
    rows = Path(shop).read_text(encoding="utf-8").splitlines()
    name, line = re.search(
        r"name (\w{6});[^<]*</bdi><div class=\"meta\">.*?<span>line (\d+)<", html
    ).groups()
    assert f",{name}," in rows[int(line) - 1]


def test_assess_compares_columns_and_recommends_the_best(shop, tmp_path, capsys):
    page = tmp_path / "p.html"
    assert run("assess", shop, "--target", "kind", "--html", page) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[1].startswith("all columns together")
    assert any(line.startswith("name: ") for line in lines)
    assert "not used: id (looks like an identifier)" in said.err
    html = page.read_text(encoding="utf-8")
    assert html.count("model = sm.") == 1
    assert "model = sm.LandmarkClassifier().fit(X, y)" in html
    assert run("assess", shop, "--target", "kind", "--column", "name:indel", "--json") == 0
    titles = [one["title"] for one in json.loads(capsys.readouterr().out)]
    assert titles[-1].startswith("name: Indel()") or titles[0].startswith("name: Indel()")
    assert run("assess", shop, "--target", "kind", "--columns", "id", "--measure", "auto") == 0
    assert "several measures together" in capsys.readouterr().out


def test_a_file_that_says_odd_kinds_is_refused(shop, tmp_path, capsys):
    import seamark as sm

    model = tmp_path / "m"
    assert run("fit", shop, "--target", "kind", "--all-columns", "-o", model, "--quiet") == 0
    about = {"reading": {"table": {"name": "__import__"}}}
    sm.save(sm.load(model), model, overwrite=True, about=about)
    assert run("predict", model, shop) == 2
    assert "this version cannot read" in capsys.readouterr().err


def test_coverage_and_novelty_of_predictions(shop, tmp_path, capsys):
    model = tmp_path / "m"
    given = ("--target", "kind", "--column", "name:levenshtein", "-o", model, "--quiet")
    assert run("fit", shop, *given) == 0
    new = write_csv(tmp_path / "new.csv", {"name": ["abcabc", "zzzzzzzzzzzzzzzzzzzzzzzzz"]})
    capsys.readouterr()
    assert run("predict", model, new, "--coverage", "0.8", "--novelty") == 0
    rows = read_csv(capsys.readouterr().out)
    assert set(rows[0]) == {"name", "prediction", "prediction_set", "prediction_novelty"}
    assert rows[0]["prediction_set"] in ("good", "bad", "bad|good", "")
    assert float(rows[0]["prediction_novelty"]) < 0.9
    assert float(rows[1]["prediction_novelty"]) > 0.95
    number = ["--target", "price", "--task", "regress", "--column", "name"]
    mended = (tmp_path / "shop.csv").read_text().replace(",NA,", ",0,").replace(",,", ",0,")
    (tmp_path / "shop.csv").write_text(mended)
    assert run("fit", shop, *number, "-o", tmp_path / "r", "--quiet") == 0
    capsys.readouterr()
    assert run("predict", tmp_path / "r", new, "--coverage", "0.9") == 0
    row = read_csv(capsys.readouterr().out)[0]
    low, middle, high = (float(row[f"prediction{end}"]) for end in ("_low", "", "_high"))
    assert low < middle < high
    assert run("predict", tmp_path / "r", new, "--coverage", "90") == 2


@pytest.fixture
def dated(tmp_path):
    """A table whose dates count, and where a name is missing."""
    rng = np.random.default_rng(1)
    month = rng.integers(1, 13, 90)
    names = ["".join(rng.choice(list("abc"), 4)) for _ in month]
    names[7] = ""
    columns = {
        "name": names,
        "sold": [f"2024-{m:02d}-05" for m in month],
        "price": rng.normal(size=90).round(2),
        "season": np.where((month > 3) & (month < 10), "warm", "cold"),
    }
    model = tmp_path / "m"
    data = write_csv(tmp_path / "sold.csv", columns)
    assert run("fit", data, "--target", "season", "--all-columns", "-o", model, "--quiet") == 0
    return model, data, tmp_path


def test_dates_are_read_again_when_rows_are_predicted(dated, capsys):
    model, data, _ = dated
    capsys.readouterr()
    assert run("predict", model, data) == 0
    rows = read_csv(capsys.readouterr().out)
    assert np.mean([row["prediction"] == row["season"] for row in rows]) > 0.95


def test_rows_of_a_table_are_explained_by_their_columns(dated, capsys):
    model, data, _ = dated
    capsys.readouterr()
    assert run("explain", model, data, "--rows", "2", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said) == 2
    first = read_csv(Path(data).read_text(encoding="utf-8"))[0]
    assert f"sold {first['sold']}" in said[0]["object"]
    for one in said:
        names = [reason["landmark"] for reason in one["reasons"]]
        assert {"June", "July"} & set(names)
        assert not any(name.startswith("x0") for name in names)
        assert sum(line["contribution"] for line in one["lines"]) == pytest.approx(one["score"])


def test_semicolons_bring_decimal_commas_and_points_in_dates(tmp_path, capsys):
    """As spreadsheets write tables in much of the world."""
    rng = np.random.default_rng(1)
    weight, month = rng.random(90) * 3000, rng.integers(1, 13, 90)
    written = [f"{w:,.2f}".translate(str.maketrans(",.", ".,")) for w in weight]  # 1.234,56
    price = [f"{p:.1f}".replace(".", ",") for p in weight / 10 + month]
    written[4] = "n/a"
    dates = [f"{i % 28 + 1}.{m}.2024" for i, m in enumerate(month)]
    rows = map(";".join, zip(written, dates, price, strict=True))
    data = tmp_path / "t.csv"
    data.write_text("\n".join(["weight;sold;price", *rows]))
    fit = ["fit", data, "--target", "price", "--all-columns", "-o", tmp_path / "m", "--json"]
    assert run(*fit) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["task"] == "regress"
    assert said["out_of_fold_r2"] > 0.8
    assert re.search(r"sold: dates \([^)]+%\)", said["using"])
    assert re.search(r"weight: [^;]*manhattan \([^)]+%\)", said["using"])
    assert run("predict", tmp_path / "m", data) == 0
    assert read_csv(capsys.readouterr().out)[0]["weight"] == written[0]


def test_decimal_commas_between_commas_are_in_doubt_despite_gaps(tmp_path, capsys):
    columns = {"w": ["1,5", "n/a", "2,5", "3,5"] * 5, "c": list("aabb") * 5, "y": list("aabb") * 5}
    data = write_csv(tmp_path / "t.csv", columns)
    assert run("fit", data, "--target", "y", "--all-columns", "-o", tmp_path / "m") == 2
    assert "decimal commas; write points" in capsys.readouterr().err


def test_a_column_that_fit_dropped_may_be_absent_from_new_rows(tmp_path, capsys):
    rng = np.random.default_rng(0)
    kind = np.arange(120) % 2
    columns = {
        "name": ["".join(rng.choice(list("abc" if k else "bcd"), 6)) for k in kind],
        "price": (rng.normal(size=120) + 3 * kind).round(3),
        "junk": ["".join(rng.choice(list("uvw"), 6)) for _ in kind],
        "kind": np.where(kind, "good", "bad"),
    }
    data, model = write_csv(tmp_path / "shop.csv", columns), tmp_path / "m"
    assert run("fit", data, "--target", "kind", "--all-columns", "-o", model, "--json") == 0
    assert "junk" not in json.loads(capsys.readouterr().out)["using"]
    assert run("predict", model, data) == 0
    before = [row["prediction"] for row in read_csv(capsys.readouterr().out)]
    del columns["junk"]
    assert run("predict", model, write_csv(tmp_path / "new.csv", columns)) == 0
    assert [row["prediction"] for row in read_csv(capsys.readouterr().out)] == before
    del columns["price"]
    assert run("predict", model, write_csv(tmp_path / "less.csv", columns)) == 2
    assert "price" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_numbers_of_single_precision_are_written_with_their_own_digits(form):
    row = [float(np.float32(8.8)), np.float32(0.1), 0.1, 1 / 3, 123456792.0, 2.5, np.inf, "8.80"]
    names = [f"c{k}" for k in range(len(row))]
    text = list(table_lines(form, names, [row]))[-1]
    cells = json.loads(text).values() if form == "jsonl" else re.split("[,\t]", text.strip())
    wanted = ["8.8", "0.1", "0.1", "0.3333333333333333", "123456792.0", "2.5", "inf", "8.80"]
    assert [str(cell) for cell in cells] == wanted


def test_thousands_are_explained_in_terms_of_the_file(tmp_path, capsys):
    prices = [f"{1000 + 37 * k:,}.00" for k in range(60)]
    kinds = ["low", "high"] * 30
    data = write_csv(tmp_path / "t.csv", {"price": prices, "x": [0.5, 2.5] * 30, "kind": kinds})
    model = tmp_path / "m"
    assert run("fit", data, "--target", "kind", "--all-columns", "-o", model) == 0
    said = capsys.readouterr().err
    assert (
        "'1,000.00' are text, and are compared as text; write them without commas, as 1234.00"
        in said
    )
    assert "pandas" not in said
    given = ("--target", "price", "--task", "regress", "--column", "kind", "-o", model, "--force")
    assert run("fit", data, *given) == 2
    assert "which is no number; write 1000.00, without commas" in capsys.readouterr().err
