"""Checks of one measure on one collection of objects."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import engine
from ..measures import Measure, get

Case = TypeVar("Case")


def bound(checks: Sequence[Callable[[Case], None]], case: Case) -> Iterator[Callable[[], None]]:
    """Yield the checks with their case filled in, each named as the promise it checks."""
    for check in checks:
        ready = partial(check, case)
        ready.__name__ = check.__name__.lstrip("_")  # type: ignore[attr-defined]
        yield ready


@dataclass
class _Case:
    """A measure, fitted to the objects, and its values; what every check looks at."""

    given: Measure
    raw: Any
    counterexamples: bool
    rtol: float

    @cached_property
    def X(self) -> Any:
        return self.given.domain.ingest(self.raw)

    @cached_property
    def L(self) -> Any:
        """All objects as landmarks (of a precomputed matrix: its columns), or as many parts."""
        if self.given.compares_parts:
            domain: Any = self.given.landmark_domain
            return domain.cut(self.X, self.X.shape[0], np.random.default_rng(0))[0]
        return self.given.domain.landmarks(self.X, np.arange(self.X.shape[0]))

    @property
    def n_landmarks(self) -> int:
        return int((self.L if self.given.compares_parts else self.X).shape[0])

    @cached_property
    def measure(self) -> Measure:
        return self.given.fitted_to(self.X, np.random.default_rng(0))

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """All against all, each pair computed on its own: nothing is mirrored."""
        return self.measure.cross(self.X, self.L)

    @cached_property
    def tolerance(self) -> float:
        return self.rtol * max(float(np.abs(self.values).max()), 1e-30)

    def same(self, actual: Any, expected: Any, message: str) -> None:
        np.testing.assert_allclose(
            actual, expected, rtol=self.rtol, atol=self.tolerance, err_msg=message
        )


def check_measure(
    measure: Any, X: Any, *, counterexamples: bool = False, rtol: float = 2e-4
) -> None:
    """Check that a measure does its job on objects X, and that its declared facts hold there.

    Parameters
    ----------
    measure : Measure, str or callable
        What to check.
    X : objects
        At least four, not all alike; more find more. Landmarks are the objects, or cut from them
        if the measure compares objects with parts.
    counterexamples : bool, default=False
        Also demand that X shows why a fact is declared False: an asymmetric pair, a violated
        triangle, a negative eigenvalue. Give objects that do.
    rtol : float, default=2e-4
        Relative tolerance of values (they are float32).

    Raises
    ------
    AssertionError
        Naming the first promise that is broken.

    Examples
    --------
    >>> from seamark.checks import check_measure
    >>> check_measure("levenshtein", ["sea", "mark", "see", "", "marked"])
    """
    for check in measure_checks(measure, X, counterexamples=counterexamples, rtol=rtol):
        check()


def measure_checks(
    measure: Any, X: Any, *, counterexamples: bool = False, rtol: float = 2e-4
) -> Iterator[Callable[[], None]]:
    """Yield the checks of `check_measure` one by one, for parametrised tests.

    Those of objects against themselves are left out where landmarks are parts of objects.
    """
    case = _Case(get(measure), X, counterexamples, rtol)
    return bound(_CHECKS_OF_PARTS if case.given.compares_parts else _CHECKS, case)


def _values_are_finite_float32(case: _Case) -> None:
    wanted = case.X.shape[0], case.n_landmarks
    assert case.values.shape == wanted, f"cross(X, L) has shape {case.values.shape}, not {wanted}"
    assert case.values.dtype == np.float32, f"values are {case.values.dtype}, not float32"
    assert np.isfinite(case.values).all(), "values are not all finite"


def _parameters_survive_cloning(case: _Case) -> None:
    copy = clone(case.given)
    assert repr(copy) == repr(case.given), "clone changes the repr"
    case.same(copy.cross(case.X, case.L), case.given.cross(case.X, case.L), "clone changes values")


def _pickles(case: _Case) -> None:
    copy = pickle.loads(pickle.dumps(case.measure))  # noqa: S301 (our own bytes)
    case.same(copy.cross(case.X, case.L), case.values, "pickling changes values")


def _does_not_change_its_input(case: _Case) -> None:
    before = joblib.hash(case.raw)
    case.given.cross(case.raw, case.L if case.given.compares_parts else None)
    assert joblib.hash(case.raw) == before, "cross changed its input"


def _rows_stand_alone(case: _Case) -> None:
    some = np.arange(0, case.X.shape[0], 2)
    part = case.measure.cross(case.X[some], case.L)
    case.same(part, case.values[some], "values of a subset of rows differ from those of the whole")
    one = case.measure.cross(case.X[:1], case.L)
    case.same(one, case.values[:1], "one row alone has other values than among others")


def _landmarks_stand_alone(case: _Case) -> None:
    source = case.L if case.measure.compares_parts else case.X
    L = case.measure.landmark_domain.landmarks(source, np.arange(case.n_landmarks)[::-1])
    case.same(
        case.measure.cross(case.X, L), case.values[:, ::-1], "the order of landmarks changes values"
    )


def _threads_change_nothing(case: _Case) -> None:
    for n_jobs in (1, 2):
        again = case.measure.cross(case.X, case.L, n_jobs=n_jobs)
        case.same(again, case.values, f"n_jobs={n_jobs} changes values")


def _evaluations_are_counted(case: _Case) -> None:
    with engine.counting() as counter:
        case.measure.cross(case.X[:2], case.L)
    wanted = 2 * case.n_landmarks
    assert counter.evaluations >= wanted, f"{counter.evaluations} evaluations counted, not {wanted}"


def _fitting_is_idempotent(case: _Case) -> None:
    again = case.measure.fitted_to(case.X[:2], np.random.default_rng(1))
    assert repr(again) == repr(case.measure), "fitting a fitted measure changes it"


def _self_values_are_the_diagonal(case: _Case) -> None:
    case.same(case.measure.self_values(case.X), case.values.diagonal(), "self_values are wrong")


def _bounds_hold(case: _Case) -> None:
    low, high = case.measure.bounds
    assert case.values.min() >= low - case.tolerance, f"{case.values.min()} is below {low}"
    assert case.values.max() <= high + case.tolerance, f"{case.values.max()} is above {high}"


def _distance_to_itself_is_smallest(case: _Case) -> None:
    if case.measure.kind == "distance":
        excess = case.values.diagonal() - case.values.min(axis=1)
        i = int(excess.argmax())
        assert excess[i] <= case.tolerance, f"object {i} is nearer to another than to itself"


def _symmetric_as_declared(case: _Case) -> None:
    gap = np.abs(case.values - case.values.T)
    i, j = np.unravel_index(int(gap.argmax()), gap.shape)
    if case.measure.symmetric:
        assert gap.max() <= case.tolerance, f"declared symmetric, but ({i}, {j}) ≠ ({j}, {i})"
        case.same(case.measure.cross(case.X), case.values, "cross(X) differs from cross(X, X)")
    elif case.measure.symmetric is False and case.counterexamples:
        assert gap.max() > case.tolerance, "declared asymmetric, but symmetric on these objects"


def _triangle_as_declared(case: _Case) -> None:
    D = case.values.astype(np.float64)
    # Largest excess of the direct way over any detour: D[i, k] − min_j (D[i, j] + D[j, k]).
    detour = np.min(D[:, :, None] + D[None, :, :], axis=1)
    excess = float((D - detour).max())
    if case.measure.triangle:
        assert excess <= 3 * case.tolerance, f"a triangle is violated by {excess:g}"
    elif case.measure.triangle is False and case.counterexamples:
        assert excess > 3 * case.tolerance, "triangle declared false, but it holds on these objects"


def _psd_as_declared(case: _Case) -> None:
    K = case.values.astype(np.float64)
    if case.measure.psd is None or case.measure.symmetric is False:
        return
    spectrum = np.linalg.eigvalsh((K + K.T) / 2)
    small = len(K) * case.tolerance
    if case.measure.psd:
        assert spectrum[0] >= -small, f"declared psd, but has eigenvalue {spectrum[0]:g}"
    elif case.counterexamples:
        assert spectrum[0] < -small, "declared indefinite, but psd on these objects"


def _parts_promise_no_kernel(case: _Case) -> None:
    for fact in ("symmetric", "triangle", "psd"):
        promised = getattr(case.measure, fact) is True
        assert not promised, f"declared {fact}, but landmarks are parts of objects, no such objects"


_CHECKS_OF_ANY: tuple[Callable[[_Case], None], ...] = (
    _values_are_finite_float32,
    _parameters_survive_cloning,
    _pickles,
    _does_not_change_its_input,
    _rows_stand_alone,
    _landmarks_stand_alone,
    _threads_change_nothing,
    _evaluations_are_counted,
    _fitting_is_idempotent,
    _bounds_hold,
)
_CHECKS_OF_PARTS = (*_CHECKS_OF_ANY, _parts_promise_no_kernel)
_CHECKS = (
    *_CHECKS_OF_ANY,
    _self_values_are_the_diagonal,
    _distance_to_itself_is_smallest,
    _symmetric_as_declared,
    _triangle_as_declared,
    _psd_as_declared,
)
