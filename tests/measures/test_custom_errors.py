"""What goes wrong in a function of the user's names the pair."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from test_custom import MATRIX, made, table

from seamark.measures import Custom, MeasureError


@pytest.fixture(autouse=True)
def nothing_made():
    made.clear()


def test_a_value_must_depend_on_its_pair_only():
    def share(X, L):
        D = cdist(X, L)
        return D / D.sum()

    with pytest.raises(MeasureError, match="share gives a pair one value in a batch"):
        Custom(share).cross(MATRIX)


def test_an_exception_names_the_pair():
    def f(x, y):
        return x / y

    with pytest.raises(MeasureError, match="f failed on row 0 of X and landmark 2: ZeroDiv") as e:
        Custom(f, vectorised=False).cross([1, 2], [1, 2, 0])
    assert isinstance(e.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (None, "returned None, and must return one finite number"),
        ("1.5", "returned '1.5', and must"),
        (1j, "returned 1j, and must"),
        (np.complex64(1), "and must return one finite number"),
        (np.nan, "returned nan, and must"),
        (-np.inf, "returned -inf, and must"),
        (1e39, r"returned 1e\+39, beyond the range of float32"),
        (10**400, "must return one finite number"),
        pytest.param(10**5000, "returned a int, and must", id="many digits"),
        ([1.0], r"returned \[1.0\], and must"),
        (np.ones(2), r"returned array\(\[1., 1.\]\), and must"),
        (np.datetime64("2020"), "and must"),
    ],
)
def test_what_is_no_number_names_the_pair(bad, message):
    def f(x, y):
        return bad if (x, y) == (1, 5) else 0.0

    with pytest.raises(
        MeasureError, match=rf"f failed on row 1 of X and landmark 0: it .*{message}"
    ):
        Custom(f, vectorised=False).cross([0, 1], [5, 6])


@pytest.mark.parametrize(
    "good", [True, 1, np.float32(1), np.bool_(True), np.array(1), np.ones((1, 1)), np.int8(1)]
)
def test_what_is_a_number(good):
    assert Custom(lambda x, y: good, vectorised=False).cross([1], [2, 3]).tolist() == [[1, 1]]


def test_errors_of_a_function_of_batches():
    with pytest.raises(MeasureError, match=r"shape \(1, 2\) for 1 rows and 1 landmarks.*\(1, 1\)"):
        Custom(lambda X, L: np.zeros((1, 2)), vectorised=True).cross(MATRIX)
    with pytest.raises(MeasureError, match="must return real numbers"):
        Custom(lambda X, L: np.full((len(X), len(L)), "a"), vectorised=True).cross(MATRIX)

    def f(X, L):
        D = table(X, L)
        D[np.equal.outer(np.array(X), np.array(L))] = np.nan
        return D

    with pytest.raises(MeasureError, match="row 2 of X and landmark 1: it returned nan"):
        Custom(f, vectorised=True).cross([1, 2, 9], [7, 9])

    def broken(X, L):
        raise ZeroDivisionError("oh")

    with pytest.raises(MeasureError, match="broken failed on rows 0 to 0 of X and landmarks 0 to"):
        Custom(broken, vectorised=True).cross([1, 2, 9], [7, 9])
