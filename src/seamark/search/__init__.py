"""Search: the nearest of many objects, all pairs within a distance, pictures of groups."""

from .index import Index, Neighbours
from .near_pairs import Pairs
from .pairs import duplicates, link
from .pictures import medoids, picture
from .prune import Keys, Nearest, Searched

__all__ = ["Index", "Neighbours", "Pairs", "duplicates", "link", "medoids", "picture"]
