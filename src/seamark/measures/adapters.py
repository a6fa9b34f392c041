"""Adapters: measures that other libraries compute, in blocks and at their own speed."""

from __future__ import annotations

import importlib
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..data import Ragged, Strings, series, strings, vectors
from ..data.missing import interpolated
from ..validation import did_you_mean
from .base import Fact, Kind, Measure
from .vectors import is_psd

Params = Mapping[str, Any] | Iterable[tuple[str, Any]] | None


@dataclass(frozen=True)
class Facts:
    """What is certain of one function of a library; None where it is not."""

    kind: Kind = "distance"
    bounds: tuple[float, float] = (0.0, np.inf)
    symmetric: Fact = True
    triangle: Fact = None
    psd: Fact = None
    cost: float = 1.0
    """Work per cell or coordinate, the library's cheapest function being 1."""


def stated(fact: str) -> Any:
    """Return a property that is a fact at the present parameters."""
    return property(lambda self: getattr(self.facts(), fact))


ADAPTERS: list[type[Adapter]] = []
"""Every library's, as its class is defined."""


@dataclass(eq=False, repr=False)
class Adapter(Measure):
    """A function of another library, evaluated by that library in blocks.

    A subclass gives the library's name, its table of facts, and compiles landmarks.
    """

    metric: Any
    params: Params = None

    library: ClassVar[str]
    """Name before the colon of ``"library:name"``, and the library's root module."""
    choice: ClassVar[str] = "metric"
    """Constructor parameter that holds the name or the function."""
    table: ClassVar[Mapping[str, Facts]]
    """Facts by name, at the library's default parameters."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        ADAPTERS.append(cls)

    @classmethod
    @abstractmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the name of a function of the library, None if it has none here."""

    def chosen(self) -> str:
        """Return the name of the library's function, which may have been given itself."""
        wanted = getattr(self, self.choice)
        name = wanted if isinstance(wanted, str) else self.name_of(wanted)
        if name not in self.table:
            raise ValueError(
                f"{type(self).__name__} knows no {self.choice} {wanted!r}"
                f"{did_you_mean(str(wanted), self.table)}; see {type(self).__name__}.table."
            )
        return str(name)

    def keywords(self) -> dict[str, Any]:
        """Return the parameters passed on to the library."""
        try:
            return dict(self.params or ())
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"params must be a dict of keyword parameters, not {self.params!r}."
            ) from error

    def facts(self) -> Facts:
        """Return what is certain at the present parameters."""
        return self.table[self.chosen()]

    def check_parameters(self) -> None:
        """Require a known name and keyword parameters."""
        self.chosen()
        self.keywords()

    kind = stated("kind")
    bounds = stated("bounds")
    symmetric = stated("symmetric")
    triangle = stated("triangle")
    psd = stated("psd")

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions of RapidFuzz cannot be pickled; their names can.
        return {**super().__getstate__(), self.choice: self.chosen()}


def load(module: str, *, library: str, needs: str) -> Any:
    """Import a module of an optional library, or say how to install it.

    Parameters
    ----------
    module : str
        Full name.
    library : str
        The library as its authors write it.
    needs : str
        What to install.
    """
    try:
        importlib.import_module(module.partition(".")[0])
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"This measure needs {library}: pip install {needs!r}") from error


