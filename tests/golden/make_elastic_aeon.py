"""Make elastic_aeon.json: values of aeon for the elastic family, equal and unequal lengths, bands.

ERP is left out: aeon's is not the textbook's. Run with aeon installed:
python tests/golden/make_elastic_aeon.py
"""

import json
from pathlib import Path

import aeon
import numpy as np
from aeon import distances

LENGTHS = [(12, 12), (25, 25), (3, 6), (9, 3), (7, 20), (20, 7), (23, 29), (40, 5)]
MEASURES = {
    "msm": [{}, {"c": 0.1}],
    "twe": [{}, {"nu": 0.1, "lmbda": 0.5}],
    "edr": [{}, {"epsilon": 0.7}],
    "lcss": [{"epsilon": 0.3}],
    "wdtw": [{}, {"g": 0.3}],
    "adtw": [{}, {"warp_penalty": 0.1}],
    "ddtw": [{}],
}
WINDOWS = [None, 0.1, 0.34]


def main():
    rng = np.random.default_rng(20261116)
    cases = []
    for channels in (1, 2):
        for n, m in LENGTHS:
            # Multiples of 1/8 are exact in float32 and short in JSON.
            x = np.round(rng.standard_normal((channels, n)) * 8) / 8
            y = np.round(rng.standard_normal((channels, m)) * 8) / 8
            values = []
            for name, choices in MEASURES.items():
                distance = getattr(distances, f"{name}_distance")
                values += [
                    [name, {**params, "window": w}, float(distance(x, y, window=w, **params))]
                    for params in choices
                    for w in WINDOWS
                ]
            cases.append({"x": x.tolist(), "y": y.tolist(), "values": values})
    made = {
        "provenance": f"aeon {aeon.__version__}, aeon.distances.<name>_distance(x, y, **params); "
        "x and y are (channels, time), from numpy default_rng(20261116) rounded to 1/8; made by "
        "make_elastic_aeon.py",
        "cases": cases,
    }
    text = json.dumps(made).replace('{"x"', '\n{"x"')
    Path(__file__).with_name("elastic_aeon.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
