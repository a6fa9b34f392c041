"""Elastic measures cell by cell, as their papers (or aeon, where it is golden) write them."""

import math

import numpy as np

import naive


def _filled(x, y, window, cell, top, edge, outside=math.inf):
    """The last cell of a matrix whose row 0 and column 0 are its edges."""
    n, m = x.shape[1], y.shape[1]
    inside = naive.band(n, m, window)
    D = np.full((n + 1, m + 1), outside)
    D[0, 0] = 0.0
    for i in range(n):
        if inside[i, 0]:
            D[i + 1, 0] = edge(i)
    for j in range(m):
        if inside[0, j]:
            D[0, j + 1] = top(j)
    for i in range(n):
        for j in range(m):
            if inside[i, j]:
                D[i + 1, j + 1] = cell(i, j, D[i, j], D[i, j + 1], D[i + 1, j])
    return float(D[n, m])


def _series(x):
    return np.atleast_2d(np.asarray(x, np.float64))


def _never(_):
    return math.inf


def _free(_):
    return 0.0


def wdtw(x, y, window=None, g=0.05):
    x, y = _series(x), _series(y)
    middle = max(x.shape[1], y.shape[1]) / 2

    def cell(i, j, diagonal, up, left):
        weight = 1 / (1 + math.exp(-g * (abs(i - j) - middle)))
        return weight * ((x[:, i] - y[:, j]) ** 2).sum() + min(diagonal, up, left)

    return _filled(x, y, window, cell, _never, _never)


def adtw(x, y, window=None, warp_penalty=1.0):
    x, y = _series(x), _series(y)

    def cell(i, j, diagonal, up, left):
        return ((x[:, i] - y[:, j]) ** 2).sum() + min(diagonal, min(up, left) + warp_penalty)

    return _filled(x, y, window, cell, _never, _never)


def ddtw(x, y, window=None):
    return naive.dtw(slopes(_series(x)), slopes(_series(y)), window, root=False)


def slopes(x):
    if x.shape[1] < 3:
        return x[:, -1:] - x[:, :1]
    return np.array(
        [
            [((c[i] - c[i - 1]) + (c[i + 1] - c[i - 1]) / 2) / 2 for i in range(1, len(c) - 1)]
            for c in x
        ]
    )


def erp(x, y, window=None, g=0.0):
    x, y = _series(x), _series(y)
    gap_x, gap_y = np.linalg.norm(x - g, axis=0), np.linalg.norm(y - g, axis=0)

    def cell(i, j, diagonal, up, left):
        both = diagonal + np.linalg.norm(x[:, i] - y[:, j])
        return min(both, up + gap_x[i], left + gap_y[j])

    return _filled(
        x, y, window, cell, lambda j: gap_y[: j + 1].sum(), lambda i: gap_x[: i + 1].sum()
    )


def edr(x, y, window=None, epsilon=None):
    x, y = _series(x), _series(y)
    limit = max(x.std(), y.std()) / 4 if epsilon is None else epsilon

    def cell(i, j, diagonal, up, left):
        d = np.linalg.norm(x[:, i] - y[:, j])
        return min(diagonal + (not (d < limit or d == 0)), up + 1, left + 1)

    return _filled(x, y, window, cell, _free, _free) / max(x.shape[1], y.shape[1])


def lcss(x, y, window=None, epsilon=1.0):
    x, y = _series(x), _series(y)

    def cell(i, j, diagonal, up, left):
        match = np.linalg.norm(x[:, i] - y[:, j]) <= epsilon
        return diagonal + 1 if match else max(up, left)

    count = _filled(x, y, window, cell, _free, _free, outside=0.0)
    return 1 - count / min(x.shape[1], y.shape[1])


def msm(x, y, window=None, c=1.0):
    pairs = zip(_series(x), _series(y), strict=True)
    return sum(_msm_of_one(a[None], b[None], window, c) for a, b in pairs)


def _msm_of_one(x, y, window, c):
    def cost(new, beside, other):
        if beside <= new <= other or beside >= new >= other:
            return c
        return c + min(abs(new - beside), abs(new - other))

    def cell(i, j, diagonal, up, left):
        a, b = x[0, i], y[0, j]
        split = up + cost(a, x[0, i - 1], b) if i else math.inf
        merge = left + cost(b, y[0, j - 1], a) if j else math.inf
        return min(diagonal + abs(a - b), split, merge)

    return _filled(x, y, window, cell, _never, _never)


def twe(x, y, window=None, nu=0.001, lmbda=1.0):
    start = np.zeros((_series(x).shape[0], 1))
    x, y = np.hstack([start, _series(x)]), np.hstack([start, _series(y)])

    def cell(i, j, diagonal, up, left):
        now = np.linalg.norm(x[:, i + 1] - y[:, j + 1])
        last = np.linalg.norm(x[:, i] - y[:, j])
        in_x = up + np.linalg.norm(x[:, i + 1] - x[:, i]) + nu + lmbda
        in_y = left + np.linalg.norm(y[:, j + 1] - y[:, j]) + nu + lmbda
        return min(diagonal + now + last + 2 * nu * abs(i - j), in_x, in_y)

    return _filled(x[:, 1:], y[:, 1:], window, cell, _never, _never)
