"""Estimators of scikit-learn trust their arrays: a file whose arrays do not go together."""

import json
import re

import fuzz
import numpy as np
import pytest
from compositions import ENCODERS, FRAME, LABELLERS, SCALERS, TABLE, classes, two
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

import seamark as sm
from seamark.saving import ModelFileError
from seamark.saving import checks as sklearn_checks
from seamark.saving.format import unpack
from seamark.saving.values import require_fitted_well


@pytest.fixture
def unchecked(monkeypatch):
    """Write what a stranger might: nothing is checked on the way out."""

    def save(model, path):
        with monkeypatch.context() as patch:
            patch.setattr("seamark.saving.values.require_fitted_well", lambda cls, state: None)
            sm.save(model, path, overwrite=True)
        return path

    return save


def refused(model, path, unchecked, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        sm.load(unchecked(model, path))
    with pytest.raises(ValueError, match=sentence):
        sm.save(model, path, overwrite=True)


def machine(X=TABLE, targets=classes, **options):
    return SVC(**options).fit(X, targets)


def ints(*values):
    return np.array(values, dtype=np.int32)


N = len(machine().support_)
MACHINES = {
    "negative counts": ("_n_support", ints(-(10**8), 10**8, N)),
    "too many": ("_n_support", ints(N, N, N)),
    "of two classes": ("_n_support", ints(0, N)),
    "few coefficients": ("_dual_coef_", machine()._dual_coef_[:, :3].copy()),
    "coefficients of one class": ("_dual_coef_", machine()._dual_coef_[:1].copy()),
    "coefficients in a row": ("_dual_coef_", machine()._dual_coef_.ravel()),
    "public coefficients": ("dual_coef_", machine().dual_coef_[:, :3].copy()),
    "few supports": ("support_", machine().support_[:3]),
    "supports elsewhere": ("support_", machine().support_ + ints(10**6)),
    "one intercept": ("_intercept_", machine()._intercept_[:1]),
    "no intercept": ("_intercept_", np.empty(0)),
    "infinite intercept": ("_intercept_", np.full(3, np.inf)),
    "narrow vectors": ("support_vectors_", machine().support_vectors_[:, :1].copy()),
    "few vectors": ("support_vectors_", machine().support_vectors_[:2].copy()),
    "single vectors": ("support_vectors_", machine().support_vectors_.astype(np.float32)),
    "probabilities": ("_probA", np.zeros(1)),
    "one class": ("classes_", np.array(["no"])),
    "no width": ("n_features_in_", None),
    "another width": ("n_features_in_", 3),
    "a negative width": ("n_features_in_", -4),
    "another kernel": ("kernel", "precomputed"),
    "no kernel": ("kernel", "mine"),
    "as if sparse": ("_sparse", True),
    "no shape": ("shape_fit_", None),
    "as if probable": ("_effective_probability", True),
}


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_whose_parts_do_not_go_together(name, tmp_path, unchecked):
    attribute, value = MACHINES[name]
    model = machine()
    setattr(model, attribute, value)
    refused(model, tmp_path / "m", unchecked, "of its SVC|its SVC has")


@pytest.mark.parametrize("name", ["support_", "_n_support", "_dual_coef_", "support_vectors_"])
def test_a_machine_without_a_part(name, tmp_path, unchecked):
    model = machine()
    delattr(model, name)
    refused(model, tmp_path / "m", unchecked, f"{name} of its SVC")


def test_machines_on_matrices_and_on_sparse_rows(tmp_path, unchecked):
    model = machine(TABLE @ TABLE.T, kernel="precomputed")
    model.support_ = model.support_ + ints(len(TABLE))
    refused(model, tmp_path / "m", unchecked, "support_ of its SVC")
    model = machine(sparse.csr_matrix(TABLE))
    model._dual_coef_ = sparse.csr_matrix(model._dual_coef_.toarray() * 0)  # entries left out
    refused(model, tmp_path / "m", unchecked, "_dual_coef_ of its SVC")
    model = machine(sparse.csr_matrix(TABLE))
    model.kernel = "precomputed"
    refused(model, tmp_path / "m", unchecked, "_sparse of its SVC")
    model = SVR().fit(TABLE, TABLE[:, 0])
    model._n_support = ints(3, 3)
    refused(model, tmp_path / "m", unchecked, "_n_support of its SVR")


def test_what_a_class_has_of_its_own_cannot_be_covered(tmp_path, unchecked):
    model = machine()
    model._impl = "one_class"
    with pytest.raises(ModelFileError, match="SVC has '_impl', which is not known"):
        sm.load(unchecked(model, tmp_path / "m"))


@pytest.mark.parametrize(
    ("asked", "given"), [(10**6, 4), (1000, 4), (3, 3), (-1, -1), (None, None)]
)
def test_no_file_starts_more_workers_than_there_are_cores(asked, given, tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    sm.save(FeatureUnion([("a", StandardScaler())], n_jobs=asked), tmp_path / "m")
    assert sm.load(tmp_path / "m").n_jobs == given


def test_workers_are_counted_in_whole_numbers(tmp_path):
    sm.save(FeatureUnion([("a", StandardScaler())], n_jobs="many"), tmp_path / "m")
    with pytest.raises(ModelFileError, match="FeatureUnion asks for 'many' workers"):
        sm.load(tmp_path / "m")


def encoder(**options):
    return OneHotEncoder(**options).fit(FRAME[["colour", "doors"]])


ENCODED = {
    "fewer columns than filled": ("_n_features_outs", [1, 1]),
    "more columns": ("_n_features_outs", [3, 10**9]),
    "no list": ("_n_features_outs", 7),
    "numbers that fall": ("categories_", [encoder().categories_[0], np.array([5, 4, 3, 2])]),
    "objects that fall": (
        "categories_",
        [encoder().categories_[0], np.array([5, 4, 3, 2], dtype=object)],
    ),
    "the same twice": ("categories_", [np.array(["red", "red", "blue"]), np.arange(2, 6)]),
    "one feature": ("categories_", encoder().categories_[:1]),
    "nested": ("categories_", [np.eye(3), np.arange(2, 6)]),
    "dropped far away": ("_drop_idx_after_grouping", np.array([9, 0], dtype=object)),
    "dropped before": ("_drop_idx_after_grouping", np.array([-1, 0], dtype=object)),
}


@pytest.mark.parametrize("name", ENCODED)
def test_an_encoder_fills_no_column_it_does_not_promise(name, tmp_path, unchecked):
    attribute, value = ENCODED[name]
    model = encoder()
    setattr(model, attribute, value)
    refused(model, tmp_path / "m", unchecked, "of its OneHotEncoder")


def test_rare_categories_are_grouped_within_their_columns(tmp_path, unchecked):
    for name in ("_default_to_infrequent_mappings", "_infrequent_indices"):
        model = encoder(max_categories=2)
        setattr(model, name, [np.array([7, 0, 1]), *getattr(model, name)[1:]])
        refused(model, tmp_path / "m", unchecked, "of its OneHotEncoder")


FITTED_MODELS = [
    *(make.fit(TABLE, classes) for make in (LogisticRegression(), LinearSVC(), RidgeClassifier())),
    Ridge().fit(TABLE, two),
    *(clone(one).fit(TABLE) for one in SCALERS if not isinstance(one, str)),
    *(clone(one).fit(FRAME[["colour"]]) for one in ENCODERS),
    *(clone(one).fit(classes) for one in LABELLERS),
    SimpleImputer(add_indicator=True).fit(FRAME[["price", "weight"]]),
    machine(),
]


@pytest.mark.parametrize("model", FITTED_MODELS, ids=lambda one: re.sub(r"\s+", "", repr(one))[:60])
def test_a_part_of_another_shape_or_type_is_refused_in_every_class(model):
    """Each part that the table names gets another shape, then another type."""
    cls = type(model)
    room = ".".join(cls.__module__.split(".")[:2])
    parts = sklearn_checks.FITTED[room][cls.__name__].parts
    require_fitted_well(cls, vars(model))
    for name in parts:
        value = vars(model).get(name)
        if value is None:
            continue
        for wrong in (
            np.zeros((2, 3, 5)),
            np.asarray(value).astype("c16") if _real(value) else "x",
        ):
            with pytest.raises(ModelFileError, match=f"{name} of its {cls.__name__}"):
                require_fitted_well(cls, {**vars(model), name: wrong})


def _real(value):
    return np.asarray(value).dtype.kind in "if"


def test_numbers_that_are_none(tmp_path, unchecked):
    model = LogisticRegression().fit(TABLE, classes)
    model.coef_[0, 0] = np.nan
    refused(model, tmp_path / "m", unchecked, "coef_ of its LogisticRegression is not finite")
    model = LogisticRegression().fit(TABLE, classes)
    model.coef_ = model.coef_[:2]
    refused(model, tmp_path / "m", unchecked, r"has the shape \(2, 4\)")
    model = QuantileTransformer(n_quantiles=5).fit(TABLE)
    model.quantiles_ = model.quantiles_[::-1]
    refused(model, tmp_path / "m", unchecked, "quantiles_ of its QuantileTransformer falls")


def test_steps_and_columns_are_what_such_are_made_of(tmp_path, unchecked):
    model = make_pipeline(StandardScaler(), Ridge()).fit(TABLE, two)
    model.steps[0] = ("standardscaler", 7)
    refused(model, tmp_path / "m", unchecked, "steps of its Pipeline")
    table = ColumnTransformer([("a", StandardScaler(), slice(0, 2))]).fit(TABLE)
    table.transformers_ = [("a", StandardScaler())]
    refused(table, tmp_path / "m", unchecked, "transformers_ of its ColumnTransformer")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("indptr", [0, 10**7, 10**7, 10**7, 0]),
        ("indptr", [0, 1, 2, 3, 99]),
        ("indptr", [1, 1, 2, 3, 4]),
        ("indices", [0, 1, 2, 10**6]),
        ("indices", [-1, 1, 2, 3]),
    ],
)
def test_a_sparse_matrix_of_landmarks_leads_nowhere_else(name, values, tmp_path):
    X = sparse.csr_array(np.eye(4))
    model = sm.LandmarkMap("euclidean", landmarks=X).fit(X)
    empty = name == "indptr" and values[-1] == 0
    spoilt = {
        "data": np.ones(0 if empty else 4),
        "indices": np.zeros(0, np.int32) if empty else X.indices,
        "indptr": X.indptr,
        name: np.array(values, dtype=np.int32),
    }
    for attribute, array in spoilt.items():
        setattr(model.landmarks_, attribute, array)
    sm.save(model, tmp_path / "m")
    with pytest.raises(ModelFileError, match="a matrix in it is not a valid|damaged"):
        sm.load(tmp_path / "m")


