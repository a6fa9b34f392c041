"""The landmark map: objects described by their values against landmarks."""

from __future__ import annotations

import numbers
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Domain, collected, is_collection, seed_from
from ..features import location
from ..io import RowSource, hashed_sample, rows
from ..landmarks import (
    NOT_A_ROW,
    AllColumns,
    Generated,
    Given,
    Landmarks,
    get_strategy,
    groups_in,
)
from ..measures import Columns, Measure, ObjectEstimator, as_measures, matrix_inside
from ..plotting.text import visible
from ..transfers import Decay, Identity, Seen, Transfer, features_of, get_transfer
from ..validation import check_columns, generator, require_bounded
from .base import Contribution, Map, dense32, each_thing, require_map
from .value_cache import CachedFeatures

Rows = NDArray[np.intp]
Values = NDArray[np.float32]

DEFAULT_LANDMARKS = 1000
PILOT_ROWS = 1000  # whose values show a transfer what to expect
LEAST_UNIT = 0.1  # of the median one, where only a sample of the rows was seen
ROUNDING = 1e-5  # of the largest value: what is above minus this is 0, rounded


@dataclass(frozen=True, eq=False)
class Pilot:
    """A sample of fit's rows, rising, and their values against all landmarks.

    Transfers and units of features are settled by them; whoever then reads the features of all
    rows need not compute these again.
    """

    rows: NDArray[np.intp]
    values: NDArray[np.float32]


