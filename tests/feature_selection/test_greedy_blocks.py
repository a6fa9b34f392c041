"""Features that come in blocks, held or not, against the matrix they make."""

import numpy as np
import pytest

from seamark.feature_selection import Greedy
from seamark.features import Features, InMemory


class InBlocks(Features):
    """A matrix read a few rows at a time; counts the values it gave."""

    def __init__(self, matrix, step=17):
        self.matrix = matrix
        self.shape = matrix.shape
        self.step = step
        self.values = 0

    def chunks(self, columns=None):
        for start in range(0, self.shape[0], self.step):
            block = np.array(self.matrix[start : start + self.step])
            block = block if columns is None else block[:, columns]
            self.values += block.size
            yield slice(start, start + len(block)), block


@pytest.fixture(params=["held", "streamed"])
def memory(request, monkeypatch):
    if request.param == "streamed":
        monkeypatch.setattr("seamark.feature_selection.pursuit.HELD_BYTES", 1)
    return request.param


SETTINGS = [
    {},
    {"normalise": True},
    {"fit_intercept": False},
    {"validation": 0.25, "random_state": 3},
    {"budget": 3.0, "tol": 0.5},
]


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_equal_the_matrix(rng, parameters, weighted):
    X = rng.normal(size=(150, 30)) + 10 * rng.normal(size=30)
    Y = X[:, [4, 7, 9]] @ rng.normal(size=(3, 2)) + rng.normal(size=(150, 2))
    weights = rng.integers(0, 3, 150) if weighted else None
    matrix = Greedy(9, **parameters).fit(X, Y, weights)
    blocks = Greedy(9, **parameters).fit(InBlocks(X), Y, weights)
    np.testing.assert_array_equal(blocks.support_, matrix.support_)
    np.testing.assert_allclose(blocks.coef_, matrix.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(blocks.intercept_, matrix.intercept_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(blocks.path_.training, matrix.path_.training, rtol=1e-6)
    np.testing.assert_allclose(blocks.predict(InBlocks(X)), matrix.predict(X), rtol=1e-6)
    np.testing.assert_array_equal(blocks.transform(InBlocks(X)), matrix.transform(X))
    assert blocks.stopped_ == matrix.stopped_


@pytest.mark.usefixtures("memory")
def test_classes_in_blocks(rng):
    X = rng.normal(size=(120, 20))
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + rng.normal(size=(120, 3)), axis=1)]
    matrix = Greedy(5).fit(X, y)
    blocks = Greedy(5).fit(InBlocks(X), y)
    np.testing.assert_array_equal(blocks.support_, matrix.support_)
    np.testing.assert_array_equal(blocks.predict(InBlocks(X)), matrix.predict(X))


def test_streamed_features_are_read_once_and_the_support_again(rng, monkeypatch):
    monkeypatch.setattr("seamark.feature_selection.pursuit.HELD_BYTES", 1)
    X = rng.normal(size=(200, 30)).astype(np.float32)
    features = InBlocks(X)
    Greedy(6).fit(features, X[:, 3] + rng.normal(size=200))
    extra = 4 * 17  # the type of one column's first block, asked for a few times
    assert features.values <= X.size + 200 * 6 + extra
    features.values = 0
    assert Greedy(2).fit(X, X[:, 3] - X[:, 8]).transform(features).shape == (200, 2)
    assert features.values == 200 * 2


def test_streamed_ill_conditioned_columns_stay_accurate(rng, monkeypatch):
    points = rng.random((500, 1))
    X = np.exp(-0.01 * np.abs(points - points[:60].T))
    y = np.cos(6 * points[:, 0])
    held = Greedy(25).fit(X, y)
    monkeypatch.setattr("seamark.feature_selection.pursuit.HELD_BYTES", 1)
    streamed = Greedy(25).fit(InBlocks(X), y)
    assert np.all(np.diff(streamed.path_.training) <= 0)
    residual = streamed.predict(X) - y
    np.testing.assert_allclose(np.mean(residual**2), streamed.path_.training[-1], rtol=1e-5)
    assert streamed.path_.training[-1] < 3 * held.path_.training[-1]


@pytest.mark.usefixtures("memory")
def test_explained_and_exhausted_columns_end_it(rng):
    X = rng.normal(size=(90, 5))
    X = np.hstack([X, X, np.ones((90, 1))])
    assert Greedy(11).fit(InBlocks(X), X[:, 2] + X[:, 4]).stopped_ == "residual"
    spent = Greedy(11).fit(InBlocks(X), X[:, 2] + rng.normal(size=90))
    assert spent.stopped_ == "span"
    assert len(spent.support_) == 5


@pytest.mark.usefixtures("memory")
def test_refuses_in_a_sentence(rng):
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    broken = X.copy()
    broken[33, 2] = np.nan
    with pytest.raises(ValueError, match="column 2 of X holds NaN or infinity"):
        Greedy(2).fit(InBlocks(broken), y)
    with pytest.raises(ValueError, match="target y is None"):
        Greedy(2).fit(InBlocks(X), None)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Greedy(2).fit(InBlocks(X), y[:-1])
    greedy = Greedy(2).fit(InMemory(X), y)
    with pytest.raises(ValueError, match="X has 3 features, but Greedy was fitted with 4"):
        greedy.transform(InBlocks(X[:, :3]))
