"""Sparse matrices whose positions lead out of them are refused before native code walks there."""

import numpy as np
import pytest
from scipy import sparse

import seamark as sm
from seamark.data import anything, require_sound, vectors

MAKERS = [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.bsr_array]


def sound(make=sparse.csr_array):
    return make(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))


def spoilt(name, place, value, make=sparse.csr_array):
    matrix = sound(make)
    getattr(matrix, name)[place] = value
    return matrix


UNSOUND = {
    "a column too many": (spoilt("indices", 0, 3), "position 3 is not among its 3 columns"),
    "far away": (spoilt("indices", 2, 2**31 - 1), "position 2147483647"),
    "before the first": (spoilt("indices", 1, -1), "position -1 is not among its 3 columns"),
    "a fall at the end": (spoilt("indptr", 1, 10**7), "starts do not rise"),
    "nothing at the end": (spoilt("indptr", 2, 0), "starts do not rise"),
    "a late start": (spoilt("indptr", 0, 1), "starts do not rise"),
    "beyond the end": (spoilt("indptr", 2, 4), "starts do not rise from 0 to 3"),
    "a row too many": (spoilt("indices", 0, 2, sparse.csc_array), "position 2 .* 2 rows"),
    "coordinates": (spoilt("col", 0, 5, sparse.coo_array), "position 5 is not among its 3 columns"),
    "blocks": (spoilt("indices", 0, 3, sparse.bsr_array), "position 3 is not among its 3 columns"),
}


@pytest.mark.parametrize("name", UNSOUND)
@pytest.mark.parametrize("domain", [vectors, anything], ids=lambda d: d.name)
def test_every_ingest_refuses_an_unsound_matrix(name, domain):
    matrix, sentence = UNSOUND[name]
    with pytest.raises(ValueError, match=f"X is not a valid sparse matrix: .*{sentence}"):
        domain.ingest(matrix)


@pytest.mark.parametrize("measure", ["euclidean", "manhattan", "cosine", "linear"])
def test_cross_refuses_it_on_both_sides(measure):
    bad = spoilt("indices", 0, 10**6)
    for pair in ((bad, sound()), (sound(), bad)):
        with pytest.raises(ValueError, match="not a valid sparse matrix"):
            sm.cross(measure, *pair)


def test_starts_and_values_must_be_as_many_as_the_rows_and_positions():
    few = sound()
    few.indptr = few.indptr[:2]
    with pytest.raises(ValueError, match="2 starts for 2 rows"):
        require_sound(few)
    few = sound()
    few.data = few.data[:1]
    with pytest.raises(ValueError, match="1 values at 3 positions"):
        require_sound(few)


@pytest.mark.parametrize("make", [*MAKERS, sparse.lil_array, sparse.dok_array, sparse.dia_array])
def test_sound_matrices_of_every_format_pass(make):
    np.testing.assert_array_equal(vectors.ingest(sound(make)).toarray(), sound().toarray())
    require_sound(make((0, 3)))


def test_room_that_is_not_used_yet_is_no_fault():
    matrix = sound()
    matrix.data, matrix.indices = np.r_[matrix.data, 0.0], np.r_[matrix.indices, 0]
    require_sound(matrix)
