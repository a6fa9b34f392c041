"""What the documents show is what the code is."""

import inspect
from pathlib import Path

from seamark.measures import SqEuclidean

ROOT = Path(__file__).parent.parent


def test_contributing_shows_the_real_source():
    assert inspect.getsource(SqEuclidean).strip() in (ROOT / "CONTRIBUTING.md").read_text()


def test_the_changelog_speaks_of_this_version():
    import seamark

    assert f"## {seamark.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {seamark.__version__}" in (ROOT / "CITATION.cff").read_text()