@dataclass(eq=False, repr=False)
class LandmarkMap(Map, ObjectEstimator):
    """Features of an object: its values against landmarks, after a transfer, over √R.

    Parameters
    ----------
    measure : Measure, str, callable, or a list of these, default="gaussian"
        What compares an object with a landmark. Several measures share the landmarks; their
        features stand side by side, over √(number · R).
    n_landmarks : int, optional
        How many; default 1000, or as many as there are objects.
    landmarks : str, Strategy or objects, default="auto"
        "uniform", "stratified", "diverse", "farthest", "generated", "pairs", "parts", a
        `Strategy`, or the landmarks themselves. "auto": parts of objects for a measure that
        compares objects with such, else uniform.
    transfer : str or Transfer, default="auto"
        "auto": exp(−γd) for distances, a ramp for differences of pairs, the values themselves
        otherwise. Or "identity", "decay", "gaussian_decay", "ramp", "sign", "whitening", or a
        `Transfer`.
    passthrough : bool, default=False
        For vectors: append the columns of X.
    scale : bool, default=True
        Whether `transform` gives features of mean 0 and variance 1, which suits the penalties of
        scikit-learn's models. False: as they are, values after the transfer over √R. Whitened
        features always are as they are, since their inner products are the kernel.
    random_state : int, RandomState or Generator, optional
        Decides which landmarks are drawn.
    n_jobs : int, optional
        Threads (processes for Python functions) that compute values. Default: all cores available;
        for Python functions the calling process.

    Attributes
    ----------
    measures_ : list of Measure
        With all parameters as numbers.
    landmarks_ : objects
        The landmarks themselves.
    landmark_indices_ : ndarray or None
        The rows of fit's X that they are; −1 for those that are none, None if none is.
    landmark_sources_ : ndarray or None
        The rows of fit's X that they are or, being parts, were cut from; −1 and None as above.
    landmark_order_ : ndarray or None
        Positions among `landmarks_` as they were drawn, where all columns of a precomputed matrix
        are landmarks and so stand in its order; the leading ones are a fair sample.
    pairs_ : ndarray or None
        Positions among `landmarks_` of the pairs whose values are subtracted.
    columns_ : ndarray or None
        Of a subset over several measures: its features, as numbers measure · R + landmark.
    transfers_ : list of Transfer
        One for each measure, with all parameters as numbers.
    value_ranges_ : list of (float, float)
        Lowest and highest value of each measure: its bounds where it has them, else what was seen
        at fit. `Ramp` and `Sign` normalise by it; differences of pairs lie symmetrically about 0.
    informative_ : bool
        Whether any two of the objects looked at, 1000 at most, differ in a value.
    scale_ : float
        1/√(number of measures · R), by which averaged features are multiplied.
    mean_, deviation_ : ndarray or None
        What `transform` subtracts from each feature and then divides it by, if it scales them. Of
        a feature that does not vary, `deviation_` is its size.
    n_evaluations_ : int
        Measure evaluations in fit.

    Notes
    -----
    Means and deviations are those of the rows whose values `fit` computes anyway: all of X, or 1000
    of its rows drawn at random. Of such a sample, deviations below a tenth of the measure's median
    one are raised to it. Within models, `MapUnion`, `Aligned`, `AUCClassifier` and
    `JointFeatureSVM` features are as they are.

    Examples
    --------
    >>> import seamark as sm
    >>> bearings = sm.LandmarkMap("levenshtein", n_landmarks=2, random_state=0)
    >>> bearings.fit_transform(["sea", "see", "mark", "marked"]).shape
    (4, 2)
    """

    measure: Any = "gaussian"
    _: KW_ONLY
    n_landmarks: int | None = None
    landmarks: Any = "auto"
    transfer: Any = "auto"
    passthrough: bool = False
    scale: bool = True
    random_state: Any = None
    n_jobs: int | None = None

    takes_parts: ClassVar[bool] = True
    measures_: list[Measure] = field(init=False)
    transfers_: list[Transfer] = field(init=False)
    scale_: float = field(init=False)
    mean_: NDArray[np.float64] | None = field(init=False)
    deviation_: NDArray[np.float64] | None = field(init=False)
    landmark_order_: Rows | None = field(init=False)
    # Of a part: the numbers of its landmarks in the whole, for messages.
    _numbers: Rows | None = field(default=None, init=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the landmarks, and fit measure and transfer to what is seen.

        Parameters
        ----------
        X : objects
        y : array-like, optional
            Labels, for strategies that use them.

        Returns
        -------
        self
        """
        if isinstance(X, RowSource) or is_collection(X):
            seed, most = seed_from(generator(self.random_state)), engine.settings().hashed_from
            sample = hashed_sample(rows(X), self.domain, seed, most, None).objects
            with engine.using(hashed_from=0):  # the objects of the smallest hashes of all
                self.fit_seeing(sample, y)
        else:
            raw = collected(X)
            self.fit_seeing(self.domain.ingest(raw), y, raw=raw)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and return the features of X; values seen on the way are not computed again."""
        if isinstance(X, RowSource) or is_collection(X):
            return self.fit(X).transform(X)
        raw = collected(X)
        objects = self.domain.ingest(raw)
        pilot = self.fit_seeing(objects, y, raw=raw)
        features = CachedFeatures(self, objects, budget=pilot.values.nbytes, pilot=pilot)
        return features.stacked(lambda _, block: self.scaled(block))

    def fit_seeing(
        self, X: Any, y: Any = None, progress: bool | engine.Progress = False, *, raw: Any = None
    ) -> Pilot:
        """Fit, and return the values that were seen, for those who want the others too.

        Parameters
        ----------
        X : objects
            Ingested.
        y : array-like, optional
        progress : bool or Progress
        raw : table, optional
            What they were read from, whose columns may have names.
        """
        require_bounded(type(self), vars(self))
        rng = generator(self.random_state)
        if not isinstance(self.scale, (bool, np.bool_)):
            raise ValueError(f"scale must be True or False, not {self.scale!r}.")
        measures = as_measures(self.measure)
        for measure in measures:
            measure.check_parameters()
        check_columns(self, X if raw is None else raw, X, reset=True)
        self.look_ = measures[0].domain.look(X)
        counter = engine.Counter()
        workers = {} if self.n_jobs is None else {"n_jobs": self.n_jobs}
        with engine.changed(counter, **workers):
            self.measures_ = [measure.fitted_to(X, rng) for measure in measures]
            self._take(self._choose(X, y, rng))
            rows = np.sort(rng.permutation(X.shape[0])[:PILOT_ROWS])
            total = len(rows) * self.landmarks_.shape[0] * len(measures)
            shown = engine.showing(progress, total)
            with shown as bar, engine.changed(rows=rows), engine.step("values"):
                pilot = Pilot(rows, self.values(X[rows], bar))
            self._fit_transfers(pilot.values, X)
            self.mean_ = self.deviation_ = None
            if self.scale and not any(t.looks_between for t in self.transfers_):
                features = self.features(pilot.values.copy())
                n_own = features.shape[1]
                features = self.with_columns_of(X[rows], features)
                self.mean_, self.deviation_ = location(features, centred=True)
                if len(rows) < X.shape[0]:
                    # Objects near an outlying landmark may all be missing from a sample: divided by
                    # the little that is left, they would outweigh all else once they come.
                    units = self.deviation_[:n_own].reshape(-1, self.n_landmarks_)
                    least = LEAST_UNIT * np.median(units, axis=1, keepdims=True)
                    np.maximum(units, least, out=units)
        self.n_evaluations_ = counter.evaluations
        return pilot

    def fit_known(self, chosen: Landmarks, values: Values) -> Self:
        """Fit to landmarks that are chosen, and to values against them: none is evaluated.

        Parameters
        ----------
        chosen : Landmarks
        values : ndarray of shape (n, values of an object)
            Of some rows. All parameters of the measures are numbers by now.
        """
        self.measures_ = as_measures(self.measure)
        self._take(chosen)
        if matrix_inside(self.measures_[0]) is None:  # where landmarks are numbers of columns
            self.look_ = self.measures_[0].landmark_domain.look(chosen.objects)
        self._fit_transfers(values, None)
        self.mean_ = self.deviation_ = None
        return self

    def _choose(self, X: Any, y: Any, rng: np.random.Generator) -> Landmarks:
        measure = self.measures_[0]
        wanted = self.n_landmarks
        number = isinstance(wanted, numbers.Real)
        if wanted is not None and not (number and wanted >= 1 and int(wanted) == wanted):
            raise ValueError(f"n_landmarks must be a whole number from 1, not {wanted!r}.")
        strategy = get_strategy(self.landmarks, measure)
        matrix = matrix_inside(measure)
        if matrix is not None and not matrix.square:
            strategy = AllColumns()
        elif matrix is not None and not isinstance(strategy, Given):
            matrix.require_shape(X)
        chosen = strategy.choose(X, y, measure, wanted or DEFAULT_LANDMARKS, rng)
        if wanted is not None and chosen.sources is not None and len(chosen) < wanted:
            what = "parts" if chosen.are_parts else "objects"
            engine.warn_user(
                f"n_landmarks={wanted}, but there are only {len(chosen)} different {what}: all "
                "are landmarks."
            )
        return chosen if matrix is None else chosen.columns_in_order()

    def _take(self, chosen: Landmarks) -> None:
        """Take landmarks, and settle what the transfers are, before any value is computed."""
        self._set_landmarks(chosen)
        self.scale_ = 1.0 / np.sqrt(len(chosen) * len(self.measures_))
        self.transfers_ = []
        for measure in self.measures_:
            kind = self.kind_of(measure)
            self.transfers_.append(get_transfer(self.transfer, kind))
            self.transfers_[-1].check_kind(kind)

    def _set_landmarks(self, chosen: Landmarks, columns: Rows | None = None) -> None:
        self.landmarks_ = chosen.objects
        self.landmark_indices_, self.landmark_sources_ = chosen.indices, chosen.sources
        self.pairs_ = chosen.pairs
        self.landmark_order_ = chosen.order
        self.n_landmarks_ = len(chosen)
        self.columns_ = columns
        self._recipes: list[engine.Recipe | None] | None = None

    def _fit_transfers(self, pilot: Values, X: Any) -> None:
        self.value_ranges_: list[tuple[float, float]] = []
        self.informative_ = False
        for k, (m, values) in enumerate(zip(self.measures_, self._split(pilot), strict=True)):
            between = None
            if self.pairs_ is None and self.transfers_[k].looks_between:
                if m.compares_parts:
                    raise ValueError(
                        f"{self.transfer!r} compares landmarks with landmarks, and {m!r} "
                        "compares objects with parts of objects; take a pointwise transfer."
                    )
                rows = X[self.landmark_indices_] if self.are_rows else self.landmarks_
                between = engine.run(m.recipe(self.landmarks_), rows, n_jobs=self.n_jobs)
            seen = Seen.of(m, self.paired(values), between, self.pairs_ is not None)
            self.transfers_[k] = self.transfers_[k].fitted_to(seen)
            self.value_ranges_.append((seen.low, seen.high))
            self.informative_ |= bool(np.ptp(seen.values, axis=0).any())

    @property
    def has_independent_columns(self) -> bool:  # type: ignore[override]
        """Whether landmarks are random objects, and features functions of single values."""
        transfer = self.transfer
        if isinstance(transfer, Decay):
            fixed = not isinstance(transfer.gamma, str)
        else:
            fixed = isinstance(transfer, Identity) or transfer == Identity.name
        landmarks = get_strategy(self.landmarks, as_measures(self.measure)[0])
        single = len(as_measures(self.measure)) == 1
        return isinstance(landmarks, Generated) and fixed and single and not self.passthrough

    # Values of objects against landmarks, and the features made of them.

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Domain of the first measure; all have the same."""
        one = self.measure
        return (one if isinstance(one, Measure) else as_measures(one)[0]).domain

    def ingest(self, X: Any) -> Any:
        """Return new objects of the first measure's domain."""
        return self._objects(X, self.measures_[0], reset=False)

    def groups(self, X: Any) -> Rows:
        """Return groups of equal objects; rows of a precomputed matrix are never equal."""
        return groups_in(X, self.measures_[0].domain)

    def recipes(self) -> list[engine.Recipe | None]:
        """What to evaluate for each measure; None: nothing is left of it."""
        if self._recipes is None:
            every = [self.landmarks_] * len(self.measures_)
            if self.columns_ is not None:
                every = [self.landmarks_[read] for read in self._landmarks_read()]
            self._recipes = []
            for measure, some in zip(self.measures_, every, strict=True):
                self._recipes.append(measure.recipe(some) if some.shape[0] else None)
        return self._recipes

    # A cell is a measure and a landmark it is evaluated at, and has the number measure · R +
    # landmark. Values of several measures stand side by side in the order of these numbers.

    @property
    def cells(self) -> Rows:
        """Numbers of the cells in use, in the order of the features."""
        every = np.arange(len(self.measures_) * self.n_landmarks_)
        return every if self.columns_ is None else self.columns_

    def _landmarks_read(self) -> list[Rows]:
        """Return the landmarks that each measure is evaluated at."""
        owners, places = np.divmod(np.sort(self.cells), self.n_landmarks_)
        return [places[owners == m] for m in range(len(self.measures_))]

    @property
    def n_values(self) -> int:
        """How many values of an object there are: measures times landmarks, or what is in use."""
        every = len(self.measures_) * int(self.landmarks_.shape[0])
        return every if self.columns_ is None else len(self.columns_)

    def part(self, values: Rows) -> Self:
        """Return a copy to evaluate some of the values only, rising; `subset` is for features."""
        n, cells = int(self.landmarks_.shape[0]), np.sort(self.cells)
        if self.pairs_ is not None:  # of which the values are not yet those of pairs
            cells = np.arange(len(self.measures_) * n)
        kept, cells = _of_fewer_landmarks(cells[values], n)
        part = copy(self)
        part._set_landmarks(Landmarks(self.landmarks_[kept]), cells)
        part._numbers = kept
        return part

    def values(self, X: Any, progress: bool | engine.Progress = False) -> Values:
        """Values of ingested objects against the landmarks; measures side by side."""
        blocks = []
        for m, (recipe, measure, transfer) in enumerate(
            zip(self._recipes or self.recipes(), self.measures_, self.transfers_, strict=True)
        ):
            if recipe is None:
                continue
            block = engine.run(recipe, X, n_jobs=self.n_jobs, progress=progress)
            lowest = float(block.min(initial=0.0)) if transfer.needs_distances else 0.0
            if (
                lowest < 0
                and not -np.inf < measure.bounds[0] < 0  # it declares how low its distances go
                and lowest < -ROUNDING * float(np.abs(block).max())
            ):
                i, j = np.unravel_index(int(block.argmin()), block.shape)
                number = int(j)  # of the landmark, in the whole of which this may be a part
                if self.pairs_ is None:
                    number = int(self._landmarks_read()[m][j])
                    number = number if self._numbers is None else int(self._numbers[number])
                raise ValueError(
                    f"{measure!r} gives row {engine.settings().row(int(i))} of X and landmark "
                    f"{number} the negative distance {lowest:g}; make it a distance from 0 on, or "
                    'declare kind="similarity" if large values mean alike, or take '
                    'transfer="identity".'
                )
            blocks.append(block)
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)

    def features(self, values: Values, transfers: list[Transfer] | None = None) -> Values:
        """Features from values, which may be overwritten."""
        transfers = transfers or self.transfers_
        parts = []
        one = len(transfers) == 1
        for transfer, block in zip(
            transfers, [values] if one else self._split(values), strict=True
        ):
            compared = block if self.pairs_ is None else self.paired(block)
            parts.append(features_of(transfer, compared, self.scale_))
        if one and self.columns_ is None:
            return parts[0]
        side_by_side = np.concatenate(parts, axis=1)
        if self.columns_ is None:
            return side_by_side
        return side_by_side[:, np.argsort(np.argsort(self.columns_))]

    def _split(self, values: Values) -> list[Values]:
        if len(self.measures_) == 1:
            return [values]
        if self.columns_ is None:
            return np.split(values, len(self.measures_), axis=1)
        ends = np.cumsum([len(read) for read in self._landmarks_read()])
        return np.split(values, ends[:-1], axis=1)

    def paired(self, values: Values) -> Values:
        """Differences of pairs, if landmarks come in pairs; else the values."""
        if self.pairs_ is None:
            return values
        return values[:, self.pairs_[:, 0]] - values[:, self.pairs_[:, 1]]

    def kind_of(self, measure: Measure) -> str | None:
        """Kind of what landmarks see by a measure: the measure's own, or differences of pairs."""
        return measure.kind if self.pairs_ is None else "difference"

    def with_columns_of(self, X: Any, features: Values) -> Values:
        """Append the columns of X itself, if `passthrough` asks for it."""
        if not self.passthrough:
            return features
        return np.concatenate([features, dense32(X)], axis=1)

    def block(self, X: Any) -> Values:
        """Features of a few ingested objects."""
        features = self.features(self.values(X))
        return self.with_columns_of(X, features) if self.passthrough else features

    def scaled(self, features: Values) -> Values:
        """Return features as `transform` gives them: centred and in units of their spread, or not.

        All who work with features inside, models and unions of maps for instance, read them as
        they are.
        """
        if self.mean_ is None or self.deviation_ is None:
            return features
        centred = features - self.mean_  # in float64
        centred /= self.deviation_
        return centred.astype(np.float32)

    def fill(self, X: Any, out: Values) -> None:
        """Write the features of a few ingested objects, as `transform` gives them."""
        out[:] = self.scaled(self.block(X))

    @property
    def bytes_per_row(self) -> int:
        """Memory of an object's values, which may be more than its features."""
        return 4 * int(self.landmarks_.shape[0]) * len(self.measures_)

    # Some of the features.

    @property
    def n_features_out_(self) -> int:  # type: ignore[override]
        """Number of features."""
        if self.columns_ is not None:
            return len(self.columns_)
        width = int(self.n_features_in_) if self.passthrough else 0
        for transfer in self.transfers_:
            alike = transfer.pointwise
            width += self.n_landmarks_ if alike else transfer.n_features(self.n_landmarks_)
        return width

    @property
    def feature_order(self) -> Rows | None:  # type: ignore[override]
        """Features in the order in which to take the leading ones; None: as they stand."""
        order = self.landmark_order_
        if order is None or not self.is_divisible:
            return None
        return np.concatenate([order + m * len(order) for m in range(len(self.measures_))])

    @property
    def is_divisible(self) -> bool:  # type: ignore[override]
        """Whether each feature has a landmark of its own, so that `subset` works."""
        several_pairs = len(self.measures_) > 1 and self.pairs_ is not None
        pointwise = all(map(attrgetter("pointwise"), self.transfers_))
        return pointwise and not (several_pairs or self.passthrough)

    def fits_device(self, transfers: list[Transfer]) -> bool:
        """Tell whether each value becomes a feature of its own, by one function for all."""
        plain = len(self.measures_) == 1 and not self.passthrough and self.pairs_ is None
        plain = plain and self.columns_ is None and len(transfers) == 1
        return plain and transfers[0].pointwise and not transfers[0].looks_between

    def values_behind(self, columns: Rows) -> Rows:
        """Return which values some features are made of, in the order of `subset`'s values."""
        if self.pairs_ is not None:
            return np.unique(self.pairs_[columns])
        if self._has_cells(columns):
            return np.searchsorted(np.sort(self.cells), np.sort(self.cells[columns]))
        return columns

    def _has_cells(self, kept: Rows) -> bool:
        """Whether features may stand in another order than landmarks, and have numbers for it.

        All columns of a matrix do: they stay in its order (see `Landmarks.columns_in_order`).
        """
        if len(self.measures_) > 1 or self.columns_ is not None:
            return True
        columns = self.landmarks_
        return isinstance(columns, Columns) and columns[kept].are_all

    def columns_without(
        self, rows: NDArray[np.intp], alone: bool = True
    ) -> NDArray[np.intp] | None:
        """Features whose landmarks neither are nor were cut from these rows of fit's X.

        None: all, or all mixed. Where none is left, all are, unless there are other blocks: rather
        judge a fold by its own landmarks than by none at all.
        """
        if self.landmark_sources_ is None or any(map(attrgetter("mixes"), self.transfers_)):
            return None
        known = ~np.isin(self.landmark_sources_, rows)
        if self.pairs_ is not None:
            known = np.all(known[self.pairs_], axis=1)
        if known.all() or (alone and not (known.any() or self.passthrough)):
            return None
        extra = int(self.n_features_in_) if self.passthrough else 0
        if self.columns_ is not None:
            return np.flatnonzero(known[self.columns_ % len(known)])
        if len(self.transfers_) == 1 and self.transfers_[0].pointwise and not extra:
            return np.flatnonzero(known)  # by far the most frequent case, asked for every fold
        copies = (self.n_features_out_ - extra) // len(known)
        return np.flatnonzero(np.r_[np.tile(known, copies), np.ones(extra, dtype=bool)])

    def subset(self, columns: NDArray[np.intp]) -> Self:
        """Return a fitted map that has only some of the features, and never computes the others.

        Parameters
        ----------
        columns : ndarray of int
            Which features, in the order wanted.
        """
        check_is_fitted(self)
        if not self.is_divisible:
            raise ValueError(
                "subset() needs features that belong to one landmark each: no passthrough, no "
                "whitening, pairs for one measure only."
            )
        part = copy(self)
        kept, pairs, numbers = np.asarray(columns), None, None
        if self.mean_ is not None and self.deviation_ is not None:
            part.mean_, part.deviation_ = self.mean_[kept], self.deviation_[kept]
        if self.pairs_ is not None:
            kept, positions = np.unique(self.pairs_[kept], return_inverse=True)
            pairs = positions.reshape(-1, 2)
        elif self._has_cells(kept):
            kept, numbers = _of_fewer_landmarks(self.cells[kept], self.n_landmarks_)
        parts = self.landmark_indices_ is None and self.landmark_sources_ is not None
        every = Landmarks(self.landmarks_, self.landmark_sources_, self.pairs_, are_parts=parts)
        part._set_landmarks(every.some(kept, pairs), numbers)
        return part

    # What explanations ask.

    @property
    def are_rows(self) -> bool:
        """Whether all landmarks are rows of the X of fit."""
        indices = self.landmark_indices_
        return indices is not None and NOT_A_ROW not in indices

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names such as ``levenshtein_12``: the measure, and the landmark's row in fit."""
        check_is_fitted(self)
        names: list[str] = []
        for measure, transfer in zip(self.measures_, self.transfers_, strict=True):
            title = measure.name or type(measure).__name__.lower()
            n = transfer.n_features(self.n_landmarks_)
            plain = self.are_rows and self.pairs_ is None
            named = plain and n == self.n_landmarks_
            numbers = self.landmark_indices_ if named else range(n)
            names += [f"{title}_{k}" for k in numbers]  # type: ignore[union-attr]
        if len(set(names)) < len(names):
            names = [f"{name}_{i}" for i, name in enumerate(names)]
        if self.columns_ is not None:
            names = [names[column] for column in self.columns_]
        if self.passthrough:
            given = getattr(self, "feature_names_in_", None)
            names += [f"x{i}" for i in range(self.n_features_in_)] if given is None else list(given)
        return np.array(names, dtype=object)

    def landmark_texts(self) -> list[str] | None:
        """Return for each feature the landmark it belongs to, as text; None if it has none.

        Arrays say little as text: features then are better known by their names.
        """
        if not self.is_divisible or isinstance(self.landmarks_[0], np.ndarray):
            return None
        owners, places = np.divmod(self.cells, self.n_landmarks_)
        kinds = [measure.name or type(measure).__name__.lower() for measure in self.measures_]
        lead = [f"{kind} of " if len(kinds) > 1 else "" for kind in kinds]
        return [
            f"{lead[m]}{visible(self.landmark(j), 40)}" for m, j in zip(owners, places, strict=True)
        ]

    def landmark(self, place: int) -> Any:
        """Return the landmark, or pair of them, behind the features of one place."""
        if self.pairs_ is None:
            return self.landmarks_[int(place)]
        return tuple(self.landmarks_[int(k)] for k in self.pairs_[place])

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each landmark, or pair of them, adds by each measure."""
        values = self.values(X)
        shown = np.concatenate([self.paired(block) for block in self._split(values)], axis=1)
        features = self.with_columns_of(X, self.features(values.copy()))
        return self.by_landmark(features, shown, weights, means)

    def by_landmark(
        self, features: NDArray[Any], values: NDArray[Any], weights: Any, means: Any
    ) -> list[list[Contribution]]:
        """Return the contributions of landmarks, given features and the values behind them.

        Columns of X that were passed through have none.
        """
        parts, n = (features - means) * weights, self.n_landmarks_
        if self.columns_ is not None:
            amounts, places = parts[:, np.argsort(self.columns_)], np.sort(self.columns_) % n
        else:
            sums, start = [], 0
            for transfer in self.transfers_:
                if transfer.looks_between:
                    raise TypeError(
                        f"{type(transfer).__name__} mixes landmarks in its features, so nothing "
                        "can be said of single ones; take another transfer."
                    )
                stop = start + transfer.n_features(n)
                sums.append(parts[:, start:stop].reshape(len(parts), -1, n).sum(axis=1))
                start = stop
            amounts, places = np.concatenate(sums, axis=1), np.tile(np.arange(n), len(sums))
        found = each_thing([self.landmark(place) for place in places], amounts, values)
        if self.pairs_ is not None:
            return found
        return [
            [one._replace(landmark=int(place)) for one, place in zip(row, places, strict=True)]
            for row in found
        ]

    def seen(self, X: Any) -> tuple[Values, Values]:
        """Features of a few ingested objects, and their values against every landmark.

        Values are those of the leading measure, NaN for landmarks that it is not evaluated at.
        """
        values = self.values(X)
        own = np.full((len(values), int(self.landmarks_.shape[0])), np.nan, dtype=np.float32)
        leading = self._leading
        read: Any = slice(None) if self.pairs_ is not None else self._landmarks_read()[leading]
        own[:, read] = self._split(values)[leading]
        return self.with_columns_of(X, self.features(values.copy())), own

    @property
    def compares_objects(self) -> bool:  # type: ignore[override]
        """Whether landmarks are objects of the rows' kind: no columns of a matrix, no parts."""
        parts = any(measure.compares_parts for measure in self.measures_)
        return not parts and not isinstance(self.landmarks_, Columns)

    @property
    def _leading(self) -> int:
        """The first measure of which any value is in use."""
        return next(m for m, read in enumerate(self._landmarks_read()) if len(read))

    @property
    def nearness(self) -> str | None:
        """Kind of the values that `seen` gives: "distance", "similarity", None if not known."""
        return self.measures_[self._leading].kind

    def of_landmarks(self, places: NDArray[np.intp]) -> Values:
        """Features of some landmarks themselves."""
        return dense32(self.block(self.landmarks_[places]))

    def __getstate__(self) -> dict[str, Any]:
        # Plans are compiled for this machine; landmarks are what is kept.
        return {**super().__getstate__(), "_recipes": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_recipes": None})


def unscaled(given: Any) -> Any:
    """Return a clone of a map that gives features as they are, for those who scale them themselves.

    Examples
    --------
    >>> unscaled("levenshtein")
    Traceback (most recent call last):
    ...
    TypeError: map='levenshtein' is no map; give one, such as LandmarkMap('levenshtein').
    """
    require_map(given)
    copy = clone(given)
    return copy.set_params(scale=False) if isinstance(copy, LandmarkMap) else copy


def _of_fewer_landmarks(cells: Rows, n_landmarks: int) -> tuple[Rows, Rows]:
    """Return the landmarks still needed for some cells, and their cells among these landmarks.

    Examples
    --------
    >>> _of_fewer_landmarks(np.array([5, 0, 3]), 3)  # landmarks 2 and 0 by the second measure
    (array([0, 2]), array([3, 0, 2]))
    """
    owners, places = np.divmod(cells, n_landmarks)
    kept, positions = np.unique(places, return_inverse=True)
    return kept, owners * len(kept) + positions
