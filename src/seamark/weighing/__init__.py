"""Choosing and scaling the columns of any feature map."""

from .aligned import Aligned
from .alignment import alignment_weights
from .greedy import Greedy, LossPath
from .learned import Learned

__all__ = ["Aligned", "Greedy", "Learned", "LossPath", "alignment_weights"]
