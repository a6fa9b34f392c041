"""Maps: objects in, features out."""

from .base import Map
from .landmark import LandmarkMap
from .mapped import MappedFeatures

__all__ = ["LandmarkMap", "Map", "MappedFeatures"]
