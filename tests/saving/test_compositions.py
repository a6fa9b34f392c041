"""Pipelines of allowed parts come back, whatever is put together with what."""

import json
import re
import zipfile

import numpy as np
import pytest
from compositions import CLASSIFIERS, FRAME, LABELLERS, TABLE, classes, family, of_columns, two
from saved_tasks import assert_same, round_trip
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, SVR

import seamark as sm
from seamark.saving.checks import FITTED

# scikit-learn's LogisticRegressionCV announces changes of its defaults.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*(converge|unknown categories|l1_ratios|use_legacy_attributes|scoring)"
)
FAMILY = {name: rest for name, *rest in family()}


@pytest.mark.parametrize("name", FAMILY)
def test_every_composition_comes_back(name, tmp_path):
    model, X, targets = FAMILY[name]
    plain = clone(model)
    assert shown(round_trip(plain, tmp_path / "m")) == shown(plain)
    fitted = plain.fit(X, targets)
    loaded = round_trip(fitted, tmp_path / "m")
    assert_same(fitted, loaded, X)
    assert shown(loaded) == shown(fitted)


def shown(model):
    return re.sub(r" object at 0x\w+", "", repr(model))  # a selector shows where it lies


def test_the_family_names_every_class_that_a_file_may(tmp_path):
    """A class that is put on the list is put into the family, so that its checks are tested."""
    models = [clone(model).fit(X, targets) for model, X, targets in FAMILY.values()]
    models += [make_pipeline(FunctionTransformer()), *LABELLERS]
    named = set()
    for model in models:
        sm.save(model, tmp_path / "m", overwrite=True)
        with zipfile.ZipFile(tmp_path / "m") as archive:
            named |= set(_classes(json.loads(archive.read("model.json"))))
    assert named >= {f"{room}.{name}" for room, names in FITTED.items() for name in names}


def _classes(node):
    if isinstance(node, dict):
        if "class" in node:
            yield node["class"]
        node = list(node.values())
    for part in node if isinstance(node, list) else []:
        yield from _classes(part)


@pytest.mark.parametrize("labeller", LABELLERS, ids=lambda one: type(one).__name__)
def test_labellers(labeller, tmp_path):
    fitted = clone(labeller).fit(classes)
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), classes)


@pytest.mark.filterwarnings("ignore:The `probability` parameter")
@pytest.mark.parametrize("targets", [two, classes], ids=["two", "three"])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "linear", "precomputed"])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_every_support_vector_machine(kernel, targets, as_sparse, tmp_path):
    X = TABLE @ TABLE.T if kernel == "precomputed" else TABLE
    if as_sparse and kernel != "precomputed":
        X = sparse.csr_matrix(X)
    for model in (SVC(kernel=kernel), SVC(kernel=kernel, probability=True), SVR(kernel=kernel)):
        fitted = model.fit(X, TABLE[:, 0] if isinstance(model, SVR) else targets)
        assert_same(fitted, round_trip(fitted, tmp_path / "m"), X)


def test_a_machine_without_support_vectors(tmp_path):
    fitted = SVR(epsilon=100.0).fit(TABLE, TABLE[:, 0])
    assert len(fitted.support_) == 0
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), TABLE)


def test_several_targets(tmp_path):
    _, labels = make_multilabel_classification(len(TABLE), n_classes=2, random_state=0)
    for model, targets in (
        (RidgeClassifier(), labels),
        (RidgeClassifier(), np.c_[labels, labels[:, :1]]),
        (LinearRegression(), TABLE[:, :2]),
        (LinearRegression(fit_intercept=False), TABLE[:, 0]),
    ):
        fitted = model.fit(TABLE, targets)
        assert_same(fitted, round_trip(fitted, tmp_path / "m"), TABLE)


def test_a_kernel_of_ones_own_is_refused_when_saved(tmp_path):
    model = SVC(kernel=np.dot).set_params(kernel=lambda a, b: a @ b.T).fit(TABLE, two)
    with pytest.raises(ValueError, match="kernel of its SVC must be one of linear, .*; got"):
        sm.save(model, tmp_path / "m")


def test_a_search_says_what_to_save(tmp_path):
    search = GridSearchCV(CLASSIFIERS[0], {"C": [0.1, 1.0]}, cv=2).fit(TABLE, two)
    with pytest.raises(TypeError, match="a GridSearchCV; save its best_estimator_"):
        sm.save(search, tmp_path / "m")
    best = search.best_estimator_
    assert_same(best, round_trip(best, tmp_path / "m"), TABLE)


def test_frames_come_out_as_frames(tmp_path):
    scaled = of_columns([1, 4], StandardScaler()).set_output(transform="pandas").fit(FRAME)
    assert round_trip(scaled, tmp_path / "m").transform(FRAME).equals(scaled.transform(FRAME))
