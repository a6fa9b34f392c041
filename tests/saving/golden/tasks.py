"""Objects and models whose predictions are golden, by formulas: no random stream can change them.

`make.py` writes what they predict, and files of some; `tests/test_golden_fits.py` fits them again.
"""

import inspect
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import seamark as sm
from seamark import baselines, online, papers
from seamark.data import Strings, strings
from seamark.feature_selection import Learned
from seamark.landmarks import Generated
from seamark.linear_model import Ordinal
from seamark.maps import MapUnion
from seamark.measures import Custom, Gaussian, Levenshtein, Precomputed

try:
    import pandas as pd
except ImportError:  # where only models without tables are asked
    pd = None

N = 36
SHOWN = slice(0, 8)  # the rows whose predictions are kept
CODES = np.arange(N) % 2


def waves(n, width):
    """Numbers between -1 and 1 that look irregular, and shift with the class of their row."""
    grid = np.outer(np.arange(1, n + 1), np.arange(1, width + 1))
    return np.round(np.sin(2.3 * grid + 0.7 * grid**1.5) + (np.arange(n) % 2)[:, None], 3)


def overlap(a, b):
    """An asymmetric distance: the share of a's letters that b lacks."""
    return len(set(a) - set(b)) / len(set(a))


VECTORS = waves(N, 3)
WORDS = ["ab" * (1 + i % 4) + "xé"[i % 2] * (1 + i % 5) + "cde"[i % 3] for i in range(N)]
DOMAINS = {
    "strings": ("levenshtein", WORDS),
    "bytes": ("levenshtein", [word.encode() for word in WORDS]),
    "series": ("dtw", [waves(N, 3 + i % 4)[[i, N - 1 - i]] + i % 2 for i in range(N)]),
    "univariate": ("dtw", waves(N, 6)),
    "sets": ("hausdorff", [waves(N, 2)[i : i + 1 + i % 3] + i % 2 for i in range(N)]),
    "vectors": ("gaussian", VECTORS),
    "sparse": ("euclidean", sparse.csr_array(VECTORS * (waves(N, 3)[::-1] > 0))),
    "precomputed": ("precomputed", np.abs(VECTORS[:, :1] - VECTORS[:, :1].T)),
    "columns": (Precomputed(square=False, kind="distance"), np.abs(VECTORS)),
    "callable": (overlap, WORDS),
    "custom": (Custom(overlap, kind="distance"), [frozenset(word) for word in WORDS]),
    "algebra": (Gaussian("mean") + 0.5 * Gaussian(2.0).normalised(), VECTORS),
    "several": ([Levenshtein(), Levenshtein().normalised()], WORDS),
    "scipy": ("canberra", VECTORS),
    "rapidfuzz": ("rapidfuzz:jaro_winkler", WORDS),
    "manhattan": ("manhattan", VECTORS),
    "chamfer": ("chamfer", [waves(N, 2)[i : i + 1 + i % 3] + i % 2 for i in range(N)]),
    "banded": (sm.measures.DTW(window=0.3), waves(N, 6)),
}
LABELS = {"y": np.array(["no", "yes"])[CODES]}
CLASSES = {"y": CODES}
NUMBERS = {"y": VECTORS[:, 0]}
GRADES = {"y": np.arange(N) % 3}
QUERIES = {"y": CODES.astype(float), "qid": np.arange(N) // 6}
TASKS = {
    sm.LandmarkClassifier: LABELS,
    sm.LandmarkRegressor: NUMBERS,
    sm.LandmarkOrdinal: GRADES,
    sm.LandmarkRanker: QUERIES,
}
MAIN = ("strings", "series", "sets", "vectors", "precomputed", "custom")
OPTIONS = {
    "svm": (sm.LandmarkClassifier, {"head": "svm"}),
    "logistic": (sm.LandmarkClassifier, {"head": "logistic"}),
    "linear_svc": (sm.LandmarkClassifier, {"head": "linear_svc"}),
    "greedy": (sm.LandmarkClassifier, {"weighing": "greedy"}),
    "aligned": (sm.LandmarkClassifier, {"weighing": "aligned"}),
    "learned": (sm.LandmarkClassifier, {"weighing": Learned(4, pool=30)}),
    "own_head": (sm.LandmarkRegressor, {"head": Ridge(0.1)}),
    "svr": (sm.LandmarkRegressor, {"head": "svr"}),
    "held_out": (sm.LandmarkClassifier, {"tune": "held_out"}),
    "per_class": (sm.LandmarkClassifier, {"tune": "held_out_per_class", "head": "svm"}),
    "whitening": (sm.LandmarkRegressor, {"transfer": "whitening"}),
    "pairs": (sm.LandmarkClassifier, {"landmarks": "pairs", "transfer": "ramp"}),
    "sign": (sm.LandmarkClassifier, {"landmarks": "pairs", "transfer": "sign"}),
    "decay": (sm.LandmarkClassifier, {"transfer": "decay"}),
    "gaussian_decay": (sm.LandmarkClassifier, {"transfer": "gaussian_decay"}),
    "generated": (sm.LandmarkRegressor, {"landmarks": "generated"}),
    "generated_open": (sm.LandmarkRegressor, {"landmarks": Generated()}),
    "stratified": (sm.LandmarkClassifier, {"landmarks": "stratified"}),
    "diverse": (sm.LandmarkClassifier, {"landmarks": "diverse"}),
    "farthest": (sm.LandmarkClassifier, {"landmarks": "farthest"}),
    "given": (sm.LandmarkClassifier, {"landmarks": WORDS[:5], "n_landmarks": None}),
    "number_by_folds": (sm.LandmarkClassifier, {"n_landmarks": "cv"}),
    "order": (sm.LandmarkOrdinal, {"head": Ordinal(categories=[2, 0, 1])}),
}
RIVALS = {
    "kernel_regression": (baselines.KernelRegression(n_references=9), NUMBERS),
    "substitution_svm": (baselines.SubstitutionSVM(), CLASSES),
    "pseudo_euclidean": (baselines.PseudoEuclidean(n_landmarks=8, n_components=3), CLASSES),
    "average_similarity": (baselines.AverageSimilarity(), CLASSES),
    "weak_vote": (baselines.AverageSimilarity(vote="weak", n_per_class=6), CLASSES),
    "neighbours": (baselines.NearestNeighboursClassifier(n_neighbors=3), CLASSES),
    "neighbours_regressor": (baselines.NearestNeighboursRegressor(n_neighbors=3), NUMBERS),
    "dboost": (baselines.DBoost(n_pairs=20, n_rounds=5), CLASSES),
}
RANDOM_MAPS = {
    "fourier": sm.RandomFourier(random_state=0),
    "maclaurin": sm.RandomMaclaurin(random_state=0),
    "arc_cosine": sm.ArcCosine(random_state=0),
    "coordinates": sm.Coordinates(),
    "aligned_map": sm.Aligned(sm.RandomFourier(random_state=0), random_state=0),
    "map_union": MapUnion([sm.RandomFourier(random_state=0), sm.Coordinates()]),
}
ONLINE = {
    "auc": online.AUCClassifier(random_state=0),
    "auc_of_landmarks": online.AUCClassifier(
        map=sm.LandmarkMap("gaussian", n_landmarks=5, random_state=0), random_state=0
    ),
    "metric": online.MetricLearner(random_state=0),
    "similarity": online.SimilarityLearner(random_state=0),
    "combiner": online.KernelCombiner(random_state=0),
}


def preset_targets(name):
    special = {"regland": NUMBERS, "regland_sp": NUMBERS, "orland": GRADES, "rank": QUERIES}
    return special.get(name, CLASSES)


def tasks():
    """Yield the name of each golden file, its unfitted model, its objects and its targets."""
    for model, targets in TASKS.items():
        for domain, (measure, X) in DOMAINS.items():
            if domain in MAIN or model is sm.LandmarkClassifier:
                count = None if domain == "columns" else 6
                made = model(measure, n_landmarks=count, random_state=0)
                yield f"{model.__name__}-{domain}", made, X, targets
    for name, (model, options) in OPTIONS.items():
        given = {"n_landmarks": 6, "random_state": 0} | options
        yield f"option-{name}", model("levenshtein", **given), WORDS, TASKS[model]
    for name in papers.__all__:
        if name != "as_similarity":
            preset = getattr(papers, name)
            many = "n_candidates" in inspect.signature(preset).parameters
            options = {"n_candidates": 20} if many else {}
            made = preset("levenshtein", n_landmarks=6, random_state=0, **options)
            yield f"paper-{name}", made, WORDS, preset_targets(name)
    for name, (rival, targets) in RIVALS.items():
        given = {"random_state": 0} if "random_state" in rival.get_params() else {}
        yield f"rival-{name}", rival.set_params(measure="levenshtein", **given), WORDS, targets
    for name, made in RANDOM_MAPS.items():
        yield f"map-{name}", made, VECTORS, CLASSES
    for domain in MAIN:
        measure, X = DOMAINS[domain]
        yield f"map-{domain}", bearings(measure), X, {}
    whitened = sm.LandmarkMap("gaussian", n_landmarks=5, transfer="whitening", random_state=0)
    yield "map-whitened", whitened, VECTORS, {}
    for name, learner in ONLINE.items():
        yield f"online-{name}", learner, VECTORS, CLASSES
    yield from pipelines()
    yield from unions()
    yield from defaults()


def pipelines():
    logistic, svc = LogisticRegression(), SVC(kernel="linear")
    scaled = make_pipeline(bearings("levenshtein"), StandardScaler(), logistic)
    yield "pipeline-scaled", scaled, WORDS, CLASSES
    yield "pipeline-plain", make_pipeline(bearings("levenshtein"), Ridge()), WORDS, NUMBERS
    yield "pipeline-svc", make_pipeline(bearings("dtw"), svc), DOMAINS["univariate"][1], CLASSES
    model = sm.LandmarkClassifier("gaussian", n_landmarks=5, random_state=0)
    yield "pipeline-vectors", make_pipeline(StandardScaler(), model), VECTORS, LABELS


@dataclass(frozen=True)
class Bits(Strings):
    """Two letters of a string."""

    def cut(self, X, n, rng):
        sources = np.arange(n) % len(X)
        places = [k % max(1, len(X[int(i)]) - 1) for k, i in enumerate(sources)]
        cut = [X[int(i)][a : a + 2] for i, a in zip(sources, places, strict=True)]
        return self.ingest(cut), sources


def lacks(word, bit):
    """0 where the word holds the bit."""
    return float(bit not in word)


class Holds(Custom):
    """Compares strings with bits."""

    domain = strings

    @property
    def landmark_domain(self):
        return Bits()


def table():
    trace = pd.Series(list(DOMAINS["univariate"][1]), dtype=object)
    name = pd.Series(WORDS, dtype=object)
    return pd.DataFrame({"name": name, "price": VECTORS[:, 0], "trace": trace})


TABLE = None if pd is None else table()
BY_COLUMN = {"name": "levenshtein", "price": "passthrough", "trace": "dtw"}


def bearings(measure, n=5):
    return sm.LandmarkMap(measure, n_landmarks=n, random_state=0)


def unions():
    """Parts, unions and columns."""
    few = {"n_landmarks": 5, "random_state": 0}
    holds = Holds(lacks, kind="distance")
    yield "parts", sm.LandmarkClassifier(holds, **few), WORDS, LABELS
    yield "parts_map", sm.LandmarkMap(holds, **few), WORDS, {}
    both = [bearings("euclidean"), sm.RandomFourier(n_components=9, random_state=0)]
    yield "maps", sm.LandmarkClassifier(both, random_state=0), VECTORS, LABELS
    yield "own_landmarks", sm.LandmarkRegressor(["dtw", "euclidean"], **few), VECTORS, NUMBERS
    numbers = {(0, 2): "passthrough", 1: bearings("euclidean", 4)}
    yield "matrix", sm.LandmarkRegressor(numbers, random_state=0), VECTORS, NUMBERS
    if TABLE is None:
        return
    yield "table", sm.LandmarkClassifier(BY_COLUMN, **few), TABLE, LABELS
    yield "table_svm", sm.LandmarkClassifier(BY_COLUMN, head="svm", **few), TABLE, {"y": CODES}
    chosen = sm.LandmarkClassifier(BY_COLUMN, weighing=sm.Greedy(4), **few)
    yield "greedy", chosen, TABLE, LABELS
    maps = [bearings("levenshtein"), sm.Coordinates()]
    yield "map_of_columns", MapUnion(maps, ["name", ["price"]]), TABLE, {}


MANY = 3 * N
DEFAULTS = {
    "strings": [
        f"{'ab' * (i % 5)}{'xé'[i % 2] * (1 + i % 3)}{i % 7}{'cde'[i % 3]}" for i in range(MANY)
    ],
    "series": waves(MANY, 40),
    "lengths": [waves(MANY, 20 + i % 7)[i] for i in range(MANY)],
    "sets": [waves(MANY, 2)[i : i + 2 + i % 3] + i % 2 for i in range(MANY)],
    "vectors": waves(MANY, 5),
}


def defaults():
    """Models without a measure, of every kind of object, task and effort."""
    y = waves(MANY, 2)
    targets = {
        sm.LandmarkClassifier: {"y": np.array(["no", "yes"])[(y[:, 0] > 0.4).astype(int)]},
        sm.LandmarkRegressor: {"y": y[:, 0]},
        sm.LandmarkOrdinal: {"y": np.digitize(y[:, 0], [0.0, 0.8])},
        sm.LandmarkRanker: {"y": np.digitize(y[:, 0], [0.0, 0.8]), "qid": np.arange(MANY) // 6},
    }
    kinds = dict(DEFAULTS)
    if pd is not None:
        days = pd.to_timedelta(np.arange(MANY) * 5 % 400, "D")
        kinds["table"] = pd.DataFrame(
            {
                "name": pd.Series(DEFAULTS["strings"], dtype=object),
                "colour": pd.Series(["red", "green", None] * N, dtype=object),
                "price": np.where(np.arange(MANY) % 11 == 5, np.nan, y[:, 0]),
                "sold": pd.Timestamp("2024-01-01") + days,
            }
        )
    for kind, X in kinds.items():
        for model, target in targets.items():
            yield f"default-{kind}-{model.__name__}", model(random_state=0), X, target
        for effort in ("quick", "best"):
            model = sm.LandmarkClassifier(effort=effort, random_state=0)
            yield f"{effort}-{kind}", model, X, targets[sm.LandmarkClassifier]


FUNCTIONS = {"tasks.overlap": overlap, "tasks.lacks": lacks, "tasks.Holds": Holds}
METHODS = ("predict", "predict_proba", "decision_function", "transform")


def said(model, X):
    """Return all that a model says of the rows that are shown."""
    some = X[SHOWN]
    found = {name: getattr(model, name)(some) for name in METHODS if hasattr(model, name)}
    if not found:  # a learned measure is all there is
        found["cross"] = sm.cross(model.measure_, some, X[:3])
    return found