class LibraryPlan(engine.Plan):
    """Blocks of another library's values.

    Parameters
    ----------
    n_landmarks : int
    call : callable
        ``call(rows)`` returns the values of some rows.
    seconds : callable
        ``seconds(rows)`` estimates how long that takes.
    bounds : tuple of float
        Of the values; what rounding pushes over them is cut, NaN stays.
    scratch_per_row : int
    home : {"threads", "library"}
        Whether the library lets go of the GIL, or threads by itself.
    """

    def __init__(
        self,
        n_landmarks: int,
        call: Callable[[Any], NDArray[Any]],
        seconds: Callable[[Any], Any],
        bounds: tuple[float, float],
        scratch_per_row: int,
        home: str = "threads",
    ) -> None:
        self.n_landmarks, self.call, self.seconds_of = n_landmarks, call, seconds
        self.bounds, self.scratch_per_row = bounds, scratch_per_row
        self.home = home  # type: ignore[misc]

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """As the adapter estimates."""
        return np.asarray(self.seconds_of(X), np.float64)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Call the library once."""
        out[:] = self.call(X)
        if np.isfinite(self.bounds).any():
            np.clip(out, *self.bounds, out=out)


# Scorers of RapidFuzz, through its ``process.cdist``.


RAPIDFUZZ_CELL_SECONDS = 2e-11  # per pair of characters, by bit-parallel scorers
VALUE_SECONDS = 2e-8  # per value, whatever the lengths

RAPIDFUZZ_EXTRA = "seamark[strings]"

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


RAPIDFUZZ_SCORERS = _table()


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
    table = RAPIDFUZZ_SCORERS
    domain = strings

    def __init__(self, scorer: Any, params: Params = None) -> None:
        self.scorer = scorer
        self.params = params

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the scorer's name; RapidFuzz keeps one object per scorer."""
        return next(
            (name for name in reversed(RAPIDFUZZ_SCORERS) if _scorer(name) is function), None
        )

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
        cdist = load("rapidfuzz.process", library="RapidFuzz", needs=RAPIDFUZZ_EXTRA).cdist
        given, facts, landmarks = self.keywords(), self.facts(), decoded(L)
        for_cdist = ("processor", "score_cutoff", "score_hint")
        how = {key: given.pop(key) for key in for_cdist if key in given}
        # `cdist` releases the GIL: our threads share the rows, one worker in each.
        how |= {"dtype": np.float32, "workers": 1, "scorer": _scorer(self.chosen())}
        how["scorer_kwargs"] = given

        def call(X: Ragged) -> NDArray[np.float32]:
            rows = decoded(X)
            # RapidFuzz prepares each query once: the shorter list should be the queries.
            if facts.symmetric and len(rows) > len(landmarks):
                return np.asarray(cdist(landmarks, rows, **how).T)
            return np.asarray(cdist(rows, landmarks, **how))

        per_symbol = float(L.lengths.sum()) * RAPIDFUZZ_CELL_SECONDS * facts.cost
        each = len(L) * VALUE_SECONDS
        scratch = 4 * len(L) + 100
        return LibraryPlan(
            len(L), call, lambda X: X.lengths * per_symbol + each, facts.bounds, scratch
        )


def _scorer(name: str) -> Any:
    """Return RapidFuzz's function of this name."""
    module, _, function = name.partition(".")
    if module in MODULES:
        distance = load("rapidfuzz.distance", library="RapidFuzz", needs=RAPIDFUZZ_EXTRA)
        implied = "similarity" if module in SIMILAR else "distance"
        return getattr(getattr(distance, MODULES[module][0]), function or implied)
    fuzz = load("rapidfuzz.fuzz", library="RapidFuzz", needs=RAPIDFUZZ_EXTRA)
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


# Distances of aeon between time series, through its ``pairwise_distance``.


AEON_CELL_SECONDS = 3e-9  # per cell of the alignment matrix and channel

_METRIC = Facts(triangle=True)
_ELASTIC = Facts(triangle=False)
_POINTWISE = Facts(cost=0.1)  # series of unequal lengths are cut, and then anything may happen

AEON_DISTANCES = {
    "adtw": _ELASTIC,
    "ddtw": _ELASTIC,
    "dtw": _ELASTIC,
    "dtw_gi": Facts(symmetric=None, cost=100.0),
    "edr": Facts(bounds=(0.0, 1.0), triangle=False),
    # A metric in its paper; but aeon's border cells hold the sum of a whole series.
    "erp": _ELASTIC,
    "euclidean": _POINTWISE,
    "lcss": Facts(bounds=(0.0, 1.0), triangle=False),
    "manhattan": _POINTWISE,
    "minkowski": _POINTWISE,
    "msm": replace(_METRIC, cost=3.0),
    "sbd": Facts(bounds=(0.0, 2.0)),
    "shape_dtw": replace(_ELASTIC, cost=20.0),
    "shift_scale": Facts(symmetric=None, cost=10.0),
    "soft_dtw": Facts(bounds=(-np.inf, np.inf), triangle=False, cost=20.0),
    "squared": replace(_POINTWISE, triangle=False),
    "twe": replace(_METRIC, cost=3.0),
    "wddtw": _ELASTIC,
    "wdtw": _ELASTIC,
}
EQUAL_LENGTHS = {"shift_scale"}

