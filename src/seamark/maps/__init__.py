"""Maps: objects in, features out."""

from .landmark import LandmarkMap
from .mapped import MappedFeatures

__all__ = ["LandmarkMap", "MappedFeatures"]
