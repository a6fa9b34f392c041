"""
Duplicates and links: the same country in two languages
=======================================================

Two tables name the same things, and spell them differently: here the countries in Danish and in
Swedish, from the Unicode CLDR by way of Babel. Which rows belong together? Their codes say how well
it went, and are not looked at.
"""

import matplotlib.pyplot as plt
from babel import Locale

import seamark as sm

danish, swedish = (
    {code: name for code, name in Locale(language).territories.items() if len(code) == 2}
    for language in ("da", "sv")
)
codes = sorted(danish.keys() & swedish.keys())
left, right = [danish[code] for code in codes], [swedish[code] for code in codes]
same = sum(a == b for a, b in zip(left, right, strict=True))
print(f"{len(codes)} countries, {same} spelled alike")

# %%
# All pairs within so many letters of each other, exactly, without comparing everything.
found = {within: sm.link(left, right, within=within) for within in range(5)}
print(found[2])

# %%
# A wider net finds more, and more that is not true.
print("within  found  right  precision  recall")
curve = []
for within, links in found.items():
    pairs = links.to_frame()
    right_ones = int((pairs["left"] == pairs["right"]).sum())
    curve.append((right_ones / len(codes), right_ones / len(pairs)))
    recall, precision = curve[-1]
    print(f"{within:6}  {len(pairs):5}  {right_ones:5}  {precision:9.2f}  {recall:6.2f}")

# %%
# Shares of letters in place of counts, so that long names may differ more.
whole = sm.measures.Levenshtein().normalised()
other = []
for share in (0.05, 0.1, 0.2, 0.3, 0.4):
    pairs = sm.link(left, right, whole, within=share).to_frame()
    right_ones = int((pairs["left"] == pairs["right"]).sum())
    other.append((right_ones / len(codes), right_ones / len(pairs)))
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(*zip(*curve, strict=True), "o-", label="within so many letters")
ax.plot(*zip(*other, strict=True), "x--", label="within a share of letters")
ax.set(
    xlabel="recall",
    ylabel="precision",
    ylim=(0, 1.05),
    title="links between two lists of countries",
)
ax.legend(frameon=False)
