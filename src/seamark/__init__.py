"""Learning from any similarity or distance between any objects."""

from . import engine, measures, objects
from .measures import cross

__version__ = "0.1.0"

__all__ = ["__version__", "cross", "engine", "measures", "objects"]
