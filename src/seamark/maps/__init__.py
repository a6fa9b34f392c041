"""Maps: objects in, features out."""

from .arc_cosine import ArcCosine
from .base import Map
from .coordinates import Coordinates
from .fourier import RandomFourier
from .landmark import LandmarkMap
from .maclaurin import RandomMaclaurin
from .mapped import MappedFeatures

__all__ = [
    "ArcCosine",
    "Coordinates",
    "LandmarkMap",
    "Map",
    "MappedFeatures",
    "RandomFourier",
    "RandomMaclaurin",
]
