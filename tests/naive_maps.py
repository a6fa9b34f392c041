"""Random features one by one, as the papers define them."""

import math

import numpy as np


def product_column(columns, k, x):
    """Column k of seamark's product columns at one vector x, from its definition."""
    exact, i = len(columns.monomials), int(columns.take[k])
    if i < exact:
        value = math.prod(float(x[j]) for j in columns.monomials[i] if j < len(x))
        return float(columns.scales[k]) * value
    i -= exact
    twin = i // columns.unit * columns.unit
    value = complex(1.0) if columns.unit == 2 else 1.0
    factors = 0
    for W in columns.factors.weights:
        row = twin - (columns.width - len(W))
        if row < 0:
            continue
        factors += 1
        if columns.unit == 2:
            value *= complex(float(W[row] @ x), float(W[row + 1] @ x))
        else:
            value *= float(W[row] @ x)
    if factors and columns.unit == 2 and i > twin:
        return float(columns.scales[k]) * value.imag
    return float(columns.scales[k]) * (value.real if columns.unit == 2 else value)


def product_columns(columns, X):
    return np.array([[product_column(columns, k, x) for k in range(len(columns.take))] for x in X])


def fourier(map, x):
    return [
        math.sqrt(2) * math.cos(float(w @ (x - map.centre_)) + v) / math.sqrt(map.n_components)
        for w, v in zip(map.frequencies_.astype(float), map.phases_, strict=True)
    ]


def arc_cosine(map, x):
    shares = map.weights_.astype(float) @ x
    scale = math.sqrt(2 / map.n_components)
    return [scale * (s**map.order if s > 0 else 0.0) for s in shares]


def best_counts(noise, columns):
    """All ways to share columns out, at least one each: the least Σ noise²/count."""
    if len(noise) == 1:
        return noise[0] ** 2 / columns
    return min(
        noise[0] ** 2 / k + best_counts(noise[1:], columns - k)
        for k in range(1, columns - len(noise) + 2)
    )
