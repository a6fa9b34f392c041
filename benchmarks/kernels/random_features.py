"""Random features against scikit-learn's, at equal output columns."""

from __future__ import annotations

import numpy as np
from sklearn.kernel_approximation import PolynomialCountSketch, RBFSampler

import seamark as sm
from seamark.measures import Exponential, Gaussian, Polynomial

from .contest import Contest, Contestant
from .vectors import single_threaded

D = 1000
SHARE = 20  # the sketch gets one row in so many: all at once would take gigabytes


def error(model, X, kernel):
    """Mean |K − ZZᵀ| over a thousand rows, relative to the mean of K."""
    Z = model.transform(X[:1000]).astype(np.float64)
    K = kernel.cross(X[:1000])
    return float(np.abs(Z @ Z.T - K).mean() / np.abs(K).mean())


def maclaurin_contest(name, ours, kernel, X, few):
    """Ours against the sketch of (1 + t)⁴, which must not have the smaller error."""
    sketch = PolynomialCountSketch(degree=4, coef0=1, n_components=D, random_state=0).fit(few)
    ours.fit(X)
    mine, theirs = error(ours, X, kernel), error(sketch, few, Polynomial(4))
    if mine > theirs:
        raise SystemExit(f"{name}: error {mine:.2g} above the sketch's {theirs:.2g}")
    return Contest(
        name=f"RandomMaclaurin, {name}, error {mine:.2g} (sketch of degree 4: {theirs:.2g})",
        unit="rows/s",
        ours=Contestant("seamark", single_threaded(lambda: ours.transform(X)), len(X)),
        peers=[
            Contestant(
                "PolynomialCountSketch, degree 4",
                single_threaded(lambda: sketch.transform(few)),
                len(few),
            )
        ],
        floor=3.0,
    )


def fourier_contest(X, floor):
    """Gaussian features; scikit-learn's come in the type of X, ours in float32."""
    ours = sm.RandomFourier(Gaussian(1.0), D, random_state=0).fit(X)
    theirs = RBFSampler(gamma=0.5, n_components=D, random_state=0).fit(X)
    return Contest(
        name=f"RandomFourier, X in {X.dtype}",
        unit="rows/s",
        ours=Contestant("seamark", single_threaded(lambda: ours.transform(X)), len(X)),
        peers=[Contestant("RBFSampler", single_threaded(lambda: theirs.transform(X)), len(X))],
        floor=floor,
    )


def contests(scale):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(int(50_000 * scale), 32))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    few = X[::SHARE]
    quartic = sm.RandomMaclaurin(Polynomial(4), D, random_state=0)
    yield maclaurin_contest("(1 + t)⁴", quartic, Polynomial(4), X, few)
    # Every degree up to 10 gets columns, where the default would stop earlier.
    long = sm.RandomMaclaurin(Exponential(1.0), D, degrees=10, random_state=0)
    yield maclaurin_contest("exp t, degrees to 10", long, Exponential(1.0), X, few)
    yield fourier_contest(X, 5.0)
    # Both compute in float32 here, and most of the time is the first touch of 200 MB of output.
    yield fourier_contest(X.astype(np.float32), 0.8)
