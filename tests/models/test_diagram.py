"""Models in scikit-learn's diagram, as notebooks show them."""

import importlib
import re
from types import SimpleNamespace

import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

import seamark as sm

NAMES = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
SEX = list("fffmmm") * 3
ATTACK = "<img src=x onerror=alert(1)>"


def boxes(model):
    """The titles of all boxes, from the outside in."""
    text = re.sub(r"<(style|script)>.*?</\1>", "", model._repr_html_(), flags=re.DOTALL)
    labels = re.findall(r'class="sk-toggleable__label[^>]*>(.*?)</label>', text, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", label).split()) for label in labels]


def test_blocks_stand_side_by_side_with_what_they_are_worth():
    both = ["levenshtein", sm.LandmarkMap("ngrams")]
    model = sm.LandmarkClassifier(both, random_state=0)
    assert not any("Ridge" in one for one in boxes(model))  # nothing is settled before fit
    model.fit(NAMES, SEX)
    assert model._sk_visual_block_().kind == "serial"
    text = " | ".join(boxes(model))
    for name, weight in zip(("Levenshtein", "NGrams"), model.measure_weights_, strict=True):
        assert f"{name} ({weight:.0%})" in text
    assert text.index("Levenshtein (") < text.index("NGrams (") < text.index("RidgeClassifier")


@pytest.mark.parametrize("model", [sm.LandmarkClassifier, sm.LandmarkRegressor, sm.LandmarkOrdinal])
def test_one_block_is_a_short_chain(model):
    y = [len(name) for name in NAMES]
    fitted = model("levenshtein", random_state=0).fit(NAMES, y)
    parts = fitted._sk_visual_block_()
    assert (parts.kind, parts.estimators[0].names) == ("serial", "Levenshtein")
    assert "Levenshtein" in make_pipeline(fitted)._repr_html_()


def test_columns_are_named_and_strange_names_stay_names():
    heights = [165, 170, 168, 181, 179, 184] * 3
    table = pd.DataFrame({ATTACK: [name + ATTACK for name in NAMES], "height": heights})
    columns = {ATTACK: "levenshtein", "height": "passthrough"}
    model = sm.LandmarkClassifier(columns, random_state=0).fit(table, SEX)
    text = model._repr_html_()
    assert "height: Coordinates" in text
    assert "<img" not in text
    assert "&lt;img" in text


def test_a_scikit_learn_that_draws_otherwise_shows_one_box(monkeypatch):
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(NAMES, SEX)
    module = importlib.import_module(estimator_html_repr.__module__)
    real = module._VisualBlock
    empty = SimpleNamespace(import_module=lambda name: SimpleNamespace())
    monkeypatch.setattr("seamark.models.describe.importlib", empty)
    assert isinstance(module._get_visual_block(model), real)
    assert "LandmarkClassifier" in model._repr_html_()
