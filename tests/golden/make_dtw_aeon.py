"""Make dtw_aeon.json: path costs of aeon for Sakoe–Chiba bands, equal and unequal lengths.

Run with aeon installed: python tests/golden/make_dtw_aeon.py
"""

import json
from pathlib import Path

import aeon
import numpy as np
from aeon.distances import dtw_distance

LENGTHS = [(12, 12), (30, 30), (1, 1), (1, 6), (9, 1), (7, 20), (20, 7), (23, 29), (29, 23)]
LENGTHS += [(50, 3), (3, 50), (37, 40)]
WINDOWS = [0.0, 0.05, 0.1, 0.2, 0.34, 0.5, 0.9, 1.0]


def main():
    rng = np.random.default_rng(20240501)
    cases = []
    for channels in (1, 3):
        for n, m in LENGTHS:
            # Multiples of 1/8 are exact in float32 and short in JSON.
            x = np.round(rng.standard_normal((channels, n)) * 8) / 8
            y = np.round(rng.standard_normal((channels, m)) * 8) / 8
            costs = {str(w): float(dtw_distance(x, y, window=w)) for w in WINDOWS}
            cases.append({"x": x.tolist(), "y": y.tolist(), "costs": costs})
    made = {
        "provenance": f"aeon {aeon.__version__}, aeon.distances.dtw_distance(x, y, window=w): "
        "squared local cost, no root; x and y are (channels, time), from numpy "
        "default_rng(20240501) rounded to 1/8; made by make_dtw_aeon.py",
        "cases": cases,
    }
    text = json.dumps(made).replace('{"x"', '\n{"x"')
    Path(__file__).with_name("dtw_aeon.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
