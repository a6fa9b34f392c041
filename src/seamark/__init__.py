"""Learning from any similarity or distance between any objects."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import engine, measures, objects
from .measures import cross

if TYPE_CHECKING:
    from . import (
        checks,
        cli,
        datasets,
        displays,
        features,
        goodness,
        heads,
        landmarks,
        maps,
        models,
        online,
        papers,
        rivals,
        saving,
        search,
        sources,
        targets,
        transfers,
        tuning,
        weighing,
    )
    from .goodness import assess
    from .maps import (
        ArcCosine,
        BagScores,
        Coordinates,
        ForestScores,
        LandmarkMap,
        RandomConvolution,
        RandomFourier,
        RandomMaclaurin,
    )
    from .models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
    from .saving import load, save
    from .search import Index, duplicates, link, picture
    from .sources import rows
    from .weighing import Aligned, Greedy

__version__ = "0.2.0"

__all__ = [
    "Aligned",
    "ArcCosine",
    "BagScores",
    "Coordinates",
    "ForestScores",
    "Greedy",
    "Index",
    "LandmarkClassifier",
    "LandmarkMap",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "RandomConvolution",
    "RandomFourier",
    "RandomMaclaurin",
    "__version__",
    "assess",
    "checks",
    "cli",
    "cross",
    "datasets",
    "displays",
    "duplicates",
    "engine",
    "features",
    "goodness",
    "heads",
    "landmarks",
    "link",
    "load",
    "maps",
    "measures",
    "models",
    "objects",
    "online",
    "papers",
    "picture",
    "rivals",
    "rows",
    "save",
    "saving",
    "search",
    "sources",
    "targets",
    "transfers",
    "tuning",
    "weighing",
]

# Imported when first asked for: models bring half of scikit-learn, measures do not.
_ROOMS = {
    "Aligned": "weighing",
    "ArcCosine": "maps",
    "Coordinates": "maps",
    "ForestScores": "maps",
    "Greedy": "weighing",
    "Index": "search",
    "LandmarkClassifier": "models",
    "LandmarkMap": "maps",
    "LandmarkOrdinal": "models",
    "LandmarkRanker": "models",
    "LandmarkRegressor": "models",
    "BagScores": "maps",
    "RandomConvolution": "maps",
    "RandomFourier": "maps",
    "RandomMaclaurin": "maps",
    "assess": "goodness",
    "checks": "checks",
    "cli": "cli",
    "datasets": "datasets",
    "displays": "displays",
    "duplicates": "search",
    "features": "features",
    "goodness": "goodness",
    "heads": "heads",
    "landmarks": "landmarks",
    "link": "search",
    "load": "saving",
    "maps": "maps",
    "models": "models",
    "online": "online",
    "papers": "papers",
    "picture": "search",
    "rivals": "rivals",
    "rows": "sources",
    "save": "saving",
    "saving": "saving",
    "search": "search",
    "sources": "sources",
    "targets": "targets",
    "transfers": "transfers",
    "tuning": "tuning",
    "weighing": "weighing",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'seamark' has no attribute {name!r}")
    room = import_module(f".{_ROOMS[name]}", __name__)
    return room if name == _ROOMS[name] else getattr(room, name)


def __dir__() -> list[str]:
    return sorted(__all__)
