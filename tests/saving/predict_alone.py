"""Load the golden files where nothing is but what prediction needs, and predict.

Run by itself, in an environment of its own: ``python -I predict_alone.py``. With ``--only-needed``,
packages that are here and not needed are hidden first.
"""

import json
import sys
import warnings
from importlib.machinery import PathFinder
from pathlib import Path

NEEDED = {"numpy", "scipy", "sklearn", "joblib", "threadpoolctl", "cloudpickle", "narwhals"}
"""What `pip install seamark` brings, besides seamark."""
GOLDEN = Path(__file__).parent / "golden"
TOLERANCE = 1e-5  # of numbers, against 1 + their size: processors and BLAS round differently


class Hidden:
    """Finds nothing of what is installed, but for what is needed and what is seamark's own."""

    def find_spec(self, name, path=None, target=None):
        if path is not None or name.partition(".")[0] in NEEDED:
            return
        found = PathFinder.find_spec(name)
        outside = found is not None and "site-packages" in str(found.origin)
        if outside and not name.startswith(("seamark", "_seamark", "__editable__", "_distutils")):
            raise ModuleNotFoundError(f"No module named {name!r}, which is hidden", name=name)
        return


def differences(values, expected):
    """Return the largest difference, against 1 + the size; of labels, how many differ."""
    import numpy as np

    if values.dtype.kind in "fc":
        known = np.asarray(expected, dtype=float)
        return float((np.abs(values - known) / (1 + np.abs(known))).max())
    return float((values != np.asarray(expected)).sum())


def golden():
    """Yield name, file, functions, objects and expectations of each."""
    sys.path.insert(0, str(GOLDEN))
    import tasks

    expected = json.loads((GOLDEN / "expected.json").read_text())
    objects = {name: X for name, _, X, _ in tasks.tasks()}
    for path in sorted((GOLDEN / "files").glob("*.seamark")):
        if path.stem in objects:
            yield path.stem, path, tasks.FUNCTIONS, objects[path.stem], expected[path.stem]


def main():
    """Predict with all; print what came of it."""
    if "--only-needed" in sys.argv:
        sys.meta_path.insert(0, Hidden())
    warnings.simplefilter("ignore")
    import seamark as sm

    largest, lacking, n = {}, {}, 0
    for name, path, functions, X, expected in golden():
        import tasks

        try:
            found = tasks.said(sm.load(path, functions), X)
        except ImportError as error:
            lacking[name] = str(error)
            continue
        n += 1
        for method, known in expected.items():
            largest[f"{name}.{method}"] = differences(found[method], known)
    worst = max(largest, key=largest.get)
    said = {"backend": sm.engine.backend().name, "files": n, "lacking": lacking}
    print(json.dumps(said | {"worst": worst, "difference": largest[worst]}))
    if largest[worst] > TOLERANCE:
        sys.exit(f"{worst} differs by {largest[worst]}")


if __name__ == "__main__":
    main()
