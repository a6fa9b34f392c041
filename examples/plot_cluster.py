"""
A cluster: the same fit, on workers
===================================

Rows that lie on workers of a Dask cluster stay there: landmarks go out, sums come home. The model
is the same, to rounding, as one that was fitted here. This cluster is two threads of one process,
so that the example runs anywhere; ``Client("tcp://…")`` would be a real one.
"""

import dask.bag as db
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client

import seamark as sm

dna = sm.datasets.load_splice()
rows = np.random.default_rng(0).permutation(len(dna.data))
train, test = rows[:2400], rows[2400:]
site = dna.target_names[dna.target]
client = Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
bag = db.from_sequence([str(one) for one in dna.data[train]], npartitions=8)

# %%
# ``hashed_from`` is how many rows are looked at before landmarks are chosen; with 100,000 rows or
# more there is no need to say it. Everything after that is one pass over the partitions.
local, spread = {}, {}
with sm.engine.using(hashed_from=500):
    for n in (50, 150, 450):
        model = sm.LandmarkClassifier("levenshtein", n_landmarks=n, random_state=0)
        spread[n] = model.fit(bag, site[train])
        model = sm.LandmarkClassifier("levenshtein", n_landmarks=n, random_state=0)
        local[n] = model.fit(dna.data[train], site[train])
        apart = np.abs(spread[n].head_.coef_ - local[n].head_.coef_).max()
        print(f"{n:3} landmarks: coefficients differ by {apart:.0e}")
client.close()

# %%
# A model from a cluster is a model like any other.
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for name, models, style in (("fitted here", local, "o-"), ("on workers", spread, "x--")):
    scores = [model.score(dna.data[test], site[test]) for model in models.values()]
    ax.semilogx(list(models), scores, style, label=name)
    print(f"{name:12}", *(f"{score:.3f}" for score in scores))
ax.set(xlabel="landmarks", ylabel="accuracy on new strings")
ax.legend(frameon=False)
