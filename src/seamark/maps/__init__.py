"""Maps: objects in, features out."""

from . import sizes
from .arc_cosine import ArcCosine
from .base import Map
from .convolution import RandomConvolution
from .coordinates import Coordinates
from .fourier import RandomFourier
from .landmark import LandmarkMap
from .maclaurin import RandomMaclaurin
from .mapped import MappedFeatures
from .union import MapUnion

__all__ = [
    "ArcCosine",
    "Coordinates",
    "LandmarkMap",
    "Map",
    "MapUnion",
    "MappedFeatures",
    "RandomConvolution",
    "RandomFourier",
    "RandomMaclaurin",
    "sizes",
]
