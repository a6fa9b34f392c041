import numpy as np
import pytest
from scipy import sparse

from seamark.plotting.objects import (
    MOST_CURVES,
    MOST_POINTS,
    Cloud,
    Curves,
    DrawingScale,
    Letters,
    Words,
)


@pytest.mark.parametrize(
    ("thing", "domain", "kind"),
    [
        ("abc", "series", Letters),
        (b"abc", "strings", Letters),
        (np.arange(3.0), "series", Curves),
        ([1, 2, 3], "series", Curves),
        (np.ones((2, 5)), "series", Curves),
        (np.ones((2, 5)), "sets", Cloud),
        (np.ones(4), "vectors", Curves),
        (np.ones(4), "objects", Words),
        (3, "vectors", Words),
        ({"a": 1}, "series", Words),
        ([[1], [2, 3]], "sets", Words),
        (np.empty(0), "series", Words),
        (None, "strings", Words),
        (sparse.csr_matrix([[1.0, 0.0]]), "vectors", Words),
    ],
)
def test_objects_look_like_what_they_are(thing, domain, kind):
    assert isinstance(DrawingScale([thing], domain).shape(thing), kind)


def test_all_objects_share_one_scale():
    frame = DrawingScale([np.array([0.0, 1.0]), np.array([5.0, np.nan, -3.0, 2.0])], "series")
    assert frame.limits == (0.0, 3.0, -3.0, 5.0)
    assert DrawingScale(["a"], "strings").limits is None


def test_large_objects_are_thinned_with_their_ends_kept():
    shape = DrawingScale([], "series").shape(np.arange(20_000.0).reshape(10, 2000))
    assert shape.lines.shape == (MOST_CURVES, MOST_POINTS)
    assert shape.lines[0, 0] == 0.0
    assert shape.lines[0, -1] == shape.x[-1] == 1999.0


def test_sets_of_many_dimensions_lie_on_the_plane_of_most_variance(rng):
    plane = np.linalg.qr(rng.normal(size=(7, 2)))[0]
    inside = [rng.normal(size=(n, 2)) * [5.0, 1.0] for n in (4, 9, 30)]
    frame = DrawingScale([points @ plane.T + 3.0 for points in inside], "sets")
    for points in inside:
        drawn = frame.shape(points @ plane.T + 3.0).points
        # Projections keep all distances, since nothing lies off the plane.
        np.testing.assert_allclose(
            np.linalg.norm(drawn[:, None] - drawn, axis=-1),
            np.linalg.norm(points[:, None] - points, axis=-1),
            atol=1e-9,
        )


@pytest.mark.parametrize("points", [[[1.0]], [[1.0, 2.0, 3.0]], [[np.nan, 1.0, 1.0]]])
def test_small_and_odd_sets_are_drawn_in_two_dimensions(points):
    assert DrawingScale([points], "sets").shape(points).points.shape == (1, 2)
