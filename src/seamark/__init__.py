"""Learning from any similarity or distance between any objects."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import engine, measures, objects
from .measures import cross

if TYPE_CHECKING:
    from . import online, papers
    from .maps import LandmarkMap
    from .models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor
    from .weighing import Greedy

__version__ = "0.1.0"

__all__ = [
    "Greedy",
    "LandmarkClassifier",
    "LandmarkMap",
    "LandmarkOrdinal",
    "LandmarkRanker",
    "LandmarkRegressor",
    "__version__",
    "cross",
    "engine",
    "measures",
    "objects",
    "online",
    "papers",
]

# Imported when first asked for: models bring half of scikit-learn, measures do not.
_ROOMS = {
    "Greedy": "weighing",
    "LandmarkClassifier": "models",
    "LandmarkMap": "maps",
    "LandmarkOrdinal": "models",
    "LandmarkRanker": "models",
    "LandmarkRegressor": "models",
    "online": "online",
    "papers": "papers",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'seamark' has no attribute {name!r}")
    room = import_module(f".{_ROOMS[name]}", __name__)
    return room if name == _ROOMS[name] else getattr(room, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS])
