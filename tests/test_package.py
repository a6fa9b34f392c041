import ast
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import seamark as sm

SOURCE = Path(sm.__file__).parent
FILES = {path.stem for path in SOURCE.glob("*.py") if "\n__all__ = [" in path.read_text("utf-8")}
ROOMS = sorted(
    {one.name for one in pkgutil.iter_modules(sm.__path__) if one.ispkg} | FILES - {"__init__"}
)

LIGHT = ["seamark"] + [
    f"seamark.{room}" for room in ("bounds", "data", "engine", "measures", "user_warnings")
]


# What an audit hook sees of opened files, threads that are alive afterwards, and new modules.
QUIET = """
import sys, threading
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


OUTER = ("papers", "baselines", "online", "checks", "cli")


def test_outer_rooms_import_from_rooms_and_not_from_their_files():
    for path in SOURCE.rglob("*.py"):
        package = path.relative_to(SOURCE).with_suffix("").parts
        if package[0] not in OUTER:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == len(package):
                assert "." not in (node.module or ""), f"{path.name}: {ast.unparse(node)}"
