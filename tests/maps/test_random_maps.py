"""What all maps of vectors promise, whatever they draw."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive_maps
import seamark as sm
from seamark.checks import object_estimator_checks
from seamark.maps import ComputedFeatures
from seamark.measures import Gaussian, Laplacian, Linear, Polynomial

rng = np.random.default_rng(5)
X = rng.uniform(-0.5, 0.5, size=(24, 6))
MAPS = [
    sm.RandomMaclaurin(n_components=40),
    sm.RandomMaclaurin(n_components=40, projection="complex", degrees=4),
    sm.RandomMaclaurin("vovk", 41, degrees="geometric", p=3.0, projection="complex"),
    sm.RandomMaclaurin(Polynomial(4), 30, degrees="proportional", h01=False, projection="srht"),
    sm.RandomMaclaurin([0, 0, 1], 30, inner=sm.RandomFourier()),
    sm.RandomFourier(n_components=30),
    sm.RandomFourier("laplacian", n_components=30),
    sm.RandomFourier(n_components=30, orthogonal=True),
    *[sm.ArcCosine(order, 30) for order in (0, 1, 2)],
    sm.Coordinates(),
]
IDS = [repr(m).replace("\n", " ") for m in MAPS]
every_map = pytest.mark.parametrize("map", MAPS, ids=IDS)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}-{check.__name__}")
        for map, name in zip(MAPS, IDS, strict=True)
        for check in object_estimator_checks(map, X)
    ],
)
def test_promises(check):
    check()


@parametrize_with_checks(
    [
        sm.RandomMaclaurin(n_components=50),
        sm.RandomFourier(n_components=50),
        sm.ArcCosine(n_components=50),
        sm.Coordinates(),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def fitted(map):
    copy = clone(map)
    return (copy.set_params(random_state=3) if hasattr(map, "n_components") else copy).fit(X)


@every_map
def test_sparse_equals_dense(map):
    model = fitted(map)
    Y = X * (np.abs(X) > 0.2)
    thin = model.transform(sparse.csr_matrix(Y))
    thin = thin.toarray() if sparse.issparse(thin) else thin
    np.testing.assert_allclose(thin, model.transform(Y), rtol=1e-4, atol=1e-5)
    assert thin.dtype == np.float32


@every_map
def test_a_map_can_be_drawn_on_sparse_data(map):
    model = clone(map)
    Z = model.fit_transform(sparse.csr_matrix(X))
    assert Z.shape == (len(X), model.n_features_out_)


@every_map
def test_a_subset_is_the_columns_in_the_order_asked_for(map):
    model = fitted(map)
    whole = model.transform(X)
    columns = rng.permutation(model.n_features_out_)[: model.n_features_out_ // 2 + 1]
    columns = np.append(columns, columns[0])  # one twice
    part = model.subset(columns)
    np.testing.assert_allclose(part.transform(X), whole[:, columns], rtol=1e-5, atol=1e-6)
    names = model.get_feature_names_out()
    assert part.get_feature_names_out().tolist() == names[columns].tolist()
    again = part.subset(np.array([2, 0]))
    np.testing.assert_allclose(again.transform(X), whole[:, columns[[2, 0]]], rtol=1e-5, atol=1e-6)
    single = pickle.loads(pickle.dumps(model.subset([3])))
    np.testing.assert_allclose(single.transform(X), whole[:, [3]], rtol=1e-5, atol=1e-6)


@every_map
def test_features_come_in_blocks(map, settings_of):
    model = fitted(map)
    whole = model.transform(X)
    settings_of(feature_bytes=7 * model.bytes_per_row)
    features = ComputedFeatures(model, X)
    assert features.shape == whole.shape
    blocks = list(features.chunks())
    assert [len(b) for _, b in blocks] == [7, 7, 7, 3]
    np.testing.assert_allclose(np.concatenate([b for _, b in blocks]), whole, rtol=1e-5, atol=1e-6)
    some = np.concatenate([b for _, b in features.chunks(np.array([4, 1]))])
    np.testing.assert_allclose(some, whole[:, [4, 1]], rtol=1e-5, atol=1e-6)
    rows = np.array([20, 3])
    np.testing.assert_allclose(features.rows(rows), whole[rows], rtol=1e-5, atol=1e-6)


@every_map
def test_in_a_pipeline_with_frames(map):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = make_pipeline(clone(map), Ridge()).fit(frame, X[:, 0])
    assert model.predict(frame).shape == (24,)


@pytest.mark.parametrize("transfer", ["identity", "whitening"])
def test_a_landmark_map_is_read_the_same_way(transfer):
    model = sm.LandmarkMap(
        "gaussian", n_landmarks=5, transfer=transfer, scale=False, random_state=0
    ).fit(X)
    some = np.concatenate([b for _, b in ComputedFeatures(model, X).chunks(np.array([4, 1]))])
    np.testing.assert_allclose(some, model.transform(X)[:, [4, 1]], rtol=1e-5, atol=1e-6)
    assert model.kernel_ is None


def test_coordinates_stay_sparse_and_keep_names():
    model = sm.Coordinates().fit(sparse.csr_matrix(X))
    assert sparse.issparse(model.transform(sparse.csr_matrix(X)))
    part = model.subset([5, 0]).transform(sparse.csr_matrix(X))
    assert sparse.issparse(part)
    np.testing.assert_allclose(part.toarray(), X[:, [5, 0]], rtol=1e-6)
    np.testing.assert_allclose(
        model.transform(X) @ model.transform(X).T, Linear().cross(X), rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("kernel", [Gaussian(0.7), Laplacian(0.7)], ids=repr)
@pytest.mark.parametrize("orthogonal", [False, True])
def test_fourier_equals_its_definition(kernel, orthogonal):
    if orthogonal and not isinstance(kernel, Gaussian):
        pytest.skip("no rotation-invariant spectrum")
    model = sm.RandomFourier(kernel, 25, orthogonal=orthogonal, random_state=0).fit(X)
    expected = [naive_maps.fourier(model, x) for x in X]
    np.testing.assert_allclose(model.transform(X), expected, atol=2e-4)


def test_fourier_features_keep_their_digits_far_from_the_origin():
    model = sm.RandomFourier(Gaussian(0.7), 500, random_state=0)
    near, far = model.fit_transform(X), model.fit_transform(X + 1e4)
    np.testing.assert_allclose(far, near, atol=1e-3)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_arc_cosine_equals_its_definition(order):
    model = sm.ArcCosine(order, 25, random_state=0).fit(X)
    np.testing.assert_allclose(
        model.transform(X), [naive_maps.arc_cosine(model, x) for x in X], rtol=1e-3, atol=1e-5
    )


INDEPENDENT = [
    sm.RandomFourier(Gaussian(0.8)),
    sm.RandomFourier(Laplacian(2.0)),
    *[sm.ArcCosine(order) for order in (0, 1, 2)],
]


@pytest.mark.parametrize("map", INDEPENDENT, ids=repr)
def test_unbiased_with_independent_columns(map):
    # Every column is a draw of its own, so D·Z(x)Z(y) has mean K(x, y). Ten pairs, |z| < 5 each:
    # a false alarm in 2·10⁵ tests, had the seed not been fixed.
    D = 20_000
    model = clone(map).set_params(n_components=D, random_state=1).fit(X)
    Z = model.transform(X[:5]).astype(np.float64)
    K = model.kernel_.cross(X[:5])
    for i, j in zip(*np.triu_indices(5, 1), strict=True):
        draws = D * Z[i] * Z[j]
        assert abs(draws.mean() - K[i, j]) < 5 * draws.std() / np.sqrt(D)


def test_orthogonal_frequencies_have_less_error():
    # Mean over 20 draws; the ratio of the two is near ½ here, its standard error below 0.1.
    def error(orthogonal):
        errors = []
        for seed in range(20):
            model = sm.RandomFourier(Gaussian(1.0), 60, orthogonal=orthogonal, random_state=seed)
            Z = model.fit_transform(X)
            errors.append(np.square(Z @ Z.T - model.kernel_.cross(X)).mean())
        return np.mean(errors)

    assert error(True) < 0.9 * error(False)


@pytest.mark.parametrize(
    ("map", "error", "message"),
    [
        (sm.RandomFourier("euclidean"), TypeError, "no method frequencies"),
        (sm.RandomFourier("laplacian", orthogonal=True), ValueError, "set orthogonal=False"),
        (sm.RandomFourier(n_components=0), ValueError, "n_components must be a positive whole"),
        (sm.ArcCosine(3), ValueError, "order must be 0, 1 or 2"),
    ],
)
def test_bad_parameters_are_named(map, error, message):
    with pytest.raises(error, match=message):
        map.fit(X)