AEON_EXTRA = "seamark[series]"

# numba's default thread pool ends the process if two threads enter it at once.
_one_at_a_time = threading.Lock()


class Aeon(Adapter):
    """A distance of aeon between time series. The first call compiles, which takes seconds.

    Parameters
    ----------
    metric : str or function
        "msm", "erp", "twe", "wdtw", "ddtw", "adtw", "lcss", "edr", "shape_dtw", "sbd", … (all are
        in ``Aeon.table``); or aeon's function, ``msm_distance`` or ``msm_pairwise_distance``.
    params : dict, optional
        Keyword parameters, such as ``{"window": 0.1, "c": 0.5}``; aeon's defaults otherwise.

    Examples
    --------
    >>> Aeon("msm", {"c": 0.5})
    Aeon(metric='msm', params={'c': 0.5})
    >>> Aeon("msm").triangle, Aeon("lcss").bounds
    (True, (0.0, 1.0))
    """

    library: ClassVar[str] = "aeon"
    table = AEON_DISTANCES
    domain = series

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the distance's name, if this is aeon's function of a pair or of collections."""
        aeon = _distances()
        for name in AEON_DISTANCES:
            own = aeon.get_distance_function(name), aeon.get_pairwise_distance_function(name)
            if any(function is f for f in own):
                return name
        return None

    def facts(self) -> Facts:
        """Return the table's facts; parameters (a window, a penalty) take away the triangle."""
        facts = super().facts()
        return replace(facts, triangle=None) if self.keywords() else facts

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out as aeon wants them."""
        pairwise = _distances().pairwise_distance
        numba = load("numba", library="aeon", needs=AEON_EXTRA)
        metric, keywords, facts = self.chosen(), self.keywords(), self.facts()
        landmarks = channel_major(L)
        # aeon looks only at the second collection to learn whether lengths differ, and reads
        # beyond its arrays if they differ in the first alone: one more landmark tells it.
        longer = np.concatenate([landmarks[0], landmarks[0][:, -1:]], axis=1)

        def call(X: Ragged) -> NDArray[Any]:
            rows: Any = channel_major(X)
            own: Any = landmarks if np.ptp(X.lengths) == 0 else [*landmarks, longer]
            lengths = np.concatenate([X.lengths, L.lengths])
            if metric in EQUAL_LENGTHS and np.ptp(lengths):
                raise ValueError(
                    f"aeon's {metric!r} needs series of one length, and these have "
                    f"{lengths.min()} to {lengths.max()} steps; resample them, or take another."
                )
            if metric in EQUAL_LENGTHS:
                rows, own = np.stack(rows), np.stack(own)
            threads = min(engine.n_threads(), numba.config.NUMBA_NUM_THREADS)
            with _one_at_a_time:
                values = pairwise(rows, own, method=metric, n_jobs=threads, **keywords)
            return np.asarray(values[:, : len(L)])

        per_step = float(L.lengths.sum()) * AEON_CELL_SECONDS * facts.cost * L.values.shape[1]
        scratch = 8 * (len(L) + 1) + 16 * int(L.lengths.max())
        # aeon holds the GIL and threads by itself: chunks go to it one after another.
        return LibraryPlan(
            len(L), call, lambda X: X.lengths * per_step, facts.bounds, scratch, home="library"
        )


def channel_major(X: Ragged) -> list[NDArray[np.float64]]:
    """Return the series as contiguous, writeable (channels, time): numba compiles for this once.

    Missing values are interpolated.
    """
    X = interpolated(X)
    flat = np.array(X.flat.T, dtype=np.float64, order="C")
    cuts = (X.offsets - X.offsets[0]).tolist()
    return [flat[:, a:b].copy() for a, b in pairwise(cuts)]


def _distances() -> Any:
    return load("aeon.distances", library="aeon", needs=AEON_EXTRA)


# Distances of ``scipy.spatial.distance``, through its ``cdist``.


COORDINATE_SECONDS = 1e-9  # per coordinate of the cheaper metrics

_ANGLE = Facts(bounds=(0.0, 2.0), triangle=False)
_SHARE = Facts(bounds=(0.0, 1.0), triangle=True)

SCIPY_METRICS = {
    "braycurtis": Facts(triangle=False),
    "canberra": _METRIC,
    "chebyshev": _METRIC,
    "cityblock": _METRIC,
    "correlation": _ANGLE,
    "cosine": _ANGLE,
    "dice": replace(_SHARE, triangle=False),
    "euclidean": _METRIC,
    "hamming": _SHARE,
    "jaccard": _SHARE,
    "jensenshannon": Facts(bounds=(0.0, 0.83255467), triangle=True, cost=15.0),  # √ln 2
    "mahalanobis": _METRIC,
    "minkowski": replace(_METRIC, cost=10.0),
    "rogerstanimoto": _SHARE,
    "russellrao": _SHARE,
    "seuclidean": _METRIC,
    "sokalsneath": _SHARE,
    "sqeuclidean": Facts(triangle=False),
    "yule": Facts(bounds=(0.0, 2.0), triangle=False),
}

# scipy's own functions ask only whether a coordinate is zero, and so do we; its cdist does not
# always (jaccard), and copies (the others).
BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


class Scipy(Adapter):
    """A distance of ``scipy.spatial.distance`` between dense vectors.

    Computed in float64. Where scipy gives NaN (the correlation of a constant vector, the
    Jensen–Shannon distance of negative numbers), so does this.

    Parameters
    ----------
    metric : str or function
        Name or function, such as "canberra", "braycurtis", "chebyshev", "jensenshannon"; all are in
        ``Scipy.table``. Boolean ones ("jaccard", "dice", …) ask only whether a coordinate is zero.
    params : dict, optional
        Keyword parameters, such as ``{"p": 3}`` or ``{"w": weights}``. What "mahalanobis" (VI) and
        "seuclidean" (V) need is estimated from the data, once, if it is not given.

    Examples
    --------
    >>> Scipy("chebyshev").cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[4.]], dtype=float32)
    >>> Scipy("minkowski", {"p": 1}).cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]], dtype=float32)
    """

    library: ClassVar[str] = "scipy"
    table = SCIPY_METRICS
    domain = vectors

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the metric's name, if this is one of scipy's own functions."""
        from scipy.spatial import distance

        name = getattr(function, "__name__", "")
        return name if name in SCIPY_METRICS and getattr(distance, name, None) is function else None

    def facts(self) -> Facts:
        """Return the table's facts, less those that p or VI take away."""
        facts, keywords = super().facts(), self.keywords()
        if keywords.get("p", 2) < 1:
            return replace(facts, triangle=False)
        VI = np.asarray(keywords.get("VI", 0.0))
        if "VI" in keywords and not is_psd((VI + VI.T) / 2):
            return replace(facts, triangle=None)
        return facts

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy with the (co)variances of X, if the metric needs them and has none."""
        keyword, estimate = ESTIMATED.get(self.chosen(), ("", None))
        keywords = self.keywords()
        if estimate is None or keyword in keywords:
            return self
        return self._with(params={**keywords, keyword: estimate(_dense(X))})

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks as float64 or booleans."""
        from scipy.spatial.distance import cdist

        metric, keywords, facts = self.chosen(), self.keywords(), self.facts()

        def prepare(X: Any) -> NDArray[Any]:
            dense = _dense(X)
            return dense != 0 if metric in BOOLEAN else np.asarray(dense, np.float64)

        landmarks = prepare(L)
        try:
            cdist(landmarks[:1], landmarks[:1], metric, **keywords)
        except TypeError as error:
            raise TypeError(
                f"scipy's cdist does not take params={keywords!r} for {metric!r}: {error}."
            ) from error
        cost = facts.cost * L.shape[1] * (L.shape[1] / 4 if "VI" in keywords else 1.0)

        def call(X: Any) -> NDArray[Any]:
            return np.asarray(cdist(prepare(X), landmarks, metric, **keywords))

        return _vector_plan(L, call, facts.bounds, cost * COORDINATE_SECONDS)


