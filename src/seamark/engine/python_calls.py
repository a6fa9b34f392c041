"""Values of a user's Python function: calls on pairs or batches, in this process or several."""

from __future__ import annotations

import functools
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..validation import warn_user
from .backends import carried, restored
from .plan import Doubles, Job, MeasureError, Plan, SlowMeasureWarning, Stop, Values
from .progress import duration
from .settings import changed, settings
from .threads import n_threads

try:
    from joblib.externals import cloudpickle
except ImportError:  # joblib 1.6 and later depend on it instead of bringing it
    import cloudpickle

if TYPE_CHECKING:
    from .value_cache import KnownPairs

__all__ = ["Packed", "cloudpickle"]


TAKEN_ROWS = 1024  # objects taken out of their collection at once, to be recognised
TILE_PAIRS = 1 << 18  # in one tile: a function of batches builds temporaries of a multiple of it
TRIAL_SECONDS = 0.1  # of calls that are made before anything is estimated from them
TILE_SECONDS = 0.5  # of calls in one tile: what an interruption may lose
PROCESSES_FROM = 1.0  # estimated seconds from which on it is worth starting processes
SLOW_FROM = 60.0  # estimated seconds from which on the user is warned
WASTE = 1.125  # a function of batches may compute so many times the values needed
GROWTH = 8  # a tile is at most so many times the one before: first calls are often slow
CALL_SECONDS = 1e-5  # where nothing is known of a function yet
LARGEST = float(np.finfo(np.float32).max)

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Tile:
    """Pairs to be computed: row and landmark of each, or of a batch all rows with all landmarks."""

    rows: Rows
    columns: Rows
    wanted: int
    """How many of the pairs are asked for."""
    batch: bool

    def pairs(self) -> tuple[Rows, Rows]:
        """Return row and landmark of each pair."""
        if not self.batch:
            return self.rows, self.columns
        return np.repeat(self.rows, len(self.columns)), np.tile(self.columns, len(self.rows))

    def taken(self, X: Any) -> Any:
        """Return the rows of a batch, or all from the first to the last row of the pairs."""
        first, last = int(self.rows[0]), int(self.rows[-1]) + 1
        return X[self.rows] if self.batch and len(self.rows) < last - first else X[first:last]


