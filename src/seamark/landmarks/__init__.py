"""Where landmarks come from: a few strategies, one record."""

from .at_most import AtMost
from .base import (
    NOT_A_ROW,
    Everything,
    Landmarks,
    Rows,
    Strategy,
    Stratified,
    Uniform,
    by_class,
    groups_in,
    groups_of_bundle,
    interleaved,
    labels_of,
    shared_out,
    shuffled,
)
from .diverse import Diverse, FarthestFirst, spread_out
from .generated import Generated, Mixed
from .given import AllColumns, Given
from .names import STRATEGIES, get_strategy
from .pairs import Pairs
from .parts import Parts

__all__ = [
    "AllColumns",
    "AtMost",
    "Diverse",
    "Everything",
    "FarthestFirst",
    "Generated",
    "Given",
    "Landmarks",
    "Mixed",
    "Pairs",
    "Parts",
    "Strategy",
    "Stratified",
    "Uniform",
]
