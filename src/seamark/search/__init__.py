"""Search: the nearest of many objects, and all pairs within a distance, under any measure."""

from .index import Index, Neighbours
from .nearest import Keys, Nearest
from .pairs import Pairs, duplicates, link
from .store import Store

__all__ = ["Index", "Neighbours", "Pairs", "duplicates", "link"]
