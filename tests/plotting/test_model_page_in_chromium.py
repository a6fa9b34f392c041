"""The page of a model at the widths of a phone, a tablet and a desk, in the light and the dark."""

import numpy as np
import pandas as pd
import pytest
from browser import CHROMIUM, MISSING, driven, framed
from hostile import HOSTILE

import seamark as sm
from seamark.models.report import document_of
from seamark.plotting import page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)

DARK = "--blink-settings=preferredColorScheme=0"
LOOK = """
const charts = [...document.querySelectorAll("svg.chart")];
const box = (one) => one.getBoundingClientRect();
return {
  width: innerWidth,
  fits: document.documentElement.scrollWidth <= innerWidth,
  inside: charts.every((one) => box(one).left >= 0 && box(one).right <= innerWidth),
  labels: charts.map((one) => one.getAttribute("aria-label")),
  reachable: charts.every((one) => one.tabIndex === 0),
  unnamed: [...document.querySelectorAll("button, input, select")].filter(
    (one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length)
  ).length,
  ground: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
};
"""


@pytest.fixture(scope="module")
def html():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcd"), 8)) for _ in range(200)] + list(HOSTILE)
    classes = ["few", "many and more of them", HOSTILE[0]]
    labels = [classes[min(2, word.count("a") // 2)] for word in words]
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=60, random_state=0).fit(words, labels)
    return page.render(document_of(model, words))


@pytest.mark.parametrize(("width", "dark"), [(375, False), (768, True), (1200, False)])
def test_it_fits_and_says_what_it_is(html, width, dark, tmp_path):
    seen, said = framed(html, tmp_path, LOOK, width, *([DARK] if dark else []))
    assert said == []
    assert seen["width"] == width
    assert seen["fits"]
    assert seen["inside"]
    assert seen["reachable"]
    assert seen["unnamed"] == 0
    assert any("can probabilities be believed" in label for label in seen["labels"])
    assert any("recall of each class" in label for label in seen["labels"])
    brightness = [sum(map(int, seen[part][4:-1].split(","))) for part in ("ground", "ink")]
    assert (brightness[0] < brightness[1]) is dark


@pytest.fixture(scope="module")
def table_html():
    """A page on a table whose column names and cells are hostile."""
    rng = np.random.default_rng(0)
    hostile = [text for text in HOSTILE if not any(0xD800 <= ord(c) < 0xE000 for c in text)]
    cells = [hostile[k % len(hostile)] + str(rng.integers(50)) for k in range(150)]
    table = pd.DataFrame({hostile[0]: cells, "size": rng.normal(size=150), "x" * 80: range(150)})
    labels = np.where(table["size"] + rng.normal(size=150) > 0, hostile[1], "<b>few</b>")
    model = sm.LandmarkClassifier(random_state=0).fit(table, labels)
    document = document_of(model, table)
    assert document["mistaken"]
    assert document["explanations"]
    return page.render(document)


@pytest.mark.parametrize("width", [375, 1200])
def test_a_table_fits_too(table_html, width, tmp_path):
    seen, said = framed(table_html, tmp_path, LOOK, width)
    assert said == []
    assert seen["width"] == width
    assert seen["fits"]
    assert seen["unnamed"] == 0


def test_keys_read_the_calibration(html, tmp_path):
    script = """
    const chart = [...document.querySelectorAll("svg.chart")].find(
      (one) => one.getAttribute("aria-label").startsWith("can probabilities"));
    chart.focus();
    const press = (key) => chart.dispatchEvent(
      new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    press("ArrowRight");
    const tip = chart.parentElement.querySelector(".tip");
    const first = tip.textContent;
    press("Escape");
    return {focused: document.activeElement === chart, first, hidden: tip.hidden};
    """
    seen, said = driven(html, tmp_path, script)
    assert said == []
    assert seen["focused"]
    assert seen["first"].startswith("probability of the answer")
    assert "right" in seen["first"]
    assert seen["hidden"]
