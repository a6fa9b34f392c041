"""Public checks of promises: of a measure on objects, and of an estimator over objects.

scikit-learn's own checks feed matrices to estimators; these do the same job for any objects.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from . import engine
from .measures import Measure, get

__all__ = [
    "check_measure",
    "check_object_estimator",
    "measure_checks",
    "object_estimator_checks",
]


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
    case = _MeasureCase(get(measure), X, counterexamples, rtol)
    checks = [
        case.values_are_finite_float32,
        case.parameters_survive_cloning,
        case.pickles,
        case.does_not_change_its_input,
        case.rows_stand_alone,
        case.landmarks_stand_alone,
        case.threads_change_nothing,
        case.evaluations_are_counted,
        case.fitting_is_idempotent,
        case.bounds_hold,
    ]
    if case.given.compares_parts:
        return iter([*checks, case.parts_promise_no_kernel])
    checks += [
        case.self_values_are_the_diagonal,
        case.distance_to_itself_is_smallest,
        case.symmetric_as_declared,
        case.triangle_as_declared,
        case.psd_as_declared,
    ]
    return iter(checks)


@dataclass
class _MeasureCase:
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

    def values_are_finite_float32(self) -> None:
        wanted = self.X.shape[0], self.n_landmarks
        assert self.values.shape == wanted, (
            f"cross(X, L) has shape {self.values.shape}, not {wanted}"
        )
        assert self.values.dtype == np.float32, f"values are {self.values.dtype}, not float32"
        assert np.isfinite(self.values).all(), "values are not all finite"

    def parameters_survive_cloning(self) -> None:
        copy = clone(self.given)
        assert repr(copy) == repr(self.given), "clone changes the repr"
        self.same(
            copy.cross(self.X, self.L), self.given.cross(self.X, self.L), "clone changes values"
        )

    def pickles(self) -> None:
        copy = pickle.loads(pickle.dumps(self.measure))  # noqa: S301 (our own bytes)
        self.same(copy.cross(self.X, self.L), self.values, "pickling changes values")

    def does_not_change_its_input(self) -> None:
        before = joblib.hash(self.raw)
        self.given.cross(self.raw, self.L if self.given.compares_parts else None)
        assert joblib.hash(self.raw) == before, "cross changed its input"

    def rows_stand_alone(self) -> None:
        some = np.arange(0, self.X.shape[0], 2)
        part = self.measure.cross(self.X[some], self.L)
        self.same(
            part, self.values[some], "values of a subset of rows differ from those of the whole"
        )
        one = self.measure.cross(self.X[:1], self.L)
        self.same(one, self.values[:1], "one row alone has other values than among others")

    def landmarks_stand_alone(self) -> None:
        source = self.L if self.measure.compares_parts else self.X
        L = self.measure.landmark_domain.landmarks(source, np.arange(self.n_landmarks)[::-1])
        self.same(
            self.measure.cross(self.X, L),
            self.values[:, ::-1],
            "the order of landmarks changes values",
        )

    def threads_change_nothing(self) -> None:
        for n_jobs in (1, 2):
            again = self.measure.cross(self.X, self.L, n_jobs=n_jobs)
            self.same(again, self.values, f"n_jobs={n_jobs} changes values")

    def evaluations_are_counted(self) -> None:
        with engine.counting() as counter:
            self.measure.cross(self.X[:2], self.L)
        wanted = 2 * self.n_landmarks
        assert counter.evaluations >= wanted, (
            f"{counter.evaluations} evaluations counted, not {wanted}"
        )

    def fitting_is_idempotent(self) -> None:
        again = self.measure.fitted_to(self.X[:2], np.random.default_rng(1))
        assert repr(again) == repr(self.measure), "fitting a fitted measure changes it"

    def self_values_are_the_diagonal(self) -> None:
        self.same(self.measure.self_values(self.X), self.values.diagonal(), "self_values are wrong")

    def bounds_hold(self) -> None:
        low, high = self.measure.bounds
        assert self.values.min() >= low - self.tolerance, f"{self.values.min()} is below {low}"
        assert self.values.max() <= high + self.tolerance, f"{self.values.max()} is above {high}"

    def distance_to_itself_is_smallest(self) -> None:
        if self.measure.kind == "distance":
            excess = self.values.diagonal() - self.values.min(axis=1)
            i = int(excess.argmax())
            assert excess[i] <= self.tolerance, f"object {i} is nearer to another than to itself"

    def symmetric_as_declared(self) -> None:
        gap = np.abs(self.values - self.values.T)
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        if self.measure.symmetric:
            assert gap.max() <= self.tolerance, f"declared symmetric, but ({i}, {j}) ≠ ({j}, {i})"
            self.same(self.measure.cross(self.X), self.values, "cross(X) differs from cross(X, X)")
        elif self.measure.symmetric is False and self.counterexamples:
            assert gap.max() > self.tolerance, "declared asymmetric, but symmetric on these objects"

    def triangle_as_declared(self) -> None:
        D = self.values.astype(np.float64)
        # Largest excess of the direct way over any detour: D[i, k] − min_j (D[i, j] + D[j, k]).
        detour = np.min(D[:, :, None] + D[None, :, :], axis=1)
        excess = float((D - detour).max())
        if self.measure.triangle:
            assert excess <= 3 * self.tolerance, f"a triangle is violated by {excess:g}"
        elif self.measure.triangle is False and self.counterexamples:
            assert excess > 3 * self.tolerance, (
                "triangle declared false, but it holds on these objects"
            )

    def psd_as_declared(self) -> None:
        K = self.values.astype(np.float64)
        if self.measure.psd is None or self.measure.symmetric is False:
            return
        spectrum = np.linalg.eigvalsh((K + K.T) / 2)
        small = len(K) * self.tolerance
        if self.measure.psd:
            assert spectrum[0] >= -small, f"declared psd, but has eigenvalue {spectrum[0]:g}"
        elif self.counterexamples:
            assert spectrum[0] < -small, "declared indefinite, but psd on these objects"

    def parts_promise_no_kernel(self) -> None:
        for fact in ("symmetric", "triangle", "psd"):
            promised = getattr(self.measure, fact) is True
            assert not promised, (
                f"declared {fact}, but landmarks are parts of objects, no such objects"
            )


# Checks of an estimator over objects of any kind.


_OUTPUTS = ("transform", "predict", "decision_function", "predict_proba")


def check_object_estimator(estimator: Any, X: Any, y: Any = None, *, rtol: float = 1e-3) -> None:
    """Check an estimator whose X is any collection of objects.

    Does for strings, series, sets or anything else what scikit-learn's `check_estimator` does for
    matrices: cloning, refitting, no change of inputs or parameters, a clear error before fit,
    rows that stand alone, pickling, pipelines, pandas output, feature names, `random_state`.

    Parameters
    ----------
    estimator : estimator
        Unfitted; it is cloned, never changed.
    X : objects
        Whatever its `fit` takes, at least 10.
    y : array-like, optional
        Labels, if its `fit` takes them.
    rtol : float, default=1e-3
        Relative tolerance of outputs.

    Raises
    ------
    AssertionError
        Naming the first promise that is broken.
    """
    for check in object_estimator_checks(estimator, X, y, rtol=rtol):
        check()


def object_estimator_checks(
    estimator: Any, X: Any, y: Any = None, *, rtol: float = 1e-3
) -> Iterator[Callable[[], None]]:
    """Yield the checks of `check_object_estimator` one by one, for parametrised tests."""
    case = _EstimatorCase(estimator, X, y, rtol)
    checks = [
        case.init_only_stores_parameters,
        case.inputs_are_left_alone,  # before any other fit: a change made there would not show
        case.fit_returns_the_estimator,
        case.parameters_are_left_alone,
        case.unfitted_says_so,
        case.refitting_gives_the_same,
        case.random_state_decides,
        case.rows_stand_alone,
        case.order_of_rows_does_not_matter,
        case.pickles,
        case.works_in_a_pipeline,
        case.names_its_features,
        case.gives_pandas_when_asked,
    ]
    return iter(checks)


@dataclass
class _EstimatorCase:
    """An unfitted estimator, objects and labels; what only asks a fitted model shares one."""

    estimator: Any
    X: Any
    y: Any
    rtol: float

    def fit(self, model: Any) -> Any:
        """Fit a model, with labels if there are any."""
        return model.fit(self.X) if self.y is None else model.fit(self.X, self.y)

    def seeded(self) -> Any:
        """Return an unfitted clone, with randomness fixed."""
        copy = clone(self.estimator)
        return copy.set_params(random_state=0) if "random_state" in copy.get_params() else copy

    @cached_property
    def model(self) -> Any:
        """A fitted clone, for checks that do not change it."""
        return self.fit(self.seeded())

    @cached_property
    def whole(self) -> dict[str, NDArray[Any]]:
        """Its outputs for all objects."""
        return self.outputs(self.model, self.X)

    def outputs(self, model: Any, X: Any) -> dict[str, NDArray[Any]]:
        """Return all outputs of the model for X."""
        return {m: np.asarray(getattr(model, m)(X)) for m in _OUTPUTS if hasattr(model, m)}

    def same(self, ours: dict[str, Any], theirs: dict[str, Any], message: str) -> None:
        for method, values in theirs.items():
            text = f"{method}: {message}"
            if values.dtype.kind in "fc":
                scale = float(np.abs(values).max(initial=0.0))
                np.testing.assert_allclose(
                    ours[method], values, rtol=self.rtol, atol=self.rtol * scale, err_msg=text
                )
            else:
                np.testing.assert_array_equal(ours[method], values, err_msg=text)

    def init_only_stores_parameters(self) -> None:
        copy = clone(self.estimator)
        odd = sorted(set(vars(copy)) - set(copy.get_params(deep=False)))
        odd = [name for name in odd if not name.startswith(("_sklearn", "_metadata", "_callbacks"))]
        assert not odd, f"__init__ sets {odd}, which are no parameters"

    def fit_returns_the_estimator(self) -> None:
        copy = clone(self.estimator)
        result = self.fit(copy)
        assert result is copy, "fit does not return self"
        fitted = [n for n in vars(copy) if n.endswith("_") and not n.startswith("_")]
        assert fitted, "fit sets no attribute that ends in an underscore"

    def parameters_are_left_alone(self) -> None:
        model = clone(self.estimator)
        before = {k: joblib.hash(v) for k, v in model.get_params().items()}
        self.fit(model)
        after = {k: joblib.hash(v) for k, v in model.get_params().items()}
        changed = [k for k in before if before[k] != after.get(k)]
        assert not changed, f"fit changes its parameters {changed}"

    def inputs_are_left_alone(self) -> None:
        before = joblib.hash((self.X, self.y))
        self.outputs(self.fit(self.seeded()), self.X)
        assert joblib.hash((self.X, self.y)) == before, "X or y was changed"

    def unfitted_says_so(self) -> None:
        model = clone(self.estimator)
        for method in _OUTPUTS:
            if not hasattr(model, method):
                continue
            try:
                getattr(model, method)(self.X)
            except NotFittedError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"{method} before fit raises {error!r}, not NotFittedError"
                ) from error
            raise AssertionError(f"{method} before fit raises nothing")

    def refitting_gives_the_same(self) -> None:
        model = self.fit(self.seeded())
        self.fit(model)
        again = self.outputs(model, self.X)
        self.same(again, self.whole, "a second fit on the same data differs")

    def random_state_decides(self) -> None:
        if "random_state" in self.estimator.get_params():
            second = self.outputs(self.fit(self.seeded()), self.X)
            self.same(second, self.whole, "random_state=0 differs")

    def rows_stand_alone(self) -> None:
        n = len(next(iter(self.whole.values())))
        for rows, message in (
            (np.arange(0, n, 2), "a subset of rows gets other values"),
            (np.arange(0, n, 2)[-1:], "one row alone gets other values"),
        ):
            self.rows_give(rows, message)

    def order_of_rows_does_not_matter(self) -> None:
        n = len(next(iter(self.whole.values())))
        self.rows_give(np.random.default_rng(0).permutation(n), "permuted rows get other values")

    def rows_give(self, rows: NDArray[np.intp], message: str) -> None:
        """Check that some rows by themselves get the values that they have among all."""
        part = self.outputs(self.model, take(self.X, rows))
        self.same(part, {method: v[rows] for method, v in self.whole.items()}, message)

    def pickles(self) -> None:
        copy = pickle.loads(pickle.dumps(self.model))  # noqa: S301 (our own bytes)
        self.same(self.outputs(copy, self.X), self.whole, "pickling changes it")

    def works_in_a_pipeline(self) -> None:
        pipeline = self.fit(make_pipeline(self.seeded()))
        self.same(self.outputs(pipeline, self.X), self.whole, "a Pipeline differs")

    def names_its_features(self) -> None:
        if "transform" not in self.whole:
            return
        model = self.model
        assert hasattr(model, "get_feature_names_out"), "a transformer has get_feature_names_out"
        names, columns = list(model.get_feature_names_out()), self.whole["transform"].shape[1]
        assert len(names) == columns, f"{len(names)} feature names for {columns} columns"
        assert len(set(names)) == len(names), "feature names are not unique"

    def gives_pandas_when_asked(self) -> None:
        try:
            import pandas as pd
        except ImportError:
            return
        if hasattr(clone(self.estimator), "transform"):
            model = clone(self.estimator).set_output(transform="pandas")
            frame = self.fit(model).transform(self.X)
            assert isinstance(frame, pd.DataFrame), (
                "set_output(transform='pandas') gives no DataFrame"
            )
            assert list(frame.columns) == list(model.get_feature_names_out()), (
                "columns lack their names"
            )


def take(X: Any, indices: NDArray[Any]) -> Any:
    """Rows of any collection: frames, arrays, Ragged, lists, tuples."""
    if hasattr(X, "iloc"):
        return X.iloc[indices]
    if hasattr(X, "shape"):
        return X[indices]
    return type(X)(X[i] for i in indices)
