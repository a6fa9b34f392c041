"""Models of every kind, small, as the files that are damaged (see `fuzz.py`)."""

import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compositions import TABLE, classes, family, numbers, two
from saved_tasks import DOMAINS, MINE, TASKS, VECTORS, WORDS, y
from scipy import sparse
from sklearn.base import clone
from sklearn.svm import SVC, SVR

import seamark as sm
from seamark import baselines
from seamark.feature_selection import Learned
from seamark.saving import format as npy
from seamark.saving.format import unpack

sys.path.insert(0, str(Path(__file__).parent / "golden"))
import tasks

KINDS = {
    "svm": {"head": "svm"},
    "logistic": {"head": "logistic"},
    "greedy": {"weighing": "greedy"},
    "aligned": {"weighing": "aligned"},
    "learned": {"weighing": Learned(3, pool=10)},
    "whitening": {"transfer": "whitening"},
    "pairs": {"landmarks": "pairs", "transfer": "ramp"},
    "generated": {"landmarks": "generated"},
}
RIVALS = (
    baselines.KernelRegression(n_references=5),
    baselines.SubstitutionSVM(),
    baselines.PseudoEuclidean(n_landmarks=5, n_components=2),
    baselines.AverageSimilarity(vote="weak", n_per_class=3),
    baselines.NearestNeighboursClassifier(n_neighbors=2),
    baselines.DBoost(n_pairs=6, n_rounds=3),
)
FAMILIES = ("encoder 2", "encoder 6", "encoder 10", "imputer 1", "columns by a slice", "union 3")
FAMILIES += (
    "union 5",
    "scaler 12",
    "scaler 13",
    "scaler 14",
    "regressor 9",
    "columns by a selector",
)


@dataclass
class Seed:
    """A saved model, taken apart, and rows to ask it about."""

    name: str
    document: dict[str, Any]
    arrays: list[Any]
    X: Any


def models():
    """Every model, its rows and its targets."""
    for domain, (measure, X) in DOMAINS.items():
        model = sm.LandmarkClassifier(measure, n_landmarks=4, random_state=0)
        yield domain, model if domain != "columns" else model.set_params(n_landmarks=None), X, y
    for kind, options in KINDS.items():
        given = {"n_landmarks": 4, "random_state": 0} | options
        yield kind, sm.LandmarkClassifier("levenshtein", **given), WORDS, y
        yield f"{kind} of series", sm.LandmarkClassifier("dtw", **given), DOMAINS["series"][1], y
    for cls, name in ((sm.LandmarkRegressor, "sets"), (sm.LandmarkOrdinal, "sparse")):
        measure, X = DOMAINS[name]
        yield f"{cls.__name__}", cls(measure, n_landmarks=4, random_state=0), X, TASKS[cls]["y"]
    for rival in RIVALS:
        yield type(rival).__name__, clone(rival).set_params(measure="levenshtein"), WORDS, y
    for map in (sm.RandomFourier(), sm.RandomMaclaurin(), sm.ArcCosine()):
        yield type(map).__name__, map.set_params(n_components=8, random_state=0), VECTORS, y
    yield "AUCClassifier", sm.online.AUCClassifier(random_state=0), VECTORS, y
    yield "SVC", SVC(), TABLE, classes
    yield "SVC of two", SVC(kernel="poly"), TABLE, two
    yield "SVC of sparse rows", SVC(), sparse.csr_matrix(TABLE), classes
    yield "SVC of a matrix", SVC(kernel="precomputed"), TABLE @ TABLE.T, two
    yield "SVC with probabilities", SVC(probability=True, random_state=0), TABLE, classes
    yield "SVR", SVR(), TABLE, numbers
    for name, model, X, targets in tasks.unions():
        yield f"block {name}", model, X, targets.get("y")
    for name, model, X, targets in family():
        if name.startswith(FAMILIES):
            yield name, model, X, targets


def seeds():
    """Fit, save and take apart."""
    folder = Path(tempfile.mkdtemp())
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model, X, targets in models():
            sm.save(clone(model).fit(X, targets), folder / "m", overwrite=True)
            document, arrays = unpack((folder / "m").read_bytes())
            rows = X.head(3) if hasattr(X, "head") else X[:3]
            found.append(Seed(name, document, [npy.from_bytes(one) for one in arrays], rows))
    (folder / "m").unlink()
    folder.rmdir()
    return found


FUNCTIONS = MINE | tasks.FUNCTIONS
