"""
A function of your own: shopping baskets
========================================

No vectors, no kernel, not even symmetric: *how much of my basket is in yours?* Nothing needs
repair.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

import seamark as sm

rng = np.random.default_rng(0)
SHELVES = {
    "baker": ["flour", "yeast", "butter", "sugar", "eggs", "milk"],
    "barista": ["beans", "milk", "sugar", "filters", "oat milk", "cocoa"],
    "gardener": ["seeds", "soil", "gloves", "twine", "pots", "eggs"],
}
everything = sorted({item for shelf in SHELVES.values() for item in shelf})
people = rng.choice(list(SHELVES), size=400)
baskets = [
    set(rng.choice(SHELVES[who], size=3, replace=False)) | set(rng.choice(everything, size=3))
    for who in people
]


# %%
def contained(mine: set, yours: set) -> float:
    """Share of my basket that is in yours."""
    return len(mine & yours) / len(mine)


measure = sm.measures.Custom(contained, kind="similarity")
model = sm.LandmarkClassifier(measure, n_landmarks=60, random_state=0)
print(f"accuracy {cross_val_score(model, baskets, people, cv=5).mean():.3f}")

# %%
# The matrix an SVM would want is neither symmetric nor positive semidefinite.
K = sm.cross(measure, baskets[:150])
values = np.linalg.eigvalsh((K + K.T).astype(float) / 2)
print(f"asymmetry {np.abs(K - K.T).mean():.3f}, least eigenvalue {values[0]:.2f}")
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.bar(
    range(len(values)),
    values[::-1],
    color=np.where(values[::-1] < 0, "#c0392b", "#0b5d7a"),
    width=1,
)
ax.set(xlabel="rank", ylabel="eigenvalue", title="the symmetrised matrix is no kernel")

# %%
# Few landmarks are enough if they are chosen by what they explain.
small = sm.LandmarkClassifier(
    measure, weighing=sm.Greedy(12, task="classification"), random_state=0
)
print(f"accuracy with 12 landmarks {cross_val_score(small, baskets, people, cv=5).mean():.3f}")
for basket in list(small.fit(baskets, people).landmarks_)[:3]:
    print(sorted(map(str, basket)))
