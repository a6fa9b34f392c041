"""Maps: objects in, features out."""

from . import sizes
from .amounts import Numbers
from .arc_cosine import ArcCosine
from .bag_scores import BagScores
from .base import Map
from .cached_features import CachedFeatures
from .convolution import RandomConvolution
from .coordinates import Coordinates
from .dates import DateParts
from .forest_scores import ForestScores
from .fourier import RandomFourier
from .gaps import WithGaps
from .landmark import LandmarkMap
from .maclaurin import RandomMaclaurin
from .union import MapUnion
from .united import ComputedFeatures

__all__ = [
    "ArcCosine",
    "BagScores",
    "CachedFeatures",
    "ComputedFeatures",
    "Coordinates",
    "DateParts",
    "ForestScores",
    "LandmarkMap",
    "Map",
    "MapUnion",
    "Numbers",
    "RandomConvolution",
    "RandomFourier",
    "RandomMaclaurin",
    "WithGaps",
    "sizes",
]
