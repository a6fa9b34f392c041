"""
Graphs: whose code is this?
===========================

The syntax tree of a function is a graph with nodes *If*, *Call*, *Return*, … Without a single name
or word, which library does a function come from? The graphs are real ones that everyone has: those
of installed libraries.
"""

import ast
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import scipy
import sklearn
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

import seamark as sm

LIBRARIES = {
    "matplotlib": matplotlib,
    "scipy.sparse": scipy.sparse,
    "scikit-learn": sklearn.linear_model,
}
SHOWN = 250  # functions of each


# %%
def tree(function):
    """Edges and labels of a syntax tree."""
    nodes = list(ast.walk(function))
    number = {id(node): k for k, node in enumerate(nodes)}
    edges = [(number[id(a)], number[id(b)]) for a in nodes for b in ast.iter_child_nodes(a)]
    return edges, [type(node).__name__ for node in nodes]


graphs, labels = [], []
for name, library in LIBRARIES.items():
    for path in sorted(Path(library.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and 3 <= len(node.body) <= 30:
                graphs.append(tree(node))
                labels.append(name)
labels = np.array(labels)
rng = np.random.default_rng(0)
rows = np.concatenate(
    [rng.permutation(np.flatnonzero(labels == name))[:SHOWN] for name in LIBRARIES]
)
print(len(rows), "functions; nodes of the largest:", max(len(graphs[row][1]) for row in rows))

# %%
# Neighbourhoods up to one, two, three steps away.
train, test = train_test_split(rows, stratify=labels[rows], random_state=0)
for h in (1, 2, 3):
    model = sm.LandmarkClassifier(sm.measures.WeisfeilerLehman(h=h), random_state=0)
    model.fit([graphs[row] for row in train], labels[train])
    score = model.score([graphs[row] for row in test], labels[test])
    print(f"{h} steps: accuracy {score:.2f}, by chance {1 / len(LIBRARIES):.2f}")

# %%
fig, ax = plt.subplots(figsize=(5.5, 4.2), layout="constrained")
said = model.predict([graphs[row] for row in test])
ConfusionMatrixDisplay.from_predictions(labels[test], said, ax=ax, cmap="Blues", colorbar=False)
ax.set(xlabel="predicted", ylabel="written for")
