"""The landmark map: objects described by their values against landmarks."""

from __future__ import annotations

import numbers
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..bounds import require_bounded
from ..estimating import as_measures, generator, matrix_inside
from ..io import RowSource, is_collection, rows
from ..landmarks import AllColumns, Given, Landmarks, get_strategy
from ..transfers import get_transfer
from .cached_features import CachedFeatures
from .described import Described
from .evaluating import Values
from .pilot import Pilot, sample_of

DEFAULT_LANDMARKS = 1000


class LandmarkMap(Described):
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

    def __init__(
        self,
        measure: Any = "gaussian",
        *,
        n_landmarks: int | None = None,
        landmarks: Any = "auto",
        transfer: Any = "auto",
        passthrough: bool = False,
        scale: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.transfer = transfer
        self.passthrough = passthrough
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs

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
            sample = sample_of(rows(X), self.domain, generator(self.random_state))
            with engine.using(hashed_from=0):  # the objects of the smallest hashes of all
                self.fit_seeing(sample, y)
            return self
        self.fit_seeing(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and return the features of X; values seen on the way are not computed again."""
        if isinstance(X, RowSource) or is_collection(X):
            return self.fit(X).transform(X)
        pilot = self.fit_seeing(X, y)
        features = CachedFeatures(self, self.ingest(X), budget=pilot.values.nbytes, pilot=pilot)
        return features.stacked(lambda _, block: self.scaled(block))

    def fit_seeing(self, X: Any, y: Any = None, progress: bool | engine.Progress = False) -> Pilot:
        """Fit, and return the values that were seen, for those who want the others too."""
        require_bounded(type(self), vars(self))
        rng = generator(self.random_state)
        if not isinstance(self.scale, (bool, np.bool_)):
            raise ValueError(f"scale must be True or False, not {self.scale!r}.")
        measures = as_measures(self.measure)
        for measure in measures:
            measure.check_parameters()
        X = self._objects(X, measures[0], reset=True)
        counter = engine.Counter()
        workers = {} if self.n_jobs is None else {"n_jobs": self.n_jobs}
        with engine.changed(counter, **workers):
            self.measures_ = [measure.fitted_to(X, rng) for measure in measures]
            self._take(self._choose(X, y, rng))
            rows = np.sort(rng.permutation(X.shape[0])[: engine.settings().pilot_rows])
            total = len(rows) * self.landmarks_.shape[0] * len(measures)
            shown = engine.showing(progress, total)
            with shown as bar, engine.changed(rows=rows), engine.step("values"):
                pilot = Pilot(rows, self.values(X[rows], bar))
            self._fit_transfers(pilot.values, X)
            self.mean_ = self.deviation_ = None
            if self.scale:
                self._fit_scale(pilot, X)
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
        self._fit_transfers(values, None)
        self.mean_ = self.deviation_ = None
        return self

    def _take(self, chosen: Landmarks) -> None:
        """Take landmarks, and settle what the transfers are, before any value is computed."""
        self._set_landmarks(chosen)
        self.scale_ = 1.0 / np.sqrt(len(chosen) * len(self.measures_))
        self.transfers_ = []
        for measure in self.measures_:
            kind = self.kind_of(measure)
            self.transfers_.append(get_transfer(self.transfer, kind))
            self.transfers_[-1].check_kind(kind)

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

    @property
    def kernel_(self) -> None:  # type: ignore[override]
        """None: the kernel of landmark features has no name."""
        return

    @property
    def n_features_out_(self) -> int:  # type: ignore[override]
        """Number of features."""
        if self.columns_ is not None:
            return len(self.columns_)
        width = int(self.n_features_in_) if self.passthrough else 0
        for transfer in self.transfers_:
            width += transfer.n_features(self.n_landmarks_)
        return width

    @property
    def is_divisible(self) -> bool:
        """Whether each feature has a landmark of its own, so that `subset` works."""
        several_pairs = len(self.measures_) > 1 and self.pairs_ is not None
        pointwise = all(map(attrgetter("pointwise"), self.transfers_))
        return pointwise and not (several_pairs or self.passthrough)

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
        copy = self._fitted_copy()
        copy._pick_scale(np.asarray(columns))
        kept, pairs, numbers = np.asarray(columns), None, None
        if self.pairs_ is not None:
            kept, positions = np.unique(self.pairs_[kept], return_inverse=True)
            pairs = positions.reshape(-1, 2)
        elif self._has_cells(kept):
            kept, numbers = self.grid.subset(kept)
        copy._set_landmarks(self._chosen_landmarks().some(kept, pairs), numbers)
        return copy