class Tiles:
    """Cuts the pairs of rows and landmarks into tiles, each as large as is asked for.

    Parameters
    ----------
    n, n_landmarks : int
    need : ndarray of bool, optional
        Which pairs are to be computed; all if left out.
    batches : bool, default=False
        Whether a tile is a rectangle, which may hold few pairs that are not needed.

    Examples
    --------
    >>> tiles = Tiles(3, 4, batches=True)
    >>> for budget in (3, 9, 9):
    ...     tile = tiles.next(budget)
    ...     print(tile.rows.tolist(), tile.columns.tolist())
    [0] [0, 1, 2]
    [0] [3]
    [1, 2] [0, 1, 2, 3]
    >>> tiles.left
    0
    """

    def __init__(
        self, n: int, n_landmarks: int, need: Mask | None = None, *, batches: bool = False
    ) -> None:
        self.n_landmarks, self.batches = n_landmarks, batches
        self.need = np.broadcast_to(np.True_, (n, n_landmarks)) if need is None else need
        self.left = n * n_landmarks if need is None else int(np.count_nonzero(need))
        self._pairs: Any = range(self.left) if need is None else ()
        if need is not None and not batches:
            self._pairs = np.flatnonzero(need)
        self._row, self._begun = 0, 0  # of batches: rows done, and landmarks of the one at work

    def next(self, budget: int) -> Tile:
        """Return the next tile of at most `budget` pairs to compute, at least one."""
        budget = max(1, min(budget, TILE_PAIRS))
        if self.batches:
            tile = self._rectangle(budget)
        else:
            start = len(self._pairs) - self.left
            pairs = np.asarray(self._pairs[start : start + budget])
            tile = Tile(*np.divmod(pairs, self.n_landmarks), len(pairs), False)
        self.left -= tile.wanted
        return tile

    def _rectangle(self, budget: int) -> Tile:
        """Return the smallest rectangle that holds what is needed of a few rows, or a part of one.

        The whole rectangle will be computed.
        """
        while not self.need[self._row].any():
            self._row += 1
        start, some = self._row, self.need[self._row :][: max(1, TILE_PAIRS // self.n_landmarks)]
        count = int(np.searchsorted(some.sum(axis=1).cumsum(), budget, side="right"))
        if self._begun or count == 0:
            left = np.flatnonzero(some[0])[self._begun :]
            columns, self._begun = left[:budget], self._begun + budget
            if len(left) <= budget:
                self._row, self._begun = start + 1, 0
            return Tile(np.array([start]), columns, len(columns), True)
        while True:
            block = some[:count]
            rows, columns = (np.flatnonzero(block.any(axis=axis)) for axis in (1, 0))
            wanted = int(np.count_nonzero(block))
            if count == 1 or len(rows) * len(columns) <= WASTE * wanted:
                break
            count //= 2
        self._row += count
        return Tile(start + rows, columns, wanted, True)


# A function on a tile of pairs: what it returns, and what is said when that is no number.


@dataclass
class Outcome:
    """What became of a tile.

    Attributes
    ----------
    values : ndarray
        NaN where there is none: something came first.
    seconds : float
    text : str
        What went wrong, if anything did; and the exception, if there was one.
    cause : Exception or None
    pair : int or None
        At which pair of the tile it went wrong; None: at no single one.
    interrupt : BaseException or None
        What came from elsewhere, such as Ctrl-C.
    """

    values: Doubles
    seconds: float = 0.0
    text: str = ""
    cause: Exception | None = None
    pair: int | None = None
    interrupt: BaseException | None = None


class CallPlan(Plan):
    """Landmarks for a measure that is a Python function.

    Parameters
    ----------
    f : callable
        ``f(x, y) -> number`` or ``f(X, L) -> (n, R) array``.
    L : objects
        Ingested landmarks.
    vectorised : bool or callable
        Which of the two `f` is, or ``vectorised(X, L)``, asked once, when a value is needed.
    memory : path, optional
        Folder in which finished values are kept.
    symmetric : bool
        Whether a kept value stands for the swapped pair too.

    Examples
    --------
    >>> plan = CallPlan(lambda x, y: x - y, np.array([1, 5], dtype=object), False)
    >>> out = np.empty((1, 2), dtype=np.float32)
    >>> plan.fill(np.array([3], dtype=object), out, np.zeros(1, dtype=np.uint8))
    >>> out
    array([[ 2., -2.]], dtype=float32)
    """

    home = "calls"

    def __init__(
        self,
        f: Callable[..., Any],
        L: Any,
        vectorised: bool | Callable[[Any, Any], bool],
        *,
        memory: Any = None,
        symmetric: bool = False,
    ) -> None:
        self.f = f
        self.L = L
        self.n_landmarks = L.shape[0]
        self.vectorised = vectorised
        self.memory = memory
        self.symmetric = symmetric

    def __reduce__(self) -> tuple[Any, ...]:
        return CallPlan, (self.f, self.L, self.vectorised)  # not the landmarks one by one

    def fill(self, X: Any, out: Values, stop: Stop) -> None:
        """Compare every row with every landmark, here and now; whoever asks for it counts."""
        with changed(counters=()):
            call_pairs(self, X, out, Job(), workers=1)

    def seconds(self, X: Any) -> Doubles:
        """Nothing is known of a function that was not called; `call_pairs` measures."""
        return np.full(X.shape[0], CALL_SECONDS * self.n_landmarks)

    def takes_batches(self, X: Any) -> bool:
        """Whether the function takes batches, having found it out."""
        if callable(self.vectorised):
            self.vectorised = self.vectorised(X, self.L)
        return self.vectorised

    @functools.cached_property
    def landmarks(self) -> list[Any]:
        """The landmarks one by one."""
        return objects(self.L)

    def evaluate(self, rows: Any, tile: Tile) -> Outcome:
        """Return the values of a tile's pairs; `rows` are its rows."""
        n = len(tile.rows) * (len(tile.columns) if tile.batch else 1)
        outcome, began = Outcome(np.full(n, np.nan)), time.perf_counter()
        try:
            (self._call_on_batch if tile.batch else self._call_on_pairs)(rows, tile, outcome)
        except BaseException as error:  # Ctrl-C: what came before it stays
            outcome.interrupt = error
        outcome.seconds = time.perf_counter() - began
        return outcome

    def _call_on_pairs(self, rows: Any, tile: Tile, outcome: Outcome) -> None:
        own = objects(rows)
        xs = [own[i] for i in (tile.rows - tile.rows[0]).tolist()]
        ys = [self.landmarks[j] for j in tile.columns.tolist()]
        got: list[Any] = []
        try:
            got.extend(map(self.f, xs, ys))  # a loop in C; what came before an error stays
            if len(got) < len(xs):  # `map` takes this one of the function's as an end
                outcome.text = "StopIteration: raised by the function"
        except Exception as error:
            outcome.text, outcome.cause = reason(error), error
        finally:
            numbers, unfit = _numbers(got)
            outcome.values[: len(numbers)] = numbers
            outcome.pair = len(numbers)
            if unfit:
                outcome.text, outcome.cause = unfit, None

    def _call_on_batch(self, rows: Any, tile: Tile, outcome: Outcome) -> None:
        """Call once, on all rows and landmarks of a tile."""
        whole = len(tile.columns) == self.n_landmarks
        L, shape = self.L if whole else self.L[tile.columns], (len(tile.rows), len(tile.columns))
        try:
            result = matrix(self.f(batch(rows), batch(L)), shape).ravel()
        except Exception as error:
            outcome.text, outcome.cause = reason(error), error
            return
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(result) <= LARGEST)
        outcome.values[:] = np.where(bad, np.nan, result)
        if bad.any():
            outcome.pair = int(bad.argmax())
            outcome.text = _unfit(float(result[outcome.pair]))


def _numbers(got: list[Any]) -> tuple[list[float] | Doubles, str]:
    """Return results as floats, up to the first that is no finite number; and what that one is."""
    if set(map(type, got)) <= {float, int, bool, np.float64, np.float32, np.int64}:
        try:
            array = np.array(got, dtype=np.float64)
            if (np.abs(array) <= LARGEST).all():
                return array, ""
        except OverflowError:  # an int too large for a double
            pass
    numbers: list[float] = []
    for result in got:
        try:
            numbers.append(number(result))
        except ValueError as error:
            return numbers, str(error)
    return numbers, ""


def objects(X: Any) -> list[Any]:
    """Return the objects of an ingested collection one by one; a CSR row is a 1-row matrix."""
    return [X[i : i + 1] for i in range(X.shape[0])] if sparse.issparse(X) else list(X)


def batch(X: Any) -> Any:
    """Return a collection as a function of batches gets it: a matrix, or a list of objects."""
    return X if sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim > 1) else list(X)


