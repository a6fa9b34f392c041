"""Values of a user's Python function: calls on pairs or batches, in this process or several."""

from __future__ import annotations

import functools
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import repeat
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..user_warnings import warn_user
from .backends import carried, restored
from .limited_process import CALL, FUNCTION
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
BATCH_SECONDS = 2.0  # of calls that each process gets before results are collected
PROCESSES_FROM = 1.0  # estimated seconds from which on it is worth starting processes
SLOW_FROM = 60.0  # estimated seconds from which on the user is warned
WASTE = 1.125  # a function of batches may compute so many times the values needed
GROWTH = 8  # a tile is at most so many times the one before: first calls are often slow
CALL_SECONDS = 1e-5  # where nothing is known of a function yet
LARGEST = float(np.finfo(np.float32).max)

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Tile:
    """Rows a..b against landmarks c..d; only the `wanted` ones, if not None."""

    a: int
    b: int
    c: int
    d: int
    wanted: Mask | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and landmarks."""
        return self.b - self.a, self.d - self.c


class Tiles:
    """Cuts the pairs of rows and landmarks into tiles, each as large as is asked for.

    Parameters
    ----------
    n, n_landmarks : int
    need : ndarray of bool, optional
        Which pairs are to be computed; all if left out.

    Examples
    --------
    >>> tiles = Tiles(3, 4)
    >>> [(t.a, t.b, t.c, t.d) for t in (tiles.next(3), tiles.next(9), tiles.next(9))]
    [(0, 1, 0, 3), (0, 1, 3, 4), (1, 3, 0, 4)]
    >>> tiles.left
    0
    """

    def __init__(self, n: int, n_landmarks: int, need: Mask | None = None) -> None:
        self.need, self.n_landmarks = need, n_landmarks
        work = np.full(n, n_landmarks) if need is None else need.sum(axis=1)
        self._before = np.concatenate([[0], np.cumsum(work)])
        self._taken = 0
        self.left = int(self._before[-1])

    def next(self, budget: int, *, oblong: bool = False) -> Tile:
        """Return the next tile of at most `budget` pairs to compute, at least one.

        `oblong`: the whole rectangle will be computed, so it may hold few pairs not needed.
        """
        before, budget = self._before, max(1, min(budget, TILE_PAIRS))
        a = int(np.searchsorted(before, self._taken, side="right")) - 1
        b = int(np.searchsorted(before, self._taken + budget, side="right")) - 1
        begun = self._taken - int(before[a])
        if begun or b == a:  # a part of one long row
            row = np.arange(self.n_landmarks) if self.need is None else np.flatnonzero(self.need[a])
            columns = row[begun : begun + budget]
            tile = self._tile(a, a + 1, columns)
            self._take(len(columns))
            return tile
        b = min(b, a + max(1, TILE_PAIRS // self.n_landmarks))
        tile = self._tile(a, b)
        while oblong and b - a > 1 and np.prod(tile.shape) > WASTE * (before[b] - before[a]):
            b = a + (b - a) // 2
            tile = self._tile(a, b)
        self._take(int(before[b] - before[a]))
        return tile

    def _take(self, pairs: int) -> None:
        self._taken, self.left = self._taken + pairs, self.left - pairs

    def _tile(self, a: int, b: int, columns: Any = None) -> Tile:
        """Return the smallest rectangle of these rows and columns that holds what is needed."""
        if columns is None:
            every = self.need is None
            columns = (
                np.arange(self.n_landmarks) if every else np.flatnonzero(self.need[a:b].any(axis=0))  # type: ignore[index]
            )
        c, d = int(columns[0]), int(columns[-1]) + 1
        wanted = None if self.need is None else self.need[a:b, c:d]
        return Tile(a, b, c, d, None if wanted is None or wanted.all() else wanted)


# A function on a tile of pairs: what it returns, and what is said when that is no number.


@dataclass(frozen=True)
class Failure:
    """What went wrong, and at which row and column of the tile (None: no one pair)."""

    text: str
    cause: Exception | None = None
    row: int | None = None
    column: int | None = None


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

    def evaluate(self, rows: Any, tile: Tile, values: Doubles) -> Failure | None:
        """Put values of the rows of a tile against its landmarks into `values`, which is all NaN.

        What stays NaN was not evaluated: it is not wanted, or a failure came first (which is
        returned), or an exception from elsewhere, such as KeyboardInterrupt.
        """
        if self.vectorised:
            return self._call_on_batch(rows, tile, values)
        columns, landmarks = np.arange(tile.d - tile.c), self.landmarks[tile.c : tile.d]
        for i, x in enumerate(objects(rows)):
            if tile.wanted is not None:
                columns = np.flatnonzero(tile.wanted[i])
                landmarks = [self.landmarks[tile.c + j] for j in columns]
            got: list[Any] = []
            failure: Failure | None = None
            try:
                # A loop in C; what came before an error stays.
                got.extend(map(self.f, repeat(x), landmarks))
                if len(got) < len(landmarks):  # `map` takes this one of the function's as an end
                    failure = Failure("StopIteration: raised by the function")
            except Exception as error:
                failure = Failure(reason(error), error)
            finally:  # Ctrl-C too leaves the numbers so far
                numbers, unfit = _numbers(got)
                values[i, columns[: len(numbers)]] = numbers
            failure = Failure(unfit) if unfit else failure
            if failure is not None:
                return replace(failure, row=i, column=int(columns[len(numbers)]))
        return None

    def _call_on_batch(self, rows: Any, tile: Tile, values: Doubles) -> Failure | None:
        """Call once, on the smallest rectangle that holds all that is wanted."""
        r, s = np.arange(values.shape[0]), np.arange(values.shape[1])
        if tile.wanted is not None:
            r, s = r[tile.wanted.any(axis=1)], s[tile.wanted.any(axis=0)]
        rows = rows if len(r) == values.shape[0] else rows[r]
        whole = len(s) == values.shape[1]
        landmarks = self.L[tile.c : tile.d] if whole else self.L[tile.c + s]
        try:
            result = matrix(self.f(batch(rows), batch(landmarks)), (len(r), len(s)))
        except Exception as error:
            return Failure(reason(error), error)
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(result) <= LARGEST)
        unfit = result[bad][:1]
        result[bad] = np.nan
        values[np.ix_(r, s)] = result
        if not len(unfit):
            return None
        i, j = np.argwhere(bad)[0]
        return Failure(_unfit(float(unfit[0])), row=int(r[i]), column=int(s[j]))


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


@dataclass(frozen=True)
class Outcome:
    """What a process sends back of one tile."""

    values: Doubles
    seconds: float
    failure: Failure | None
    interrupted: bool


def evaluate_elsewhere(sent: Packed, settings: dict[str, Any], rows: Any, tile: Tile) -> Outcome:
    """Evaluate one tile in a worker process, which unpacks the plan once."""
    plan = sent.opened()
    values = np.full(tile.shape, np.nan)
    failure, interrupted = None, False
    began = time.perf_counter()
    try:
        with restored(settings):
            failure = plan.evaluate(rows, tile, values)
    except KeyboardInterrupt:  # sent home as news: raised here it would break the pool
        interrupted = True
    seconds = time.perf_counter() - began
    if failure is not None and failure.cause is not None:
        cause = failure.cause
        try:  # it is sent back with its traceback as a note
            cause.add_note("In a worker process:\n" + "".join(traceback.format_exception(cause)))
            cloudpickle.loads(cloudpickle.dumps(cause))
        except Exception:
            failure = replace(failure, cause=RuntimeError(reason(cause)))
    return Outcome(values, seconds, failure, interrupted)


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
        run = _Run(plan, X, out, job, known, Tiles(len(out), plan.n_landmarks, need))
        job.found(pairs - run.tiles.left)
        if run.tiles.left:
            run.go(workers)


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

    def go(self, workers: int) -> None:
        """Compute what is missing: the first tiles here, the others where it is faster."""
        self.plan.takes_batches(self.X)
        began, tiles_done = time.perf_counter(), 0
        while self.tiles.left and (
            tiles_done < 2 or time.perf_counter() - began < TRIAL_SECONDS
        ):  # two, for the first call of all may load or compile something
            self._here()
            tiles_done += 1
        self._estimate(workers)
        if workers > 1 and self.seconds_each * self.tiles.left > PROCESSES_FROM:
            self._in_processes(workers)
        while self.tiles.left:
            self._here()

    def _here(self) -> None:
        tile = self.tiles.next(self.budget, oblong=bool(self.plan.vectorised))
        values = np.full(tile.shape, np.nan)
        failure = None
        began = time.perf_counter()
        try:
            failure = self.plan.evaluate(self.X[tile.a : tile.b], tile, values)
        finally:  # what Ctrl-C left is worth keeping too
            self._keep(tile, values)
        self._learn(time.perf_counter() - began, values)
        self._raise(tile, failure)

    def _in_processes(self, workers: int) -> None:
        """Send a few tiles to each process at a time; the last ones small, to end together."""
        try:
            sent, now = Packed.of(self.plan), carried()
        except Exception as error:
            raise MeasureError(
                f"{name_of(self.plan.f)} or its landmarks cannot be sent to other processes "
                f"({reason(error)}); leave n_jobs out to run it in this one."
            ) from error
        task = joblib.delayed(evaluate_elsewhere)
        with joblib.Parallel(workers, batch_size=1, pre_dispatch="all") as pool:
            while self.tiles.left:
                each = max(1, round(BATCH_SECONDS / max(TILE_SECONDS, self.seconds_each)))
                budget = min(self.budget, -(-self.tiles.left // (workers * each)))
                tiles: list[Tile] = []
                while self.tiles.left and len(tiles) < workers * each:
                    tiles.append(self.tiles.next(budget, oblong=bool(self.plan.vectorised)))
                with surviving(name_of(self.plan.f)):
                    outcomes = pool(
                        task(sent, now, self.X[tile.a : tile.b], tile) for tile in tiles
                    )
                for tile, outcome in zip(tiles, outcomes, strict=True):
                    self._keep(tile, outcome.values)
                if any(outcome.interrupted for outcome in outcomes):
                    raise KeyboardInterrupt
                for tile, outcome in zip(tiles, outcomes, strict=True):
                    self._raise(tile, outcome.failure)
                total = sum(outcome.seconds for outcome in outcomes)
                self._learn(total, *(outcome.values for outcome in outcomes))

    def _learn(self, seconds: float, *blocks: Doubles) -> None:
        """Take the cost of the latest calls as that of the next."""
        done = sum(int(np.count_nonzero(~np.isnan(values))) for values in blocks)
        self.seconds_each = max(seconds, 1e-9) / max(1, done)
        grown = GROWTH * max(1, done // len(blocks))
        self.budget = max(1, min(int(TILE_SECONDS / self.seconds_each), grown))

    def _keep(self, tile: Tile, values: Doubles) -> None:
        """Write values where they belong, on disk too, and count them."""
        done = ~np.isnan(values)
        evaluations = int(np.count_nonzero(done))
        if tile.wanted is not None:
            done &= tile.wanted
        part = self.out[tile.a : tile.b, tile.c : tile.d]
        np.copyto(part, values, where=done, casting="same_kind")
        if self.known is not None and evaluations:
            self.known.keep(tile.a, tile.c, values)
        self.job.finished(evaluations, int(np.count_nonzero(done)))

    def _raise(self, tile: Tile, failure: Failure | None) -> None:
        """Stop at a failure, naming the pair by the user's numbers."""
        if failure is None:
            return
        landmark = self.job.first_landmark + tile.c
        if failure.row is None or failure.column is None:
            first, last = self.job.row(tile.a), self.job.row(tile.b - 1)
            m = tile.shape[1]
            where = f"rows {first} to {last} of X and landmarks {landmark} to {landmark + m - 1}"
        else:
            row = self.job.row(tile.a + failure.row)
            where = f"row {row} of X and landmark {landmark + failure.column}"
        name = name_of(self.plan.f)
        raise MeasureError(f"{name} failed on {where}: {failure.text}") from failure.cause

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


