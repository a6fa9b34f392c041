"""
A table with text and numbers: where does it belong?
====================================================

A shop sorts products into departments by a name, a description and a few numbers. Here the shelves
are the modules of scikit-learn, and the products its public functions and classes: a real table
that everyone has. Columns are read by what they hold, and each is worth what it adds.
"""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.utils.discovery import all_estimators, all_functions

import seamark as sm


# %%
def described(name, one):
    """One row: a name, a sentence, and three numbers."""
    text = inspect.getdoc(one) or ""
    return {
        "name": name,
        "sentence": text.partition("\n")[0],
        "parameters": len(inspect.signature(one).parameters),
        "lines of text": text.count("\n"),
        "is a class": inspect.isclass(one),
        "shelf": one.__module__.split(".")[1],
    }


table = pd.DataFrame(described(*pair) for pair in [*all_estimators(), *all_functions()])
shelves = table["shelf"].value_counts()
table = table[table["shelf"].isin(shelves[shelves >= 20].index)]
print(table.drop(columns="sentence").head(4).to_string(index=False))

# %%
# One call. The same columns, one by one, for comparison.
X, y = table.drop(columns="shelf"), table["shelf"]
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = sm.LandmarkClassifier(random_state=0).fit(X_train, y_train)
scores = {"all columns": model.score(X_test, y_test)}
for column in ("name", "sentence", "parameters"):
    one = sm.LandmarkClassifier(random_state=0).fit(X_train[[column]], y_train)
    scores[column] = one.score(X_test[[column]], y_test)
scores["a constant"] = np.mean(y_test == y_train.mode()[0])
for what, score in scores.items():
    print(f"{score:.2f}  {what}")

# %%
fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.barh(list(scores), list(scores.values()), color=["#c8553d"] + 4 * ["#0b5d7a"])
ax.invert_yaxis()
ax.set(xlabel=f"accuracy, {y.nunique()} shelves", xlim=(0, 1))

# %%
# What a single row is put on its shelf for.
print(model.explain(X_test[:1], n_landmarks=3)[0])
