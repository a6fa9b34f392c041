"""Presets: published methods as choices of parts, tuned the way their papers tune.

Every preset takes a measure (or its name, or a callable), the number of landmarks and a
`random_state`; whatever else a model's constructor takes may be given by name, and replaces what
the preset says; a `head` of your own comes with cross-validated tuning unless you say `tune` too.
What is returned is an estimator like any other, whose parts can be read and set.

Where a paper needs a similarity, a distance is negated; a measure that does not say which it is is
taken as it comes. Penalties, slopes and γ are chosen on a share of rows held out, and the winner is
fitted to all rows (`seamark.tuning.HeldOut`); values of the measure are computed once for all.

Two things differ from all the prints. Features are standardised before scikit-learn's heads, so
that factors such as 1/√R cancel, and the printed grid C ∈ {1, 10, 100, 1000}, which belongs to
features of norm about 1, is divided by R. And landmarks, which are training objects, remain among
the objects that the head is fitted to, as the papers themselves allow ("double dipping").
"""

from .classification import bbs, bbs_d, dboost, ftune, ftune_m
from .embeddings import d2ke, rsm
from .parts import as_similarity
from .supervised import orland, rank, regland, regland_sp

__all__ = [
    "as_similarity",
    "bbs",
    "bbs_d",
    "d2ke",
    "dboost",
    "ftune",
    "ftune_m",
    "orland",
    "rank",
    "regland",
    "regland_sp",
    "rsm",
]
