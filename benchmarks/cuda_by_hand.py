"""The fit of `cuda_fit`, written out for one job: what the models may be held against."""

from __future__ import annotations

import time

import numpy as np

import seamark as sm
from benchmarks import cuda_fit
from seamark.datasets import load
from seamark.engine.cuda.strings import LevenshteinPlan


def encoder(alphabet):
    """A function from symbols, as bytes, to codes; symbols of no landmark share one."""
    table = np.full(256, len(alphabet), np.uint8)
    table[alphabet] = np.arange(len(alphabet))
    table = table.tobytes()
    return lambda symbols: np.frombuffer(symbols.tobytes().translate(table), np.uint8)


def fit_of(device, X, y, n_landmarks, seed, n_streams):
    """Fit strings that are ingested; returns what is fitted."""
    some = X[:100_000]  # enough to know the alphabet
    L = sm.data.strings.draw(n_landmarks, np.random.default_rng(seed), like=some, sizes=(2, 50))
    alphabet, codes = np.unique(L.flat, return_inverse=True)

    def plan():
        offsets = L.offsets - L.offsets[0]
        return LevenshteinPlan(device, codes.astype(np.int32), offsets, len(alphabet))

    rows = X.flat, X.offsets - X.offsets[0]
    return cuda_fit.fit(
        device,
        plan,
        *rows,
        y,
        n_classes=10,
        encode=encoder(alphabet),
        seed=seed,
        n_streams=n_streams,
    )


def milliseconds(fitted):
    return ", ".join(f"{name} {1e3 * s:.0f}" for name, s in fitted.clock.parts.items())


def digits_fit(device, table, data, runs):
    table.add("## The same fit written out by hand (`benchmarks/cuda_fit.py`)", "")
    digits = load("strings/mnist_chain8", folder=data)
    X = sm.data.strings.ingest(digits.data)
    train, test = X[digits.split == 0], X[digits.split == 1]
    y = np.searchsorted(np.unique(digits.target), digits.target)
    y_train, y_test = y[digits.split == 0], y[digits.split == 1]
    for seed in (0, 0, 1)[:runs]:
        start = time.perf_counter()
        fitted = fit_of(device, train, y_train, 4096, seed, 5)
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        rows = test.flat, test.offsets - test.offsets[0]
        accuracy = float((fitted.predict(device, *rows) == y_test).mean())
        predict = time.perf_counter() - start
        table.add(
            f"- seed {seed}: fit **{seconds:.2f} s**, predict 10,000 **{1e3 * predict:.0f} ms**, "
            f"accuracy **{accuracy:.4f}**, γ {fitted.gamma:.3g}, penalty {fitted.penalty:.2g} (ms: "
            f"{milliseconds(fitted)})"
        )
        del fitted
    device.release()
    table.add("")
