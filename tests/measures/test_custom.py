import functools
import operator
import pathlib
import pickle
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone

import seamark as sm
from seamark.data import strings
from seamark.measures import Custom

made = []  # a global: not part of a function's identity


@pytest.fixture(autouse=True)
def nothing_made():
    made.clear()


def asymmetric(x, y):
    return x - 2 * y


def logged(x, y):
    made.append((x, y))
    return x - 2 * y


def table(X, L):
    return np.subtract.outer(np.asarray(X, float), 2 * np.asarray(L, float))


# Facts and parameters


def test_any_callable_is_a_measure():
    m = sm.measures.get(asymmetric)
    assert isinstance(m, Custom)
    assert (m.kind, m.symmetric, m.vectorised, m.memory) == (None, None, None, None)
    assert np.array_equal(sm.cross(asymmetric, [1, 2], [3, 4]), [[-5, -7], [-4, -6]])
    assert sm.cross(asymmetric, [1], [2]).dtype == np.float32
    with pytest.raises(TypeError, match=r"give Levenshtein\(\)"):
        sm.measures.get(sm.measures.Levenshtein)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"f": "levenshtein"}, "f must be a function of two objects, not 'levenshtein'; give one"),
        ({"f": len, "kind": "metric"}, "kind must be 'distance', 'similarity' or None"),
        ({"f": len, "symmetric": "yes"}, "symmetric must be True, False or None"),
        ({"f": len, "vectorised": 1}, "vectorised must be True, False or None"),
        ({"f": len, "memory": True}, "memory must be the path of a folder"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Custom(**parameters).cross([1], [2])


def test_repr_clone_pickle():
    m = Custom(asymmetric, kind="distance", memory=pathlib.Path("kept"))
    assert repr(m).startswith("Custom(asymmetric, kind='distance', memory=")
    assert repr(Custom(lambda x, y: 0)) == "Custom(<lambda>)"
    for copy in (clone(m), pickle.loads(pickle.dumps(m))):
        assert copy.get_params() == m.get_params()
        assert (copy.kind, copy.f) == ("distance", asymmetric)
    holder = functools.partial(operator.is_not, threading.Lock())
    assert clone(Custom(holder)).f is holder  # shared: it could not be copied


def test_facts_go_through_algebra():
    m = Custom(asymmetric, kind="similarity", symmetric=False)
    assert (2 * m).kind == "similarity"
    assert m.negated().kind == "distance"
    total = m + Custom(asymmetric, kind="similarity")
    assert np.array_equal(total.cross([1], [2, 3]), [[-6, -10]])
    with pytest.raises(TypeError, match="declare kind='similarity'"):
        Custom(asymmetric).normalised().cross([1, 2])


def test_self_values_in_one_pass():
    def product(x, y):
        made.append((x, y))
        return x * y

    X = sm.data.anything.ingest([1.0, 2.0, 3.0])
    m = Custom(product, kind="similarity", vectorised=False)
    assert m.self_values(X).tolist() == [1, 4, 9]
    assert made == [(1, 1), (2, 2), (3, 3)]
    assert np.allclose(m.normalised().cross([1.0, 2.0, 3.0]), 1)


# Symmetry


def test_nothing_is_mirrored_unless_declared():
    X = list(range(150))  # more than one panel of the engine's
    expected = table(X, X)
    for symmetric in (None, False):
        assert np.array_equal(Custom(asymmetric, symmetric=symmetric).cross(X), expected)
    declared = Custom(asymmetric, symmetric=True).cross(X)
    assert np.array_equal(declared, np.tril(expected) + np.tril(expected, -1).T)


@pytest.mark.parametrize(("symmetric", "expected"), [(None, 900), (False, 900), (True, 465)])
def test_calls_are_counted_exactly(symmetric, expected):
    with sm.engine.counting() as counter:
        Custom(logged, symmetric=symmetric, vectorised=False).cross(list(range(30)))
    assert counter.evaluations == len(made) == len(set(made)) == expected


# Objects


def test_objects_of_all_kinds():
    class Thing:
        def __init__(self, n):
            self.n = n

    frame = pd.DataFrame({"name": ["a", "bb"], "size": [1, 5]})
    assert Custom(lambda x, y: abs(x["size"] - y["size"])).cross(frame)[0, 1] == 4
    assert Custom(lambda x, y: x.n - y.n).cross([Thing(3)], [Thing(1)]) == 2
    dicts = [{"a": 1}, {"a": 3}]
    assert Custom(lambda x, y: x["a"] - y["a"]).cross(dicts)[1, 0] == 2
    assert Custom(lambda x, y: len(x) - len(y)).cross(pd.Series(["abc"]), ["a"]) == 2
    assert Custom(lambda x, y: len(x & y)).cross([{1, 2}], [{2}]) == 1


def test_what_a_function_of_pairs_receives():
    seen = []

    def f(x, y):
        seen.append((x, y))
        return 0

    m = Custom(f, vectorised=False)
    m.cross(strings.ingest(["sea", "mark"]), strings.ingest(["see"]))
    assert seen == [("sea", "see"), ("mark", "see")]
    seen.clear()
    m.cross(np.eye(2), np.ones((1, 2)))
    assert [x.tolist() for x, _ in seen] == [[1, 0], [0, 1]]
    seen.clear()
    m.cross(sparse.csr_array(np.eye(3)))
    assert all(sparse.issparse(x) and x.shape == y.shape == (1, 3) for x, y in seen)


def test_what_a_function_of_batches_receives():
    seen = []

    def f(X, L):
        seen.append((X, L))
        return np.zeros((X.shape[0] if hasattr(X, "shape") else len(X), 1))

    m = Custom(f, vectorised=True)
    m.cross(strings.ingest(["sea", "mark"]), strings.ingest(["see"]))
    assert ([x for X, _ in seen for x in X], seen[0][1]) == (["sea", "mark"], ["see"])
    seen.clear()
    m.cross(np.eye(2), np.ones((1, 2)))
    assert all(isinstance(X, np.ndarray) and X.ndim == L.ndim == 2 for X, L in seen)
    seen.clear()
    m.cross(sparse.csr_matrix(np.eye(2)), sparse.csr_matrix(np.ones((1, 2))))
    assert all(sparse.issparse(X) and sparse.issparse(L) for X, L in seen)


# Batches or pairs


def is_vectorised(f, X, L):
    m, ingest = Custom(f), sm.data.anything.ingest
    return m._takes_batches(ingest(X), ingest(L))


MATRIX = np.random.default_rng(0).normal(size=(4, 3))


@pytest.mark.parametrize(
    ("f", "X", "expected"),
    [
        (cdist, MATRIX, True),
        (lambda a, b: cdist(a, b).astype(np.float32), MATRIX, True),
        (lambda a, b: a @ b.T, MATRIX, True),
        (lambda a, b: a @ b.T, sparse.csr_matrix(MATRIX), True),
        (lambda a, b: (a @ b.T) / np.linalg.norm(a), MATRIX, False),
        (lambda a, b: np.linalg.norm(a - b), MATRIX, False),
        (lambda a, b: float(a @ b), MATRIX, False),
        (lambda a, b: [[len(x) - len(y) for y in b] for x in a], ["a", "bb", "c"], True),
        (lambda a, b: len(a) - len(b), ["a", "bb", "c"], False),
        (lambda a, b: a == b, ["a", "bb", "c"], False),
        (asymmetric, [1, 2, 3], False),
        (table, [1, 2, 3], True),
        (lambda a, b: np.full((2, 3), "text"), [1, 2, 3], False),
    ],
)
def test_what_a_function_takes_is_found_out(f, X, expected):
    assert is_vectorised(f, X, X) is expected


def test_one_pair_alone_is_taken_as_a_pair():
    assert not is_vectorised(lambda a, b: a @ b.T, MATRIX[:1], MATRIX[:1])
    assert is_vectorised(cdist, MATRIX[:1], MATRIX[:1])  # single rows it refuses
    assert is_vectorised(cdist, MATRIX[:1], MATRIX)
    assert np.allclose(Custom(cdist).cross(MATRIX[:1], MATRIX[:1]), 0)


def test_the_trial_is_silent_and_calls_once():
    def f(x, y):
        made.append((x, y))
        warnings.warn("batches are deprecated", stacklevel=1) if isinstance(x, list) else None
        return 0.0

    Custom(f).cross([1, 2], [1, 2, 3])
    assert len(made) == 6 + 1


# Errors


def length_gap(a, b):
    return abs(len(a) - len(b))


def test_keeps_the_promises_of_measures():
    from seamark.checks import check_measure

    words = ["sea", "mark", "seamark", "", "saw"]
    check_measure(Custom(length_gap, kind="distance", symmetric=True), words)
    check_measure(Custom(length_gap), words)
