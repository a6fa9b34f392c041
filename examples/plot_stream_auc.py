"""
A stream of strings: ranking by what was seen so far
====================================================

DNA strings arrive one chunk at a time and are gone afterwards; a buffer of 50 of them is all that
is remembered. Still the order of the scores improves with every chunk: watch the area under the ROC
curve on strings that are never learned from.

Run as a script with the path of a PNG file, the picture is drawn anew after every chunk.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

import seamark as sm
from seamark.datasets import load_splice
from seamark.online import AUCClassifier, RSx2

splice = load_splice()
positive = (splice.target == splice.target[0]).astype(int)
order = np.random.default_rng(0).permutation(len(positive))
stream, test = order[:-400], order[-400:]

# %%
# Landmarks are drawn from the first chunk; from then on a string is its distances to these.
bearings = sm.LandmarkMap("levenshtein", n_landmarks=100, random_state=0)
model = AUCClassifier(bearings, buffer=RSx2(50), random_state=0)
path = next((given for given in sys.argv[1:] if given.endswith(".png")), None)

# %%
# ``partial_fit`` takes chunks of any size: how the stream is cut makes no difference. The loss of
# each string against the buffer, before it was learned from, is kept as a by-product.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
seen, areas = [], []
for chunk in np.array_split(stream, max(1, len(stream) // 100)):
    model.partial_fit(splice.data[chunk], positive[chunk], classes=[0, 1])
    scores = model.decision_function(splice.data[test])
    seen.append(model.buffer_.seen_)
    areas.append(roc_auc_score(positive[test], scores))
    left.clear()
    left.plot(seen, areas, ".-", color="#c8553d")
    left.set(xlabel="strings seen", ylabel="AUC on new strings", ylim=(0.5, 1))
    right.clear()
    model.history_.plot(right)
    if path:
        fig.savefig(path, dpi=110)
print(f"{seen[-1]} strings, {len(model.buffer_)} remembered: AUC {areas[0]:.3f} to {areas[-1]:.3f}")
