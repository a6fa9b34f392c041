"""
Gestures: a digit as the pen draws it
=====================================

Eight points that a pen went through. People differ in pace and slant, so points are aligned before
they are compared. A thousand digits of some writers are seen, and new ones are by other writers.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import seamark as sm

folder = next(path for path in (Path("data"), Path("examples/data")) if path.is_dir())
pens = sm.datasets.load("series/pens", folder=folder)
train, test = pens.split == 0, pens.split == 1
X, y = pens.data[train], pens.target[train]

# %%
# Three ways to compare two strokes.
new, truth = pens.data[test], pens.target[test]
for measure in ("dtw", sm.measures.DTW(window=0.2), "msm"):
    model = sm.LandmarkClassifier(measure, random_state=0).fit(X, y)
    nearest = sm.baselines.NearestNeighboursClassifier(measure).fit(X, y)
    print(
        f"{measure!s:18} landmarks {model.score(new, truth):.3f}, "
        f"nearest neighbour {nearest.score(new, truth):.3f}"
    )

# %%
# How sure is it? Below, those of which the model was most surely wrong, and what it took them for.
model = sm.LandmarkClassifier("dtw", random_state=0).fit(X, y)
chances = model.predict_proba(new)
said = chances.argmax(axis=1)
wrong = np.flatnonzero(said != truth)
wrong = wrong[np.argsort(-chances[wrong, said[wrong]])][:8]
fig, axes = plt.subplots(2, 4, figsize=(8, 4.4), layout="constrained")
for ax, row in zip(axes.flat, wrong, strict=True):
    across, up = new[row]
    ax.plot(across, up, "-", color="#0b5d7a", lw=2)
    ax.plot(across[0], up[0], "o", color="#c8553d")
    ax.set_title(f"{truth[row]} taken for {said[row]} ({chances[row, said[row]]:.0%})", fontsize=9)
    ax.set(xlim=(-8, 108), ylim=(-8, 108), aspect="equal")
    ax.axis("off")
fig.suptitle("a dot is where the pen came down")
