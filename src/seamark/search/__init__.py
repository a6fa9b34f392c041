"""Search: the nearest of many objects, all pairs within a distance, pictures of groups."""

from .grouping import medoids, picture
from .index import Index, Neighbours
from .nearest import Keys, Nearest
from .pairs import Pairs, duplicates, link
from .store import Searched

__all__ = ["Index", "Neighbours", "Pairs", "duplicates", "link", "medoids", "picture"]
