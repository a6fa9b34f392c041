"""What the documents show is what the code is."""

import importlib
import inspect
import re
from pathlib import Path

from seamark.measures import SqEuclidean

ROOT = Path(__file__).parent.parent


def test_contributing_shows_the_real_source():
    assert inspect.getsource(SqEuclidean).strip() in (ROOT / "CONTRIBUTING.md").read_text()


def test_the_changelog_speaks_of_this_version():
    import seamark

    assert f"## {seamark.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {seamark.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_the_theory_page_names_code_that_exists():
    rooms = "models maps landmarks transfers heads weighing goodness goodness.sizes online rivals"
    homes = [importlib.import_module(f"seamark.{room}") for room in (*rooms.split(), "papers")]
    rows = [line for line in (ROOT / "docs/theory.md").read_text().splitlines() if line[0:1] == "|"]
    names = {name for row in rows[2:] for name in re.findall(r"`([\w.]+)", row.split("|")[3])}
    assert len(names) > 30
    for name in names:
        last = name.split(".")[-1]
        assert any(hasattr(home, last) for home in homes), name
