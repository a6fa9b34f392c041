"""Search: the nearest of many objects, all pairs within a distance, pictures of groups."""

from .index import Index, Neighbours
from .pairs import Pairs, duplicates, link, medoids, picture
from .prune import Keys, Nearest, Searched

__all__ = ["Index", "Neighbours", "Pairs", "duplicates", "link", "medoids", "picture"]
