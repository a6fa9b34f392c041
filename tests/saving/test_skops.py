"""The recipe of docs/saving.md for skops and MLflow; skipped where they are not installed."""

import re
from pathlib import Path

import pytest
from saved_tasks import VECTORS, WORDS, assert_same, y

import seamark as sm

PAGE = Path(__file__).parents[2] / "docs" / "saving.md"
RECIPE = next(
    block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    if "skops" in block
)
WITHOUT_MLFLOW = "\n".join(line for line in RECIPE.splitlines() if "mlflow" not in line)

MODELS = {
    "strings": (sm.LandmarkClassifier("levenshtein", n_landmarks=4, random_state=0), WORDS),
    "auto": (sm.LandmarkClassifier(random_state=0), WORDS),
    "vectors": (sm.LandmarkRegressor("euclidean", n_landmarks=4, random_state=0), VECTORS),
}


def followed(recipe, model, folder, monkeypatch):
    """Return the names that the recipe leaves behind when it is run in an empty folder."""
    monkeypatch.chdir(folder)
    names = {"model": model}
    exec(recipe, names)
    return names


@pytest.mark.parametrize("name", MODELS)
def test_skops_keeps_a_model_whose_classes_are_all_ours(name, tmp_path, monkeypatch):
    pytest.importorskip("skops")
    model, X = MODELS[name]
    model.fit(X, y)
    names = followed(WITHOUT_MLFLOW, model, tmp_path, monkeypatch)
    assert names["trusted"] == names["found"]
    assert_same(model, names["again"], X)


@pytest.mark.filterwarnings("ignore")  # MLflow has many of its own
def test_mlflow_keeps_a_model(tmp_path, monkeypatch):
    pytest.importorskip("skops")
    mlflow = pytest.importorskip("mlflow.sklearn")
    model, X = MODELS["strings"]
    followed(RECIPE, model.fit(X, y), tmp_path, monkeypatch)
    assert_same(model, mlflow.load_model(str(tmp_path / "names")), X)
