"""
Where does the exon end?
========================

A model of DNA strings under an edit distance knows nothing of positions. Asked where the likeness
to its examples lies, it points at the place that biologists know, in the middle of each string:
most clearly at the letters GT where an exon ends (EI), less so at AG before one begins (IE).
"""

import matplotlib.pyplot as plt
import numpy as np

import seamark as sm
from seamark.datasets import load_splice

splice = load_splice()
labels = splice.target_names[splice.target]
rows = np.random.default_rng(0).permutation(len(labels))
known, new = rows[:900], rows[900:1050]
model = sm.LandmarkClassifier("levenshtein", n_landmarks=300, random_state=0)
model.fit(splice.data[known], labels[known])
print(f"accuracy {model.score(splice.data[new], labels[new]):.2f}")

# %%
# One prediction, as a mixture of landmarks; its lines sum to the score.
explanations = model.explain(splice.data[new])
print(explanations[0])
explanations[0].plot()

# %%
# What each letter adds, summed over all new strings of one predicted class.
fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
for name in ("EI", "IE", "N"):
    whole = np.sum([one.saliency for one in explanations if one.prediction == name], axis=0)
    ax.plot(whole / whole.sum(), label=name)
ax.axvline(29.5, color="grey", linewidth=0.8)
ax.set(xlabel="letter", ylabel="share of what is explained")
ax.legend()
plt.show()
