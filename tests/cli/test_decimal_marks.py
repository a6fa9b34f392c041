"""Numbers of a column are read in one way: with decimal points or commas, never by the cell."""

import pytest
from cli_runs import read_csv, run

from seamark.cli.columns import numbers
from seamark.cli.tables import DataError, Table
from seamark.engine import using
from seamark.saving import contents


def table(*columns, comma=True):
    names = ["abc"[i] for i in range(len(columns))]
    lines = list(range(2, 2 + len(columns[0])))
    return Table("t.csv", dict(zip(names, map(list, columns), strict=True)), lines, comma)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1.234", "1.234,0", "-12,5"], [1234, 1234, -12.5]),
        (["1.234", "12.5", "7"], [1.234, 12.5, 7]),
        (["1.234.567", "1.234", "0"], [1234567, 1234, 0]),
        (["0.123", "1.234", "1e3"], [0.123, 1.234, 1000]),
        (["1234", "5", "-7"], [1234, 5, -7]),
    ],
)
def test_one_cell_tells_for_all(cells, values):
    assert numbers(table(cells), "a").tolist() == values


def test_other_columns_tell_where_a_column_does_not():
    assert numbers(table(["1.234", "5.678"], ["0,5", "1,25"]), "a").tolist() == [1234, 5678]
    assert numbers(table(["1.234", "5.678"], ["0.5", "1.25"]), "a").tolist() == [1.234, 5.678]
    text = ["12,5 kg", "3.5 m"]
    assert numbers(table(["1.234", "5.678"], ["0.5", "1"], text), "a").tolist() == [1.234, 5.678]


def test_both_readings_are_named():
    with pytest.raises(DataError) as said:
        numbers(table(["12,5", "3", "12.5"]), "a")
    assert str(said.value) == (
        "'a' is '12,5' in line 2 of t.csv, with a decimal comma, and '12.5' in line 4 of t.csv, "
        "with a decimal point; write all numbers of the column in one way."
    )
    with pytest.raises(DataError, match=r"1\.234 with a decimal point and 1234 with a decimal co"):
        numbers(table(["1.234", "5.678"]), "a")
    assert numbers(table(["1.234", "5.678"], comma=False), "a").tolist() == [1.234, 5.678]


def write(path, prices, kinds):
    lines = "\n".join(f"{price};{kind}" for price, kind in zip(prices, kinds, strict=True))
    path.write_text(f"price;kind\n{lines}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [("--columns", "price"), ("--all-columns",)])
@pytest.mark.parametrize("long", [False, True])
def test_predict_reads_as_fit_did(tmp_path, capsys, monkeypatch, options, long):
    """A file of one row tells nothing by itself; of a long one the last row tells."""
    prices = [price for i in range(24) for price in (f"1.{110 + 9 * i}", f"{i + 2}")]
    kinds = ["dear", "cheap"] * 25
    path = write(tmp_path / "fit.csv", [*prices, "1.234,5", "7,25"], kinds)
    model, new = tmp_path / "m.seamark", write(tmp_path / "new.csv", ["1.500"], [""])
    monkeypatch.setattr("seamark.cli.training_data.HEAD_ROWS", 20)
    with using(hashed_from=20 if long else 10**6, chunk_rows=20):
        assert run("fit", path, "--target", "kind", *options, "-o", model, "--quiet") == 0
    assert contents(str(model)).about["reading"]["decimals"] == {"price": True}
    capsys.readouterr()
    assert run("predict", model, new) == 0
    assert read_csv(capsys.readouterr().out.replace(";", ","))[0]["prediction"] == "dear"
    assert run("predict", model, write(tmp_path / "odd.csv", ["1.5"], [""])) == 2
    assert "no number with a decimal comma" in capsys.readouterr().err


def test_a_column_of_both_is_refused(tmp_path, capsys):
    path = write(tmp_path / "t.csv", ["12,5", "3.5", "4", "5"] * 5, ["a", "b"] * 10)
    for options in ((), ("--columns", "price"), ("--all-columns",)):
        assert run("fit", path, "--target", "kind", *options, "-o", tmp_path / "m") == 2
        said = capsys.readouterr().err
        assert "decimal comma" in said
        assert "decimal point" in said
