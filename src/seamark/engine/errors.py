"""What goes wrong with a measure that is a Python function."""

from __future__ import annotations


class MeasureError(RuntimeError):
    """A Python function failed on a pair of objects, or returned what is no finite number.

    The message names the row of X and the landmark; what the function raised is ``__cause__``.
    """


class SlowMeasureWarning(UserWarning):
    """The calls still to come are estimated to take long; says how long, and what would help."""
