"""What ``measure="auto"`` means: for each kind of object, the blocks that are offered.

A ridge head then keeps the blocks that help, by their out-of-fold errors. Sizes and measures here
were chosen by cross-validation on training data of some hundred public sets; see the contest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..engine import warn_user
from ..heads.base import StreamedRidge
from ..landmarks import AtMost
from ..maps import BagScores, LandmarkMap, RandomConvolution
from ..measures import (
    DTW,
    MSM,
    TWE,
    Chamfer,
    Euclidean,
    Levenshtein,
    Manhattan,
    Measure,
    Member,
    ModifiedHausdorff,
    NGrams,
    ScaledColumns,
    Subsequence,
    Substring,
    Summaries,
    WeisfeilerLehman,
)
from ..measures.columns import Scaling
from ..objects import Domain, Ragged, Vectors, domain_of, looks_like_time
from ..transfers import GaussianDecay
from .table_columns import measures_of_columns

Effort = Literal["quick", "default", "best"]
EFFORTS: tuple[Effort, ...] = ("quick", "default", "best")
FACTORS = (0.3, 1.0, 10.0)  # of the time that values may take
SECONDS, SECONDS_A_NUMBER = 0.5, 4e-6
FEWEST_LANDMARKS = 32
MOST_LETTERS = 20_000_000  # whose n-grams, five times as many, are held at once
MANY_ROWS, OF_MANY_ROWS = 5000, 700


def require_effort(effort: Any) -> None:
    """Stop unless `effort=` is one of those there are."""
    if effort not in EFFORTS:
        raise ValueError(f"effort must be 'quick', 'default' or 'best', not {effort!r}.")


def read_kind(X: Any) -> Domain | None:
    """Return the domain of X, None for a table of several kinds; say so if it may be another."""
    domain = domain_of(X)
    if isinstance(domain, Vectors) and getattr(X, "ndim", 0) == 2 and looks_like_time(X):
        warn_user(
            f"the {X.shape[1]} columns of X look like steps of time, and are read as columns of a "
            'table; for series give X[:, None, :], or say measure="dtw".'
        )
    return domain


def auto_measure(model: Any, X: Any, are_sample: bool = False) -> Any:
    """Return what ``measure="auto"`` means for a model and its X, as `measure=` takes it.

    Options that speak of the landmarks of one measure get one measure; so do rows that are a sample
    of many, since a sum over all rows is over one block.
    """
    require_effort(model.effort)
    domain = read_kind(X)
    if domain is None:
        return measures_of_columns(X)
    asked = {name: getattr(model, name) for name in USUAL}
    unusual = any(not _is(asked[name], usual) for name, usual in USUAL.items())
    if are_sample or unusual or model.n_landmarks == "cv":
        return single_measure_for(domain)
    ridge = isinstance(model._parts(np.random.default_rng(0))[0], StreamedRidge)
    blocks = measures_for(domain, model.effort, model.n_landmarks, few=not ridge)
    if getattr(model, "_in_blocks", False):  # later rows add to sums in which y is not to be
        blocks = [block for block in blocks if not block.sees_targets]
    for block in blocks:
        if "n_jobs" in block.get_params(deep=False):
            block.set_params(n_jobs=model.n_jobs)
        if isinstance(block, LandmarkMap) and not block.measure.compares_parts:
            block.set_params(landmarks__strategy=model.strategy)
    objects = domain.ingest(X)
    for block in blocks:
        _suit(block, objects, model)
    return affordable(blocks, objects, FACTORS[EFFORTS.index(model.effort)])


def _suit(block: Any, objects: Any, model: Any) -> None:
    """Fit a block to the data: how long windows are, how many landmarks so many rows bear.

    Windows are no longer than the shortest series. Many rows of a table get fewer landmarks, for
    the fit to stay under 10 s; but not for many classes, for which others take longer too.
    """
    measure = getattr(block, "measure", None)
    if isinstance(measure, Subsequence):
        shortest = int(objects.lengths.min()) - measure.differenced
        measure.set_params(length=max(2, min(measure.length, shortest)))
    elif model.n_landmarks is not None or model.effort == "quick":
        return
    elif isinstance(measure, ScaledColumns) and isinstance(measure.domain, Vectors):
        few_classes = len(getattr(model, "classes_", ())) <= 2
        if few_classes and objects.shape[0] > MANY_ROWS and model.effort == "default":
            block.landmarks.n = min(block.landmarks.n, OF_MANY_ROWS)


def affordable(blocks: list[Any], objects: Any, factor: float = 1.0) -> list[Any]:
    """Return the blocks, with fewer landmarks where values of so many would take too long.

    A block may take about `factor` times 0.5 s, and 4 µs more for every number of the data; it is
    left out where that buys fewer than 32 landmarks, unless it is the only one.

    Parameters
    ----------
    blocks : list of Map
        Those that are landmark maps have `AtMost` so many.
    objects : objects
        Ingested.
    factor : float
    """
    n = objects.shape[0]
    size = objects.flat.size if isinstance(objects, Ragged) else n * objects.shape[1]
    allowed = factor * (SECONDS + SECONDS_A_NUMBER * size)
    kept = []
    for block in blocks:
        if isinstance(block, LandmarkMap) and not block.measure.compares_parts:
            number = int(allowed / (n * _seconds_a_value(block.measure, objects)))
            if number < min(FEWEST_LANDMARKS, n):
                continue
            block.set_params(landmarks__n=min(block.landmarks.n, number))
        elif isinstance(block, BagScores) and size > MOST_LETTERS:
            continue
        kept.append(block)
    return kept or [blocks[0].set_params(landmarks__n=FEWEST_LANDMARKS)]


def _seconds_a_value(measure: Measure, objects: Any) -> float:
    """Return about how long a value of two of the objects takes, on one thread."""
    rows = np.linspace(0, objects.shape[0] - 1, min(objects.shape[0], 16)).astype(np.intp)
    some = objects[rows]
    fitted = measure.fitted_to(some, np.random.default_rng(0))

    def seconds(n: int) -> float:
        landmarks = fitted.landmark_domain.landmarks(some, np.arange(n))
        return float(np.mean(fitted.compile(landmarks).seconds(some)))

    n = some.shape[
        0
    ]  # what a row takes by itself, whatever the number of landmarks, does not count
    return max(seconds(n) - seconds(n // 2), 1e-12) / (n - n // 2) if n > 1 else seconds(1)


USUAL: dict[str, Any] = {
    "landmarks": "auto",
    "transfer": "auto",
    "weighing": None,
    "tune": "cv",
    "passthrough": False,
}


def _is(given: Any, usual: Any) -> bool:
    return type(given) is type(usual) and given == usual


def measures_for(
    domain: Domain, effort: Effort = "default", n_landmarks: int | None = None, few: bool = False
) -> list[Any]:
    """Return the blocks that are offered for objects of a kind, as `measure=` takes them.

    Parameters
    ----------
    domain : Domain
        What the objects are.
    effort : {"quick", "default", "best"}
        Fewer, the usual, or more blocks and landmarks.
    n_landmarks : int, optional
        Landmarks of every block, in place of what the effort says.
    few : bool
        Whether all blocks together are to have some hundred features only, for a head whose work
        grows with the cube of their number.

    Examples
    --------
    >>> from seamark.objects import strings
    >>> [block.measure for block in measures_for(strings)]
    [Levenshtein(), NGrams(n=(1, 5)), Substring(), None]
    """
    require_effort(effort)
    for kind, blocks in BLOCKS.items():
        if kind == domain.name:
            offered = blocks(EFFORTS.index(effort))
            break
    else:
        raise ValueError(
            f"nothing is known about {domain.name}; give measure= a measure of theirs."
        )
    if few:
        n_landmarks = min(n_landmarks or 200, 200)
    return [block if n_landmarks is None else _resized(block, n_landmarks) for block in offered]


def single_measure_for(domain: Domain) -> Measure:
    """Return the one measure of a kind that stands for all, where other options want only one.

    Examples
    --------
    >>> from seamark.objects import series
    >>> single_measure_for(series)
    DTW(window=0.1)
    """
    return {
        "strings": Levenshtein(),
        "series": DTW(window=0.1),
        "sets": ScaledColumns(Chamfer()),
        "graphs": WeisfeilerLehman(values="minmax"),
        "vectors": ScaledColumns(Manhattan()),
    }[domain.name]


def _resized(block: Any, n: int) -> Any:
    if isinstance(block, BagScores):  # has a feature for each class
        return block
    name = "n_components" if isinstance(block, RandomConvolution) else "landmarks__n"
    return block.set_params(**{name: n})


def _landmarks(measure: Measure, n: int, transfer: Any = "auto") -> LandmarkMap:
    return LandmarkMap(measure, landmarks=AtMost(n), transfer=transfer)


def _series(effort: int) -> list[Any]:
    windows, convolutions, rows = ((1000, 3000, 200), (2000, 5000, 500), (4000, 10000, 1000))[
        effort
    ]
    blocks = [
        _landmarks(Subsequence(), windows),
        _landmarks(Subsequence(differenced=True), windows),
        RandomConvolution(convolutions),
    ]
    if effort > 0:
        blocks += [_landmarks(DTW(window=0.1), rows), _landmarks(MSM(), rows)]
    if effort > 1:
        blocks += [_landmarks(DTW(), rows), _landmarks(TWE(), rows)]
    return blocks


def _strings(effort: int) -> list[Any]:
    n = (500, 1000, 3000)[effort]
    measures: tuple[Measure, ...] = (Levenshtein(), NGrams((1, 5)), Substring())
    if effort > 1:
        measures += (NGrams(),)
    return [*(_landmarks(one, n) for one in measures), BagScores()]


def _sets(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    measures: tuple[Measure, ...] = (Chamfer(), Member(), ModifiedHausdorff())
    return [
        *(_landmarks(ScaledColumns(one), n) for one in measures),
        _landmarks(Summaries(ScaledColumns(Manhattan())), n),
        _landmarks(Summaries(ScaledColumns(Euclidean())), n, GaussianDecay("auto")),
    ]


def _graphs(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    rounds = (3,) if effort < 2 else (1, 3, 5)
    return [_landmarks(WeisfeilerLehman(h=h, values="minmax"), n) for h in rounds]


def _vectors(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    scalings: tuple[Scaling, ...] = ("auto", "ranks") if effort > 0 else ("auto",)
    blocks = []
    for scaling in scalings:
        blocks += [
            _landmarks(ScaledColumns(Manhattan(), scaling=scaling), n),
            _landmarks(ScaledColumns(Euclidean(), scaling=scaling), n, GaussianDecay("auto")),
        ]
    return blocks


BLOCKS: dict[str, Callable[[int], list[Any]]] = {
    "series": _series,
    "strings": _strings,
    "sets": _sets,
    "graphs": _graphs,
    "vectors": _vectors,
}
