"""
Strings: where does the exon end?
=================================

Sixty letters of DNA around a place where genes may be cut. An edit distance, landmarks, a linear
model; then what the model learned, landmark by landmark.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import seamark as sm
from seamark.baselines import NearestNeighboursClassifier
from seamark.datasets import load_splice

splice = load_splice()
labels = splice.target_names[splice.target]
X_train, X_test, y_train, y_test = train_test_split(
    splice.data, labels, test_size=0.3, stratify=labels, random_state=0
)

# %%
# Out of the box: transfer and penalty are chosen by cross-validation on distances that are computed
# once.
model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(X_train, y_train)
nearest = NearestNeighboursClassifier("levenshtein").fit(X_train, y_train)
print(f"landmarks          {model.score(X_test, y_test):.3f}")
print(f"nearest neighbour  {nearest.score(X_test, y_test):.3f}")

# %%
# Why this answer?
print(X_test[0])
print(model.explain(X_test[:1], n_landmarks=3)[0])

# %%
# How many landmarks are enough? Cost is linear in their number.
sizes = [10, 30, 100, 300, 1000]
scores = [
    sm.LandmarkClassifier("levenshtein", n_landmarks=n, random_state=0)
    .fit(X_train, y_train)
    .score(X_test, y_test)
    for n in sizes
]
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.semilogx(sizes, scores, "o-", label="landmarks")
ax.axhline(nearest.score(X_test, y_test), color="0.5", ls="--", label="nearest neighbour")
ax.set(xlabel="landmarks", ylabel="accuracy", ylim=(0.5, 1))
ax.legend(frameon=False)

# %%
# Probabilities are calibrated on the folds: of answers given 90 %, about 90 % should be right.
sure = model.predict_proba(X_test).max(axis=1)
right = model.predict(X_test) == y_test
for low in (0.5, 0.7, 0.9):
    some = (sure >= low) & (sure < low + 0.2)
    said, was = np.mean(sure[some]), np.mean(right[some])
    print(f"{low:.1f} to {min(1, low + 0.2):.1f}: said {said:.2f}, was {was:.2f}")
