"""What goes wrong with a measure, and where."""

from __future__ import annotations

from typing import Self


class MeasureError(RuntimeError):
    """A Python function failed on a pair of objects, or returned what is no finite number.

    The message names the row of X and the landmark; what the function raised is ``__cause__``.
    """


class PairError(ValueError):
    """A row, or a row and a landmark, that cannot be compared.

    A plan numbers them as it sees them; the executor adds where its chunk begins.

    Parameters
    ----------
    text : str
        A sentence with ``{row}`` in it, and perhaps ``{landmark}``.
    row, landmark : int
        Their numbers.

    Examples
    --------
    >>> print(PairError("row {row} is longer than landmark {landmark}.", 2, 7).named(102, 7))
    row 102 is longer than landmark 7.
    """

    def __init__(self, text: str, row: int, landmark: int = 0) -> None:
        super().__init__(text, row, landmark)
        self.text, self.row, self.landmark = text, row, landmark

    def __str__(self) -> str:
        return self.text.format(row=self.row, landmark=self.landmark)

    def named(self, row: int, landmark: int) -> Self:
        """Return the same error with other numbers."""
        return type(self)(self.text, row, landmark)


class SlowMeasureWarning(UserWarning):
    """The calls still to come are estimated to take long; says how long, and what would help."""
