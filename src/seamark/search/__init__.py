"""Search: the nearest of many objects under any measure."""

from .index import Index, Neighbours
from .nearest import Keys, Nearest
from .store import Store

__all__ = ["Index", "Neighbours"]
