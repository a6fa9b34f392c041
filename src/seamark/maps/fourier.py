"""Random Fourier features of shift-invariant kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..measures import Measure, get
from .base import DEFAULT_COMPONENTS, VectorMap
from .chunks import Floats32, chunks, project


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

    def __init__(
        self,
        kernel: str | Measure = "gaussian",
        n_components: int = DEFAULT_COMPONENTS,
        *,
        orthogonal: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.orthogonal = orthogonal
        self.random_state = random_state

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
            W = orthogonalised(W, rng)
        self.kernel_ = measure
        self.frequencies_ = W.astype(np.float32)
        self.phases_ = rng.uniform(0.0, 2 * np.pi, size=n)
        # Far from the origin float32 would lose the phase; distances do not know the origin.
        self.centre_ = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
        self.scale_ = np.sqrt(2.0 / n)
        self.n_features_out_ = n

    @property
    def has_independent_columns(self) -> bool:
        """Independent unless orthogonal."""
        return not self.orthogonal

    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few rows."""
        W, phases = self.frequencies_, self.phases_
        if sparse.issparse(X):  # stays sparse: what the mean would have done goes to the phases
            phases = phases - W @ self.centre_
        for rows, part in chunks(X, out):
            project(rows if sparse.issparse(X) else rows - self.centre_, W, part)
            _cosines(part, phases.astype(np.float32), np.float32(self.scale_))

    def _pick(self, columns: NDArray[np.intp]) -> None:
        self.frequencies_ = self.frequencies_[columns]
        self.phases_ = self.phases_[columns]


def _cosines(angles: Floats32, phases: Floats32, scale: np.float32) -> None:
    """Replace wᵀx by the feature, in place."""
    angles += phases
    np.cos(angles, out=angles)
    angles *= scale


def orthogonalised(W: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Return vectors of the same lengths in random directions, orthogonal in blocks of d.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> W = orthogonalised(rng.normal(size=(4, 2)), rng)
    >>> abs(float(W[0] @ W[1])) < 1e-9
    True
    """
    n, d = W.shape
    lengths = np.linalg.norm(W, axis=1)
    blocks = [np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(-(-n // d))]
    # QR's own signs are not uniform; a row's sign does not matter to a cosine with random phase.
    return np.asarray(np.concatenate(blocks)[:n] * lengths[:, None])
