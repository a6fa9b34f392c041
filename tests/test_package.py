import ast
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import seamark as sm

SOURCE = Path(sm.__file__).parent
FILES = {path.stem for path in SOURCE.glob("*.py") if "\n__all__ = [" in path.read_text("utf-8")}
ROOMS = sorted(
    {one.name for one in pkgutil.iter_modules(sm.__path__) if one.ispkg} | FILES - {"__init__"}
)

LIGHT = ["seamark"] + [f"seamark.{room}" for room in ("data", "engine", "measures", "validation")]


# What an audit hook sees of opened files, threads that are alive afterwards, and new modules.
QUIET = """
import concurrent.futures.thread, sys, threading
import sklearn.linear_model
sys.dont_write_bytecode = True
found = []
def watch(event, args):
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        found.append(args[0])
    elif event in ("_thread.start_new_thread", "subprocess.Popen", "socket.connect", "os.mkdir"):
        found.append(event)
before = set(sys.modules)
sys.addaudithook(watch)
import seamark
new = {".".join(name.split(".")[:2]) for name in set(sys.modules) - before}
print(found, threading.active_count(), sorted(new - set(sys.argv[1:])))
"""


def test_import_writes_nothing_starts_no_thread_and_brings_only_its_first_rooms():
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", QUIET, *LIGHT],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[] 1 []"


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


# Rooms that nothing imports, and those at the bottom, are asked for first, of a package that is
# imported anew: imports only point down, so the others are imported alike whoever asks for them.
# Other libraries stay, and so does the native module, which a process can have once only.
ENDS = ["assessment", "checks", "cli", "data", "datasets", "models", "papers", "plotting", "saving"]
ASKED_FIRST = """
import sys
for room in sys.argv[1:]:
    for name in [name for name in sys.modules if name.split(".")[0] == "seamark"]:
        if not name.endswith("._native"):
            del sys.modules[name]
    import seamark as sm
    found = getattr(sm, room)
    print(found.__name__, *found.__all__[:1])
"""


def test_a_room_is_there_whatever_was_imported_before():
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASKED_FIRST, *ENDS],
        capture_output=True,
        text=True,
        check=True,
    )
    named = [f"seamark.{room} {getattr(sm, room).__all__[0]}" for room in ENDS]
    assert result.stdout.splitlines() == named


def test_rooms_name_what_is_public_for_type_checkers_too():
    source = ast.parse(Path(sm.__file__).read_text())
    imported = {
        alias.name
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(sm.__all__) - {"__version__"} <= imported


# What an author outside this package could write is written with public names alone: those that a
# room lists in `__all__`, imported from the room or read from it.
OUTER = ("papers", "baselines", "online", "checks", "cli")


def inner_names(source, package):
    """Yield names that a file takes from other rooms, as pairs of a module and a name."""
    tree, rooms = ast.parse(source), {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.level or "seamark" in node.module):
            continue
        above = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
        module = ".".join(filter(None, [above, node.module]))
        if module.startswith(".".join(package[:2])) and len(package) > 1:
            continue  # of its own room
        for alias in node.names:
            yield module, alias.name
            if module == "seamark":
                rooms[alias.asname or alias.name] = f"seamark.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) in rooms:
            yield rooms[node.value.id], node.attr


def not_public(source, package):
    """Return what a file takes from other rooms and these do not list."""
    found = []
    for module, name in inner_names(source, package):
        listed = getattr(import_module(module), "__all__", ()) if module.count(".") < 2 else ()
        if name not in listed:
            found.append(f"{module}.{name}")
    return found


def test_outer_rooms_take_public_names_only():
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] in OUTER:
            package = ("seamark", *parts[:-1])
            assert not_public(path.read_text("utf-8"), package) == [], path.name


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("from ..engine import digest", []),
        ("from ..engine import warn_user", ["seamark.engine.warn_user"]),
        ("from ..engine.settings import row_chunks", ["seamark.engine.settings.row_chunks"]),
        ("from .. import engine\nengine.tick()", ["seamark.engine.tick"]),
        ("from seamark.io import Pass", ["seamark.io.Pass"]),
        ("from .base import some_rows", []),
    ],
)
def test_a_name_that_is_not_public_is_found(line, names):
    assert not_public(line, ("seamark", "baselines")) == names
