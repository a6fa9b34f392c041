"""Choosing and scaling the columns of any feature map."""

from .greedy import Greedy, LossPath

__all__ = ["Greedy", "LossPath"]
