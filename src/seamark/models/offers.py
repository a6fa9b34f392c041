"""Which blocks are offered for each kind of object, at each effort.

Sizes and measures here were chosen by cross-validation on training data of some hundred public
sets; see the contest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sklearn.base import clone

from ..data import Domain
from ..landmarks import AtMost
from ..maps import BagScores, ForestScores, LandmarkMap, RandomConvolution
from ..measures import (
    ADTW,
    DDTW,
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
from ..transfers import GaussianDecay, Identity

Effort = Literal["quick", "default", "best"]
EFFORTS: tuple[Effort, ...] = ("quick", "default", "best")


def require_effort(effort: Any) -> None:
    """Stop unless `effort=` is one of those there are."""
    if effort not in EFFORTS:
        raise ValueError(f"effort must be 'quick', 'default' or 'best', not {effort!r}.")


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
    >>> from seamark.data import strings
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
            f'measure="auto" knows no measure of {domain.name}; give one of yours as measure=.'
        )
    if few:
        n_landmarks = min(n_landmarks or 200, 200)
    return [block if n_landmarks is None else _resized(block, n_landmarks) for block in offered]


def single_measure_for(domain: Domain) -> Measure:
    """Return the one measure of a kind that stands for all, where other options want only one.

    Examples
    --------
    >>> from seamark.data import series
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
    if isinstance(block, (BagScores, ForestScores)):  # have a feature for each class
        return block
    name = "n_components" if isinstance(block, RandomConvolution) else "landmarks__n"
    return block.set_params(**{name: n})


def _landmarks(measure: Measure, n: int, transfer: Any = "auto") -> LandmarkMap:
    return LandmarkMap(measure, landmarks=AtMost(n), transfer=transfer)


def _series(effort: int) -> list[Any]:
    windows, convolutions, rows = ((800, 2000, 0), (2000, 5000, 500), (4000, 10000, 1000))[effort]
    # Distances to windows serve as they are: a transfer tuned for each block gained nothing.
    near = "auto" if effort > 1 else Identity()
    drawn: list[Any] = [_landmarks(Subsequence(), windows, near), RandomConvolution(convolutions)]
    if effort == 0:
        return drawn
    drawn.insert(1, _landmarks(Subsequence(differenced=True), windows, clone(near, safe=False)))
    elastic: tuple[Measure, ...] = (DTW(window=0.1), MSM(window=0.1))
    if effort > 1:
        elastic += (DTW(), MSM(), TWE(), DDTW(window=0.1), ADTW())
    return [*drawn, *(_landmarks(one, rows) for one in elastic)]


def _strings(effort: int) -> list[Any]:
    n = (500, 1000, 3000)[effort]
    if effort == 0:
        return [_landmarks(Levenshtein(), n), BagScores()]
    measures: tuple[Measure, ...] = (Levenshtein(), NGrams((1, 5)))
    if effort > 1:
        measures += (Levenshtein().normalised(), NGrams())
    drawn = [_landmarks(Substring(), n)]
    return [*(_landmarks(one, n) for one in measures), *drawn, *again(drawn, effort), BagScores()]


def _sets(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    summaries = _landmarks(Summaries(ScaledColumns(Manhattan())), n)
    if effort == 0:
        return [_landmarks(ScaledColumns(Chamfer()), n), summaries]
    drawn = [_landmarks(ScaledColumns(Member()), n)]
    return [
        _landmarks(ScaledColumns(Chamfer()), n),
        *drawn,
        *again(drawn, effort),
        _landmarks(ScaledColumns(ModifiedHausdorff()), n),
        summaries,
        _landmarks(Summaries(ScaledColumns(Euclidean())), n, GaussianDecay("auto")),
    ]


def _graphs(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    rounds = (3,) if effort < 2 else (1, 3, 5)
    return [_landmarks(WeisfeilerLehman(h=h, values="minmax"), n) for h in rounds]


def _vectors(effort: int) -> list[Any]:
    n = (300, 1000, 3000)[effort]
    scalings: tuple[Scaling, ...] = ("auto", "ranks") if effort > 0 else ("auto",)
    blocks: list[Any] = []
    for scaling in scalings:
        blocks += [
            _landmarks(ScaledColumns(Manhattan(), scaling=scaling), n),
            _landmarks(ScaledColumns(Euclidean(), scaling=scaling), n, GaussianDecay("auto")),
        ]
    return [*blocks, ForestScores((100, 200, 500)[effort])]


def again(drawn: list[Any], effort: int) -> list[Any]:
    """Return the blocks whose landmarks are drawn at random once more, at the highest effort.

    Each draw is a block of its own, so their ridges are averaged as those of several seeds.
    """
    return [clone(block) for block in drawn] if effort > 1 else []


BLOCKS: dict[str, Callable[[int], list[Any]]] = {
    "series": _series,
    "strings": _strings,
    "sets": _sets,
    "graphs": _graphs,
    "vectors": _vectors,
}
