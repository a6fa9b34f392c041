import subprocess
import sys

import seamark as sm

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
    for module in (sm, sm.measures, sm.objects, sm.engine):
        assert not [name for name in module.__all__ if not hasattr(module, name)]


def test_only_public_names_are_listed():
    assert dir(sm) == sorted(sm.__all__)
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(dir(sm))