def _vector_plan(
    L: Any, call: Callable[[Any], NDArray[Any]], bounds: tuple[float, float], value_seconds: float
) -> LibraryPlan:
    """Return a plan of values between vectors, each of which takes so many seconds."""
    n, width = L.shape
    return LibraryPlan(
        n, call, lambda X: np.full(X.shape[0], n * value_seconds), bounds, 24 * n + 16 * width
    )


def _dense(X: Any) -> NDArray[Any]:
    if sparse.issparse(X):
        raise TypeError(
            "X is sparse, and scipy's distances need dense vectors; give X.toarray(), or use a "
            "measure of the catalogue that takes sparse ones, such as 'euclidean' or 'cosine'."
        )
    return np.asarray(X)


def _variances(X: NDArray[Any]) -> NDArray[np.float64]:
    V = np.asarray(X.var(axis=0, ddof=1 if len(X) > 1 else 0, dtype=np.float64))
    constant = np.flatnonzero(V == 0)
    if len(constant):
        raise ValueError(
            f"column {constant[0]} does not vary over the {len(X)} rows that 'seuclidean' takes "
            "its variances from; drop the column, or give params={'V': variances}."
        )
    return V


def _inverse_covariance(X: NDArray[Any]) -> NDArray[np.float64]:
    n, d = X.shape
    if n > d:
        covariance = np.atleast_2d(np.cov(X.T.astype(np.float64)))
        if np.linalg.matrix_rank(covariance, hermitian=True) == d:
            inverse = np.linalg.inv(covariance)
            return np.asarray((inverse + inverse.T) / 2)
    raise ValueError(
        f"the covariance of {n} rows with {d} columns cannot be inverted for 'mahalanobis'; give "
        "more rows, or params={'VI': np.linalg.pinv(np.cov(X.T))}."
    )


