"""
Few landmarks, well chosen
==========================

Random strings as landmarks are cheap, and most of them are useless. Choosing among ten thousand by
what they tell about the labels leaves a few that do the work of many.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

import seamark as sm
from seamark.datasets import load_splice

splice = load_splice()
X_train, X_test, y_train, y_test = train_test_split(
    splice.data, splice.target, train_size=1000, stratify=splice.target, random_state=0
)

# %%
# The same number of landmarks: drawn at random, generated at random, learned.
sizes = [8, 32, 128]
ways = {
    "training strings": {"landmarks": "stratified"},
    "random strings": {"landmarks": "generated"},
    "learned": {"weighing": "learned"},
}
scores = {
    name: [
        sm.LandmarkClassifier("levenshtein", n_landmarks=n, random_state=0, **parts)
        .fit(X_train, y_train)
        .score(X_test, y_test)
        for n in sizes
    ]
    for name, parts in ways.items()
}
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, values in scores.items():
    print(f"{name:18}", *(f"{n}: {value:.3f}" for n, value in zip(sizes, values, strict=True)))
    ax.semilogx(sizes, values, "o-", label=name)
ax.set(xlabel="landmarks", ylabel="accuracy")
ax.legend(frameon=False)

# %%
# Several measures at once: which one was worth it?
model = sm.LandmarkClassifier(
    ["levenshtein", sm.measures.Custom(lambda a, b: abs(a.count("G") - b.count("G")), "distance")],
    weighing="aligned",
    n_landmarks=200,
    random_state=0,
).fit(X_train, y_train)
for measure, weight in zip(("edit distance", "count of G"), model.measure_weights_, strict=True):
    print(f"{measure:14} {weight:.2f}")
