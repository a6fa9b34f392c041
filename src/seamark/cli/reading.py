"""`Reading`: which columns are what."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .tables import DataError


@dataclass(frozen=True)
class Reading:
    """Which columns are what; kept with a saved model, so that `predict` reads alike.

    Attributes
    ----------
    column : str or None
        The column of strings.
    columns : list of str or None
        Numeric columns, for vectors.
    id, time, value : str, str, list of str; or None
        Of a long format, one row for each step of a series or each vector of a set.
    target, query : str or None
        Columns that are no part of an object.
    table : dict of str or None
        Columns of several kinds, and what each holds: "numbers", "text" or "objects".
    """

    column: str | None = None
    columns: list[str] | None = None
    id: str | None = None
    time: str | None = None
    value: list[str] | None = None
    target: str | None = None
    query: str | None = None
    table: dict[str, str] | None = None

    def filled(self, other: Reading) -> Reading:
        """Return a copy in which what is missing is taken from another."""
        return replace(
            other, **{name: value for name, value in vars(self).items() if value is not None}
        )

    @property
    def compared(self) -> list[str]:
        """The columns that objects are made of."""
        one = [name for name in (self.column, self.time) if name is not None]
        return [*one, *(self.columns or []), *(self.value or []), *(self.table or {})]

    def require_apart(self) -> None:
        """Stop if the target is also one of the columns it is predicted from."""
        if self.target is not None and self.target in (*self.compared, self.id, self.query):
            raise DataError(
                f"{self.target!r} is the --target, and cannot be what it is predicted from, too."
            )
