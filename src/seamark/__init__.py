"""Learning from any similarity or distance between any objects."""

from . import engine, measures, objects
from .maps import LandmarkMap
from .measures import cross
from .models import LandmarkClassifier, LandmarkRegressor

__version__ = "0.1.0"

__all__ = [
    "LandmarkClassifier",
    "LandmarkMap",
    "LandmarkRegressor",
    "__version__",
    "cross",
    "engine",
    "measures",
    "objects",
]
