"""A learned distribution over features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .axes import COLOURS, add_legend, axes_for, plain


class DistributionDisplay:
    """Weights of features that have any, the largest first, beside the uniform distribution.

    Parameters
    ----------
    distribution : array-like of shape (N,)
        Not negative; sums to 1.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> display = DistributionDisplay([0.0, 0.7, 0.3, 0.0]).plot()
    >>> display.ax_.get_title()
    '2 of 4 features'
    """

    def __init__(self, distribution: ArrayLike) -> None:
        self.distribution = np.asarray(distribution, dtype=np.float64)

    def plot(self, ax: Any = None) -> Self:
        """Draw it, on new axes if none are given."""
        self.figure_, self.ax_ = axes_for(ax)
        q = np.sort(self.distribution)[::-1]
        found = np.count_nonzero(q)
        places = np.arange(1, found + 1)
        self.ax_.bar(places, q[:found], width=1.0, color=COLOURS[0], label="learned")
        self.ax_.axhline(1.0 / len(q), color=COLOURS[1], label="uniform")
        self.ax_.set(xlabel="feature, by weight", ylabel="weight")
        self.ax_.set_title(f"{found} of {len(q)} features")
        plain(self.ax_)
        add_legend(self.ax_)
        return self