def name_of(f: Callable[..., Any]) -> str:
    """Return a function's name for people.

    Examples
    --------
    >>> name_of(functools.partial(max, 1)), name_of(len)
    ('max', 'len')
    """
    if isinstance(f, functools.partial):
        return name_of(f.func)
    return str(getattr(f, "__name__", type(f).__name__))


def reason(error: BaseException) -> str:
    """Return what an exception says, with its type unless it is one of ours."""
    return str(error) if isinstance(error, _Unfit) else f"{type(error).__name__}: {error}"


class _Unfit(ValueError):
    """A result that is no finite number, or no matrix of numbers."""


def matrix(result: Any, shape: tuple[int, int]) -> Doubles:
    """Return a copy of a batch's result as float64, or raise `ValueError` with a sentence."""
    array = np.asarray(result.toarray() if sparse.issparse(result) else result)
    if array.shape != shape:
        raise _Unfit(
            f"it returned an array of shape {array.shape} for {shape[0]} rows and {shape[1]} "
            f"landmarks, and must return shape {shape}; if it compares single objects, pass "
            "vectorised=False."
        )
    if array.dtype.kind not in "biuf":
        raise _Unfit(f"it returned an array of {array.dtype}, and must return real numbers.")
    return array.astype(np.float64)


def number(result: Any) -> float:
    """Return a pair's result as a float, or raise `ValueError` with a sentence.

    Examples
    --------
    >>> number(np.array([[2.5]])), number(True)
    (2.5, 1.0)
    """
    value = result.toarray() if sparse.issparse(result) else result
    if hasattr(value, "dtype") and hasattr(value, "item") and np.prod(value.shape) == 1:
        value = value.item()
    if isinstance(value, (str, bytes, complex)) or not hasattr(value, "__float__"):
        raise _Unfit(f"it returned {_brief(result)}, and must return one finite number.")
    try:
        value = float(value)
    except OverflowError:
        value = np.inf
    except (TypeError, ValueError):
        raise _Unfit(f"it returned {_brief(result)}, and must return one number.") from None
    if not abs(value) <= LARGEST:
        raise _Unfit(_unfit(value, _brief(result)))
    return value


