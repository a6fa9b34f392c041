"""Accuracy never stands alone: a constant's, the balanced one and each class's recall do, too."""

import json
import re

import numpy as np
import pytest
from cli_runs import run, write_csv
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

import seamark as sm
from seamark.cli.evaluate import lines_of
from seamark.linear_model import RidgeClassifier


@pytest.fixture
def rare(tmp_path):
    """A rare class among a common one, and nothing that tells them apart."""
    rng = np.random.default_rng(0)
    y = ["yes" if i < 6 else "no" for i in range(200)]
    return write_csv(tmp_path / "d.csv", {"a": rng.normal(size=200), "y": y})


def test_a_constant_is_seen_as_one(rare, tmp_path, capsys):
    assert run("fit", rare, "--target", "y", "-o", tmp_path / "m", "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["out_of_fold_accuracy"] == found["accuracy_of_a_constant"] == 0.97
    assert found["out_of_fold_balanced_accuracy"] == 0.5
    assert found["out_of_fold_recall"] == {"no": 1.0, "yes": 0.0}
    assert "no unseen row of 'yes' was recognised" in said.err
    assert "--class-weight balanced" in said.err
    assert run("fit", rare, "--target", "y", "-o", tmp_path / "m", "--force", "--quiet") == 0
    said = capsys.readouterr()
    assert said.err == ""
    of_both = r"accuracy +0\.970 \(95 % interval 0\.89.* to 0\.99.*\) out of fold; .*: 0\.970"
    for line in (of_both, "recall of 'no' +1.0", "recall of 'yes' +0.0"):
        assert re.search(line, said.out)


@pytest.mark.parametrize("weight", [None, "balanced"])
def test_recall_is_that_of_held_out_rows(weight):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 2, size=90)
    X[:, 0] += y
    folds = np.arange(90) % 3
    head = RidgeClassifier(1.0, cv=folds, class_weight=weight, random_state=0).fit(X, y)
    seen, rows = np.empty(90, dtype=int), compute_sample_weight(weight, y)
    Z = StandardScaler().fit(X, sample_weight=rows).transform(X)  # units are those of all rows
    for k in range(3):
        out, kept = folds == k, folds != k
        model = Ridge(rows[kept].sum(), solver="svd").fit(Z[kept], 2.0 * y[kept] - 1, rows[kept])
        seen[out] = model.predict(Z[out]) + head.calibration_.offset[1] > 0
    np.testing.assert_allclose(head.oof_recall_, recall_score(y, seen, average=None))
    assert head.oof_recall_.mean() == pytest.approx(balanced_accuracy_score(y, seen))


def test_many_classes_are_not_many_lines():
    recall = {f"c{i}": i / 100 for i in range(100)}
    scores = {"classes": dict.fromkeys(recall, 5), "balanced_accuracy": 0.5, "recall": recall}
    rows = lines_of(scores, "out of fold")
    assert len(rows) == 32
    assert rows[1] == ("  recall of 'c0'", 0.0)
    assert rows[-1] == ("  and 70 more classes", "see --json")


def test_class_weights_are_for_classes(tmp_path, capsys):
    path = write_csv(tmp_path / "d.csv", {"a": [0.5, 1.5, 2.5], "y": [1.5, 2.5, 3.5]})
    given = ("fit", path, "--target", "y", "-o", tmp_path / "m", "--class-weight", "balanced")
    assert run(*given) == 2
    assert "--class-weight goes with --task classify, not with regress" in capsys.readouterr().err
    assert run(*given[:-1], "none") == 0


def test_class_weights_reach_the_model(rare, tmp_path, capsys):
    given = ("fit", rare, "--target", "y", "-o", tmp_path / "m", "--json")
    assert run(*given, "--class-weight", "balanced") == 0
    assert json.loads(capsys.readouterr().out)["out_of_fold_recall"]["yes"] > 0
    assert sm.load(tmp_path / "m").class_weight == "balanced"
    assert run(*given, "--class-weight", "none", "--force") == 0
    assert sm.load(tmp_path / "m").class_weight is None
