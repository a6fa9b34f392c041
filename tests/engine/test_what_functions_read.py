"""What a function reads through itself, its class or its arguments is part of its digest."""

import abc
import enum
import functools
import threading

import numpy as np
import pytest

from seamark.engine.value_cache import digest_function
from seamark.measures import Custom


def closure(p):
    return lambda x, y: abs(x - y) ** p


def with_attribute(k):
    def f(x, y):
        return f.k * (x - y)

    f.k = k
    return f


def reads_an_attribute(x, y):
    return reads_an_attribute.k * (x - y)


def cached(k):
    f = functools.lru_cache(closure(1))
    f.k = k
    return f


class Unit:
    def __init__(self, size):
        self.size = size


class Mode(enum.Enum):
    COARSE = 1
    FINE = 2


def attributed(value):
    """An object whose class has an attribute."""

    class Attributed:
        part = value

        def __call__(self, x, y):
            return self.part

    return Attributed()


def nested_class(k):
    class Outer:
        class Inner:
            size = k

        def __call__(self, x, y):
            return self.Inner.size

    return Outer()


class Abstract(abc.ABC):
    lock = threading.Lock()  # without content

    @abc.abstractmethod
    def __call__(self, x, y): ...


class Concrete(Abstract):
    def __init__(self, p):
        self.p = p

    def __call__(self, x, y):
        return self.p


@pytest.mark.parametrize(
    "make",
    [
        with_attribute,
        cached,
        lambda p: functools.partial(with_attribute(p), 1),
        lambda p: attributed(Unit(p)),
        lambda p: attributed([Unit(p)]),
        lambda p: attributed(Mode(p)),
        lambda p: attributed(functools.partial(pow, p)),
        lambda p: attributed(functools.partialmethod(pow, p)),
        lambda p: attributed(np.float32(p)),
        lambda p: attributed(property(closure(p))),
        lambda p: attributed(staticmethod(closure(p))),
        nested_class,
        Concrete,
    ],
)
def test_what_a_function_reads_through_itself_counts(make):
    assert digest_function(make(1)) == digest_function(make(1))
    assert digest_function(make(1)) != digest_function(make(2))


def test_a_changed_attribute_gives_new_values(tmp_path):
    measure = Custom(reads_an_attribute, kind="similarity", memory=tmp_path)
    for k in (1, 2, 1):
        reads_an_attribute.k = k
        assert measure.cross([3.0], [1.0]).tolist() == [[2.0 * k]]


def first_value(a, b):
    return next(iter(a.values())) - next(iter(b.values()))


def test_the_order_of_a_dictionary_counts_as_functions_can_see_it(tmp_path):
    measure = Custom(first_value, kind="similarity", memory=tmp_path)
    other = [{"a": 0, "b": 9}]
    assert measure.cross([{"a": 1, "b": 2}], other).tolist() == [[1.0]]
    assert measure.cross([{"b": 2, "a": 1}], other).tolist() == [[2.0]]
    assert measure.cross([{"a": 1, "b": 2}], other).tolist() == [[1.0]]
