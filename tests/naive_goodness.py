"""Slow textbook definitions of goodness: loops over objects, classes and references."""

import itertools

import numpy as np


def strong_margin(values, label, reference):
    """Mean over one's own class minus the largest mean over another, of one row of values."""
    means = {
        c: np.mean([v for v, r in zip(values, reference, strict=True) if r == c])
        for c in set(reference)
    }
    return means[label] - max(mean for c, mean in means.items() if c != label)


def weak(K, labels, reference):
    same, other = [], []
    for i, j in itertools.product(range(len(labels)), range(len(reference))):
        (same if labels[i] == reference[j] else other).append(K[i][j])
    return np.mean(same) - np.mean(other)


def margin(values, label, reference, w):
    """E[y y′ w K] for two classes, Definition 8."""
    signs = [1 if r == label else -1 for r in reference]
    return np.mean([s * wj * v for s, wj, v in zip(signs, w, values, strict=True)])


def margin_of_several(values, label, reference, w):
    """Definition 10: conditional means of w K, own class against the nearest other."""
    return strong_margin([wj * v for wj, v in zip(w, values, strict=True)], label, reference)


def margin_of_pairs(values, label, reference, pairs, w, slope):
    """Definition 4.1 of the thesis: mean of w f(K(x, x′) − K(x, x″)), x′ like x and x″ not."""
    found = []
    for (i, j), wk in zip(pairs, w, strict=True):
        if label in (reference[i], reference[j]):
            own, other = (i, j) if reference[i] == label else (j, i)
            found.append(wk * min(1.0, max(-1.0, slope * (values[own] - values[other]))))
    return np.mean(found)


def triangle_violations(D):
    n = len(D)
    triples = list(itertools.permutations(range(n), 3))
    return np.mean([D[i][k] > D[i][j] + D[j][k] + 1e-9 for i, j, k in triples])


def asymmetry(S):
    pairs = list(itertools.permutations(range(len(S)), 2))
    return np.mean([abs(S[i][j] - S[j][i]) / 2 for i, j in pairs]) / np.ptp(S)
