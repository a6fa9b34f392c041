"""
Bags: which shape of the molecule smells?
=========================================

A molecule bends into several shapes, and smells of musk if any of them fits the nose. Only the
molecule is labelled. A measure whose landmarks are single shapes asks of each bag: is one of yours
like this?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_predict

import seamark as sm

musk = sm.datasets.load_musk()
X, y = musk.data, musk.target_names[musk.target]
sizes = np.array([len(bag) for bag in X])
print(
    f"{len(X)} molecules of {sizes.min()} to {sizes.max()} shapes, {np.mean(musk.target):.0%} musk"
)

# %%
# Bags as wholes, and bags by their members.
scores = {}
for measure in ("hausdorff", "modified_hausdorff", "chamfer", "member", "auto"):
    model = sm.LandmarkClassifier(measure, random_state=0)
    scores[measure] = float(np.mean(cross_val_predict(model, X, y, cv=10) == y))
    print(f"{scores[measure]:.2f}  {measure}")

# %%
# Bags that are near each other in a plane; medoids carry their row's number.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.barh(list(scores), list(scores.values()), color="#0b5d7a")
left.set(xlabel="accuracy, ten folds", xlim=(0, 1))
seen = sm.LandmarkMap("modified_hausdorff", transfer="whitening", random_state=0).fit_transform(X)
for name, colour in (("musk", "#c8553d"), ("not", "#0b5d7a")):
    some = (musk.target == 1) == (name == "musk")
    right.scatter(*seen[some, :2].T, s=3 * sizes[some] + 8, color=colour, alpha=0.7, label=name)
right.set(xlabel="first axis", ylabel="second axis", title="size: how many shapes")
right.legend(frameon=False)
