import copy
import dataclasses
import functools
import multiprocessing
import operator
import re
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from seamark.engine.value_cache import FILE_NAME, Store, digest, digest_function

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)


def canonical(thing):
    """repr: tells types and -0.0 apart."""
    if isinstance(thing, dict):
        return "{" + ",".join(f"{k!r}:{canonical(v)}" for k, v in thing.items()) + "}"
    if isinstance(thing, (list, tuple)):
        return type(thing).__name__ + "(" + ",".join(map(canonical, thing)) + ")"
    return repr(thing)


@given(plain)
def test_equal_objects_have_equal_digests(thing):
    assert digest(thing) == digest(copy.deepcopy(thing))


@given(plain, plain)
def test_different_objects_have_different_digests(a, b):
    assert (digest(a) == digest(b)) == (canonical(a) == canonical(b))


@given(arrays(np.float64, st.integers(0, 5)), arrays(np.float64, st.integers(0, 5)))
def test_arrays_are_their_bytes(a, b):
    assert digest(a) == digest(a.copy())
    assert (digest(a) == digest(b)) == (a.tobytes() == b.tobytes())


def test_layout_does_not_matter_but_shape_and_dtype_do():
    a = np.arange(6.0).reshape(2, 3)
    assert digest(a) == digest(np.asfortranarray(a))
    assert digest(np.arange(10.0)[::2]) == digest(np.arange(0.0, 10.0, 2))
    assert len({digest(x) for x in (a, a.ravel(), a.T, a.astype(np.float32), a.astype(">f8"))}) == 5
    objects = np.array(["a", None, (1, 2)], dtype=object)
    assert digest(objects) == digest(copy.deepcopy(objects))
    assert digest(objects) != digest(objects[::-1])


@dataclasses.dataclass
class Point:
    x: float
    tags: set = dataclasses.field(default_factory=set)


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Words(list):
    pass


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Point(1.0, {"a", "b"}), Point(2.0, {"a", "b"})),
        (Slotted([1]), Slotted([2])),
        (Words("ab"), Words("ba")),
        (pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")),
        (pd.Series([1, 2]), pd.Series([1, 3])),
        (sparse.csr_matrix([[0, 1.0]]), sparse.csr_matrix([[1.0, 0]])),
        (np.float32(1), np.float32(2)),
        ({1, 2, 3}, {1, 2}),
        ([10**5000], [10**5000 + 1]),
        (np, sys),
        (range(3), range(4)),
        (re.compile("a"), re.compile("b")),
    ],
)
def test_objects_of_any_class(a, b):
    again = a if a is np else copy.deepcopy(a)
    assert digest(a) == digest(again)
    assert digest(a) != digest(b)


def test_rings_end():
    ring = [1]
    ring.append(ring)
    assert digest(ring) != digest([1])
    point = Point(1.0)
    point.tags = {"self": point}
    assert digest(point)

    def recursive(n):
        return recursive(n - 1)

    assert digest_function(recursive)


def test_digests_do_not_depend_on_the_process():
    code = (
        "from seamark.engine.value_cache import digest\n"
        "print(digest([{'a', 'b', 'c'}, {'k': (1, 2.5)}, None]).hex())"
    )
    command = [sys.executable, "-c", code]
    other = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert other.strip() == digest([{"a", "b", "c"}, {"k": (1, 2.5)}, None]).hex()


def made(source, **scope):
    exec(source, scope)
    return scope["f"]


@pytest.mark.parametrize(
    "edited",
    [
        "def f(x, y, p=2): return abs(x - y) ** p",
        "def f(x, y, p=1): return abs(y - x) ** p",
        "def f(x, y, p=1): return abs(x - y) ** p + 1",
        "def f(x, y, p=1): return max(x - y) ** p",
        "def f(x, y, p=1): return (lambda: abs(x - y) ** (p + 3))()",
        "def f(x, y, *, p=1): return abs(x - y) ** p",
        "f = lambda x, y, p=1: abs(x - y) ** p",
    ],
)
def test_editing_a_function_changes_its_digest(edited):
    original = "def f(x, y, p=1): return abs(x - y) ** p"
    assert digest_function(made(original)) == digest_function(made("\n\n" + original))
    assert digest_function(made(original)) != digest_function(made(edited))


