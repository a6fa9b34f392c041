"""Saliency: where in a string or a series the likeness to a landmark lies, and what it adds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Window
from ..measures import Measure
from ..plotting.objects import aligned
from ..plotting.text import visible

Floats = NDArray[np.float64]

CONTRASTED = 20  # near objects of each class, at most
START, END = "␂", "␃"
# Letters or steps looked at to say where a likeness lies, and steps of a warping path.
LOCATED_STEPS, PATH_STEPS = 2000, 300
# Letters, or steps of series, of near objects that are contrasted with one.
CONTRASTED_LETTERS, CONTRASTED_STEPS = 4000, 600


def places_of(measure: Measure, thing: Any, landmark: Any) -> Floats | None:
    """Return how much each letter or time step is like the landmark, from 0 on; None: unknown.

    Whole strings and series are aligned with the landmark. A part, a substring or a window, is
    looked for: the place where it fits best counts 1, the rest 0.

    Examples
    --------
    >>> import seamark as sm
    >>> places_of(sm.measures.get("levenshtein"), "cart", "cat")
    array([1., 1., 0., 1.])
    >>> places_of(sm.measures.get("substring"), "oversea", "sea")
    array([0., 0., 0., 0., 1., 1., 1.])
    """
    if isinstance(thing, bytes):
        same = isinstance(landmark, bytes)
        both = thing.decode("latin-1"), landmark.decode("latin-1") if same else landmark
        return places_of(measure, *both)
    if isinstance(thing, str) and isinstance(landmark, str):
        if measure.compares_parts:
            return _fitted(measure, thing, landmark)
        fits = 0 < len(thing) <= LOCATED_STEPS and len(landmark) <= LOCATED_STEPS
        columns = aligned(thing, landmark) if fits else []
        # 1 for letters that stand over the same letter of the landmark.
        return np.array([float(a == b) for a, b in columns if a]) if fits else None
    if measure.domain.name != "series" or not isinstance(thing, np.ndarray):
        return None
    series = _without_missing(thing)
    if isinstance(landmark, Window):
        return _window(measure, series, landmark)
    other = _without_missing(landmark)
    fits = other.ndim == series.ndim == 2 and len(other) == len(series)
    return _warped(series, other) if fits else None


def nearest_members(measure: Measure, thing: Any, landmarks: Any) -> NDArray[np.intp]:
    """Return for each landmark the number of the member of a set that is nearest to it.

    Examples
    --------
    >>> import seamark as sm
    >>> nearest_members(sm.measures.Member(), np.array([[0.0], [5.0]]), np.array([[4.0], [1.0]]))
    array([1, 0])
    """
    values = measure.cross([member[None] for member in thing], landmarks)
    nearest = values.argmax(axis=0) if measure.kind == "similarity" else values.argmin(axis=0)
    return np.asarray(nearest, dtype=np.intp)


def _without_missing(thing: Any) -> Floats:
    """Return a series, (channels, time), with interpolated values where some are missing."""
    series = np.array(thing, dtype=np.float64, ndmin=2)
    steps = np.arange(series.shape[-1])
    for channel in series if series.ndim == 2 else ():
        known = np.isfinite(channel)
        if known.any() and not known.all():
            channel[:] = np.interp(steps, steps[known], channel[known])
    return series


def _fitted(measure: Measure, thing: str, part: str) -> Floats | None:
    """1 where a substring fits best."""
    n, width = len(thing), len(part.strip(START + END))
    if not 0 < width <= n <= LOCATED_STEPS:
        return None
    starts = np.arange(n - width + 1)
    if part.startswith(START):
        starts = starts[:1]
    elif part.endswith(END):
        starts = starts[-1:]
    inner = part.strip(START + END)
    values = measure.cross([thing[a : a + width] for a in starts], [inner])[:, 0]
    return _stretch(n, int(starts[np.argmin(values)]), width)


def _window(measure: Measure, series: Floats, window: Window) -> Floats | None:
    """1 where a window of a series fits best."""
    n_values = np.atleast_2d(window.values).shape[1]
    span = (n_values - 1) * int(window.dilation) + 1 + int(window.differenced)
    n = series.shape[1]
    if not span <= n <= LOCATED_STEPS:
        return None
    pieces = [series[:, a : a + span] for a in range(n - span + 1)]
    values = measure.cross(pieces, [window])[:, 0]
    return _stretch(n, int(np.argmin(values)), span)


def _stretch(n: int, start: int, width: int) -> Floats:
    places = np.zeros(n)
    places[start : start + width] = 1.0
    return places


def _warped(series: Floats, other: Floats) -> Floats | None:
    """How near each time step is to those that warping puts beside it, in units of the farthest."""
    n, m = series.shape[1], other.shape[1]
    if not min(n, m):
        return None
    step = -(-max(n, m) // PATH_STEPS)  # of longer ones every few steps
    series, other = series[:, ::step], other[:, ::step]
    away = _along_path(((series[:, :, None] - other[:, None, :]) ** 2).sum(axis=0))
    most = float(away.max())
    near = 1.0 - np.sqrt(away / most) if most > 0 else np.ones(len(away))
    return np.repeat(near, step)[:n]


def _along_path(local: Floats) -> Floats:
    """Return the largest local cost of each row along the cheapest path through the matrix."""
    n, m = local.shape
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(n):
        before = (np.minimum(cost[i, :-1], cost[i, 1:]) + local[i]).tolist()
        here, row = np.inf, []
        for start, step in zip(before, local[i].tolist(), strict=True):
            here = min(start, here + step)  # depends on the one before it in the row
            row.append(here)
        cost[i + 1, 1:] = row
    away, i, j = np.zeros(n), n, m
    while i and j:
        away[i - 1] = max(away[i - 1], local[i - 1, j - 1])
        ways = [(cost[i - 1, j - 1], i - 1, j - 1), (cost[i - 1, j], i - 1, j)]
        _, i, j = min(*ways, (cost[i, j - 1], i, j - 1))
    return away


def shared_out(reasons: list[Any], measure: Measure, thing: Any) -> Floats | None:
    """Return what each letter or time step adds, by the likeness to each reason's landmark.

    A landmark's contribution is shared out over the places that are like it, so all of it is
    there; None where places cannot be told.
    """
    whole: Floats | None = None
    for reason in reasons:
        places = places_of(measure, thing, reason.landmark)
        if places is None:
            return None
        total = float(places.sum())
        even = np.full(len(places), 1.0 / len(places))
        part = reason.contribution * (places / total if total > 0 else even)
        whole = part if whole is None else whole + part
    return whole


def contrasted(
    total: float, alike: list[Any], unlike: list[Any], measure: Measure, thing: Any
) -> Floats | None:
    """Share a sum out over the places that objects of one class have, and those of another lack.

    What all have in common says nothing; every place begins with the same share.

    Parameters
    ----------
    total : float
        What is shared out.
    alike, unlike : list of objects
        Near ones of the class that is asked about, and of its rival.
    measure : Measure
    thing : object

    Examples
    --------
    >>> import seamark as sm
    >>> edits = sm.measures.get("levenshtein")
    >>> contrasted(4.0, ["cart", "curt"], ["card", "cord"], edits, "cart").round(2)
    array([0.5 , 0.83, 0.5 , 2.17])
    """
    likeness = [_mean_of(some, measure, thing) for some in (alike, unlike)]
    if likeness[0] is None or likeness[1] is None:
        return None
    return np.asarray(total * (1.0 / len(likeness[0]) + likeness[0] - likeness[1]))


def _mean_of(landmarks: list[Any], measure: Measure, thing: Any) -> Floats | None:
    """Return how the likeness to some landmarks is spread over places, on average; sums to 1."""
    # Fewer landmarks are looked at where each takes long.
    letters = isinstance(thing, (str, bytes))
    steps = thing.shape[-1] if isinstance(thing, np.ndarray) and thing.ndim else 1
    length = max(1, len(thing) if letters else steps)
    most = (CONTRASTED_LETTERS if letters else CONTRASTED_STEPS) // length
    spread = []
    for landmark in landmarks[: min(CONTRASTED, max(3, most))]:
        places = places_of(measure, thing, landmark)
        if places is None:
            return None
        total = float(places.sum())
        spread.append(places / total if total > 0 else np.full(len(places), 1.0 / len(places)))
    return np.mean(spread, axis=0) if spread else None


def stretch(thing: Any, where: NDArray[np.float64], most: int = 60) -> str:
    """Return the place of an object that adds most: letters between brackets, or steps of time.

    Examples
    --------
    >>> stretch("Susanna", np.array([0.0, 0.0, 0.0, 0.2, 0.2, 0.2, 0.2]))
    'Sus[anna]'
    >>> stretch(np.zeros(9), np.array([0, 0, 0, 1, 1, 1, 0, 0, 0.0]))
    'steps 3 to 5 of 9'
    """
    start, stop = heaviest(where)
    if not isinstance(thing, (str, bytes)):
        return f"steps {start} to {stop - 1} of {len(where)}"
    left, right = max(0, start - most // 2), stop + most // 2
    shown = [visible(thing[a:b], most) for a, b in ((left, start), (start, stop), (stop, right))]
    ends = "…" if left else "", "…" if right < len(thing) else ""
    return f"{ends[0]}{shown[0]}[{shown[1]}]{shown[2]}{ends[1]}"


def heaviest(where: NDArray[np.float64]) -> tuple[int, int]:
    """Return the stretch whose parts are well above the mean, in the direction of their sum.

    Examples
    --------
    >>> heaviest(np.array([0.0, 3.0, 2.0, 0.0, 1.0]))
    (1, 3)
    """
    turned = where * (1 if where.sum() >= 0 else -1)
    above = turned - turned.mean() - 0.25 * turned.std()
    best, found, start, running = -np.inf, (0, len(where)), 0, 0.0
    for stop, part in enumerate(above, start=1):  # the largest sum of neighbours
        if running <= 0:
            start, running = stop - 1, 0.0
        running += part
        if running > best:
            best, found = running, (start, stop)
    return found