def test_room_is_made_for_no_more_than_is_there(tmp_path):
    bearings = sm.LandmarkMap("euclidean", n_landmarks=3, random_state=0).fit(TABLE)
    bearings.n_landmarks_ = 2**31
    features = sm.RandomFourier(n_components=8, random_state=0).fit(TABLE)
    features.n_features_out_ = 2**31
    head = sm.LandmarkClassifier("euclidean", n_landmarks=3).fit(TABLE, two).head_
    head.n_features_ = 2**31
    embedding = sm.baselines.PseudoEuclidean("euclidean").fit(TABLE)
    embedding._n_features_out = 2**31
    for model in (bearings, features, head, embedding):
        sm.save(model, tmp_path / "m", overwrite=True)
        with pytest.raises(ModelFileError, match="but _?n_.* says 2147483648"):
            sm.load(tmp_path / "m")


def test_products_are_no_more_than_their_columns_need(tmp_path):
    model = sm.RandomMaclaurin(n_components=8, random_state=0).fit(TABLE)
    sm.save(model, tmp_path / "m")
    document, arrays = unpack((tmp_path / "m").read_bytes())
    text = json.dumps(document)
    assert text.count('"width": ') == 1
    text = re.sub(r'"width": \d+', f'"width": {2**31}', text)
    fuzz.write(tmp_path / "m", json.loads(text), arrays)
    with pytest.raises(ModelFileError, match="2147483648 products are more than 8 columns need"):
        sm.load(tmp_path / "m")
