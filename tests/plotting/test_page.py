import base64
import hashlib
import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest
from documents import arrays_document, strings_document
from hostile import HOSTILE
from hypothesis import given, settings
from hypothesis import strategies as st

from seamark.plotting import page
from seamark.plotting.text import visible

ASSETS = files("seamark.plotting.page")
CSS, JS = ((ASSETS / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
EXPLAINED = {"object": "a", "truth": None, "prediction": 1.0, "reasons": []}
PLAIN = {"title": "plain", "verdict": [{"level": "good", "text": "Fine."}]}


class Parsed(HTMLParser):
    """Tags with the names of their attributes, all text, and the contents of scripts."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.scripts = [], [], "", []
        self._inside = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += attrs
        self._inside.append(tag)

    def handle_data(self, data):
        inside = self._inside[-1] if self._inside else ""
        if inside == "script":
            self.scripts.append(data)
        elif inside != "style":
            self.text += data

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop() != tag:
            pass


DOTS = {"name": "a", "x": [1.0], "y": [1.0], "texts": ["one"]}
MAP = {"kind": "points", "title": "map", "xlabel": "", "ylabel": "", "series": [DOTS]}
BENIGN = Parsed(
    page.render(
        [
            strings_document(),
            *map(arrays_document, ("series", "sets")),
            {"title": "map", "verdict": [], "figures": [MAP]},
        ]
    )
)


def everywhere(text):
    """A document with a text in every place that takes one."""
    line = {"name": text, "x": [text, "b"], "y": [1.0, 2.0], "low": None, "high": None}
    dots = {"name": text, "x": [1.0, 2.0], "y": [1.0, 2.0], "texts": [text, text]}
    labels = {"xlabel": text, "ylabel": text}
    reason = {"object": text, "label": text, "index": 0, "value": 1.0, "contribution": 0.5}
    reason |= {"block": text}
    return {
        "title": text,
        "verdict": [{"level": "good", "text": text}],
        "figures": [
            *(
                {"kind": kind, "title": text, "series": [line], **labels}
                for kind in ("bars", "line")
            ),
            {"kind": "points", "title": text, "series": [dots], **labels},
        ],
        "facts": [(text, text, text)],
        "landmarks": [
            {"object": text, "label": text, "index": 1, "weight": 0.1},
            {"object": text, "label": text, "index": 1, "weight": None, "note": text},
        ],
        "landmarks_title": text,
        "mistaken": [{"object": text, "truth": text, "prediction": text, "index": 2}],
        "mistaken_title": text,
        "domain": "strings",
        "explanations": [{"object": text, "truth": text, "prediction": text, "reasons": [reason]}],
    }


def assert_harmless(html):
    parsed = Parsed(html)
    assert parsed.scripts == [JS]
    assert {tag for tag, _ in parsed.tags} <= {tag for tag, _ in BENIGN.tags}
    names = {name for _, attrs in parsed.tags for name in attrs}
    assert names <= {name for name, _ in BENIGN.attributes} | {"class"}
    assert all(value.startswith("#d") for name, value in parsed.attributes if name == "href")
    return parsed


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    html = page.render([everywhere(text), everywhere("b")])
    parsed = assert_harmless(html)
    html.encode("utf-8")
    assert visible(text[:100]) in parsed.text


@settings(max_examples=60)
@given(st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF), min_size=1, max_size=20))
def test_no_text_changes_the_structure(text):
    ours = Parsed(page.render(everywhere(text)))
    # The letters of two equal strings are one run, whatever they are.
    assert ours.tags == Parsed(page.render(everywhere("y"))).tags


def test_objects_that_only_have_words_are_text_too():
    class Nasty:
        def __str__(self):
            return HOSTILE[0]

    document = {**everywhere("a"), "domain": "objects"}
    document["landmarks"] = [{"object": Nasty(), "label": {"<b>": 1}, "index": 0, "weight": None}]
    assert HOSTILE[0] in assert_harmless(page.render(document)).text


def test_the_policy_names_style_and_script_and_nothing_else():
    policy = re.search(r'Security-Policy" content="([^"]*)"', page.render(PLAIN))[1]
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (CSS, JS)
    ]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_nothing_comes_from_elsewhere():
    assert not [name for name, _ in BENIGN.attributes if name in ("src", "srcset", "style")]
    assert not re.search(r"url\(|@import|https?:", CSS)
    assert not re.search(r"fetch|XMLHttp|innerHTML|outerHTML|document\.write|eval|https?:", JS)


def test_the_verdict_comes_first_and_all_parts_follow():
    text = Parsed(page.render(strings_document())).text
    parts = ["Good for this task", "Charts", "Explain this object", "Landmarks", "Details"]
    places = [text.rindex(part) for part in parts]
    assert places == sorted(places)


def test_a_sentence_is_led_by_the_word_of_its_level_once():
    texts = ["Good for this task.", "Goodness is bounded.", "Landmarks suffice."]
    verdict = [{"level": "good", "text": text} for text in texts]
    text = Parsed(page.render({"title": "a", "verdict": verdict})).text
    assert "Good. Good for" not in text
    for sentence in ("Good for this task.", "Good. Goodness is", "Good. Landmarks suffice."):
        assert sentence in text


def test_absent_parts_leave_no_headings():
    assert "<h2>" not in page.render(PLAIN)


def test_measures_are_compared():
    other = {**strings_document(1), "title": "Hamming", "facts": [("Range", "0 to 60", "")]}
    text = Parsed(page.render([strings_document(), other])).text
    assert text.index("2 measures compared") < text.index("0 to 60") < text.index("Charts")


def test_the_same_document_gives_the_same_page():
    assert page.render(strings_document()) == page.render(strings_document())


@pytest.mark.parametrize("domain", ["series", "sets", "vectors"])
def test_arrays_are_drawn(domain):
    html = page.render(arrays_document(domain))
    shape = "<circle" if domain == "sets" else "<polyline"
    assert html.count(shape) >= 12
    assert "nan" not in html.split("</style>")[1].split("<script>")[0]


@pytest.mark.parametrize(
    "y", [[np.nan, 1.0, np.inf], [np.nan] * 3, [2.0] * 3, [1e300, -1e300, 0.0]]
)
@pytest.mark.parametrize("kind", ["line", "bars", "points"])
@pytest.mark.parametrize("x", [[1, 2, 3], [5, 5, 5], ["a", "b", "a"], [1, 100, 10_000]])
def test_odd_numbers_are_left_out_of_charts(x, y, kind):
    line = {"name": "n", "x": x, "y": y, "low": y, "high": [None, 2.0, 3.0]}
    figure = {"kind": kind, "title": "t", "xlabel": "x", "ylabel": "y", "series": [line]}
    html = page.render({**PLAIN, "figures": [figure]})
    svg = html.split('<div class="plate">')[1].split("<output")[0]
    drawn = re.findall(r' (?:x|y|cx|cy|d|points|width|height)="([^"]*)"', svg)
    assert not [d for d in drawn if "nan" in d or "inf" in d]
    assert svg.count("data-at") == np.isfinite(y).sum()


def with_figure(kind, y):
    line = {"name": "s", "x": [1, 2], "y": y}
    figure = {"kind": kind, "title": "T", "xlabel": "", "ylabel": "", "series": [line]}
    return {**PLAIN, "figures": [figure]}


def test_weights_that_are_no_numbers_have_no_bars():
    landmarks = [
        {"object": "a", "label": None, "index": None, "weight": weight}
        for weight in (np.nan, np.inf, -2.0, 0.0)
    ]
    html = page.render({**PLAIN, "landmarks": landmarks})
    widths = re.findall(r'<rect class="\w+" x="[^"]*" y="1.5" width="([^"]*)"', html)
    assert [float(width) for width in widths] == [0.0, 0.0, 29.0, 0.0]


def ticks(names):
    line = {"name": "n", "x": names, "y": [1.0] * len(names)}
    figure = {"kind": "bars", "title": "t", "xlabel": "x", "ylabel": "y", "series": [line]}
    html = page.render({**PLAIN, "figures": [figure]})
    return re.findall(r'<text class="tick( slanted)?"[^>]*>(\w[^<]*)</text>', html)


def test_bars_are_named_upright_slanted_or_now_and_then():
    upright = ["here", "there"]
    slanted = ["nearest neighbour", "landmark model", "average vote", "best ramp", "constant"]
    assert [name for how, name in ticks(upright) if name in upright and not how] == upright
    assert [name for how, name in ticks(slanted) if how] == slanted
    some = [int(name) for _, name in ticks(list(range(1, 301))) if float(name) >= 1]
    assert 5 <= len(set(some)) <= 30


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "nothing to write"),
        ({"title": "t"}, "document 0 has no 'verdict'"),
        ([PLAIN, {"verdict": []}], "document 1 has no 'title'"),
        ({**PLAIN, "verdict": [{"level": "fine", "text": ""}]}, "level 'fine'; take one of good"),
        (
            {**PLAIN, "figures": [{"kind": "pie", "title": "T", "series": []}]},
            "figure 0 of document 0 has no 'xlabel'",
        ),
        (with_figure("pie", [1.0, 2.0]), "figure 0 of document 0 has kind 'pie'"),
        (
            with_figure("line", [1.0]),
            "series 0 of figure 0 .*: 's' has unequal lengths {'x': 2, 'y': 1}",
        ),
        ({**PLAIN, "landmarks": [{"object": 1}]}, "landmark 0 of document 0 has no 'index'"),
        (
            {**PLAIN, "explanations": [{**EXPLAINED, "reasons": [{}]}]},
            "reason 0 of explanation 0 of document 0 has no 'contribution'",
        ),
    ],
)
def test_what_is_wrong_with_a_document_is_said(documents, message):
    with pytest.raises(ValueError, match=message):
        page.render(documents)


def test_a_page_is_written_whole_and_never_over_another(tmp_path):
    path = page.write(PLAIN, tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == page.render(PLAIN)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        page.write({**PLAIN, "title": "second"}, path)
    assert "<h1>plain</h1>" in path.read_text(encoding="utf-8")
    page.write({**PLAIN, "title": "second"}, str(path), overwrite=True)
    assert "<h1>second</h1>" in path.read_text(encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        page.write(PLAIN, tmp_path / "nowhere" / "report.html")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        page.write(PLAIN, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def luminance(colour):
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("theme", [0, 1])
def test_contrast_is_enough_to_read(theme):
    # WCAG 2.2, level AA: 4.5 for text, 3 for graphics.
    colours = {
        name: pair[theme]
        for name, *pair in re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", CSS)
    }
    for ground in ("paper", "card"):
        for name in colours.keys() - {"paper", "card", "line", "faint", "same"}:
            least = 3.0 if re.fullmatch(r"c\d", name) else 4.5
            light, dark = sorted((luminance(colours[name]), luminance(colours[ground])))[::-1]
            assert (light + 0.05) / (dark + 0.05) >= least, (name, ground)
