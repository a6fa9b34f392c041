"""Maps: objects in, features out."""

from .base import Map
from .landmark import LandmarkMap
from .mapped import MappedFeatures
from .union import MapUnion

__all__ = ["LandmarkMap", "Map", "MapUnion", "MappedFeatures"]
