"""Dates as features: how late it is, and where in the year, the week and the day."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, dates
from .amounts import GapFilling

Floats = NDArray[np.float64]

DAY = 86400.0
HARMONICS = 3
"""Waves a year, a week and a day are made of: three tell all seven days of a week apart."""
CYCLES = {"month": 12, "weekday": 7, "hour": 24}


class DateParts(GapFilling):
    """Time itself and the year as numbers; month, weekday and hour as waves, where they vary.

    December is next to January, and Sunday to Monday. All are standardised; medians fill gaps, and
    a feature says where they were.

    Attributes
    ----------
    parts_ : list of (int, str)
        Column, and what is taken of it: "time" (years since 1970), "year", "month", "weekday"
        (Monday is 0), "hour".
    gaps_ : ndarray
        Which columns had gaps in `fit`.

    Examples
    --------
    >>> import seamark as sm
    >>> parts = sm.maps.DateParts().fit(["2024-02-29", "2024-03-01", "2024-03-08"])
    >>> [part for _, part in parts.parts_]
    ['time', 'month', 'weekday']
    """

    @property
    def domain(self) -> Domain:
        """Dates."""
        return dates

    def _draw(self, X: Floats, rng: np.random.Generator) -> None:
        self.parts_ = [
            (column, part)
            for column in range(X.shape[1])
            for part, numbers in _calendar(X[:, column]).items()
            if part == "time" or _varies(part, numbers, X[:, column])
        ]
        super()._draw(X, rng)

    def _numbers(self, X: Floats) -> Floats:
        calendars = [_calendar(X[:, column]) for column in range(X.shape[1])]
        found = [
            wave for column, part in self.parts_ for wave in _waves(part, calendars[column][part])
        ]
        return np.column_stack(found)

    def _titles(self) -> list[str]:
        names = self._names_in()
        return [
            f"{names[column]}_{part}{wave}"
            for column, part in self.parts_
            for wave in (WAVES if part in CYCLES else [""])
        ]

    def _owners(self) -> NDArray[np.intp]:
        """Return which part each feature in use belongs to; gaps come last.

        The year belongs to time: both rise together, and coefficients of the two, large and of
        opposite signs, mean nothing one by one.
        """
        widths = [len(WAVES) if part in CYCLES else 1 for _, part in self.parts_]
        n_gaps = len(self.gaps_)
        own = [
            self.parts_.index((column, "time")) if part == "year" else k
            for k, (column, part) in enumerate(self.parts_)
        ]
        places = np.array([*own, *range(len(own), len(own) + n_gaps)])
        owners = np.repeat(places, [*widths, *[1] * n_gaps])
        return np.asarray(owners[self.feature_numbers_])

    def shown(self, X: Floats) -> tuple[NDArray[np.float32], NDArray[Any]]:
        """Features, and the parts of each date: the month, not its waves; time as a year."""
        calendars = [_calendar(X[:, column]) for column in range(X.shape[1])]
        since = {"time": 1970.0}
        parts = [calendars[column][part] + since.get(part, 0.0) for column, part in self.parts_]
        whole = np.column_stack([*parts, np.isnan(X[:, self.gaps_])])
        return self.block(X), whole[:, np.unique(self._owners())]

    def by_landmark(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Add up the waves of each part."""
        used, places = np.unique(self._owners(), return_inverse=True)
        return np.asarray(parts @ (places[:, None] == np.arange(len(used))).astype(np.float64))

    def behind(self, column: int) -> Any:
        """Return the name of a part, such as ``sold_month``."""
        names, owner = self._names_in(), int(np.unique(self._owners())[column])
        if owner >= len(self.parts_):
            return f"{names[self.gaps_[owner - len(self.parts_)]]}_missing"
        place, part = self.parts_[owner]
        return f"{names[place]}_{part}"


def _varies(part: str, numbers: Floats, seconds: Floats) -> bool:
    """Whether a part tells more of dates than others do.

    A weekday does not where all are the first of a month, nor a year beside time where all are the
    first of a year.
    """
    if len(np.unique(numbers[~np.isnan(numbers)])) < 2:
        return False
    days = np.floor(seconds[~np.isnan(seconds)] / DAY).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    in_month, in_year = days - months.astype("datetime64[D]"), months.astype(np.int64) % 12
    whole_months, whole_years = len(np.unique(in_month)) < 2, len(np.unique(in_year)) < 2
    return not (whole_months and (part == "weekday" or (part == "year" and whole_years)))


WAVES = [f"_{kind}{k}" for k in range(1, HARMONICS + 1) for kind in ("sin", "cos")]


def _calendar(seconds: Floats) -> dict[str, Floats]:
    """Return the parts of dates given in seconds since 1970; NaN stays NaN."""
    known = ~np.isnan(seconds)
    whole = np.where(known, seconds, 0.0)
    days = np.floor(whole / DAY).astype("datetime64[D]")
    years = days.astype("datetime64[Y]")
    months = days.astype("datetime64[M]")
    parts = {
        "time": whole / (365.2425 * DAY),
        "year": years.astype(np.int64) + 1970.0,
        "month": (months - years.astype("datetime64[M]")).astype(np.int64) + 1.0,
        "weekday": (days.astype(np.int64) + 3.0) % 7,
        "hour": np.floor(whole % DAY / 3600),
    }
    return {part: np.where(known, numbers, np.nan) for part, numbers in parts.items()}


def _waves(part: str, numbers: Floats) -> list[Floats]:
    if part not in CYCLES:
        return [numbers]
    angle = 2 * np.pi * numbers / CYCLES[part]
    return [f(k * angle) for k in range(1, HARMONICS + 1) for f in (np.sin, np.cos)]