ESTIMATED: dict[str, tuple[str, Callable[[NDArray[Any]], NDArray[np.float64]]]] = {
    "mahalanobis": ("VI", _inverse_covariance),
    "seuclidean": ("V", _variances),
}


# Kernels of ``sklearn.metrics.pairwise``.


_ANY = Facts(kind="similarity", bounds=(-np.inf, np.inf))
_FALLING = Facts(kind="similarity", bounds=(0.0, 1.0), psd=True)

SKLEARN_KERNELS = {
    "additive_chi2": Facts(kind="similarity", bounds=(-np.inf, 0.0), psd=False, cost=1.5),
    "chi2": replace(_FALLING, cost=1.5),
    "cosine": Facts(kind="similarity", bounds=(-1.0, 1.0), psd=True, cost=0.1),
    "laplacian": replace(_FALLING, cost=0.5),
    "linear": replace(_ANY, psd=True, cost=0.1),
    "poly": replace(_ANY, psd=True, cost=0.1),
    "polynomial": replace(_ANY, psd=True, cost=0.1),
    "rbf": replace(_FALLING, cost=0.2),
    "sigmoid": Facts(kind="similarity", bounds=(-1.0, 1.0), cost=0.1),
}
DENSE_ONLY = {"additive_chi2", "chi2"}


