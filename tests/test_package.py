import ast
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import seamark as sm

ROOMS = sorted({one.name for one in pkgutil.iter_modules(sm.__path__) if one.ispkg} | {"targets"})

HEAVY = ["polars", "rapidfuzz", "aeon", "numba", "matplotlib", "tqdm", "rich", "sqlite3", "dask"]


def test_import_brings_no_optional_library():
    code = (
        "import sklearn.linear_model, sys; before = set(sys.modules); import seamark; "
        f"print([m for m in {HEAVY} if m in sys.modules and m not in before])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_every_public_name_exists():
    for module in (sm, *(getattr(sm, room) for room in ROOMS)):
        assert len(set(module.__all__)) == len(module.__all__)
        assert not [name for name in module.__all__ if not hasattr(module, name)]


def test_only_public_names_are_listed():
    assert dir(sm) == sorted(sm.__all__)
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(dir(sm))


def test_rooms_are_public_names():
    found = {name for name in sm.__all__ if isinstance(getattr(sm, name), ModuleType)}
    assert found == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_there_whatever_was_imported_before(room):
    code = f"import seamark as sm; print(sm.{room}.__name__, *sm.{room}.__all__[:1])"
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == [f"seamark.{room}", getattr(sm, room).__all__[0]]


def test_rooms_name_what_is_public_for_type_checkers_too():
    source = ast.parse(Path(sm.__file__).read_text())
    imported = {
        alias.name
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(sm.__all__) - {"__version__"} <= imported
