"""
Series: who is speaking?
========================

Twelve channels of a spoken vowel, of unequal lengths, compared by dynamic time warping. Random
series, which look like nothing in particular, serve as landmarks as well as spoken ones.
"""

import matplotlib.pyplot as plt

import seamark as sm
from seamark.datasets import load_vowels

vowels = load_vowels()
train, test = vowels.split == 0, vowels.split == 1

# %%
# Landmarks from the training data, and landmarks generated at random (D2KE).
for name, landmarks in (("training series", "stratified"), ("random series", "generated")):
    model = sm.LandmarkClassifier("dtw", n_landmarks=256, landmarks=landmarks, random_state=0)
    model.fit(vowels.data[train], vowels.target[train])
    score = model.score(vowels.data[test], vowels.target[test])
    print(f"{name:16} {score:.3f} with {model.n_evaluations_} warpings")

# %%
# A random series is short, so that a warping costs little.
fig, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
axes[0].plot(vowels.data[0].T, lw=1)
axes[0].set_title("a spoken vowel")
axes[1].plot(model.landmarks_[0].T, lw=1)
axes[1].set_title("a random landmark")
for ax in axes:
    ax.set_xlabel("time")