# `Limited`: a Python function whose calls may not take longer than some seconds.


LOOK_SECONDS = 0.25  # how often a thread that waits can itself be interrupted


class Limited:
    """A function that raises TimeoutError where a call takes too long.

    A process of its own calls it, which the system ends at the time limit: nothing else interrupts
    a loop in a library. Each thread has one such process, for all functions; it is started once,
    in about 0.2 s, and again after a call that took too long. A pool of loky's would do the same:
    it takes 220 µs a call in place of 60, and a second to start, for it imports this package.

    Parameters
    ----------
    f : callable
        It and its objects must be such that they can be sent to a process, as lambdas can.
    seconds : float

    Examples
    --------
    >>> import time
    >>> Limited(time.sleep, 0.01)(5)
    Traceback (most recent call last):
    ...
    TimeoutError: the call took longer than 0.01 s
    """

    def __init__(self, f: Callable[..., Any], seconds: float) -> None:
        self.f, self.seconds = f, seconds
        self.__name__ = name_of(f)
        if not hasattr(signal, "setitimer"):
            raise MeasureError("timeout= needs a system that has timers; leave it out here.")
        try:
            self._packed = cloudpickle.dumps((f, cloudpickle.dumps, seconds))
        except Exception as error:
            raise MeasureError(
                f"timeout= runs {self.__name__} in a process of its own, and it cannot be sent "
                f"there ({reason(error)}); create what it holds inside the function, or leave "
                "timeout out."
            ) from error

    def __getstate__(self) -> dict[str, Any]:  # what a digest reads, too
        return {"f": self.f, "seconds": self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __call__(self, *objects: Any) -> Any:
        """Have the process call the function."""
        try:
            sent = cloudpickle.dumps(objects)
        except Exception as error:
            raise TypeError(
                f"timeout= runs {self.__name__} in a process of its own, and the objects cannot be "
                f"sent there ({reason(error)}); leave timeout out."
            ) from error
        process = _process()
        try:
            if process.packed != self._packed:
                around = pickle.dumps((restored, carried()))
                process.asked(FUNCTION, pickle.dumps((sys.path, self._packed, around)))
                process.packed = self._packed
            return process.asked(CALL, sent)
        except _Ended:
            code: int = process.end() or 0
        if code == -signal.SIGALRM:
            raise TimeoutError(f"the call took longer than {self.seconds:g} s")
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise RuntimeError(
            f"the process of the call ended ({how}): it was killed, ran out of memory, or crashed "
            "in native code."
        )


class _Ended(Exception):
    """The process has ended in the middle of a call."""


class _Process:
    """A process that calls functions for one thread."""

    def __init__(self) -> None:
        self.packed = b""  # the function that it holds
        self.owner = os.getpid()
        self._ours, theirs = Pipe()
        program = os.path.join(os.path.dirname(__file__), "limited_process.py")
        with theirs:
            self._popen = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-P", program, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for us; we end it
            )
        self.end = weakref.finalize(self, _end, self._popen, self._ours, self.owner)

    def asked(self, kind: bytes, data: bytes) -> Any:
        """Return what a message is answered with, or raise it; `_Ended` if the process ends."""
        try:
            self._ours.send_bytes(kind + data)
            while not self._ours.poll(LOOK_SECONDS):
                pass
            answer = self._ours.recv_bytes()
        except (EOFError, OSError):
            raise _Ended from None
        except BaseException:  # Ctrl-C: nobody waits for the call any more
            self.end()
            raise
        result, raised = pickle.loads(answer)  # noqa: S301 (our own bytes)
        if raised is not None:
            raise raised
        return result


_own = threading.local()


def _process() -> _Process:
    """Return the process that works for this thread."""
    process: _Process | None = getattr(_own, "process", None)
    if process is None or not process.end.alive or process.owner != os.getpid():
        process = _own.process = _Process()
    return process


def _end(popen: subprocess.Popen[bytes], ours: Any, owner: int) -> int:
    """End a process, unless it is that of the process that this one was forked from."""
    if owner != os.getpid():
        ours.close()
        return 0
    if popen.poll() is None:
        popen.kill()
    ours.close()
    return popen.wait()
