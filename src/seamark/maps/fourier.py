"""Random features of vectors: Fourier, arc-cosine, and the columns themselves."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ..measures import ArcCosineKernel, Linear, Measure, get
from .base import (
    DEFAULT_COMPONENTS,
    Contribution,
    Floats32,
    VectorMap,
    chunks,
    dense32,
    each_thing,
    project,
)


@dataclass(eq=False, repr=False)
class RandomFourier(VectorMap):
    """Random features √2 cos(wᵀx + v)/√D of a shift-invariant kernel (Rahimi and Recht).

    Parameters
    ----------
    kernel : str or Measure, default="gaussian"
        "gaussian", "laplacian", or a measure with a method ``frequencies(n, d, rng)`` that draws
        w from its spectral distribution.
    n_components : int, default=1000
        D.
    orthogonal : bool, default=False
        Orthogonal frequencies in blocks of d: less noise, but columns that depend on each other.
        For kernels of the Euclidean distance.
    random_state : int, RandomState or Generator, optional
        Decides which random features are drawn.

    Attributes
    ----------
    kernel_ : Measure
        The kernel, with all parameters as numbers.
    frequencies_, phases_ : ndarray
        w and v; `centre_`, the mean of the data, is subtracted first, which changes no distance.

    Examples
    --------
    >>> import seamark as sm
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> features = sm.RandomFourier(sm.measures.Gaussian(5.0), 20_000, random_state=0)
    >>> Z = features.fit_transform(X)
    >>> (Z @ Z.T).round(1)  # exp(−1/2) = 0.607
    array([[1. , 0.6],
           [0.6, 1. ]], dtype=float32)
    """

    kernel: str | Measure = "gaussian"
    n_components: int = DEFAULT_COMPONENTS
    _: KW_ONLY
    orthogonal: bool = False
    random_state: Any = None

    per_feature = ("frequencies_", "phases_")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        measure = get(self.kernel)
        measure.check_parameters()
        if not hasattr(measure, "frequencies"):
            raise TypeError(
                f"{measure!r} has no method frequencies(n, d, rng) to draw from its spectral "
                "distribution; take Gaussian or Laplacian."
            )
        if self.orthogonal and not getattr(measure, "rotation_invariant", False):
            raise ValueError(
                f"{measure!r} is no function of the Euclidean distance, which orthogonal=True "
                "needs; set orthogonal=False."
            )

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        n, d = self.n_components, X.shape[1]
        measure: Any = get(self.kernel).fitted_to(X, rng)
        W = measure.frequencies(n, d, rng)
        if self.orthogonal:
            # As long, but in random directions that are orthogonal in blocks of d. QR's own signs
            # are not uniform; a row's sign does not matter to a cosine with random phase.
            blocks = [np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(-(-n // d))]
            W = np.concatenate(blocks)[:n] * np.linalg.norm(W, axis=1)[:, None]
        self.kernel_ = measure
        self.frequencies_ = W.astype(np.float32)
        self.phases_ = rng.uniform(0.0, 2 * np.pi, size=n)
        # Far from the origin float32 would lose the phase; distances do not know the origin.
        self.centre_ = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        self.scale_ = np.sqrt(2.0 / n)
        self.n_features_out_ = n

    @property
    def has_independent_columns(self) -> bool:  # type: ignore[override]
        """Independent unless orthogonal."""
        return not self.orthogonal

    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few rows."""
        W, phases = self.frequencies_, self.phases_
        if sparse.issparse(X):  # stays sparse: what the mean would have done goes to the phases
            phases = phases - W @ self.centre_
        for rows, part in chunks(X, out):
            project(rows if sparse.issparse(X) else rows - self.centre_, W, part)
            np.add(part, phases.astype(np.float32), out=part)
            np.cos(part, out=part)
            np.multiply(part, np.float32(self.scale_), out=part)


# Random features of the arc-cosine kernels: a layer of random units.


@dataclass(eq=False, repr=False)
class ArcCosine(VectorMap):
    """Random features √2 H(wᵀx)(wᵀx)ᵖ/√D of the arc-cosine kernel of order p, w Gaussian.

    Parameters
    ----------
    order : {0, 1, 2}, default=1
        p: steps, rectified linear units, or their squares.
    n_components : int, default=1000
        D.
    random_state : int, RandomState or Generator, optional
        Decides which random features are drawn.

    Attributes
    ----------
    kernel_ : ArcCosineKernel
    weights_ : ndarray
        w.

    Examples
    --------
    >>> import seamark as sm
    >>> Z = sm.ArcCosine(0, 20_000, random_state=0).fit_transform([[1.0, 0.0], [0.0, 1.0]])
    >>> (Z @ Z.T).round(1)  # the share of half-spaces that hold both: a half of those of one
    array([[1. , 0.5],
           [0.5, 1. ]], dtype=float32)
    """

    order: int = 1
    n_components: int = DEFAULT_COMPONENTS
    _: KW_ONLY
    random_state: Any = None

    has_independent_columns = True
    per_feature = ("weights_",)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        ArcCosineKernel(self.order).check_parameters()

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        self.kernel_ = ArcCosineKernel(self.order)
        self.weights_ = rng.normal(size=(self.n_components, X.shape[1])).astype(np.float32)
        self.scale_ = np.sqrt(2.0 / self.n_components)
        self.n_features_out_ = self.n_components

    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few rows."""
        for rows, part in chunks(X, out):
            project(rows, self.weights_, part)
            if self.order == 0:
                np.greater(part, 0, out=part)
            else:
                np.maximum(part, 0, out=part)
            if self.order == 2:
                np.square(part, out=part)
            np.multiply(part, np.float32(self.scale_), out=part)


# The columns of X as features: the linear kernel, exactly.


class Coordinates(VectorMap):
    """The columns of X themselves, so that what chooses among features can choose among them.

    Sparse X stays sparse.

    Attributes
    ----------
    kernel_ : Linear
    columns_ : ndarray
        Which columns of X.

    Examples
    --------
    >>> import seamark as sm
    >>> columns = sm.Coordinates().fit([[1.0, 2.0, 3.0]])
    >>> columns.subset([2, 0]).transform([[1.0, 2.0, 3.0]])
    array([[3., 1.]], dtype=float32)
    """

    per_feature = ("columns_",)

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        self.kernel_ = Linear()
        self.columns_ = np.arange(X.shape[1])
        self.n_features_out_ = X.shape[1]

    def block(self, X: Any) -> Any:
        """Return some columns, as float32."""
        whole = self.n_features_out_ == X.shape[1] and (np.diff(self.columns_) == 1).all()
        return (X if whole else X[:, self.columns_]).astype(np.float32)

    def fill(self, X: Any, out: Floats32) -> None:
        """Write some columns."""
        out[:] = dense32(self.block(X))

    def transform(self, X: Any) -> Any:
        """Columns of X, float32.

        Parameters
        ----------
        X : array-like or sparse matrix

        Returns
        -------
        ndarray or CSR matrix of shape (n, number of features), float32
        """
        check_is_fitted(self)
        objects = self.ingest(X)
        return self.block(objects) if sparse.issparse(objects) else super().transform(X)

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each column adds."""
        features = dense32(self.block(X))
        amounts = (features - means) * weights
        return each_thing(self.get_feature_names_out(), amounts, features)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of X, or ``x0``, ``x1``, …."""
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", None)
        if given is None:
            return np.array([f"x{k}" for k in self.columns_], dtype=object)
        return np.asarray(given, dtype=object)[self.columns_]
