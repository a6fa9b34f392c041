"""Learning from any similarity or distance between any objects."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import data, engine, measures, validation
from .measures import cross

if TYPE_CHECKING:
    from . import (
        assessment,
        baselines,
        checks,
        cli,
        datasets,
        feature_selection,
        features,
        files,
        io,
        landmarks,
        linear_model,
        maps,
        models,
        online,
        papers,
        plotting,
        saving,
        search,
        targets,
        theory,
        transfers,
        tuning,
    )
    from .assessment import assess
    from .feature_selection import Aligned, Greedy
    from .io import rows
    from .maps import (
        ArcCosine,
        BagScores,
        BoostedScores,
        Coordinates,
        ForestScores,
        LandmarkMap,
        RandomConvolution,
        RandomFourier,
        RandomMaclaurin,
    )
    from .models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
    from .saving import load, save
    from .search import Index, NeighbourScores, duplicates, link, picture

__version__ = "1.0.0"

__all__ = [
    "Aligned",
    "ArcCosine",
    "BagScores",
    "BoostedScores",
    "Coordinates",
    "ForestScores",
    "Greedy",
    "Index",
    "LandmarkClassifier",
    "LandmarkMap",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "NeighbourScores",
    "RandomConvolution",
    "RandomFourier",
    "RandomMaclaurin",
    "__version__",
    "assess",
    "assessment",
    "baselines",
    "checks",
    "cli",
    "cross",
    "data",
    "datasets",
    "duplicates",
    "engine",
    "feature_selection",
    "features",
    "files",
    "io",
    "landmarks",
    "linear_model",
    "link",
    "load",
    "maps",
    "measures",
    "models",
    "online",
    "papers",
    "picture",
    "plotting",
    "rows",
    "save",
    "saving",
    "search",
    "targets",
    "theory",
    "transfers",
    "tuning",
    "validation",
]

# Imported when first asked for: models bring half of scikit-learn, measures do not.
_ROOMS = {
    "Aligned": "feature_selection",
    "ArcCosine": "maps",
    "Coordinates": "maps",
    "ForestScores": "maps",
    "Greedy": "feature_selection",
    "Index": "search",
    "LandmarkClassifier": "models",
    "LandmarkMap": "maps",
    "LandmarkOrdinal": "models",
    "LandmarkRanker": "models",
    "LandmarkRegressor": "models",
    "NeighbourScores": "search",
    "BagScores": "maps",
    "BoostedScores": "maps",
    "RandomConvolution": "maps",
    "RandomFourier": "maps",
    "RandomMaclaurin": "maps",
    "assess": "assessment",
    "checks": "checks",
    "cli": "cli",
    "datasets": "datasets",
    "plotting": "plotting",
    "duplicates": "search",
    "features": "features",
    "files": "files",
    "assessment": "assessment",
    "linear_model": "linear_model",
    "landmarks": "landmarks",
    "link": "search",
    "load": "saving",
    "maps": "maps",
    "models": "models",
    "online": "online",
    "papers": "papers",
    "picture": "search",
    "baselines": "baselines",
    "rows": "io",
    "save": "saving",
    "saving": "saving",
    "search": "search",
    "io": "io",
    "targets": "targets",
    "theory": "theory",
    "transfers": "transfers",
    "tuning": "tuning",
    "feature_selection": "feature_selection",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'seamark' has no attribute {name!r}")
    room = import_module(f".{_ROOMS[name]}", __name__)
    return room if name == _ROOMS[name] else getattr(room, name)


def __dir__() -> list[str]:
    return sorted(__all__)
