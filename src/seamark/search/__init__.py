"""Search: the nearest of many objects, all pairs within a distance, pictures of groups."""

from .index import Index, Neighbours
from .near_pairs import Pairs
from .neighbour_scores import NeighbourScores
from .pair_model import PairModel
from .pairs import duplicates, link
from .pictures import medoids, picture
from .prune import Keys, nearest
from .tables import TablePairs

__all__ = [
    "Index",
    "NeighbourScores",
    "Neighbours",
    "PairModel",
    "Pairs",
    "TablePairs",
    "duplicates",
    "link",
    "medoids",
    "nearest",
    "picture",
]