def test_inner_constants_count():
    a, b = (made(f"def f(x, y): return [z + {n} for z in (x, y)]") for n in (1, 2))
    assert digest_function(a) != digest_function(b)


class Power:
    def __init__(self, p):
        self.p = p

    def __call__(self, x, y):
        return abs(x - y) ** self.p

    def other(self, x, y):
        return 0


def closure(p):
    return lambda x, y: abs(x - y) ** p


class Decorated(Power):
    def __init__(self, p):
        super().__init__(p)
        functools.update_wrapper(self, closure(3))

    def again(self, x, y):
        return super().__call__(x, y)


@pytest.mark.parametrize(
    "make",
    [
        closure,
        Power,
        lambda p: Power(p).__call__,
        lambda p: functools.partial(pow, p),
        lambda p: functools.partial(max, key=p),
        lambda p: functools.lru_cache(closure(p)),
        lambda p: np.vectorize(closure(p)),
        lambda p: made(f"def f(x, y): return {p}"),
        lambda p: [np.add, np.subtract][p - 1],
        lambda p: [len, operator.add][p - 1],
        lambda p: ["a".count, "b".count][p - 1],
        lambda p: closure(closure(p)),
        lambda p: type("F", (), {"__call__": made(f"def f(self, x, y): return {p}")})(),
        lambda p: type("F", (), {"__call__": Power.__call__, "p": p})(),
        Decorated,
        lambda p: Decorated(p).again,
    ],
)
def test_what_a_function_holds_counts(make):
    assert digest_function(make(1)) == digest_function(make(1))
    assert digest_function(make(1)) != digest_function(make(2))


def test_editing_a_class_changes_the_digest_of_its_methods():
    source = "class A:\n  def run(self, x, y): return self.part()\n  def part(self): return {}\n"
    first, same, edited = (made(f"{source.format(n)}f = A().run") for n in (1, 1, 2))
    assert digest_function(first) == digest_function(same) != digest_function(edited)


def test_what_has_no_content_is_an_error():
    with pytest.raises(TypeError):
        digest(threading.Lock())


# The store


def test_values_come_back(tmp_path):
    with Store(tmp_path / "new" / "folder") as store:
        store.put([(b"x", b"y", 0.1), (b"x", b"x", 1e300)])
        store.put([(b"x", b"y", 0.3)])
    with Store(tmp_path / "new" / "folder") as store:
        assert store.row(b"x") == {b"y": 0.3, b"x": 1e300}
        assert store.row(b"y") == {}


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"not a database at all" * 100)
    with pytest.raises(ValueError, match=rf"{FILE_NAME} is not a store.*move the file away"):
        Store(tmp_path)


def test_a_file_of_another_program_is_left_alone(tmp_path):
    base = sqlite3.connect(tmp_path / FILE_NAME)
    base.execute("CREATE TABLE mine (a)")
    base.commit()
    base.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(ValueError, match=rf"{FILE_NAME} is not a store.*another program"):
        Store(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be used as a folder"):
        Store(tmp_path / "file")


def test_a_store_that_another_makes_while_we_look_is_ours(tmp_path, monkeypatch):
    other = threading.Thread(target=lambda: Store(tmp_path).__exit__())

    class Slow(sqlite3.Connection):
        def execute(self, question, *values):
            found = super().execute(question, *values)
            if question == "PRAGMA application_id" and other.ident is None:
                other.start()
                other.join(0.5)  # made by now, unless it has to wait for us
            return found

    connect = functools.partial(sqlite3.connect, factory=Slow, check_same_thread=False)
    monkeypatch.setattr("sqlite3.connect", connect)
    with Store(tmp_path) as store:
        assert store.row(b"x") == {}
    other.join()


def write_many(folder, start):
    with Store(folder) as store:
        for k in range(start, start + 50):
            store.put([(b"x%d" % k, b"y", float(k))])


def test_two_processes_write_one_store(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(tmp_path, s)) for s in (0, 25)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    with Store(tmp_path) as store:
        for k in range(75):
            assert store.row(b"x%d" % k) == {b"y": float(k)}
