"""What the documents show is what the code is."""

import importlib
import inspect
import operator
import pkgutil
import re
import sys
from dataclasses import fields
from inspect import ismodule
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import seamark as sm
from seamark.measures import LCS

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import make_api  # noqa: E402
import make_measures  # noqa: E402


def test_contributing_shows_the_real_source():
    assert inspect.getsource(LCS).strip() in (ROOT / "CONTRIBUTING.md").read_text()


def test_the_changelog_speaks_of_this_version():
    assert f"## {sm.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {sm.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_the_page_of_the_papers_names_code_that_exists():
    rooms = "baselines feature_selection landmarks linear_model maps measures online papers theory"
    homes = [sm, *(importlib.import_module(f"seamark.{room}") for room in rooms.split())]
    homes.append(importlib.import_module("seamark.transfers"))
    page = (ROOT / "docs/papers.md").read_text("utf-8").partition("## What the paper says")[2]
    calls = [row.split("|")[2] for row in page.splitlines() if row[0:1] == "|"][2:]
    names = {name for call in calls for name in re.findall(r"`([a-zA-Z_][\w.]*)", call)}
    assert len(names) > 60
    for name in names - {"n_components"}:  # a parameter
        assert any(hasattr(home, name.rpartition(".")[2]) for home in homes), name


def test_the_glossary_names_code_that_exists():
    lines = (ROOT / "docs/glossary.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    words = [row[0] for row in rows]
    assert words == sorted(set(words))
    assert len(words) > 20
    for word, meaning, code in rows:
        assert meaning.endswith("."), word
        pkgutil.resolve_name(f"seamark.{code.strip('`')}")  # stops where there is no such thing


def test_the_room_of_measures_names_all_it_has():
    found = make_measures.FILE.read_text(encoding="utf-8")
    assert found == make_measures.source(), "`make api` writes measures/__init__.py again"


def test_the_reference_is_up_to_date():
    found = (ROOT / "docs/api.md").read_text()
    assert found == make_api.page(), "what is public changed: `make api` writes docs/api.md again"


def test_the_reference_is_complete():
    sections = re.findall(r"currentmodule:: (\S+)\n(.*?)```", make_api.page(), re.DOTALL)
    listed = [
        operator.attrgetter(name)(importlib.import_module(module))
        for module, names in sections
        for name in re.findall(r"^   ([\w.]+)$", names, re.MULTILINE)
    ]
    assert len({id(one) for one in listed}) == len(listed) > 200
    for room in make_api.rooms():
        for name in set(room.__all__) - {"__version__"}:
            member = getattr(room, name)
            inner = [getattr(member, one) for one in member.__all__] if ismodule(member) else []
            for one in inner or [member]:
                assert ismodule(one) or any(one is other for other in listed), (room, name)


def documented(one, title="Parameters"):
    """The text of each parameter, or attribute, in a docstring."""
    sections = re.split(r"\n\n?(\w[\w ]*)\n-{3,}\n", "\n" + (inspect.getdoc(one) or ""))
    text = dict(zip(sections[1::2], sections[2::2], strict=True)).get(title, "")
    found = {}
    for entry in re.split(r"\n(?=\S)", text.replace("\\\n", "")):
        names, _, rest = entry.partition("\n")
        found |= {name.strip(" *"): rest.strip() for name in names.split(" : ")[0].split(",")}
    return found


def lacking(one, names, title="Parameters"):
    """Which of the names a docstring does not explain by itself."""
    texts = documented(one, title)
    return [
        f"{one.__module__}.{one.__name__}: {name}"
        for name in names
        if not texts.get(name) or texts[name].startswith("As in")
    ]


def test_every_parameter_of_every_estimator_and_preset_is_documented_where_it_stands():
    presets = make_api.members(sm.papers).values()
    checked = [
        *presets,
        sm.maps.compositional_size,
        sm.maps.maclaurin_size,
        sm.engine.run,
        sm.linear_model.LinearSVM.fit_each,
        sm.Greedy.predict,
    ]
    public = [one for room in make_api.rooms() for one in make_api.members(room).values()]
    checked += [one for one in public if inspect.isclass(one) and issubclass(one, BaseEstimator)]
    found = [
        sentence
        for one in checked
        for sentence in lacking(one, set(inspect.signature(one).parameters) - {"self"})
    ]
    assert found == []
    assert len(checked) > 100


@pytest.mark.parametrize(
    "record", [sm.tuning.Task, sm.tuning.Choice, sm.models.Explanation, sm.models.Description]
)
def test_every_attribute_of_a_record_is_documented(record):
    assert lacking(record, [field.name for field in fields(record)], "Attributes") == []


def test_models_say_the_same_of_what_they_share():
    models = sm.LandmarkClassifier, sm.LandmarkRegressor, sm.LandmarkOrdinal, sm.LandmarkRanker
    texts = [documented(model) for model in models]
    own = {"n_landmarks", "landmarks", "head", "class_weight"}
    for name in set.intersection(*map(set, texts)) - own:
        assert len({text[name] for text in texts}) == 1, name


def test_everything_in_the_reference_says_what_it_is():
    for room in make_api.rooms():
        for name, one in make_api.members(room).items():
            assert inspect.getdoc(one), f"{room.__name__}.{name} has no docstring"


NUMBER = r"\d[\d.,]*(?:e[+-]?\d+)?"


def test_the_summary_has_the_figures_of_the_pages_that_it_names():
    folder = ROOT / "docs/benchmarks"
    rows = [
        line for line in (folder / "summary.md").read_text("utf-8").splitlines() if "](" in line
    ]
    assert rows
    for row in rows:
        *cells, link = row.strip("| ").split("|")
        page = folder / re.search(r"\]\((.*?)\)", link)[1]
        known = set(re.findall(NUMBER, page.read_text("utf-8")))
        said = re.findall(NUMBER, " ".join(cells[1:]))
        assert said
        assert set(said) <= known, row


def test_links_between_documents_lead_somewhere():
    """Sphinx says so too, but only when the site is built."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    made = {"gallery", "generated", "api.md"}  # when the site is built
    broken = []
    for page in pages:
        if made & {*page.relative_to(ROOT).parts}:
            continue
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            there = page.parent / target
            if "://" not in target and not made & {*there.parts} and not there.exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_every_page_stands_in_one_table_of_contents():
    listed = []
    for page in (ROOT / "docs").rglob("*.md"):
        for body in re.findall(r"```{toctree}\n(.*?)```", page.read_text(), re.DOTALL):
            names = [line for line in body.splitlines() if line and not line.startswith(":")]
            for name in names:
                found = [*page.parent.glob(f"{name}.md")]
                listed += [one.relative_to(ROOT / "docs").as_posix() for one in found]
    pages = {one.relative_to(ROOT / "docs").as_posix() for one in (ROOT / "docs").rglob("*.md")}
    pages = {one for one in pages if one.split("/")[0] not in ("gallery", "generated")}
    assert sorted(listed) == sorted(pages - {"index.md"})


def test_pages_print_scores_and_not_whether_they_are_large():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for line in page.read_text(encoding="utf-8").splitlines():
            assert not re.match(r">>> bool\(.*score.*[<>] ", line), f"{page.name}: {line}"