def _unfit(value: float, shown: str = "") -> str:
    shown = shown or f"{value:g}"
    if np.isfinite(value):
        return f"it returned {shown}, beyond the range of float32 ({LARGEST:.2g}); rescale it."
    return f"it returned {shown}, and must return one finite number."


def _brief(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an int of too many digits, a class with a broken __repr__
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:60]}… (a {type(value).__name__})"


# How plans travel to other processes, and what runs there.


@dataclass(frozen=True)
class Packed:
    """Something on its way to other processes, lambdas and closures too.

    It travels as one array, because joblib shares large arrays instead of sending them.
    """

    data: NDArray[np.uint8]
    key: str

    @classmethod
    def of(cls, thing: Any) -> Packed:
        """Pack it."""
        data = cloudpickle.dumps(thing)
        return cls(np.frombuffer(data, dtype=np.uint8), blake2b(data).hexdigest())

    def opened(self) -> Any:
        """Unpack it, in a process once for all pieces of work that name the same content."""
        if self.key not in _held:
            _held.clear()
            _held[self.key] = cloudpickle.loads(self.data.tobytes())
        return _held[self.key]


_held: dict[str, Any] = {}  # in a worker process: what is at work, with its landmarks


@contextmanager
def surviving(work: str) -> Iterator[None]:
    """Turn the death of a worker process into one clear sentence; `work` says what it computed."""
    try:
        yield
    except BrokenExecutor as error:
        raise MeasureError(
            f"a worker process died while it computed {work}: it was killed, ran out of memory, or "
            "crashed in native code; lower n_jobs, or leave it out to run in this process."
        ) from error


def evaluate_elsewhere(sent: Packed, settings: dict[str, Any], rows: Any, tile: Tile) -> Outcome:
    """Evaluate one tile in a worker process, which unpacks the plan once."""
    with restored(settings):
        outcome: Outcome = sent.opened().evaluate(rows, tile)
    cause = outcome.cause
    if cause is not None:
        try:  # it is sent back with its traceback as a note
            cause.add_note("In a worker process:\n" + "".join(traceback.format_exception(cause)))
            cloudpickle.loads(cloudpickle.dumps(cause))
        except Exception:
            outcome.cause = RuntimeError(reason(cause))
    return outcome


# `call_pairs`: all tiles of a run, in this process or in several.


