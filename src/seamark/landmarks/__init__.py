"""Where landmarks come from: a few strategies, one record."""

from .base import (
    NOT_A_ROW,
    STRATEGIES,
    AllColumns,
    AtMost,
    Diverse,
    FarthestFirst,
    Given,
    Landmarks,
    Rows,
    Strategy,
    Stratified,
    Uniform,
    get_strategy,
    groups_in,
    groups_of_bundle,
    interleaved,
    labels_of,
    shared_out,
    spread_out,
)
from .generated import Generated, LandmarkPairs, Mixed, Parts

__all__ = [
    "AllColumns",
    "AtMost",
    "Diverse",
    "FarthestFirst",
    "Generated",
    "Given",
    "LandmarkPairs",
    "Landmarks",
    "Mixed",
    "Parts",
    "Strategy",
    "Stratified",
    "Uniform",
]
