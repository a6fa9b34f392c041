"""
Names: in which language is a country called so?
================================================

*Norwegen*, *Norsko*, *Norja*, *Norveç*: short strings, full of accents, and no two languages quite
alike. The names come from the Unicode CLDR, by way of Babel; those that several languages share are
left out, and countries that are asked about were never seen in any language.
"""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from babel import Locale
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import GroupShuffleSplit

import seamark as sm

LANGUAGES = ["cs", "de", "es", "fi", "fr", "hu", "it", "nl", "pl", "tr"]
rows = [
    (name, Locale(language).english_name, country)
    for language in LANGUAGES
    for country, name in sorted(Locale(language).territories.items())
    if len(country) == 2
]
times = Counter(name for name, _, _ in rows)
rows = [row for row in rows if times[row[0]] == 1]
names, labels, countries = (np.array(column) for column in zip(*rows, strict=True))
[(train, test)] = GroupShuffleSplit(1, test_size=0.3, random_state=0).split(names, groups=countries)
print(len(names), "names of", len(set(countries)), "countries:", ", ".join(names[:4]))

# %%
# The default offers several measures of strings, and keeps those that help.
model = sm.LandmarkClassifier(random_state=0).fit(names[train], labels[train])
print(f"accuracy {model.score(names[test], labels[test]):.2f}, one of {len(LANGUAGES)} languages")
for block, weight in zip(model.map_.maps_, model.measure_weights_, strict=True):
    print(f"{weight:.2f}  {block.measure}")

# %%
# Languages of one family are confused most.
fig, ax = plt.subplots(figsize=(7.5, 6), layout="constrained")
ConfusionMatrixDisplay.from_predictions(
    labels[test], model.predict(names[test]), ax=ax, cmap="Blues", colorbar=False
)
ax.tick_params(axis="x", rotation=60)
ax.set(xlabel="predicted", ylabel="written in")

# %%
# Why? The examples of which the model is reminded.
print(model.explain(names[test][0], n_landmarks=4))