def call_pairs(
    plan: Plan, X: Any, out: Values, job: Job, need: Mask | None = None, workers: int | None = None
) -> None:
    """Call a function on pairs of rows and landmarks, in this process or in several.

    Parameters
    ----------
    plan : CallPlan
    X : objects
    out : ndarray of float32, (rows, landmarks)
    job : Job
    need : ndarray of bool, optional
        Which pairs; default: all.
    workers : int, optional
        Processes; default: what the settings in force ask for.
    """
    if not isinstance(plan, CallPlan):
        raise TypeError(f"{type(plan).__name__} computes whole rows only.")
    workers = n_workers(settings().n_jobs) if workers is None else workers
    pairs = out.size if need is None else int(np.count_nonzero(need))
    with _opened(plan, X) as known:
        if known is not None:
            need = known.recall(out, need)
        left = out.size if need is None else int(np.count_nonzero(need))
        job.progress.advance(pairs - left)
        if left:
            n, width = out.shape
            tiles = Tiles(n, width, need, batches=plan.takes_batches(X))
            _Run(plan, X, out, job, known, tiles).go(workers)


def diagonal(plan: Plan, X: Any) -> Values:
    """Values of row i against landmark i, for a plan that calls a Python function."""
    if not isinstance(plan, CallPlan):
        raise TypeError(f"{type(plan).__name__} computes whole rows only.")
    out = np.empty(X.shape[0], dtype=np.float32)
    vectorised = plan.takes_batches(X) if len(out) else False
    for start in range(0, len(out), TAKEN_ROWS):
        rows = X[start : start + TAKEN_ROWS]
        facts = {"memory": plan.memory, "symmetric": plan.symmetric}
        part = CallPlan(plan.f, plan.L[start : start + TAKEN_ROWS], vectorised, **facts)
        block = np.empty((rows.shape[0], rows.shape[0]), dtype=np.float32)
        call_pairs(part, rows, block, Job().moved(start, start), np.eye(len(block), dtype=bool))
        out[start : start + TAKEN_ROWS] = np.diagonal(block)
    return out


@contextmanager
def _opened(plan: CallPlan, X: Any) -> Iterator[KnownPairs | None]:
    """Open the memory of a plan's function, for rows X; None: it has no folder for it."""
    if plan.memory is None:
        yield None
        return
    from .value_cache import KnownPairs, Store, digest_function  # only here: it takes a database

    try:
        function = digest_function(plan.f)
    except Exception as error:
        raise TypeError(
            f"memory= cannot tell {name_of(plan.f)} from other functions, because something it "
            f"holds has no stable content ({error}); leave memory= out, or give a plain function."
        ) from error
    landmarks = _digests(plan.L, "landmark", "")
    rows = landmarks if X is plan.L else _digests(X, "row", " of X")
    with Store(plan.memory) as store:
        yield KnownPairs(store, function, rows, landmarks, plan.symmetric)


def _digests(X: Any, one: str, of: str) -> list[bytes]:
    from .value_cache import digest

    digests: list[bytes] = []
    for start in range(0, X.shape[0], TAKEN_ROWS):
        for x in objects(X[start : start + TAKEN_ROWS]):
            try:
                digests.append(digest(x))
            except Exception as error:
                raise TypeError(
                    f"memory= cannot recognise {one} {len(digests)}{of} again, a {type(x).__name__}"
                    f" without stable content ({error}); leave memory= out, or give plain objects."
                ) from error
    return digests


def n_workers(n_jobs: int | None) -> int:
    """Return how many processes `n_jobs` asks for; None asks for none but this one."""
    if n_jobs is None:
        return 1
    return min(n_threads(n_jobs), int(joblib.effective_n_jobs(n_jobs)))


