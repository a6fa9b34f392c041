"""`Aligned`: a kernel learned from labels, as a distribution over the features of any map."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..estimating import generator, require_count, seeded
from ..features import groups_of
from ..maps import MapUnion
from ..maps.base import require_map
from ..maps.evaluating import unscaled
from ..plotting import DistributionDisplay
from ..targets import TASKS, deal, reads_classes
from .alignment import alignment_weights, check_ball
from .chosen import Chosen
from .columns import Array, Rows
from .outputs import Outputs, encode
from .rows import check_targets, check_training
from .strength import FoldAlignment, tuned_rho
from .sums import Candidates, TargetSums

FOLDS = 3  # to choose ρ on
ESTIMATORS = ("auto", "resample", "weigh")


class Aligned(Chosen):
    """Keep and scale the features whose kernel goes best with the labels (Sinha and Duchi).

    Any map in front: a large number of random features is drawn, and a distribution q over them
    is found that maximises Σᵢⱼ K(xᵢ, xⱼ) yᵢ·yⱼ near the uniform one. It is sparse: `transform`
    evaluates only what it kept.

    Parameters
    ----------
    map : Map, list of maps or None, default=None
        Where features come from: `RandomFourier`, `ArcCosine`, `Coordinates`, a `LandmarkMap` with
        generated objects, …; the features of several maps stand side by side. None: the columns
        of X, a matrix, CSR or Features.
    rho_per_feature : "cv" or float, default="cv"
        ρ/N: how far from uniform q may be, see `alignment_weights`; about N/ρ features stay.
        "cv": the one of seven, leaving about 8 to 500 features, with the least error of a ridge
        on folds, q being found again without each fold.
    power : float, default=2
        k of the divergence tᵏ − 1.
    n_features : int, optional
        D, the most features to keep.
    n_sample : int, optional
        Rows, drawn at random, that q is found on; default all.
    estimator : {"auto", "resample", "weigh"}, default="auto"
        "weigh", estimator (6): keep the support of q, scaled by √(Nq); of more than D, those with
        the largest q. "resample", estimator (5): draw D features from q; one drawn c times is kept
        once and scaled by √(Nc/D). "auto": (5) if q has more than D features, else (6). Maps give
        their features over √N, so that a uniform q leaves a map's kernel as it is.
    scaled : bool, default=True
        False leaves features as they are: a ridge whose penalty does not mind scale absorbs √q.
        The heads of this library standardise their columns, so that it makes no difference there.
    centred : bool, default=True
        Subtract means from targets (numbers, or ±1 for each class against the rest), for
        predictors with an intercept. The paper has ±1 as they are.
    diagonal : bool, default=True
        Count the pairs i = j, as problem (4) does. False, as in the theory: take it where features
        are unbounded, so that a few large values do not decide.
    normalise : bool, default=False
        Divide alignments by the variances of the features, so that their units do not matter:
        for features that come from several measures, and heads that standardise.
    task : {"auto", "classification", "regression"}, default="auto"
        How to read y. "auto": as classes, unless it holds numbers that are not whole, or more
        than 30 distinct ones.
    random_state : int, RandomState or Generator, optional
        Of the rows, the folds, the draw, and of maps that have none of their own.

    Attributes
    ----------
    support_ : ndarray of int
        Features kept, the largest weight first.
    weights_ : ndarray
        Their scales.
    distribution_ : ndarray of shape (N,)
        q.
    alignment_ : float
        Σ qₘvₘ/n², the alignment reached.
    uniform_alignment_ : float
        The same for uniform q.
    rho_per_feature_ : float
        The ρ/N used.
    cv_results_ : dict
        "rho_per_feature" and "error", if there was something to choose.
    map_ : Map or None
        Fitted; has the features of `support_` alone.
    n_features_in_ : int
        Columns of X, if there is no map.

    References
    ----------
    Sinha and Duchi, "Learning Kernels with Random Features", 2016.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 50))
    >>> y = np.sign(X[:, 7] + 0.1 * rng.normal(size=200))
    >>> aligned = Aligned(rho_per_feature=0.5).fit(X, y)
    >>> int(aligned.support_[0]), aligned.alignment_ > 10 * aligned.uniform_alignment_
    (7, True)
    """

    def __init__(
        self,
        map: Any = None,
        *,
        rho_per_feature: Any = "cv",
        power: float = 2.0,
        n_features: int | None = None,
        n_sample: int | None = None,
        estimator: str = "auto",
        scaled: bool = True,
        centred: bool = True,
        diagonal: bool = True,
        normalise: bool = False,
        task: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.map = map
        self.rho_per_feature = rho_per_feature
        self.power = power
        self.n_features = n_features
        self.n_sample = n_sample
        self.estimator = estimator
        self.scaled = scaled
        self.centred = centred
        self.diagonal = diagonal
        self.normalise = normalise
        self.task = task
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find q, and keep what has weight.

        Parameters
        ----------
        X : objects of the map; without one, array-like, CSR matrix or Features
        y : array-like of shape (n,) or (n, outputs)
            Classes or numbers.

        Returns
        -------
        self
        """
        self._check_parameters()
        rng = generator(self.random_state)
        bearings, candidates, target = self._candidates(X, y, rng)
        alignment = self._alignment(candidates, target, rng)
        open_rho = self.rho_per_feature == "cv"
        chosen = tuned_rho(alignment, rng) if open_rho else (float(self.rho_per_feature), {})
        self.rho_per_feature_, self.cv_results_ = chosen
        v = alignment.v()
        self.distribution_ = alignment_weights(v, self.rho_per_feature_, self.power)
        self.alignment_, self.uniform_alignment_ = float(self.distribution_ @ v), float(v.mean())
        self.support_, shares = self._kept(rng)
        self.weights_ = np.sqrt(len(v) * shares) if self.scaled else np.ones(len(shares))
        self.map_ = None if bearings is None else bearings.subset(self.support_)
        return self

    def _check_parameters(self) -> None:
        for name, known in (("estimator", ESTIMATORS), ("task", TASKS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is none of {', '.join(known)}.")
        for name in ("n_features", "n_sample"):
            if getattr(self, name) is not None:
                require_count(name, getattr(self, name))
        check_ball(0.0 if self.rho_per_feature == "cv" else self.rho_per_feature, self.power)

    def _candidates(
        self, X: Any, y: Any, rng: np.random.Generator
    ) -> tuple[Any, Candidates, Outputs]:
        """Fit the map, and read y."""
        if self.map is None:
            groups = groups_of(X)
            X, y = check_training(self, X, y)
            target = encode(y, classes=reads_classes(y, self.task))
            return None, Candidates(X, groups=groups), target
        several = isinstance(self.map, (list, tuple))
        if not several:
            require_map(self.map)
        bearings = unscaled(MapUnion(list(self.map)) if several else self.map)
        bearings = seeded(bearings, rng).fit(X, y)
        if not bearings.is_divisible:
            raise ValueError(
                f"features of {bearings!r} cannot be computed one by one, so none can be chosen."
            )
        objects = bearings.ingest(X)
        y = check_targets(objects, y)
        candidates = Candidates(objects, bearings, bearings.groups(objects))
        return bearings, candidates, encode(y, classes=reads_classes(y, self.task))

    def _alignment(
        self, candidates: Candidates, target: Outputs, rng: np.random.Generator
    ) -> FoldAlignment:
        """Read the features of a sample of rows once."""
        Y = target.values - target.values.mean(axis=0) if self.centred else target.values
        n = len(Y)
        rows = np.arange(n)
        if self.n_sample is not None and self.n_sample < n:
            rows = np.sort(rng.permutation(n)[: self.n_sample])
        folds = np.zeros(len(rows), dtype=np.intp)
        if self.rho_per_feature == "cv":
            groups = None if candidates.groups is None else candidates.groups[rows]
            folds = deal(np.ones(len(rows), dtype=bool), FOLDS, rng, target.labels(rows), groups)
        moments = 3 if self.normalise or not self.diagonal else 0
        sums = TargetSums.of(candidates.some(rows), Y[rows], folds, moments=moments)
        options = (self.power, self.diagonal, self.normalise)
        return FoldAlignment(candidates, rows, Y[rows], folds, sums, *options)

    def _kept(self, rng: np.random.Generator) -> tuple[Rows, Array]:
        """Return the features kept and the share of each in the kernel."""
        q = self.distribution_
        found = np.count_nonzero(q)
        limit = self.n_features or found
        if self.estimator == "resample" or (self.estimator == "auto" and limit < found):
            shares = rng.multinomial(limit, q) / limit
        else:
            shares = q
        order = np.argsort(-shares, kind="stable")
        support = order[: min(limit, np.count_nonzero(shares))]
        return support, shares[support]

    def transform(self, X: Any) -> Any:
        """Return the features kept, scaled.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray or CSR matrix of shape (n, k)
            In the order of `support_`.
        """
        check_is_fitted(self)
        if self.map_ is None:
            return super().transform(X)
        features = self.map_.transform(X)
        return self._weighed(features if sparse.issparse(features) else np.asarray(features))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features kept, as the map gives them."""
        check_is_fitted(self)
        if self.map_ is None:
            return super().get_feature_names_out(input_features)
        return np.asarray(self.map_.get_feature_names_out())

    def plot(self, ax: Any = None) -> DistributionDisplay:
        """Draw the learned distribution, features by falling weight, beside the uniform one.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        DistributionDisplay
        """
        check_is_fitted(self)
        return DistributionDisplay(self.distribution_).plot(ax)
