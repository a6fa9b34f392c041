"""check_measure catches every broken promise: each class here breaks exactly one."""

import numpy as np
import pytest

from seamark import engine
from seamark.checks import check_measure, measure_checks
from seamark.data import vectors
from seamark.measures import Euclidean, Gaussian, Linear, Measure, SqEuclidean, Substring

X = np.vstack([np.random.default_rng(3).normal(size=(9, 2)), [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]])


class Pointwise(Measure):
    """A measure from a formula over (n, 1, d) and (1, R, d) arrays."""

    domain = vectors
    kind = "distance"
    symmetric = True

    def formula(self, x, y):
        return np.abs(x - y).sum(axis=2)

    def compile(self, L):
        return Plan(self, L)


class Plan(engine.Plan):
    def __init__(self, measure, L):
        self.measure, self.L, self.n_landmarks = measure, L, len(L)

    def seconds(self, X):
        return np.zeros(len(X))

    def fill(self, X, out, stop):
        out[:] = self.measure.formula(X[:, None], self.L[None])


class Lopsided(Pointwise):
    def formula(self, x, y):
        return np.maximum(x - y, 0).sum(axis=2)


class FalseTriangle(Pointwise):
    triangle = True

    def formula(self, x, y):
        return ((x - y) ** 2).sum(axis=2)


class FalseKernel(Pointwise):
    kind = "similarity"
    psd = True


class FalseBounds(Pointwise):
    bounds = (0.0, 1.0)


class Infinite(Pointwise):
    def formula(self, x, y):
        with np.errstate(divide="ignore"):
            return 1 / np.abs(x - y).sum(axis=2)


class NearerToOthers(Pointwise):
    def formula(self, x, y):
        return -np.abs(x - y).sum(axis=2)


class DependsOnNeighbours(Pointwise):
    def formula(self, x, y):
        return np.abs(x - y).sum(axis=2) * len(x)


class DependsOnOrder(Pointwise):
    symmetric = None
    kind = None

    def formula(self, x, y):
        return np.abs(x - y).sum(axis=2) + np.arange(y.shape[1])


class WrongSelfValues(Pointwise):
    def self_values(self, X):
        return np.ones(len(X))


class ChangesInput(Pointwise):
    def cross(self, X, L=None, **options):
        result = super().cross(X, L, **options)
        np.asarray(X)[0, 0] += 1.0
        return result


class RefitsForEver(Pointwise):
    def __init__(self, width=None):
        self.width = width

    def fitted_to(self, X, rng):
        return self._with(width=float(len(X)))


class Uncounted(Pointwise):
    def cross(self, X, L=None, **options):
        X = np.asarray(X)
        L = X if L is None else np.asarray(L)
        return self.formula(X[:, None], L[None]).astype(np.float32)


class Doubles(Uncounted):
    def cross(self, X, L=None, **options):
        return super().cross(X, L).astype(np.float64)


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        (Lopsided, "symmetric"),
        (FalseTriangle, "triangle"),
        (FalseKernel, "psd"),
        (FalseBounds, "above 1"),
        (Infinite, "finite"),
        (NearerToOthers, "nearer to another"),
        (DependsOnNeighbours, "subset of rows"),
        (DependsOnOrder, "order of landmarks"),
        (WrongSelfValues, "self_values"),
        (ChangesInput, "changed its input|differ|alone"),
        (RefitsForEver, "fitting a fitted measure"),
        (Uncounted, "evaluations counted"),
        (Doubles, "not float32"),
    ],
)
def test_a_broken_promise_is_found(broken, promise):
    with np.errstate(all="ignore"), pytest.raises(AssertionError, match=promise):
        check_measure(broken(), X.copy())


def test_the_unbroken_one_passes():
    check_measure(Pointwise(), X)


@pytest.mark.parametrize(
    ("base", "fact", "message"),
    [
        (Euclidean, {"triangle": False}, "triangle declared false"),
        (Linear, {"psd": False}, "declared indefinite"),
        (Gaussian, {"symmetric": False}, "declared asymmetric"),
    ],
)
def test_false_facts_need_counterexamples(base, fact, message):
    measure = type("Odd", (base,), fact)()
    check_measure_without_pickling(measure)
    with pytest.raises(AssertionError, match=message):
        check_measure_without_pickling(measure, counterexamples=True)


def check_measure_without_pickling(measure, **options):
    for check in measure_checks(measure, X, **options):
        if check.__name__ != "pickles":
            check()


def test_true_counterexamples_satisfy():
    check_measure(SqEuclidean(), X, counterexamples=True)


@pytest.mark.parametrize("fact", ["symmetric", "triangle", "psd"])
def test_parts_are_no_objects_to_be_symmetric_with(fact):
    words = ["sea", "mark", "seamark", "see"]
    check_measure(Substring(), words)
    names = [check.__name__ for check in measure_checks(Substring(), words)]
    assert not {"symmetric_as_declared", "self_values_are_the_diagonal"} & set(names)
    broken = type("Broken", (Substring,), {fact: True})()
    check = next(c for c in measure_checks(broken, words) if "promise" in c.__name__)
    with pytest.raises(AssertionError, match=f"declared {fact}, but landmarks are parts"):
        check()
