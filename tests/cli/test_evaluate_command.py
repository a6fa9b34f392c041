"""`seamark evaluate` says what scikit-learn's metrics say, with intervals."""

import json
import re

import numpy as np
import pytest
from cli_runs import read_csv, run, write_csv
from sklearn.metrics import confusion_matrix, f1_score, mean_absolute_error, ndcg_score, r2_score

import seamark as sm

rng = np.random.default_rng(0)
N = 240


def table(n, seed):
    rng = np.random.default_rng(seed)
    names = ["".join(rng.choice(list("abcdef"), 6)) for _ in range(n)]
    x = rng.normal(size=n).round(3)
    has_a = np.array(["a" in name for name in names])
    return {
        "name": names,
        "x": x,
        "sex": np.where(has_a ^ (rng.random(n) < 0.1), "f", "m"),
        "size": (np.array([name.count("b") for name in names]) + x).round(3),
        "stars": np.digitize(x, [-0.5, 0.5]),
        "query": np.arange(n) // 10,
        "tags": [";".join(c for c in "ab" if c in name) for name in names],
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    return write_csv(folder / "train.csv", table(N, 0)), write_csv(
        folder / "test.csv", table(90, 1)
    )


def evaluated(files, tmp_path, capsys, *given, more=()):
    model = tmp_path / "m.seamark"
    assert run("fit", files[0], *given, "-o", model, "--quiet") == 0
    capsys.readouterr()
    assert run("evaluate", model, files[1], *more, "--json", "--quiet") == 0
    return sm.load(model), json.loads(capsys.readouterr().out)


def test_classes(files, tmp_path, capsys):
    given = ("--target", "sex", "--column", "name")
    model, said = evaluated(files, tmp_path, capsys, *given)
    test = table(90, 1)
    found, y = model.predict(test["name"]), test["sex"]
    assert said["accuracy"] == round(float(np.mean(found == y)), 4)
    low, high = said["accuracy_interval"]
    assert low < said["accuracy"] < high
    assert said["accuracy_of_a_constant"] == round(max(np.mean(y == "f"), np.mean(y == "m")), 4)
    counts = [[said["confusion"][a].get(b, 0) for b in "fm"] for a in "fm"]
    np.testing.assert_array_equal(counts, confusion_matrix(y, found))
    assert sum(step["rows"] for step in said["calibration"]) == 90
    chances = model.predict_proba(test["name"]).max(axis=1)
    means = [step["probability"] * step["rows"] for step in said["calibration"]]
    assert sum(means) == pytest.approx(chances.sum(), abs=0.1)


def test_numbers(files, tmp_path, capsys):
    given = ("--target", "size", "--column", "name", "--column", "x")
    _, said = evaluated(files, tmp_path, capsys, *given)
    assert run("predict", tmp_path / "m.seamark", files[1], "-o", tmp_path / "o.csv") == 0
    pd = pytest.importorskip("pandas", reason="reads predictions")
    rows = pd.read_csv(tmp_path / "o.csv")
    assert said["r2"] == pytest.approx(r2_score(rows["size"], rows["prediction"]), abs=1e-4)
    error = mean_absolute_error(rows["size"], rows["prediction"])
    assert said["error"] == pytest.approx(error, rel=1e-3)
    assert said["r2_interval"][0] < said["r2"] < said["r2_interval"][1]
    assert 0.75 <= said["within_interval"] <= 1


def test_a_page_on_numbers_shows_predicted_against_actual(files, tmp_path):
    model, html = tmp_path / "m.seamark", tmp_path / "p.html"
    given = ("--target", "size", "--column", "name", "--column", "x", "-o", model, "--quiet")
    assert run("fit", files[0], *given) == 0
    assert run("evaluate", model, files[1], "--html", html, "--quiet") == 0
    text = html.read_text()
    chart = text[text.index("Predicted against actual".lower()) :]
    assert chart[: chart.index("</svg>")].count("<circle") == 90 + 2  # and the ends of the line


def test_the_interval_of_r2_holds_what_other_rows_give():
    """Of 200 samples of one kind, about 95 % of intervals hold the R² of very many rows."""
    from seamark.cli.evaluate import _number_scores

    rng, held = np.random.default_rng(1), 0
    for _ in range(200):
        y = rng.normal(size=150)
        scores = _number_scores(y, y + rng.normal(scale=0.5, size=150))
        held += scores["r2_interval"][0] <= 0.75 <= scores["r2_interval"][1]
    assert 178 <= held <= 199  # 0.95 of 200, four standard deviations


@pytest.mark.parametrize("task", ["ordinal", "rank"])
def test_grades_and_ranks(files, tmp_path, capsys, task):
    more = ("--query", "query") if task == "rank" else ()
    given = ("--target", "stars", "--columns", "x", "--task", task, *more)
    model, said = evaluated(files, tmp_path, capsys, *given)
    test = table(90, 1)
    found = model.predict(np.array(test["x"])[:, None])
    if task == "ordinal":
        assert said["accuracy"] == round(float(np.mean(found == test["stars"])), 4)
        return
    gains = [
        ndcg_score([test["stars"][test["query"] == q]], [found[test["query"] == q]])
        for q in range(9)
    ]
    assert said["ndcg"] == pytest.approx(np.mean(gains), abs=1e-4)


def test_labels(files, tmp_path, capsys):
    given = ("--target", "tags", "--separator", ";", "--column", "name")
    model, said = evaluated(files, tmp_path, capsys, *given)
    test = table(90, 1)
    truth = np.array([[c in name for c in "ab"] for name in test["name"]])
    found = model.predict(test["name"]) > 0
    assert said["all_right"] == pytest.approx((truth == found).all(axis=1).mean(), abs=1e-4)
    assert said["f1"] == pytest.approx(f1_score(truth, found, average="micro"), abs=1e-4)


def test_people_read_it_and_a_page_is_written(files, tmp_path, capsys):
    model, html = tmp_path / "m.seamark", tmp_path / "p.html"
    assert run("fit", files[0], "--target", "sex", "-o", model, "--quiet") == 0
    capsys.readouterr()
    assert run("evaluate", model, files[1], "--html", html) == 0
    said = capsys.readouterr()
    assert "95 % interval" in said.out
    assert "predicted as" in said.out
    assert "answers were right" in said.out
    assert said.err.endswith(f"wrote {html}\n")
    assert "can probabilities be believed?" in html.read_text()
    assert run("evaluate", model, files[1], "--html", html) == 2
    assert run("evaluate", model, files[1], "--html", files[1], "--force") == 2
    assert "are the same file" in capsys.readouterr().err


def test_what_is_missing_or_unknown_is_said(files, tmp_path, capsys, settings_of):
    model, test = tmp_path / "m.seamark", table(90, 1)
    assert run("fit", files[0], "--target", "sex", "--column", "name", "-o", model) == 0
    other = write_csv(tmp_path / "o.csv", test | {"sex": ["", "x", *test["sex"][2:]]})
    capsys.readouterr()
    assert run("evaluate", model, other) == 2
    assert "'sex' is missing in line 2" in capsys.readouterr().err
    assert run("evaluate", model, other, "--drop-missing-target") == 0
    said = capsys.readouterr().out
    assert "rows without target  1" in said
    assert "class 'x'" in said
    settings_of(chunk_rows=40)
    with sm.engine.using(hashed_from=50):
        assert run("evaluate", model, other, "--drop-missing-target") == 0
    assert capsys.readouterr().out == said
    renamed = write_csv(tmp_path / "r.csv", {"name": test["name"], "gender": test["sex"]})
    assert run("evaluate", model, renamed) == 2
    assert "no column 'sex'" in capsys.readouterr().err
    assert run("evaluate", model, renamed, "--target", "gender") == 0
    fitted = sm.LandmarkClassifier("levenshtein", random_state=0).fit(test["name"], test["sex"])
    sm.save(fitted, tmp_path / "python")
    assert run("evaluate", tmp_path / "python", other, "--column", "name") == 2
    assert "with --target" in capsys.readouterr().err


def test_coverage_by_class_and_by_group_is_that_of_python(files, tmp_path, capsys):
    """The options of the command do what the parameters of `predict_set` do."""
    held_out = table(200, 2)
    calibration = write_csv(tmp_path / "c.csv", held_out)
    test, model = table(90, 1), tmp_path / "m.seamark"
    given = ("--target", "sex", "--column", "name", "-o", model, "--quiet")
    assert run("fit", files[0], *given) == 0
    fitted = sm.load(model)
    held = (held_out["name"], held_out["sex"])
    groups = list(map(str, test["stars"]))
    own = list(map(str, held_out["stars"]))
    for options, parameters in (
        ([], {}),
        (["--by-class"], {"by_class": True}),
        (["--calibration", calibration], {"calibration": held}),
        (
            ["--calibration", calibration, "--groups", "stars"],
            {"calibration": (*held, own), "groups": groups},
        ),
    ):
        sets = fitted.predict_set(test["name"], 0.8, **parameters)
        capsys.readouterr()
        assert run("predict", model, files[1], "--coverage", 0.8, *options) == 0
        rows = read_csv(capsys.readouterr().out)
        wanted = ["|".join(fitted.classes_[one]) for one in sets]
        assert [row["prediction_set"] for row in rows] == wanted
        assert run("evaluate", model, files[1], "--coverage", 0.8, *options, "--json") == 0
        said = json.loads(capsys.readouterr().out)
        within = (sets & (test["sex"][:, None] == fitted.classes_)).any(axis=1)
        assert said["coverage"] == 0.8
        assert said["within_set"] == round(float(within.mean()), 4)
        assert said["classes_in_a_set"] == round(float(sets.sum(axis=1).mean()), 2)
        for label, share in said["within_by_class"].items():
            assert share == round(float(within[test["sex"] == label].mean()), 4)
    for group, share in said["within_by_group"].items():
        assert share == round(float(within[np.array(groups) == group].mean()), 4)
    assert run("evaluate", model, files[1], "--by-class", "--groups", "stars") == 0
    text = capsys.readouterr().out
    assert re.search(
        r"90% sets +hold [0-9.]+% of the true classes, with [0-9.]+ classes each", text
    )
    assert re.search(r"  of 'f' +hold [0-9.]+%", text)
    assert re.search(r"  of '2' +hold [0-9.]+%", text)


def test_options_of_coverage_that_do_not_fit_are_named(files, tmp_path, capsys):
    model = tmp_path / "m.seamark"
    given = ("--target", "size", "--column", "name", "--column", "x", "-o", model, "--quiet")
    assert run("fit", files[0], *given) == 0
    for options, message in (
        (["--by-class"], "go with --coverage"),
        (["--coverage", 0.9, "--by-class"], "--by-class is for classes"),
        (["--coverage", 0.9, "--groups", "stars"], "--groups needs --calibration"),
    ):
        assert run("predict", model, files[1], *options) == 2
        assert message in capsys.readouterr().err
    assert run("evaluate", model, files[1], "--groups", "stars") == 0
    assert re.search(r"  of '2' +hold [0-9.]+%", capsys.readouterr().out)
