"""Linear SVMs on features against scikit-learn's, at no larger an objective."""

from __future__ import annotations

import numpy as np
from sklearn.svm import LinearSVC

import seamark as sm
from seamark.linear_model import LinearSVM
from seamark.measures import Laplacian, Polynomial

from .contest import Contest, Contestant
from .vectors import single_threaded

D = 300


def objective(model, X, y):
    """½‖w‖² + C Σ max(0, 1 − y f(x))²."""
    slack = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * model.decision_function(X))
    return float(0.5 * np.sum(model.coef_**2) + model.C * slack @ slack)


def contest(name, features, y, C):
    """Features as models get them: LIBLINEAR would turn float32 into float64 anyway."""
    double = features.astype(np.float64)
    ours, theirs = LinearSVM(C, tol=1e-5), LinearSVC(C=C, dual=False)  # so that ours is no larger
    mine = objective(ours.fit(features, y), features, y)
    liblinears = objective(theirs.fit(double, y), double, y)
    if mine > liblinears:
        raise SystemExit(f"LinearSVM's objective {mine:.9g} is above LinearSVC's {liblinears:.9g}")
    return Contest(
        name=f"LinearSVM, {len(y)} rows, {name}, C = {C:g}",
        unit="rows/s",
        ours=Contestant("seamark", single_threaded(lambda: ours.fit(features, y)), len(y)),
        peers=[Contestant("LinearSVC", single_threaded(lambda: theirs.fit(double, y)), len(y))],
        floor=3.0,
    )


def contests(scale):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(int(5_000 * scale), 16))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.3 * rng.normal(size=len(X))
    maclaurin = sm.RandomMaclaurin(Polynomial(10), D, random_state=0).fit_transform(X)
    yield contest(f"{D} random features of (1 + t)¹⁰", maclaurin, y, 1.0)
    landmarks = Laplacian(1.0).cross(X, X[:D]).astype(np.float32)
    yield contest(f"{D} landmarks, exp(−d)", landmarks, y, 100.0)
