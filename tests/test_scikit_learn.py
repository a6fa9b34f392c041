"""scikit-learn's checks of the estimators whose own files do not run them; none is forgotten."""

import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from expected_failures import FAILURES, OTHER_INPUT, expected_failures
from seamark.feature_selection import Learned
from seamark.linear_model import LinearSVM
from seamark.maps import BoostedScores, NumericColumns

HERE = Path(__file__).parent


def public_estimators():
    """Return names of classes that have `fit` and that can be built without arguments."""
    rooms = [getattr(sm, name) for name in sm.__all__ if inspect.ismodule(getattr(sm, name))]
    for room in (sm, *rooms):
        for name in room.__all__:
            member = getattr(room, name)
            if not (inspect.isclass(member) and issubclass(member, BaseEstimator)):
                continue
            given = inspect.signature(member).parameters.values()
            needed = [each for each in given if each.default is each.empty]
            if hasattr(member, "fit") and not needed and not inspect.isabstract(member):
                yield name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        sm.Aligned(),
        BoostedScores(),
        sm.ForestScores(n_trees=8),
        sm.NeighbourScores(),
        sm.RandomConvolution(),
        Learned(),
        LinearSVM(),
        NumericColumns(),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked_or_takes_other_objects():
    checked = [
        path.read_text("utf-8")
        for path in HERE.rglob("*.py")
        if "parametrize_with_checks(" in path.read_text("utf-8")
    ]
    checked.append((HERE / "baselines" / "rival_tasks.py").read_text("utf-8"))
    names = set(public_estimators())
    missing = [
        name for name in names if not any(re.search(rf"\b{name}\(", text) for text in checked)
    ]
    assert set(missing) <= set(OTHER_INPUT)
    assert set(OTHER_INPUT) | set(FAILURES) <= names


METHODS = ("fit", "partial_fit", "predict", "predict_proba", "transform", "score")


@pytest.mark.parametrize("name", sorted(set(public_estimators())))
def test_every_optional_argument_is_routed(name):
    rooms = [sm, *(getattr(sm, one) for one in sm.__all__ if inspect.ismodule(getattr(sm, one)))]
    kind = next(getattr(room, name) for room in rooms if name in room.__all__)
    routing = kind().get_metadata_routing()
    for method in METHODS:
        function = getattr(kind, method, None)
        if not inspect.isfunction(function):
            continue
        given = inspect.signature(function).parameters.values()
        optional = {one.name for one in given if one.kind is one.POSITIONAL_OR_KEYWORD}
        assert optional - {"self", "X", "y"} <= set(getattr(routing, method).requests), method
