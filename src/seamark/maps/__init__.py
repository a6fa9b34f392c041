"""Maps: objects in, features out."""

from .base import Map
from .boosting import BoostedScores
from .columns import DateParts, GapFilling, NumericColumns
from .convolution import RandomConvolution
from .features import ComputedFeatures
from .forest import ForestScores
from .fourier import ArcCosine, Coordinates, RandomFourier
from .landmark import LandmarkMap, unscaled
from .maclaurin import RandomMaclaurin, compositional_size, maclaurin_size
from .missing import MissingShares, WithGaps
from .scores import BagScores
from .union import MapUnion
from .value_cache import CachedFeatures

__all__ = [
    "ArcCosine",
    "BagScores",
    "BoostedScores",
    "CachedFeatures",
    "ComputedFeatures",
    "Coordinates",
    "DateParts",
    "ForestScores",
    "LandmarkMap",
    "Map",
    "MapUnion",
    "MissingShares",
    "NumericColumns",
    "RandomConvolution",
    "RandomFourier",
    "RandomMaclaurin",
    "WithGaps",
    "compositional_size",
    "maclaurin_size",
    "unscaled",
]
