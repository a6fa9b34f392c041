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
    targets : list of str or None
        All that are predicted, where they are several.
    separator : str or None
        What stands between several labels in a cell of the target.
    table : dict of str or None
        Columns of several kinds, and what each holds: "numbers", "text" or "objects".
    decimals : dict of bool or None
        Whether numbers have decimal commas, of columns that show it.
    """

    column: str | None = None
    columns: list[str] | None = None
    id: str | None = None
    time: str | None = None
    value: list[str] | None = None
    target: str | None = None
    query: str | None = None
    table: dict[str, str] | None = None
    targets: list[str] | None = None
    separator: str | None = None
    decimals: dict[str, bool] | None = None

    def filled(self, other: Reading) -> Reading:
        """Return a copy in which what is missing is taken from another."""
        return replace(
            other, **{name: value for name, value in vars(self).items() if value is not None}
        )

    @property
    def predicted(self) -> list[str]:
        """The columns that are predicted."""
        one = [] if self.target is None else [self.target]
        return self.targets or one

    @property
    def compared(self) -> list[str]:
        """The columns that objects are made of."""
        one = [name for name in (self.column, self.time) if name is not None]
        return [*one, *(self.columns or []), *(self.value or []), *(self.table or {})]

    def require_apart(self) -> None:
        """Stop if a target is also one of the columns it is predicted from, or named twice."""
        for name in self.predicted:
            if name in (*self.compared, self.id, self.query):
                raise DataError(
                    f"{name!r} is the --target; it cannot also be used to predict the target."
                )
        if len(set(self.predicted)) < len(self.predicted):
            raise DataError("a --target is named twice; name each once.")
