"""Make substring_edlib.json: infix edit distances of edlib (mode HW), short and long, any alphabet.

Run with edlib installed: python tests/golden/make_substring_edlib.py
"""

import json
from importlib.metadata import version
from pathlib import Path

import edlib
import numpy as np

ALPHABETS = ["ab", "acgt", "abcdefghijklmnopqrstuvwxyz", "abéλ語🐟"]
LENGTHS = [1, 2, 3, 5, 8, 9, 16, 17, 31, 33, 64, 65, 130]


def words(alphabet, lengths, rng):
    return ["".join(rng.choice(list(alphabet), size=length)) for length in lengths]


def main():
    rng = np.random.default_rng(20261116)
    cases = []
    for alphabet in ALPHABETS:
        texts = words(alphabet, (1, 2, 7, 12, 40, 90, 200), rng)
        parts = [*words(alphabet, LENGTHS, rng), texts[5][11:50], texts[6][3:9]]
        values = [
            [edlib.align(part, text, mode="HW")["editDistance"] for part in parts] for text in texts
        ]
        cases.append({"texts": texts, "parts": parts, "values": values})
    made = {
        "provenance": f"edlib {version('edlib')}, align(part, text, mode='HW')['editDistance']; "
        "strings from numpy default_rng(20261116); made by make_substring_edlib.py",
        "cases": cases,
    }
    text = json.dumps(made).replace('{"texts"', '\n{"texts"')
    Path(__file__).with_name("substring_edlib.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
