"""Adapters: names, functions, messages, missing libraries, copies."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial import distance
from sklearn.base import clone
from sklearn.metrics import pairwise

import seamark as sm
from seamark.measures import MSM, Aeon, RapidFuzz, Scipy, SklearnKernel, adapters, get
from seamark.measures.adapters import ADAPTERS, Adapter, find

EVERY = [(adapter, name) for adapter in ADAPTERS for name in adapter.table]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("canberra", Scipy("canberra")),
        ("scipy:hamming", Scipy("hamming")),
        ("rapidfuzz:hamming", RapidFuzz("hamming")),
        ("rapidfuzz:jaro_winkler", RapidFuzz("jaro_winkler")),
        ("lcs_seq", RapidFuzz("lcs_seq")),
        ("osa.normalized_distance", RapidFuzz("osa.normalized_distance")),
        ("WRatio", RapidFuzz("WRatio")),
        ("msm", MSM()),
        ("soft_dtw", Aeon("soft_dtw")),
        ("aeon:msm", Aeon("msm")),
        ("aeon:dtw", Aeon("dtw")),
        ("chi2", SklearnKernel("chi2")),
        ("sklearn:cosine", SklearnKernel("cosine")),
        (distance.canberra, Scipy("canberra")),
        (distance.euclidean, Scipy("euclidean")),
        (pairwise.chi2_kernel, SklearnKernel("chi2")),
    ],
)
def test_names_and_functions_resolve(given, expected):
    assert repr(get(given)) == repr(expected)


def test_catalogue_names_come_first():
    for name in ("cosine", "dtw", "levenshtein", "jaro_winkler", "euclidean", "polynomial"):
        assert not isinstance(get(name), Adapter)


def test_rapidfuzz_and_aeon_functions_resolve():
    rapidfuzz = pytest.importorskip("rapidfuzz")
    assert find(rapidfuzz.distance.OSA.distance).scorer == "osa"
    assert find(rapidfuzz.distance.JaroWinkler.similarity).scorer == "jaro_winkler"
    normalized = rapidfuzz.distance.Indel.normalized_similarity
    assert find(normalized).scorer == "indel.normalized_similarity"
    assert find(rapidfuzz.fuzz.WRatio).scorer == "WRatio"
    aeon = pytest.importorskip("aeon.distances")
    assert find(aeon.msm_distance).metric == "msm"
    assert find(aeon.sbd_pairwise_distance).metric == "sbd"
    assert find(aeon.dtw_cost_matrix) is None


@pytest.mark.parametrize("stranger", [len, lambda x, y: 0, distance.cdist, np.dot, 3, None])
def test_other_functions_are_left_alone(stranger):
    assert find(stranger) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hamming", r"'rapidfuzz:hamming' \(strings\) or 'scipy:hamming' \(vectors\)"),
        ("minkowski", r"'aeon:minkowski' \(series\) or 'scipy:minkowski' \(vectors\)"),
        ("canbera", r"did you mean 'canberra'.*measures\.catalogue\(\)"),
        ("levenstein", "did you mean 'levenshtein'"),
        ("jaro_winkle", "did you mean 'jaro_winkler'"),
        ("zzzz", r"unknown measure 'zzzz'; measures\.catalogue\(\)"),
        ("scipy:canbera", "did you mean 'canberra'"),
        ("scypi:canberra", "unknown library 'scypi'"),
    ],
)
def test_unclear_names(name, message):
    with pytest.raises(ValueError, match=message):
        get(name)


def test_unclear_constructor_arguments():
    with pytest.raises(ValueError, match="Scipy knows no metric 'canbera' .did you mean"):
        Scipy("canbera").cross([[1.0]])
    with pytest.raises(ValueError, match="RapidFuzz knows no scorer"):
        RapidFuzz(len).cross(["a"])


@pytest.mark.parametrize(
    ("library", "measure", "X", "extra"),
    [
        ("rapidfuzz", RapidFuzz("osa"), ["a"], "RapidFuzz: pip install 'seamark[strings]'"),
        ("aeon", Aeon("msm"), [[1.0, 2.0]], "aeon: pip install 'seamark[series]'"),
    ],
)
def test_a_missing_library_is_named(library, measure, X, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as error:
        measure.cross(X)
    assert str(error.value) == f"This measure needs {extra}"
    assert measure.kind == "distance"  # facts do not need the library


def test_import_is_light():
    code = (
        "import sys, seamark; seamark.measures.get('jaro'); seamark.measures.get('msm');"
        "print([m for m in ('rapidfuzz', 'aeon', 'numba', 'sklearn.metrics') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("library", ["rapidfuzz", "aeon", "scipy", "sklearn"])
def test_all_names_exist_in_the_installed_library(library):
    if library == "rapidfuzz":
        pytest.importorskip("rapidfuzz")
        assert all(callable(adapters._scorer(name)) for name in RapidFuzz.table)
    elif library == "aeon":
        aeon = pytest.importorskip("aeon.distances")
        assert all(callable(aeon.get_distance_function(name)) for name in Aeon.table)
    elif library == "scipy":
        assert all(callable(getattr(distance, name)) for name in Scipy.table)
    else:
        assert set(SklearnKernel.table) <= set(pairwise.PAIRWISE_KERNEL_FUNCTIONS)


@pytest.mark.parametrize(("adapter", "name"), EVERY)
def test_pickle_and_clone(adapter, name):
    measure = adapter(name, {"a": 1})
    for copy in (clone(measure), pickle.loads(pickle.dumps(measure))):
        assert copy.get_params() == measure.get_params()
        assert copy.facts() == measure.facts()


def test_pickle_and_clone_of_a_compiled_function():
    rapidfuzz = pytest.importorskip("rapidfuzz")
    measure = RapidFuzz(rapidfuzz.distance.JaroWinkler.similarity)
    assert clone(measure).scorer is measure.scorer
    assert pickle.loads(pickle.dumps(measure)).scorer == "jaro_winkler"


def test_cross_takes_names_of_libraries():
    np.testing.assert_allclose(sm.cross("chebyshev", [[0.0, 0.0]], [[3.0, 4.0]]), [[4.0]])
