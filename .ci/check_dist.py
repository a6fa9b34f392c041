"""Check what is in dist/: one sdist and one wheel, with all of the package and nothing else."""

import re
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
BESIDE = {"CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CONTRIBUTING.md", "LICENSE"}
BESIDE |= {"PKG-INFO", "README.md", "pyproject.toml"}
NATIVE = re.compile(r"seamark/engine/_native\.[\w.-]+\.(so|pyd)")
LARGEST_WHEEL = 3_000_000
RECORDS = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def sources() -> set[str]:
    """Return the files of src/, without what Python and compilers leave there."""
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file())
    clean = (path for path in files if "__pycache__" not in path.parts and path.suffix != ".so")
    return {path.relative_to(ROOT).as_posix() for path in clean}


def in_sdist(path: Path) -> set[str]:
    """Return the files of an sdist, without its one folder."""
    with tarfile.open(path) as archive:
        return {one.name.split("/", 1)[1] for one in archive.getmembers() if one.isfile()}


def in_wheel(path: Path) -> set[str]:
    """Return the files of a wheel; the folder of its records is called `info`."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    return {re.sub(r"^seamark-[^/]*\.dist-info/", "info/", name) for name in names}


def differences(what: str, found: set[str], expected: set[str]) -> list[str]:
    """Say what is missing and what is too much."""
    return [f"{what} lacks {name}" for name in sorted(expected - found)] + [
        f"{what} should not hold {name}" for name in sorted(found - expected)
    ]


def problems(folder: Path) -> list[str]:
    """Say what is wrong with the archives of a folder."""
    sdists, wheels = list(folder.glob("*.tar.gz")), list(folder.glob("*.whl"))
    if len(sdists) != 1 or len(wheels) != 1:
        return [f"{folder} should hold one sdist and one wheel"]
    ours = sources()
    found = in_wheel(wheels[0])
    native = {name for name in found if NATIVE.fullmatch(name)}
    python = {name.removeprefix("src/") for name in ours if "/native/" not in name}
    wrong = differences("the sdist", in_sdist(sdists[0]), ours | BESIDE)
    wrong += differences("the wheel", found - native, python | {f"info/{one}" for one in RECORDS})
    size = wheels[0].stat().st_size
    if size > LARGEST_WHEEL:
        wrong.append(f"the wheel has {size:,} bytes, more than {LARGEST_WHEEL:,}")
    return wrong + ["the wheel should hold one native module"] * (len(native) != 1)


if __name__ == "__main__":
    sys.exit("\n".join(problems(ROOT / "dist")) or None)
