"""Scorers of RapidFuzz, through its ``process.cdist``."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import engine
from ...data import Ragged, Strings, strings
from .base import Adapter, Facts, Params, keep_inside, load

CELL_SECONDS = 2e-11  # per pair of characters, by bit-parallel scorers
VALUE_SECONDS = 2e-8  # per value, whatever the lengths

EXTRA = "seamark[strings]"

# Name here: RapidFuzz's module, and whether its distance is a metric.
MODULES: dict[str, tuple[str, bool | None]] = {
    "damerau_levenshtein": ("DamerauLevenshtein", True),
    "hamming": ("Hamming", True),
    "indel": ("Indel", True),
    "jaro": ("Jaro", None),
    "jaro_winkler": ("JaroWinkler", None),
    "lcs_seq": ("LCSseq", True),
    "levenshtein": ("Levenshtein", True),
    "osa": ("OSA", False),
    "postfix": ("Postfix", True),
    "prefix": ("Prefix", True),
}
SIMILAR = ("jaro", "jaro_winkler")  # their bare name means the similarity, in [0, 1]
COSTS = {"damerau_levenshtein": 250.0, "jaro": 2.0, "jaro_winkler": 2.0}
FUNCTIONS: dict[str, Facts] = {
    "distance": Facts(),
    "similarity": Facts(kind="similarity"),
    "normalized_distance": Facts(bounds=(0.0, 1.0)),
    "normalized_similarity": Facts(kind="similarity", bounds=(0.0, 1.0)),
}
RATIOS = ("ratio", "QRatio", "token_sort_ratio", "token_set_ratio", "token_ratio")
# Of these RapidFuzz searches the best place of the shorter string by rules that are not proven
# to be symmetric.
PARTIAL_RATIOS = (
    "partial_ratio",
    "partial_token_sort_ratio",
    "partial_token_set_ratio",
    "partial_token_ratio",
    "WRatio",
)


def _table() -> dict[str, Facts]:
    table: dict[str, Facts] = {}
    for name, (_, metric) in MODULES.items():
        for function, facts in FUNCTIONS.items():
            cost = COSTS.get(name, 1.0)
            triangle = metric if function == "distance" else None
            bounds = (0.0, 1.0) if name in SIMILAR else facts.bounds
            table[f"{name}.{function}"] = replace(
                facts, bounds=bounds, triangle=triangle, cost=cost
            )
        table[name] = table[f"{name}.{'similarity' if name in SIMILAR else 'distance'}"]
    ratio = Facts(kind="similarity", bounds=(0.0, 100.0), cost=2.0)
    table |= dict.fromkeys(RATIOS, ratio)
    return table | dict.fromkeys(PARTIAL_RATIOS, replace(ratio, symmetric=None, cost=50.0))


TABLE = _table()


class RapidFuzz(Adapter):
    """A scorer of RapidFuzz between strings.

    Parameters
    ----------
    scorer : str or function
        "damerau_levenshtein", "osa", "indel", "lcs_seq", "hamming", "prefix", "postfix",
        "levenshtein" mean the distance; "jaro" and "jaro_winkler" the similarity; another function
        of theirs is named after a dot, as in "osa.normalized_similarity". From ``rapidfuzz.fuzz``:
        "ratio", "partial_ratio", "token_sort_ratio", "WRatio", … (similarities from 0 to 100). Or
        the scorer itself, such as ``rapidfuzz.distance.JaroWinkler.similarity``.
    params : dict, optional
        Keyword parameters, such as ``{"weights": (1, 1, 2)}`` (insertion, deletion, substitution
        of "levenshtein"), ``{"prefix_weight": 0.2}`` or ``{"processor": function}``.

    Examples
    --------
    >>> RapidFuzz("osa").cross(["sea", "mark"], ["esa"])
    array([[1.],
           [4.]], dtype=float32)
    >>> RapidFuzz("jaro_winkler").cross(["seamark"], ["seamarks"]).round(3)
    array([[0.975]], dtype=float32)
    """

    library: ClassVar[str] = "rapidfuzz"
    choice: ClassVar[str] = "scorer"
    table = TABLE
    domain = strings

    def __init__(self, scorer: Any, params: Params = None) -> None:
        self.scorer = scorer
        self.params = params

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the scorer's name; RapidFuzz keeps one object per scorer."""
        return next((name for name in reversed(TABLE) if _scorer(name) is function), None)

    def facts(self) -> Facts:
        """Return the table's facts; parameters take away the triangle, weights may the symmetry."""
        facts, keywords = super().facts(), self.keywords()
        if not keywords:
            return facts
        insertion, deletion, _ = keywords.get("weights") or (1, 1, 1)
        symmetric = facts.symmetric if insertion == deletion else False
        return replace(facts, triangle=None, symmetric=symmetric)

    def compile(self, L: Ragged) -> engine.Plan:
        """Turn the landmarks into Python strings."""
        return _Scores(L, _scorer(self.chosen()), self.keywords(), self.facts())


class _Scores(engine.Plan):
    """`process.cdist` releases the GIL: our threads share the rows, one worker in each."""

    def __init__(self, L: Ragged, scorer: Any, keywords: dict[str, Any], facts: Facts) -> None:
        process = load("rapidfuzz.process", library="RapidFuzz", needs=EXTRA)
        for_cdist = ("processor", "score_cutoff", "score_hint")
        self.arguments = {key: keywords[key] for key in for_cdist if key in keywords}
        self.arguments["scorer_kwargs"] = {
            key: value for key, value in keywords.items() if key not in for_cdist
        }
        self.cdist, self.scorer, self.facts = process.cdist, scorer, facts
        self.L = decoded(L)
        self.n_landmarks = len(L)
        self.total_length = int(L.lengths.sum())
        self.scratch_per_row = 4 * self.n_landmarks + 100

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        cells = X.lengths * (self.total_length * CELL_SECONDS * self.facts.cost)
        return np.asarray(cells + self.n_landmarks * VALUE_SECONDS, np.float64)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        rows = decoded(X)
        # RapidFuzz prepares each query once: the shorter list should be the queries.
        if self.facts.symmetric and len(rows) > self.n_landmarks:
            out[:] = self._scores(self.L, rows).T
        else:
            out[:] = self._scores(rows, self.L)
        keep_inside(out, self.facts.bounds)

    def _scores(self, queries: list[Any], choices: list[Any]) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = self.cdist(
            queries, choices, scorer=self.scorer, dtype=np.float32, workers=1, **self.arguments
        )
        return scores


def _scorer(name: str) -> Any:
    """Return RapidFuzz's function of this name."""
    module, _, function = name.partition(".")
    if module in MODULES:
        distance = load("rapidfuzz.distance", library="RapidFuzz", needs=EXTRA)
        implied = "similarity" if module in SIMILAR else "distance"
        return getattr(getattr(distance, MODULES[module][0]), function or implied)
    fuzz = load("rapidfuzz.fuzz", library="RapidFuzz", needs=EXTRA)
    return getattr(fuzz, module)


def decoded(X: Ragged) -> list[Any]:
    """Return the strings as `str` or `bytes`: decoded together, then cut, which is much faster."""
    flat, cuts = X.flat, (X.offsets - X.offsets[0]).tolist()
    text: str | bytes
    if isinstance(X.domain, Strings) and X.domain.as_bytes:
        text = flat.tobytes()
    elif flat.dtype.itemsize == 1:
        text = flat.tobytes().decode("latin-1")
    else:
        text = flat.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [text[a:b] for a, b in pairwise(cuts)]
