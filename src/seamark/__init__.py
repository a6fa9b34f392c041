"""Learning from any similarity or distance between any objects."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import engine, measures, objects
from .measures import cross

if TYPE_CHECKING:
    from . import displays, goodness, online, papers, saving
    from .goodness import assess
    from .maps import ArcCosine, Coordinates, LandmarkMap, RandomFourier, RandomMaclaurin
    from .models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
    from .saving import load, save
    from .weighing import Aligned, Greedy

__version__ = "0.1.0"

__all__ = [
    "Aligned",
    "ArcCosine",
    "Coordinates",
    "Greedy",
    "LandmarkClassifier",
    "LandmarkMap",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "RandomFourier",
    "RandomMaclaurin",
    "__version__",
    "assess",
    "cross",
    "displays",
    "engine",
    "goodness",
    "load",
    "measures",
    "objects",
    "online",
    "papers",
    "save",
    "saving",
]

# Imported when first asked for: models bring half of scikit-learn, measures do not.
_ROOMS = {
    "Aligned": "weighing",
    "ArcCosine": "maps",
    "Coordinates": "maps",
    "Greedy": "weighing",
    "LandmarkClassifier": "models",
    "LandmarkMap": "maps",
    "LandmarkOrdinal": "models",
    "LandmarkRanker": "models",
    "LandmarkRegressor": "models",
    "RandomFourier": "maps",
    "RandomMaclaurin": "maps",
    "assess": "goodness",
    "displays": "displays",
    "goodness": "goodness",
    "load": "saving",
    "online": "online",
    "papers": "papers",
    "save": "saving",
    "saving": "saving",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'seamark' has no attribute {name!r}")
    room = import_module(f".{_ROOMS[name]}", __name__)
    return room if name == _ROOMS[name] else getattr(room, name)


def __dir__() -> list[str]:
    return sorted(__all__)
