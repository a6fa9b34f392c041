"""Every measure of the catalogue keeps its promises, on objects that could break them."""

import itertools

import numpy as np
import pytest

import seamark as sm
from seamark.checks import measure_checks
from seamark.measures import Precomputed
from seamark.measures.resolve import named

rng = np.random.default_rng(7)


def words():
    # Swaps break the triangle ca, ac, abc of alignments; the spectrum of common subsequences of all
    # orders of four letters shows that they are no kernel.
    few = ["ca", "ac", "abc", *map("".join, itertools.permutations("abcd"))]
    return ["sea", "mark", "seamark", "", "see", "saw", "a", "ae", "marks", *few] + [
        "".join(rng.choice(list("acgt"), size=k)) for k in (1, 63, 64, 65, 130, 20, 21)
    ]


def walks():
    free = [rng.normal(size=(2, k)).cumsum(axis=1) for k in (1, 2, 5, 9, 17, 40)]
    # Warping is free, so a ramp meets both constants cheaply while they are far from each other.
    constants = [np.full((2, 30), 0.0), np.full((2, 30), 1.0), np.tile([0.0, 1.0], (2, 1))]
    return free + constants


def clouds():
    free = [rng.normal(size=(k, 2)) for k in (1, 2, 5, 9, 30)]
    # A set that holds points of two distant sets is near to both.
    apart = [
        np.zeros((9, 2)),
        np.vstack([np.zeros((9, 2)), np.full((9, 2), 5.0)]),
        np.full((9, 2), 5.0),
    ]
    return [*free, *apart]


def points():
    return np.vstack([rng.uniform(-0.5, 0.5, size=(20, 3)), np.zeros((1, 3))])


def molecules():
    sizes = [1, 2, 3, 5, 8, 8, 13]
    return [(rng.integers(n, size=(2 * n, 2)), rng.integers(3, size=n)) for n in sizes] + [([], [])]


OBJECTS = {
    "strings": words(),
    "series": walks(),
    "sets": clouds(),
    "vectors": points(),
    "graphs": molecules(),
    "categories": ["red", "blue", 3, 3.5, True, "", "rot", "Red"],
}
CASES = [
    pytest.param(check, id=f"{entry.name}-{check.__name__}")
    for entry in sm.measures.catalogue().values()
    for check in measure_checks(entry.measure, OBJECTS[entry.domain], counterexamples=True)
]


@pytest.mark.filterwarnings("ignore:windows have 1 values")  # one of the walks has one step
@pytest.mark.parametrize("check", CASES)
def test_promises(check):
    check()


def test_the_table_prints_every_name():
    listing = sm.measures.catalogue()
    text = repr(listing)
    assert all(name in text for name in listing)
    assert all(entry.summary for entry in listing.values())


@pytest.mark.parametrize("name", [*sm.measures.catalogue(), "precomputed"])
def test_names_resolve(name):
    measure = sm.measures.get(name)
    assert measure.name == name
    assert sm.measures.get(measure) is measure


def test_a_name_is_all_a_measure_of_this_package_needs():
    here = sm.measures.Levenshtein.__module__
    members = {"name": "longer", "__module__": here, "__doc__": "As its parent."}
    found = type("Longer", (sm.measures.Levenshtein,), members)
    try:
        assert "longer" in sm.measures.catalogue()
        assert type(sm.measures.get("longer")) is found
    finally:
        found.name = ""
    assert "longer" not in sm.measures.catalogue()


def test_measures_of_other_packages_take_no_names():
    class Mine(sm.measures.Levenshtein):
        name = "mine"

    with pytest.raises(ValueError, match="mine"):
        sm.measures.get("mine")
    assert sm.measures.get(Mine()).name == "mine"


def test_no_two_measures_share_a_name():
    names = [cls.name for cls in named()]
    assert len(set(names)) == len(names)


def test_precomputed_by_name():
    assert isinstance(sm.measures.get("precomputed"), Precomputed)


@pytest.mark.parametrize("measure", ["levenstein", 3, None])
def test_unknown_measures_are_named(measure):
    with pytest.raises((ValueError, TypeError), match=str(measure)):
        sm.measures.get(measure)
