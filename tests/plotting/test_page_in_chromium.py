"""The page as a browser sees it: Chromium opens it, scripts of ours point, type and click."""

import pytest
from browser import CHROMIUM, MISSING, driven, opened, screenshot
from documents import arrays_document, strings_document
from hostile import ATTACK, HOSTILE
from test_page import everywhere

from seamark.plotting import page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)

TOUR = """
const point = (chart, share) => {
  const box = chart.getBoundingClientRect();
  const at = {clientX: box.left + share * box.width, clientY: box.top + 20, bubbles: true};
  chart.dispatchEvent(new PointerEvent("pointermove", at));
};
const key = (chart, name) =>
  chart.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
const [margins, sizes, spectrum] = document.querySelectorAll("svg.chart");
const tipOf = (chart) => chart.parentElement.querySelector(".tip");
const seen = {before: tipOf(sizes).hidden};
point(sizes, 0.99);
seen.right = tipOf(sizes).textContent;
seen.inside = tipOf(sizes).getBoundingClientRect().right <= innerWidth;
sizes.dispatchEvent(new PointerEvent("pointerleave"));
seen.after = tipOf(sizes).hidden;
key(spectrum, "ArrowRight"); key(spectrum, "ArrowRight"); key(spectrum, "ArrowLeft");
seen.first = tipOf(spectrum).textContent;
key(spectrum, "Escape");
seen.escaped = tipOf(spectrum).hidden;
const cards = () => [...document.querySelectorAll(".cards > li")].filter((c) => !c.hidden).length;
const input = document.querySelector("input[type=search]");
const find = (text) => {
  input.value = text;
  input.dispatchEvent(new Event("input"));
  return cards();
};
seen.cards = [cards(), find("ROW 77"), find("no such thing"), find("")];
seen.count = document.querySelector(".count").textContent;
const panel = document.querySelector(".panel");
const shown = () => [...panel.querySelectorAll("article")].map((a) => Number(!a.hidden)).join("");
seen.panel = [shown()];
panel.querySelectorAll(".step")[1].click(); seen.panel.push(shown());
panel.querySelector("select").selectedIndex = 5;
panel.querySelector("select").dispatchEvent(new Event("change")); seen.panel.push(shown());
panel.querySelectorAll(".step")[1].click(); seen.panel.push(shown());
const ground = () => getComputedStyle(document.body).backgroundColor;
const button = document.getElementById("theme");
seen.themes = [];
for (let k = 0; k < 3; k++) { button.click(); seen.themes.push([button.textContent, ground()]); }
seen.wide = document.documentElement.scrollWidth <= innerWidth;
seen.width = innerWidth;
return seen;
"""


def test_hover_search_panel_and_theme_work(tmp_path):
    seen, said = driven(page.render(strings_document()), tmp_path, TOUR)
    assert said == []
    assert seen["before"] is True
    assert seen["right"] == "landmarks  500\n0.941  (0.921 to 0.961)"
    assert seen["after"] is True
    assert seen["first"].startswith("eigenvalue, largest first  1\n")
    assert seen["escaped"] is True
    assert seen["cards"] == [48, 1, 0, 48]
    assert seen["count"] == "48 shown"
    assert seen["panel"] == ["100000", "010000", "000001", "100000"]
    light, dark = "rgb(251, 250, 247)", "rgb(16, 22, 29)"
    assert seen["themes"][:2] == [["Theme: light", light], ["Theme: dark", dark]]
    assert seen["themes"][2][0] == "Theme: auto"


POINT_AT_THE_MAP = """
const chart = document.querySelector("svg.chart");
const tip = chart.parentElement.querySelector(".tip");
const box = chart.getBoundingClientRect();
const unit = box.width / chart.viewBox.baseVal.width;
return [...chart.querySelectorAll("circle")].map((dot) => {
  const at = {
    clientX: box.left + (+dot.getAttribute("cx") + 1) * unit,
    clientY: box.top + (+dot.getAttribute("cy") + 1) * unit,
  };
  chart.dispatchEvent(new PointerEvent("pointermove", at));
  return [tip.hidden, tip.textContent, chart.querySelectorAll(".near").length];
});
"""


def test_pointing_at_a_map_shows_the_object_that_is_there(tmp_path):
    series = [
        {"name": "sea", "x": [1.0, 1.0], "y": [0.0, 5.0], "texts": ["herring", "<b>cod</b>"]},
        {"name": "land", "x": [4.0], "y": [2.0], "texts": ["badger"]},
    ]
    figure = {"kind": "points", "title": "map", "xlabel": "", "ylabel": "", "series": series}
    html = page.render({"title": "t", "verdict": [], "figures": [figure]})
    seen, said = driven(html, tmp_path, POINT_AT_THE_MAP)
    assert said == []
    texts = ["sea  herring", "sea  <b>cod</b>", "land  badger"]  # two stand above each other
    assert seen == [[False, text, 1] for text in texts]


def test_a_phone_shows_it_without_scrolling_sideways(tmp_path):
    html = page.render([strings_document(), strings_document(1)])
    seen, said = driven(html, tmp_path, TOUR, "--window-size=390,800")
    assert said == []
    assert seen["width"] <= 500
    assert seen["wide"]
    assert seen["inside"]


def test_arrays_open_without_complaint(tmp_path):
    domains = ("series", "sets", "vectors")
    document, said = opened(page.render([arrays_document(d) for d in domains]), tmp_path)
    assert said == []
    assert document.count('class="drawing"') == 3 * (12 + 3 * 5)  # landmarks, objects, reasons


def test_hostile_objects_do_nothing_even_without_the_policy(tmp_path):
    html = page.render([everywhere(text) for text in HOSTILE])
    start = html.index('<meta http-equiv="Content-Security-Policy"')
    bare = html[:start] + html[html.index(">", start) + 1 :]
    for version in (html, bare):
        document, said = opened(version, tmp_path)
        assert said == []
        assert "<title>owned" not in document
        assert document.count("<script") == 1


def test_the_policy_stops_what_escaping_might_let_through(tmp_path):
    html = page.render(strings_document())
    title = "<title>Levenshtein distance for splice junctions</title>"
    pierced = html.replace("</footer>", f"</footer><script>{ATTACK}</script>")
    document, said = opened(pierced, tmp_path)
    assert title in document
    assert "Content Security Policy" in said[0]  # so complaints do reach us
    start = pierced.index('<meta http-equiv="Content-Security-Policy"')
    bare = pierced[:start] + pierced[pierced.index(">", start) + 1 :]
    assert "<title>owned</title>" in opened(bare, tmp_path)[0]  # so the attack is a real one


def test_it_can_be_photographed(tmp_path):
    image = screenshot(page.render(strings_document()), tmp_path / "page.png", (800, 600))
    assert image.read_bytes().startswith(b"\x89PNG")
    assert image.stat().st_size > 20_000  # an empty page of this size has 5 000 bytes
