"""Checks of an estimator over objects of any kind."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from .measures import bound

_OUTPUTS = ("transform", "predict", "decision_function", "predict_proba")


@dataclass
class _Case:
    """An unfitted estimator, objects and labels; each check clones and fits for itself."""

    estimator: Any
    X: Any
    y: Any
    rtol: float

    def fit(self, model: Any) -> Any:
        """Fit a model, with labels if there are any."""
        return model.fit(self.X) if self.y is None else model.fit(self.X, self.y)

    def fitted(self) -> Any:
        """Return a fitted clone, with randomness fixed."""
        copy = clone(self.estimator)
        if "random_state" in copy.get_params():
            copy.set_params(random_state=0)
        return self.fit(copy)

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


def take(X: Any, indices: NDArray[Any]) -> Any:
    """Rows of any collection: frames, arrays, Ragged, lists, tuples."""
    if hasattr(X, "iloc"):
        return X.iloc[indices]
    if hasattr(X, "shape"):
        return X[indices]
    return type(X)(X[i] for i in indices)


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
    case = _Case(estimator, X, y, rtol)
    return bound(_CHECKS, case)


def _init_only_stores_parameters(case: _Case) -> None:
    copy = clone(case.estimator)
    odd = sorted(set(vars(copy)) - set(copy.get_params(deep=False)))
    odd = [name for name in odd if not name.startswith(("_sklearn", "_metadata", "_callbacks"))]
    assert not odd, f"__init__ sets {odd}, which are no parameters"


def _fit_returns_the_estimator(case: _Case) -> None:
    copy = clone(case.estimator)
    result = case.fit(copy)
    assert result is copy, "fit does not return self"
    fitted = [n for n in vars(copy) if n.endswith("_") and not n.startswith("_")]
    assert fitted, "fit sets no attribute that ends in an underscore"


def _parameters_are_left_alone(case: _Case) -> None:
    model = clone(case.estimator)
    before = {k: joblib.hash(v) for k, v in model.get_params().items()}
    case.fit(model)
    after = {k: joblib.hash(v) for k, v in model.get_params().items()}
    changed = [k for k in before if before[k] != after.get(k)]
    assert not changed, f"fit changes its parameters {changed}"


def _inputs_are_left_alone(case: _Case) -> None:
    before = joblib.hash((case.X, case.y))
    case.outputs(case.fitted(), case.X)
    assert joblib.hash((case.X, case.y)) == before, "X or y was changed"


def _unfitted_says_so(case: _Case) -> None:
    model = clone(case.estimator)
    for method in _OUTPUTS:
        if not hasattr(model, method):
            continue
        try:
            getattr(model, method)(case.X)
        except NotFittedError:
            continue
        except Exception as error:
            raise AssertionError(
                f"{method} before fit raises {error!r}, not NotFittedError"
            ) from error
        raise AssertionError(f"{method} before fit raises nothing")


def _refitting_gives_the_same(case: _Case) -> None:
    model = case.fitted()
    first = case.outputs(model, case.X)
    case.fit(model)
    case.same(case.outputs(model, case.X), first, "a second fit on the same data differs")


def _random_state_decides(case: _Case) -> None:
    if "random_state" in case.estimator.get_params():
        first, second = case.fitted(), case.fitted()
        case.same(
            case.outputs(first, case.X), case.outputs(second, case.X), "random_state=0 differs"
        )


def _rows_stand_alone(case: _Case) -> None:
    model = case.fitted()
    whole = case.outputs(model, case.X)
    some = np.arange(0, len(next(iter(whole.values()))), 2)
    part = case.outputs(model, take(case.X, some))
    case.same(part, {m: v[some] for m, v in whole.items()}, "a subset of rows gets other values")
    last = case.outputs(model, take(case.X, some[-1:]))
    case.same(last, {m: v[some[-1:]] for m, v in whole.items()}, "one row alone gets other values")


def _order_of_rows_does_not_matter(case: _Case) -> None:
    model = case.fitted()
    whole = case.outputs(model, case.X)
    order = np.random.default_rng(0).permutation(len(next(iter(whole.values()))))
    mixed = case.outputs(model, take(case.X, order))
    case.same(mixed, {m: v[order] for m, v in whole.items()}, "permuted rows get other values")


def _pickles(case: _Case) -> None:
    model = case.fitted()
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301 (our own bytes)
    case.same(case.outputs(copy, case.X), case.outputs(model, case.X), "pickling changes it")


def _works_in_a_pipeline(case: _Case) -> None:
    pipeline = make_pipeline(case.fitted())
    case.fit(pipeline)
    case.same(
        case.outputs(pipeline, case.X), case.outputs(case.fitted(), case.X), "a Pipeline differs"
    )


def _names_its_features(case: _Case) -> None:
    model = case.fitted()
    if not hasattr(model, "transform"):
        return
    assert hasattr(model, "get_feature_names_out"), "a transformer has get_feature_names_out"
    names, columns = list(model.get_feature_names_out()), model.transform(case.X).shape[1]
    assert len(names) == columns, f"{len(names)} feature names for {columns} columns"
    assert len(set(names)) == len(names), "feature names are not unique"


def _gives_pandas_when_asked(case: _Case) -> None:
    try:
        import pandas as pd
    except ImportError:
        return
    if hasattr(clone(case.estimator), "transform"):
        model = clone(case.estimator).set_output(transform="pandas")
        frame = case.fit(model).transform(case.X)
        assert isinstance(frame, pd.DataFrame), "set_output(transform='pandas') gives no DataFrame"
        assert list(frame.columns) == list(model.get_feature_names_out()), (
            "columns lack their names"
        )


_CHECKS: tuple[Callable[[_Case], None], ...] = (
    _init_only_stores_parameters,
    _inputs_are_left_alone,  # before any other fit: a change made there would not show later
    _fit_returns_the_estimator,
    _parameters_are_left_alone,
    _unfitted_says_so,
    _refitting_gives_the_same,
    _random_state_decides,
    _rows_stand_alone,
    _order_of_rows_does_not_matter,
    _pickles,
    _works_in_a_pipeline,
    _names_its_features,
    _gives_pandas_when_asked,
)