@dataclass
class _Run:
    """One run of a plan: its tiles, and what is known by now of their cost."""

    plan: CallPlan
    X: Any
    out: Values
    job: Job
    known: KnownPairs | None
    tiles: Tiles
    seconds_each: float = 0.0
    budget: int = 1
    error: BaseException | None = None

    def go(self, workers: int) -> None:
        """Compute what is missing: the first tiles here, the others where it is faster."""
        began, costs = time.perf_counter(), list[float]()
        # Two at least, for the first call of all may load or compile something.
        while self._going and (len(costs) < 2 or time.perf_counter() - began < TRIAL_SECONDS):
            self._here()
            costs.append(self.seconds_each)
        # On a busy machine this process may have to wait, which a tile then counts as its cost.
        self.seconds_each = min(costs, default=0.0)
        if self._going:
            self._estimate(workers)
        if self._going and workers > 1 and self.seconds_each * self.tiles.left > PROCESSES_FROM:
            self._in_processes(workers)
        while self._going:
            self._here()
        if self.error is not None:
            raise self.error

    @property
    def _going(self) -> bool:
        return self.tiles.left > 0 and self.error is None

    def _here(self) -> None:
        tile = self.tiles.next(self.budget)
        self._keep(tile, self.plan.evaluate(tile.taken(self.X), tile))

    def _in_processes(self, workers: int) -> None:
        """Send a few tiles ahead to each process; the last ones are small, to end together."""
        try:
            packed, now = Packed.of(self.plan), carried()
        except Exception as error:
            raise MeasureError(
                f"{name_of(self.plan.f)} or its landmarks cannot be sent to other processes "
                f"({reason(error)}); leave n_jobs out to run it in this one."
            ) from error
        call, sent = joblib.delayed(evaluate_elsewhere), deque[Tile]()

        def calls() -> Iterator[Any]:
            while self._going:
                tile = self.tiles.next(min(self.budget, -(-self.tiles.left // (2 * workers))))
                sent.append(tile)
                yield call(packed, now, tile.taken(self.X), tile)

        pool = joblib.Parallel(workers, batch_size=1, return_as="generator")
        with surviving(name_of(self.plan.f)):
            for outcome in pool(calls()):
                self._keep(sent.popleft(), outcome)

    def _keep(self, tile: Tile, outcome: Outcome) -> None:
        """Write values where they belong, on disk too, count them, and note what went wrong."""
        rows, columns = tile.pairs()
        done = ~np.isnan(outcome.values)
        n = int(np.count_nonzero(done))
        rows, columns, values = rows[done], columns[done], outcome.values[done]
        self.out[rows, columns] = values
        if self.known is not None and n:
            self.known.keep(rows, columns, values)
        self.job.finished(n, min(n, tile.wanted))
        # The cost of the latest calls is taken for that of the next.
        self.seconds_each = max(outcome.seconds, 1e-9) / max(1, n)
        self.budget = max(1, min(int(TILE_SECONDS / self.seconds_each), GROWTH * max(1, n)))
        if outcome.text:
            self.error = self.error or self._named(tile, outcome)
        self.error = outcome.interrupt or self.error

    def _named(self, tile: Tile, outcome: Outcome) -> MeasureError:
        """Return the error of a tile, which names the pair by the user's numbers."""
        rows, columns = tile.pairs()
        columns = columns + self.job.first_landmark
        if outcome.pair is None:
            first, last = self.job.row(int(rows[0])), self.job.row(int(rows[-1]))
            where = f"rows {first} to {last} of X and landmarks {columns.min()} to {columns.max()}"
        else:
            row = self.job.row(int(rows[outcome.pair]))
            where = f"row {row} of X and landmark {columns[outcome.pair]}"
        error = MeasureError(f"{name_of(self.plan.f)} failed on {where}: {outcome.text}")
        error.__cause__ = outcome.cause
        return error

    def _estimate(self, workers: int) -> None:
        """Say once how long it will take, if long; as a warning, unless progress is shown."""
        seconds = self.seconds_each * self.tiles.left / workers
        if seconds <= SLOW_FROM:
            return
        count, unit = self.tiles.left, "values" if self.plan.vectorised else "calls"
        sizes = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
        shown = next((f"{count / size:.3g}{s}" for size, s in sizes if count >= size), str(count))
        message = (
            f"{shown} {unit} at {duration(self.seconds_each)}: about "
            f"{duration(seconds)} in {workers} process{'es' if workers > 1 else ''}"
        )
        advice = ["n_jobs=-1 to use all cores"] if workers == 1 else []
        advice += ["memory=<folder> to make it resumable"] if self.known is None else []
        message += f"; pass {', or '.join(advice)}." if advice else "."
        if self.job.progress.shown:
            self.job.progress.say(message)
        else:
            warn_user(message, SlowMeasureWarning)
