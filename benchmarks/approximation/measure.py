"""The protocol: points of the unit ball, methods at equal output columns, errors and seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from sklearn.kernel_approximation import PolynomialCountSketch

import seamark as sm
from seamark.measures import Exponential, Polynomial

POINTS, RUNS = 100, 5
DIMENSIONS = (10, 50, 100, 200)
COLUMNS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
OURS = "seamark"


@dataclass
class Cell:
    """One kernel, dimension, method and number of columns: errors of all runs, least seconds.

    `squares` are mean squares of errors relative to √(K(x, x) K(y, y)); seconds are a processor's,
    so that other work on the machine does not count.
    """

    kernel: str
    d: int
    method: str
    columns: int
    errors: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)
    seconds: float = np.inf

    @property
    def mean(self) -> float:
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float:
        return float(np.std(self.errors, ddof=1) / np.sqrt(len(self.errors)))

    @property
    def root_mean_square(self) -> float:
        return float(np.sqrt(np.mean(self.squares)))


def ball(n, d, rng):
    """Points uniform in the unit ball."""
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X * rng.uniform(size=(n, 1)) ** (1 / d)


def kernels(X):
    """The three kernels; the exponential has the mean distance as its width."""
    width = Exponential().fitted_to(X, np.random.default_rng(0)).width
    return {
        "homogeneous": Polynomial(10, coef0=0.0),
        "polynomial": Polynomial(10),
        "exponential": Exponential(width),
    }


def sketch(kernel, columns, seed):
    """TensorSketch; of the exponential, the sketch of (1 + t/10σ²)¹⁰."""
    if isinstance(kernel, Exponential):
        gamma, coef0 = 1 / (10 * kernel.width**2), 1
    else:
        gamma, coef0 = 1.0, kernel.coef0
    return PolynomialCountSketch(
        degree=10, gamma=gamma, coef0=coef0, n_components=columns, random_state=seed
    )


def methods(kernel, d, columns, seed):
    """Everyone who can do with so many columns; H0/1 needs 2 + d, and terms 0 and 1."""
    thesis = {"degrees": "geometric", "projection": "rademacher", "random_state": seed}
    yield "RF", sm.RandomMaclaurin(kernel, columns, h01=False, **thesis)
    if kernel.maclaurin(2).all() and columns >= d + 2:
        yield "H0/1", sm.RandomMaclaurin(kernel, columns, h01=True, **thesis)
    yield "PolynomialCountSketch", sketch(kernel, columns, seed)
    yield OURS, sm.RandomMaclaurin(kernel, columns, random_state=seed)


def measured(dimensions=DIMENSIONS, columns=COLUMNS, runs=RUNS):
    """Yield a cell at a time; in a run all methods see the same points."""
    for d in dimensions:
        clouds = [ball(POINTS, d, np.random.default_rng([d, run])) for run in range(runs)]
        for name in ("homogeneous", "polynomial", "exponential"):
            for D in columns:
                cells = {}
                for run, X in enumerate(clouds):
                    kernel = kernels(X)[name]
                    for method, model in methods(kernel, d, D, run):
                        cell = cells.setdefault(method, Cell(name, d, method, D))
                        add(cell, model.fit(X), X, kernel)
                yield from cells.values()


def add(cell, model, X, kernel):
    """One run: errors of all pairs of rows, and the time of a transform of a thousand rows."""
    t = X @ X.T  # in float64: some errors here are below float32's
    K = np.polynomial.polynomial.polyval(t, kernel.maclaurin(60))
    Z = model.transform(X).astype(np.float64)
    error = K - Z @ Z.T
    size = np.sqrt(np.outer(np.diag(K), np.diag(K)))
    cell.errors.append(float(np.abs(error).mean()))
    cell.squares.append(float(np.square(error / size).mean()))
    # A sketch of a thousand rows and 5000 columns would take gigabytes.
    times = 1 if isinstance(model, PolynomialCountSketch) else 1000 // len(X)
    rows = np.tile(X, (times, 1))
    start = time.process_time()
    model.transform(rows)
    cell.seconds = min(cell.seconds, (time.process_time() - start) * 1000 / len(rows))
