"""
Which similarity? Ask before training
=====================================

Three ways to compare DNA strings, judged on held-out objects before anything is trained: an edit
distance, the difference of letter counts, and one that looks at lengths only.
"""

import numpy as np

import seamark as sm
from seamark.datasets import load_splice

splice = load_splice()
rows = np.random.default_rng(0).permutation(len(splice.data))[:1200]
X, y = splice.data[rows], splice.target_names[splice.target[rows]]


# %%
# A measure is anything that compares two objects; also one that cannot work here.
def same_length(a: str, b: str) -> float:
    """Strings of this set all have 60 letters."""
    return float(abs(len(a) - len(b)))


def same_composition(a: str, b: str) -> float:
    """Difference of letter counts, whatever their order."""
    return float(sum(abs(a.count(letter) - b.count(letter)) for letter in "ACGT"))


found = sm.assess(
    [
        "levenshtein",
        sm.measures.Custom(same_composition, kind="distance", symmetric=True),
        sm.measures.Custom(same_length, kind="distance", symmetric=True),
    ],
    X,
    y,
    budget=300_000,
    random_state=0,
)
print(found)
found.plot()

# %%
# The best one, in words and in numbers.
print(found[0])

# %%
# And as pictures. ``found.to_html("report.html")`` writes all of it as one page.
found[0].plot()
