"""A file that can be read at once has at most 300 lines."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST = 300
KINDS = {".py", ".cpp", ".hpp", ".cu"}
LONGER = []  # must be exact: a file that has become shorter leaves this list


def test_no_file_is_longer_than_can_be_read_at_once():
    folders = [ROOT / name for name in ("src", "tests", "benchmarks", "examples")]
    files = [one for folder in folders for one in folder.rglob("*") if one.suffix in KINDS]
    assert len(files) > 800
    longer = [one for one in files if len(one.read_text("utf-8").splitlines()) > MOST]
    assert sorted(str(one.relative_to(ROOT)) for one in longer) == LONGER
