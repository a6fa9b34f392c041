"""Learning from any similarity or distance between any objects."""

from . import engine, measures, objects
from .maps import LandmarkMap
from .measures import cross

__version__ = "0.1.0"

__all__ = ["LandmarkMap", "__version__", "cross", "engine", "measures", "objects"]
