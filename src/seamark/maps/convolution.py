"""Random convolutions of time series: how much of a series lies above a level, seen by a kernel."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, series
from ..data.missing import interpolated
from ..data.series import drawn_channels, reach
from ..engine.reference import KERNELS, TAPS, convolved
from ..measures.centre import centre_of
from ..validation import check_columns, generator, require_bounded, require_count
from .base import Contribution, Floats32, Map

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_DILATIONS = 32
GOLDEN = (np.sqrt(5) + 1) / 2  # its multiples, modulo 1, are spread evenly however many there are
ROUNDING = 4e-6  # of the size of values, in a kernel's sum of them
STRETCHES = 12  # of a series, that an explanation tells apart
FEATURE_SECONDS = 5e-11  # per feature and step of a series


@dataclass(eq=False, repr=False)
class RandomConvolution(Map):
    """Random convolutions: the share of a series' places at which a dilated kernel exceeds a bias.

    The features of MiniRocket (Dempster, Schmidt and Webb): kernels of nine taps, three of weight 2
    and six of −1, all 84 of them, at log-spaced dilations; biases are quantiles of what a kernel
    makes of a random training series. Half of the kernels see zeros beyond both ends of a series,
    the others stay inside.

    Parameters
    ----------
    n_components : int, default=10000
        Features.
    random_state : int, RandomState or Generator, optional
        Decides which series and channels biases are taken from.
    n_jobs : int, optional
        Threads; default: the cores available.

    Attributes
    ----------
    kernels_, dilations_, padded_ : ndarray
        Of each combination of a kernel and a dilation.
    channels_, channel_offsets_ : ndarray
        Channels of all combinations end to end, and where those of each begin; their values are
        added up.
    owners_, biases_ : ndarray
        Of each feature: its combination and its bias.
    centre_ : ndarray
        A median of every channel, taken off first: what is beyond the ends is then this value.

    Notes
    -----
    Features are shares over √D, as those of other maps are. Dilations are such that a kernel spans
    no more than nine of ten training series have; one that is shorter repeats its last value.
    Missing values are interpolated.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.random.default_rng(0).normal(size=(6, 50))
    >>> features = sm.RandomConvolution(500, random_state=0)
    >>> features.fit_transform(X).shape
    (6, 500)
    """

    n_components: int = 10_000
    _: KW_ONLY
    random_state: Any = None
    n_jobs: int | None = None

    domain = series
    per_feature = ("owners_", "biases_")
    # Compiled for this machine.
    _recipe: engine.Recipe | None = field(default=None, init=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # steps that are missing are interpolated
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw channels and series, and take biases from them.

        Parameters
        ----------
        X : series
        y : ignored

        Returns
        -------
        self
        """
        require_bounded(type(self), vars(self))
        require_count("n_components", self.n_components)
        rng = generator(self.random_state)
        objects = interpolated(series.ingest(X))
        check_columns(self, X, objects, reset=True)
        self.look_ = series.look(objects)
        self.centre_ = centre_of(objects.flat)
        self._draw(reach(objects.lengths), objects.values.shape[1], rng)
        self.biases_ = self._quantiles(objects, rng)
        self.n_features_out_ = int(self.n_components)
        self.feature_numbers_ = np.arange(self.n_features_out_)
        self.scale_ = 1.0 / np.sqrt(self.n_features_out_)
        self._recipe = None
        return self

    def _draw(self, steps: int, n_channels: int, rng: np.random.Generator) -> None:
        """Combine kernels with dilations and channels, and share features out among them."""
        per_kernel = max(1, self.n_components // len(KERNELS))
        widest = np.log2(max(1.0, (steps - 1) / (TAPS - 1)))
        spaced = 2 ** np.linspace(0.0, widest, min(per_kernel, MOST_DILATIONS))
        # Dilations that come up more often than once get as many features more.
        dilations, weights = np.unique(spaced.astype(np.int64), return_counts=True)
        every = np.arange(len(KERNELS))
        self.kernels_ = np.tile(every, len(dilations))
        self.dilations_ = np.repeat(dilations, len(KERNELS))
        turns = np.repeat(np.arange(len(dilations)), len(KERNELS))
        self.padded_ = (turns + self.kernels_) % 2 == 0
        drawn = drawn_channels(len(self.kernels_), n_channels, rng)
        self.channels_ = np.nonzero(drawn)[1]
        self.channel_offsets_ = np.concatenate([[0], np.cumsum(drawn.sum(axis=1))])
        # Features in rising order of their owners, which have shares by weight.
        ends = np.cumsum(np.repeat(weights, len(KERNELS)))
        ends = np.floor(self.n_components * ends / ends[-1] + 0.5).astype(np.int64)
        owners = np.searchsorted(ends, np.arange(self.n_components), side="right")
        self.owners_ = owners.astype(np.int64)

    def _quantiles(self, X: Ragged, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a bias for every feature: a quantile of its kernel on a random series."""
        rows = rng.integers(0, len(X), len(self.kernels_))
        levels = (np.arange(1, len(self.owners_) + 1) * GOLDEN) % 1.0
        biases = np.empty(len(self.owners_))
        # Combinations of one dilation are convolved together.
        facts = np.stack([self.dilations_, self.padded_], axis=1)
        kinds, alike = np.unique(facts, axis=0, return_inverse=True)
        place = np.empty(len(rows), dtype=np.intp)  # of a combination among those
        for number, (dilation, padded) in enumerate(kinds):
            some = np.flatnonzero(alike == number)
            place[some] = np.arange(len(some))
            span = (TAPS - 1) * dilation
            lengths = np.maximum(X.lengths[rows[some]], span + 1)
            x = self._seen(X, rows[some], some, lengths)
            values = convolved(x, self.kernels_[some], dilation, bool(padded))
            ends = lengths if padded else lengths - span
            values[np.arange(values.shape[1]) >= ends[:, None]] = np.inf  # beyond shorter series
            values.sort(axis=1)
            features = np.flatnonzero(alike[self.owners_] == number)
            owners = place[self.owners_[features]]
            biases[features] = _quantiles(values, owners, ends[owners] - 1, levels[features])
        # In float32 too a plateau is not above the bias that it meets; outliers are left aside.
        size = np.quantile(np.abs(X.flat - self.centre_), 0.9, axis=0).max()
        return np.asarray(biases + ROUNDING * size)

    def _seen(self, X: Ragged, rows: Rows, some: Rows, lengths: Rows) -> NDArray[np.float64]:
        """Return series as combinations see them: the sum of their channels, and zeros beyond.

        A series that is shorter than its length is to be repeats its last value.
        """
        first, counts = self.channel_offsets_[some], np.diff(self.channel_offsets_)[some]
        places = np.arange(lengths.max())
        steps = X.offsets[rows][:, None] + np.minimum(places, X.lengths[rows][:, None] - 1)
        x = np.zeros(steps.shape)
        for k in range(counts.max()):
            has = np.flatnonzero(counts > k)
            channel = self.channels_[first[has] + k][:, None]
            x[has] += X.values[steps[has], channel] - self.centre_[channel]
        x[places >= lengths[:, None]] = 0.0
        return x

    def ingest(self, X: Any) -> Any:
        """Return series with the channels of fit."""
        objects = series.ingest(X)
        series.require_alike(objects, self.look_)
        return objects

    def block(self, X: Ragged) -> Floats32:
        """Features of a few ingested series."""
        if self._recipe is None:
            self._recipe = engine.Recipe(_Shares, self)
        out: Floats32 = engine.run(self._recipe, X, n_jobs=self.n_jobs)
        out *= np.float32(self.scale_)
        return out

    def contributions(
        self, X: Ragged, weights: Floats, means: Floats, names: Any = None
    ) -> list[list[Contribution]]:
        """Return what stretches of each series add.

        Stretches are replaced by the mean of the series one after the other, from the left and from
        the right: what a replacement changes, on average of the two, is what the stretch adds.
        """
        X = interpolated(X)
        found = []
        for x, own in zip(X, weights, strict=True):
            n = x.shape[-1]
            ends = np.linspace(0, n, min(STRETCHES, n) + 1).round().astype(int).tolist()
            kept = np.arange(n) >= np.array(ends)[:, None]  # all, then less and less from the left
            flat = np.broadcast_to(x.mean(axis=-1, keepdims=True), x.shape)
            left = [np.where(some, x, flat) for some in kept]
            right = [np.where(some, flat, x) for some in kept]  # nothing, then more and more
            scores = self.block(series.ingest([*left, *right])) @ own
            added = (np.diff(scores[len(ends) :]) - np.diff(scores[: len(ends)])) / 2
            level = Contribution("its mean level", float(scores[len(ends)] - own @ means))
            stretches = [
                Contribution(f"steps {a} to {b - 1}", float(amount), where=((a, b),))
                for (a, b), amount in zip(pairwise(ends), added, strict=True)
            ]
            found.append([level, *stretches])
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: part for name, part in super().__getstate__().items() if name != "_recipe"}


class _Shares(engine.Plan):
    """Shares of places above biases; what a fitted map says, laid out for the kernels."""

    n_parts = 0  # no values of a measure

    def __init__(self, map: RandomConvolution) -> None:
        kernels = engine.backend()
        self.centre = map.centre_
        self.n_landmarks = map.n_features_out_
        self.slowness = kernels.slowness
        self.plan = kernels.convolution(
            map.kernels_,
            map.dilations_,
            map.padded_.astype(np.uint8),
            map.channels_,
            map.channel_offsets_,
            map.owners_,
            map.biases_,
            len(map.centre_),
        )

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """By features and steps."""
        per_step = FEATURE_SECONDS * max(1, self.n_landmarks) * self.slowness
        return np.asarray(X.lengths * per_step, np.float64)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Count places."""
        X = interpolated(X)
        values = np.ascontiguousarray(X.flat - self.centre)
        self.plan.run(values, X.offsets - X.offsets[0], out, stop)


def _quantiles(ordered: NDArray[np.float64], rows: Rows, last: Rows, levels: Floats) -> Floats:
    """Return quantiles of rows of ordered numbers, to the bits of numpy's, in a tenth of the time.

    Examples
    --------
    >>> ordered, rows = np.array([[0.0, 1.0, 4.0, np.inf]]), np.array([0, 0, 0])
    >>> _quantiles(ordered, rows, np.array([2, 2, 2]), np.array([0.25, 0.5, 1.0]))
    array([0.5, 1. , 4. ])
    """
    places = levels * last
    below = np.floor(places).astype(np.intp)
    low, high = ordered[rows, below], ordered[rows, np.minimum(below + 1, last)]
    share, step = places - below, high - low
    return np.asarray(np.where(share >= 0.5, high - step * (1 - share), low + step * share))
