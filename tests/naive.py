"""Slow textbook definitions: the oracles every fast path is compared with.

Nothing here is clever. Each function takes two objects and returns one number; `cross` loops.
"""

import math

import numpy as np


def cross(f, X, L):
    return np.array([[f(x, lm) for lm in L] for x in X], dtype=np.float64).reshape(len(X), len(L))


def levenshtein(a, b):
    """Wagner–Fischer: fewest insertions, deletions and substitutions that turn a into b."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[len(b)]


def substring(a, part):
    """Smallest Levenshtein distance of a part to any substring of a, each compared on its own."""
    ends = range(len(a) + 1)
    return min(levenshtein(a[i:j], part) for i in ends for j in ends if i <= j)


def sellers(a, part):
    """The same by one matrix whose upper border is 0, for longer strings."""
    row = list(range(len(part) + 1))
    best = row[-1]
    for x in a:
        previous, row[0] = row[0], 0
        for j, y in enumerate(part, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
        best = min(best, row[-1])
    return best


def lcs(a, b):
    """Length of the longest common subsequence."""
    table = np.zeros((len(a) + 1, len(b) + 1), int)
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            longer = max(table[i - 1, j], table[i, j - 1])
            table[i, j] = max(longer, table[i - 1, j - 1] + 1) if x == y else longer
    return int(table[-1, -1])


def osa(a, b):
    """Optimal string alignment: swaps of neighbours, no substring is edited twice."""
    D = np.add.outer(np.arange(len(a) + 1), np.arange(len(b) + 1))
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            equal = a[i - 1] == b[j - 1]
            D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + (not equal))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                D[i, j] = min(D[i, j], D[i - 2, j - 2] + 1)
    return int(D[-1, -1])


def damerau(a, b):
    """Lowrance and Wagner: a swap may have insertions or deletions between its two symbols."""
    n, m = len(a), len(b)
    far = n + m
    D = np.full((n + 2, m + 2), far)
    D[1:, 1] = range(n + 1)
    D[1, 1:] = range(m + 1)
    last_row = {}
    for i in range(1, n + 1):
        last_column = 0
        for j in range(1, m + 1):
            k, left = last_row.get(b[j - 1], 0), last_column
            equal = a[i - 1] == b[j - 1]
            if equal:
                last_column = j
            D[i + 1, j + 1] = min(
                D[i, j] + (not equal),
                D[i + 1, j] + 1,
                D[i, j + 1] + 1,
                D[k, left] + (i - k - 1) + 1 + (j - left - 1),
            )
        last_row[a[i - 1]] = i
    return int(D[-1, -1])


def jaro(a, b):
    """Share of symbols that match near their place, less half of those out of order."""
    if not len(a) and not len(b):
        return 1.0
    wide = max(max(len(a), len(b)) // 2 - 1, 0)
    used, matched = [], []
    for i, x in enumerate(a):
        for j in range(max(0, i - wide), min(len(b), i + wide + 1)):
            if b[j] == x and j not in used:
                used.append(j)
                matched.append(x)
                break
    if not matched:
        return 0.0
    moved = sum(x != b[j] for x, j in zip(matched, sorted(used), strict=True)) // 2
    m = len(matched)
    return (m / len(a) + m / len(b) + (m - moved) / m) / 3


def jaro_winkler(a, b, weight=0.1):
    value = jaro(a, b)
    prefix = 0
    while prefix < min(4, len(a), len(b)) and a[prefix] == b[prefix]:
        prefix += 1
    return value + prefix * weight * (1 - value) if value > 0.7 else value


def band(n, m, window):
    """Cells of the n × m warping matrix a path may visit, as a boolean matrix.

    None: all. An int w: |i − j| ≤ w. A fraction: aeon's Sakoe–Chiba band around the diagonal of
    the rectangle, with thickness int(window · shorter length), for unequal lengths too.
    """
    if window is None or (isinstance(window, float) and window == 1.0):
        return np.ones((n, m), dtype=bool)
    if isinstance(window, int):
        i, j = np.indices((n, m))
        return abs(i - j) <= window
    if n > m:
        return band(m, n, window).T
    inside = np.zeros((n, m), dtype=bool)
    thickness = int(window * n)
    steps = m + 1
    for step in range(steps):
        i = math.floor((step / steps) * n)
        j = math.floor((step / steps) * m)
        inside[max(0, i - thickness) : min(n, i + thickness + 1), j] = True
    return inside


def dtw(x, y, window=None, local="squared", root=True):
    """Warping cost of (channels, time) arrays, cell by cell; inf if the band has no path."""
    x, y = np.atleast_2d(np.asarray(x, np.float64)), np.atleast_2d(np.asarray(y, np.float64))
    n, m = x.shape[1], y.shape[1]
    inside = band(n, m, window)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            if inside[i, j]:
                cost = float(((x[:, i] - y[:, j]) ** 2).sum())
                if local == "euclidean":
                    cost = math.sqrt(cost)
                D[i + 1, j + 1] = cost + min(D[i, j], D[i, j + 1], D[i + 1, j])
    total = float(D[n, m])
    return math.sqrt(total) if root and local == "squared" else total


def subsequence(x, window, flat=1e-3):
    """Least distance of a window to any place of a (channels, time) array, place by place."""
    x = np.atleast_2d(np.asarray(x, np.float64))
    values = np.atleast_2d(np.asarray(window.values, np.float64))
    span = (values.shape[1] - 1) * window.dilation + 1
    own = x
    if window.differenced:
        own = np.diff(x, axis=1) if x.shape[1] > 1 else np.zeros((len(x), 1))
        x = np.concatenate([x, np.repeat(x[:, -1:], span + 1, axis=1)], axis=1)
        x = np.diff(x, axis=1)[:, : max(own.shape[1], span)]
    elif x.shape[1] < span:
        x = np.concatenate([x, np.repeat(x[:, -1:], span - x.shape[1], axis=1)], axis=1)
    best = math.inf
    for place in range(x.shape[1] - span + 1):
        total = 0.0
        for c, given in zip(window.channels, values, strict=True):
            s, w = given, x[c, place : place + span : window.dilation]
            if window.normalised:
                least = max(flat * own[c].std(), 1e-13 * abs(x[c]).max())
                w = (w - w.mean()) / w.std() if w.std() > least else 0 * w
                s = (s - s.mean()) / s.std() if s.std() > 1e-13 * abs(s).max() else 0 * s
            total += float(((w - s) ** 2).sum())
        best = min(best, total)
    return math.sqrt(best)


def znormalise(x):
    """Each channel of a (channels, time) array to mean 0 and deviation 1; a constant to 0."""
    x = np.asarray(x, np.float64)
    mean, sd = x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
    return (x - mean) / np.where(sd > 1e-12 * np.maximum(1.0, abs(mean)), sd, np.inf)


def ground(A, B):
    """Euclidean distances of every vector of A to every vector of B."""
    return np.array([[math.dist(a, b) for b in B] for a in A])


def hausdorff(A, B):
    D = ground(A, B)
    return max(D.min(axis=1).max(), D.min(axis=0).max())


def modified_hausdorff(A, B):
    D = ground(A, B)
    return max(D.min(axis=1).mean(), D.min(axis=0).mean())


def chamfer(A, B):
    D = ground(A, B)
    return D.min(axis=1).mean() + D.min(axis=0).mean()


def member(B, v):
    """Distance of a vector to the nearest of a set."""
    return min(math.dist(b, v) for b in B)


def manhattan(x, y):
    return float(sum(abs(a - b) for a, b in zip(x, y, strict=True)))


def euclidean(x, y):
    return math.dist(x, y)


def sqeuclidean(x, y):
    return float(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))


def dot(x, y):
    return float(sum(a * b for a, b in zip(x, y, strict=True)))


def cosine(x, y):
    norms = math.sqrt(dot(x, x) * dot(y, y))
    return dot(x, y) / norms if norms else 0.0


def gaussian(x, y, width):
    return math.exp(-sqeuclidean(x, y) / (2 * width**2))


def laplacian(x, y, width):
    return math.exp(-manhattan(x, y) / width)


def sigmoid(x, y, gamma, coef0):
    return math.tanh(gamma * dot(x, y) + coef0)


def polynomial(x, y, degree, gamma, coef0):
    return (gamma * dot(x, y) + coef0) ** degree


def exponential(x, y, width):
    return math.exp(dot(x, y) / width**2)


def vovk(x, y, degree=None):
    t = dot(x, y)
    return 1 / (1 - t) if degree is None else sum(t**k for k in range(degree))


def power_series(x, y, coefficients):
    return sum(a * dot(x, y) ** n for n, a in enumerate(coefficients))


def arc_cosine(x, y, order):
    x, y = np.float64(x), np.float64(y)  # an angle of float32 vectors would have four digits
    sizes = math.sqrt(dot(x, x)), math.sqrt(dot(y, y))
    if not all(sizes):
        return 0.0
    theta = math.acos(min(1.0, max(-1.0, dot(x, y) / (sizes[0] * sizes[1]))))
    sine, cosine = math.sin(theta), math.cos(theta)
    angular = [
        math.pi - theta,
        sine + (math.pi - theta) * cosine,
        3 * sine * cosine + (math.pi - theta) * (1 + 2 * cosine**2),
    ]
    return (sizes[0] * sizes[1]) ** order * angular[order] / math.pi
