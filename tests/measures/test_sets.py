"""Measures of sets of vectors against the textbook definitions, on every backend."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import cKDTree

import naive
import seamark as sm
from every_backend import ENGINES, HERE, kernels_of
from seamark.data import Ragged, sets
from seamark.measures import Chamfer, Hausdorff, ModifiedHausdorff

MEASURES = [
    (ModifiedHausdorff, naive.modified_hausdorff),
    (Hausdorff, naive.hausdorff),
    (Chamfer, naive.chamfer),
]
# The promise: so much of the value, and so much of the largest distance from the landmarks' mean.
RELATIVE, OF_SCALE = 1e-5, 1e-6
LEAST = 1e-44  # a few times the least number above 0 in float32
TINY = 1e-18  # squares of smaller distances are nothing in float32

pytestmark = pytest.mark.filterwarnings("ignore:seamark runs without")


@pytest.fixture(params=ENGINES)
def backend(request):
    with sm.engine.using(request.param):
        yield request.param


@pytest.fixture(params=MEASURES, ids=lambda m: m[0].name)
def pair(request):
    return request.param


def random_sets(seed, n, low, high, d, dtype=np.float32, shift=0.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(low, high, n, endpoint=True)
    return [(rng.normal(size=(m, d)) + shift).astype(dtype) for m in sizes]


def scale(X, L):
    centre = np.concatenate(L).mean(axis=0, dtype=np.float64)
    return max(np.linalg.norm(np.asarray(x) - centre, axis=1).max() for x in [*X, *L])


def assert_close(values, expected, X, L):
    assert values.dtype == np.float32
    atol = OF_SCALE * scale(X, L) + TINY
    np.testing.assert_allclose(values, expected, rtol=RELATIVE, atol=atol)


def assert_definition(pair, X, L):
    """Compare every implementation with the definition, which is slow, and asked once."""
    measure, definition = pair
    expected = naive.cross(definition, X, L)
    for name in HERE:
        with sm.engine.using(name):
            assert_close(measure().cross(X, L), expected, X, L)


@pytest.mark.parametrize("d", [1, 2, 5, 128])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_definition(pair, d, dtype):
    X, L = random_sets(0, 9, 1, 12, d, dtype), random_sets(1, 21, 1, 9, d, dtype)
    assert_definition(pair, X, L)


@pytest.mark.parametrize("n_landmarks", [1, 2, 3, 8, 15, 16, 17, 40])
def test_any_number_of_landmarks(pair, n_landmarks):
    """Few landmarks get several lanes each, many get one."""
    assert_definition(pair, random_sets(2, 4, 1, 7, 3), random_sets(3, n_landmarks, 1, 40, 3))


@pytest.mark.parametrize(("size", "landmark"), [(1, 1), (1, 500), (500, 1), (256, 3), (257, 260)])
def test_unequal_sizes(pair, size, landmark):
    """Beyond 256 vectors an object comes in several tiles."""
    rng = np.random.default_rng(4)
    X = [rng.normal(size=(m, 2)) for m in (3, size, 1)]
    L = [rng.normal(size=(m, 2)) for m in (landmark, 2)]
    assert_definition(pair, X, L)


@pytest.mark.parametrize("d", [511, 512, 513, 1500])
def test_many_dimensions(pair, d):
    assert_definition(pair, random_sets(5, 3, 1, 6, d), random_sets(6, 5, 1, 5, d))


@pytest.mark.parametrize("shift", [0.0, 1000.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_sets_are_at_zero(backend, pair, shift, dtype):
    measure, _ = pair
    X = random_sets(7, 40, 1, 30, 16, dtype, shift)
    doubled = [np.concatenate([x[::-1], x]) for x in X]
    assert np.all(np.diag(measure().cross(X)) == 0)
    assert np.all(np.diag(measure().cross(X, X)) == 0)
    assert np.all(np.diag(measure().cross(doubled, X)) == 0)
    assert np.all(np.diag(measure().cross(X, doubled)) == 0)


def test_offset_keeps_digits(backend, pair):
    measure, definition = pair
    X, L = random_sets(8, 5, 1, 9, 4, np.float64), random_sets(9, 6, 1, 9, 4, np.float64)
    expected = naive.cross(definition, X, L)
    assert_close(measure().cross([x + 1e6 for x in X], [x + 1e6 for x in L]), expected, X, L)


def test_near_duplicates(backend, pair):
    """The promise for distances far below the spread of the data."""
    measure, definition = pair
    rng = np.random.default_rng(10)
    L = random_sets(11, 6, 2, 9, 16, np.float64)
    X = [x + rng.normal(scale=1e-3, size=x.shape) for x in L]
    values = measure().cross(X, L)
    assert_close(values, naive.cross(definition, X, L), X, L)
    exact = np.array([definition(x, y) for x, y in zip(X, L, strict=True)])
    np.testing.assert_allclose(np.diag(values), exact, rtol=2e-4)


@pytest.mark.parametrize("name", ENGINES[1:])
def test_backends_agree(pair, name):
    measure, _ = pair
    X, L = random_sets(12, 40, 1, 300, 32), random_sets(13, 50, 1, 60, 32)
    values = []
    for each in (name, "reference"):
        with sm.engine.using(each):
            values.append(measure().cross(X, L))
    np.testing.assert_allclose(*values, rtol=RELATIVE)


def test_threads_and_company_change_nothing(backend, pair):
    """Bit for bit: whatever the threads, and whatever objects are computed together."""
    measure, _ = pair
    n = 30 if backend == "reference" else 300
    X, L = random_sets(14, n, 1, 400, 24), random_sets(15, 70, 1, 15, 24)
    one = measure().cross(X, L, n_jobs=1)
    assert np.array_equal(one, measure().cross(X, L, n_jobs=2))
    alone = np.concatenate([measure().cross([x], L) for x in X[:20]])
    assert np.array_equal(one[:20], alone)


def test_symmetric_panels(backend, pair):
    measure, definition = pair
    X = random_sets(16, 150, 1, 5, 2)
    values = measure().cross(X)
    assert np.array_equal(values, values.T)
    rows = [0, 3, 127, 128, 149]
    expected = naive.cross(definition, X, [X[i] for i in rows])
    assert_close(values[:, rows], expected, X, X)


def test_integers_and_slices(backend, pair):
    """A Ragged may hold any numbers, and begin anywhere in them."""
    measure, definition = pair
    rng = np.random.default_rng(17)
    flat = rng.integers(0, 255, (60, 5)).astype(np.uint8)
    X = Ragged(flat, np.array([0, 7, 8, 30, 60]), sets)
    objects = [np.asarray(x, dtype=np.float64) for x in X]
    expected = naive.cross(definition, objects[1:], objects[:2])
    assert_close(measure().cross(X[1:], X[:2]), expected, objects, objects[:2])


def test_one_large_set(backend):
    """Scratch does not grow with a set; the value is the same as in pieces of the definition."""
    rng = np.random.default_rng(18)
    x, y = rng.normal(size=(20_000, 3)), rng.normal(size=(700, 3))
    forth, back = cKDTree(y).query(x)[0], cKDTree(x).query(y)[0]
    for measure, expected in (
        (ModifiedHausdorff(), max(forth.mean(), back.mean())),
        (Hausdorff(), max(forth.max(), back.max())),
        (Chamfer(), forth.mean() + back.mean()),
    ):
        np.testing.assert_allclose(measure.cross([x], [y])[0, 0], expected, rtol=RELATIVE)
        np.testing.assert_allclose(measure.cross([y], [x])[0, 0], expected, rtol=RELATIVE)


coordinates = st.floats(-100, 100, width=32)


@st.composite
def collections(draw):
    """Two lists of small sets of one dimension."""
    d = draw(st.integers(1, 4))
    one = st.integers(1, 6).flatmap(lambda m: arrays(np.float32, (m, d), elements=coordinates))
    return draw(st.lists(one, min_size=1, max_size=5)), draw(st.lists(one, min_size=1, max_size=20))


@given(collections())
@settings(max_examples=60, deadline=None)
def test_properties(XL):
    expected = {measure: naive.cross(definition, *XL) for measure, definition in MEASURES}
    for name in HERE:
        with sm.engine.using(name):
            require_properties(*XL, expected)


def require_properties(X, L, expected):
    atol = 4 * OF_SCALE * max(scale(X, L), scale(L, X)) + TINY
    values = {m: m().cross(X, L) for m, _ in MEASURES}
    back = {m: m().cross(L, X) for m, _ in MEASURES}
    all_pairs = Hausdorff().cross([*X, *L])
    for measure, _ in MEASURES:
        assert_close(values[measure], expected[measure], X, L)
        np.testing.assert_allclose(values[measure], back[measure].T, rtol=RELATIVE, atol=atol)
    modified, largest, both = (values[m] for m, _ in MEASURES)
    assert np.all(modified <= largest * (1 + RELATIVE) + atol)
    # Denormal numbers are rounded to whole multiples of the least one, not relative to themselves.
    assert np.all(modified <= both + LEAST)
    assert np.all(both <= 2 * modified * (1 + RELATIVE) + LEAST)
    around = all_pairs[:, :, None] + all_pairs[None, :, :]
    assert np.all(all_pairs[:, None, :] <= around * (1 + RELATIVE) + 3 * atol)


@pytest.mark.parametrize("measure", [ModifiedHausdorff, Chamfer])
def test_triangle_fails_as_declared(measure):
    """Means do not keep the triangle inequality: the fact False is a promise too."""
    x, y, z = [[0.0]], [[0.0], [0.0], [0.0], [10.0]], [[0.0], [10.0]]
    d = measure().cross([x, y, z])
    assert measure.triangle is False
    assert d[0, 2] > d[0, 1] + d[1, 2]


def test_facts_and_self_values(pair):
    measure, _ = pair
    X = random_sets(19, 5, 1, 4, 3)
    assert isinstance(sm.measures.get(measure.name), measure)
    assert measure.name in sm.measures.catalogue()
    assert measure.triangle is (measure is Hausdorff)
    assert measure.kind == "distance"
    assert measure.bounds == (0.0, np.inf)
    assert measure.symmetric is True
    assert np.array_equal(measure().self_values(sets.ingest(X)), np.zeros(5))


def test_mixed_dimensions_are_refused(pair):
    measure, _ = pair
    with pytest.raises(ValueError, match="dimension"):
        measure().cross([np.zeros((2, 3))], [np.zeros((2, 4))])


@pytest.mark.parametrize("name", ENGINES[1:])
class TestNativeChecks:
    """What could read out of bounds is refused by the binding itself."""

    def plan(self, name, values=None, offsets=(0, 2, 3), d=2):
        values = np.zeros((3, d), np.float32) if values is None else values
        return kernels_of(name).sets(values, np.array(offsets), np.zeros(2), "largest")

    @pytest.mark.parametrize("offsets", [(0, 2, 4), (0, 2, 1), (-1, 2, 3), (0, 2, 2)])
    def test_bad_offsets(self, name, offsets):
        with pytest.raises(ValueError, match=r"offsets|empty"):
            self.plan(name, offsets=offsets)
        stop, out = np.zeros(1, np.uint8), np.zeros((2, 2), np.float32)
        with pytest.raises(ValueError, match=r"offsets|empty"):
            self.plan(name).run(np.zeros((3, 2), np.float32), np.array(offsets), out, stop)

    def test_bad_shapes(self, name):
        stop, out = np.zeros(1, np.uint8), np.zeros((1, 2), np.float32)
        x, offsets = np.zeros((3, 2), np.float32), np.array([0, 3])
        with pytest.raises(ValueError, match="centre"):
            self.plan(name, d=3)
        with pytest.raises(ValueError, match="dimension"):
            self.plan(name).run(np.zeros((3, 3)), offsets, out, stop)
        with pytest.raises(ValueError, match="wrong shape"):
            self.plan(name).run(x, offsets, np.zeros((2, 2), np.float32), stop)
        with pytest.raises(ValueError, match="flag"):
            self.plan(name).run(x, offsets, out, stop[:0])
        with pytest.raises(TypeError):
            self.plan(name).run(x, offsets, np.zeros((1, 2)), stop)

    def test_nothing_to_do(self, name):
        stop = np.zeros(1, np.uint8)
        none = np.zeros((0, 2), np.float32)
        self.plan(name).run(none, np.array([0]), np.zeros((0, 2), np.float32), stop)
        plan = self.plan(name, none, (0,))
        plan.run(np.zeros((1, 2)), np.array([0, 1]), np.zeros((1, 0), np.float32), stop)

    def test_stops_when_told(self, name):
        out = np.full((1, 2), -1, np.float32)
        stop = np.ones(1, np.uint8)
        self.plan(name).run(np.zeros((3, 2)), np.array([0, 3]), out, stop)
        assert np.all(out == -1)
