"""What format 2 has that format 1 had not: parts, unions, columns. By formulas, as in `tasks`."""

from dataclasses import dataclass

import numpy as np
from tasks import CODES, DOMAINS, LABELS, NUMBERS, VECTORS, WORDS

import seamark as sm
from seamark.maps import MapUnion
from seamark.measures import Custom
from seamark.objects import Strings, strings

try:
    import pandas as pd
except ImportError:  # where only models without tables are asked
    pd = None


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


FUNCTIONS = {"tasks_2.lacks": lacks, "tasks_2.Holds": Holds}


def table():
    trace = pd.Series(list(DOMAINS["univariate"][1]), dtype=object)
    name = pd.Series(WORDS, dtype=object)
    return pd.DataFrame({"name": name, "price": VECTORS[:, 0], "trace": trace})


TABLE = None if pd is None else table()
BY_COLUMN = {"name": "levenshtein", "price": "passthrough", "trace": "dtw"}


def bearings(measure, n=5):
    return sm.LandmarkMap(measure, n_landmarks=n, random_state=0)


def tasks():
    """Yield the name of each golden file, its unfitted model, its objects and its targets."""
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
