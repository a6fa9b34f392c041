"""Choosing and scaling the columns of any feature map."""

from .aligned import Aligned
from .alignment import alignment_weights
from .greedy import Greedy, LossPath

__all__ = ["Aligned", "Greedy", "LossPath", "alignment_weights"]