class SklearnKernel(Adapter):
    """A kernel of scikit-learn's ``pairwise_kernels`` between vectors. Computed in float64.

    Parameters
    ----------
    metric : str or function
        "chi2", "additive_chi2" (dense, never negative); "rbf", "laplacian", "poly", "sigmoid",
        "linear", "cosine" (dense or sparse); or the kernel function itself.
    params : dict, optional
        Keyword parameters, such as ``{"gamma": 0.5}``; scikit-learn's defaults otherwise.

    Examples
    --------
    >>> SklearnKernel("chi2").cross([[0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]).round(3)
    array([[1.   , 0.135]], dtype=float32)
    """

    library: ClassVar[str] = "sklearn"
    table = SKLEARN_KERNELS
    domain = vectors

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the kernel's name, if this is one of scikit-learn's own functions."""
        from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS as functions

        return next((name for name in SKLEARN_KERNELS if functions.get(name) is function), None)

    def facts(self) -> Facts:
        """Return the table's facts, which hold for a positive gamma and a usual polynomial."""
        facts, keywords = super().facts(), self.keywords()
        gamma, degree = keywords.get("gamma"), keywords.get("degree", 3)
        if gamma is not None and gamma <= 0:
            return replace(facts, bounds=(-np.inf, np.inf), psd=None)
        if keywords.get("coef0", 1) < 0 or degree != int(degree) or degree < 1:
            return replace(facts, psd=None)
        return facts

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks as float64."""
        from sklearn.metrics.pairwise import pairwise_kernels

        metric, keywords, facts = self.chosen(), self.keywords(), self.facts()

        def prepare(X: Any) -> Any:
            if sparse.issparse(X) and metric in DENSE_ONLY:
                raise TypeError(
                    f"X is sparse, and scikit-learn's {metric!r} kernel needs dense vectors; "
                    "give X.toarray()."
                )
            return X.astype(np.float64, copy=False)

        landmarks = prepare(L)

        def call(X: Any) -> NDArray[Any]:
            both = prepare(X), landmarks
            if sparse.issparse(X) != sparse.issparse(landmarks):  # some kernels want both alike
                both = sparse.csr_matrix(both[0]), sparse.csr_matrix(both[1])
            return np.asarray(pairwise_kernels(*both, metric=metric, **keywords))

        seconds = (L.shape[1] * facts.cost + 5) * COORDINATE_SECONDS
        return _vector_plan(L, call, facts.bounds, seconds)


# From a bare name, ``"library:name"`` or a library's function to its adapter.


def find(wanted: Any) -> Adapter | None:
    """Return the adapter that a name or a function means, None if no library knows it.

    The catalogue is asked first, so that its names ("cosine", "dtw", …) mean its own measures. A
    bare name means the one library that knows it; if several do, they compare different things
    (RapidFuzz strings, aeon series, scipy and scikit-learn vectors), and the user must say which.
    Functions are recognised by identity, and a library is imported only if the function is its own.

    Parameters
    ----------
    wanted : str or callable
        "jaro", "scipy:hamming", ``scipy.spatial.distance.canberra``, …

    Examples
    --------
    >>> find("canberra"), find("rapidfuzz:hamming"), find("no such measure")
    (Scipy(metric='canberra'), RapidFuzz(scorer='hamming'), None)
    """
    if isinstance(wanted, str):
        library, colon, name = wanted.partition(":")
        if colon:
            of_library = [adapter for adapter in ADAPTERS if adapter.library == library]
            if not of_library:
                libraries = ", ".join(repr(a.library) for a in ADAPTERS)
                raise ValueError(
                    f"unknown library {library!r} in the measure '{wanted}'; known are {libraries}."
                )
            (adapter,) = of_library
            if name not in adapter.table:
                raise ValueError(
                    f"unknown measure '{wanted}'{did_you_mean(name, adapter.table)}; "
                    f"measures.{adapter.__name__}.table lists what {library} has."
                )
            return adapter(name)
        name, knowing = wanted, [adapter for adapter in ADAPTERS if wanted in adapter.table]
        if len(knowing) > 1:
            choices = " or ".join(f"'{a.library}:{name}' ({a.domain.name})" for a in knowing)
            raise ValueError(f"{name!r} is the name of several measures; say {choices}.")
    else:
        root = str(getattr(wanted, "__module__", "")).partition(".")[0] if callable(wanted) else ""
        knowing = [adapter for adapter in ADAPTERS if adapter.library == root]
        name = (knowing[0].name_of(wanted) or "") if knowing else ""
    return knowing[0](name) if knowing and name else None
