"""Columns of a table as features: numbers and dates, missing ones filled and reported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import amounts, dates
from ..data.missing import column_medians, columns_with_gaps, filled_columns
from ..features import location
from .base import Contribution, Floats32, VectorMap

Floats = NDArray[np.float64]


class GapFilling(VectorMap):
    """Columns of a table as numbers: medians for what is missing, and a feature that says so.

    A subclass may make other numbers of a column than those that stand in it.
    """

    per_feature = ()  # nothing to drop: `feature_numbers_` says what is in use
    column_names_: list[str]
    """What columns are called, where scikit-learn knows no names of them."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags

    def _numbers(self, X: Floats) -> Floats:
        """Return the numbers of each row, before they are filled and scaled."""
        return X

    def _titles(self) -> list[str]:
        """Return the names of these numbers."""
        return self._names_in()

    def _draw(self, X: Floats, rng: np.random.Generator) -> None:
        self.gaps_ = columns_with_gaps(X)
        numbers = self._numbers(X)
        self.median_ = column_medians(numbers)
        self.mean_, self.deviation_ = location(filled_columns(numbers, self.median_), True)
        self.n_features_out_ = numbers.shape[1] + len(self.gaps_)

    def fill(self, X: Floats, out: Floats32) -> None:
        """Write the features of a few rows."""
        numbers = filled_columns(self._numbers(X), self.median_)
        scaled = (numbers - self.mean_) / self.deviation_
        whole = np.concatenate([scaled, np.isnan(X[:, self.gaps_])], axis=1)
        out[:] = whole[:, self.feature_numbers_]

    def contributions(
        self, X: Floats, weights: Any, means: Any, names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each number adds, or that it is missing."""
        columns = np.concatenate([np.arange(X.shape[1]), self.gaps_])[self.feature_numbers_]
        amounts, titles = (self.block(X) - means) * weights, self._names_in()
        return [
            [
                Contribution(
                    f"{titles[k]} missing" if np.isnan(row[k]) else titles[k],
                    float(amount),
                    float(row[k]),
                )
                for k, amount in zip(columns, added, strict=True)
            ]
            for row, added in zip(X, amounts, strict=True)
        ]

    def _names_in(self) -> list[str]:
        given = getattr(self, "feature_names_in_", getattr(self, "column_names_", None))
        return [f"x{k}" for k in range(self.n_features_in_)] if given is None else list(given)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns, such as ``price``, and ``price_missing``."""
        names = self._names_in()
        titles = [*self._titles(), *(f"{names[k]}_missing" for k in self.gaps_)]
        return np.array(titles, dtype=object)[self.feature_numbers_]


class NumericColumns(GapFilling):
    """Columns of numbers, each standardised; medians fill gaps, and a feature says where they were.

    Yes and no are 1 and 0, durations are seconds. Where a column has a gap for the first time after
    `fit`, the median stands in for it.

    Attributes
    ----------
    median_, mean_, deviation_ : ndarray
        Of each column.
    gaps_ : ndarray
        Which columns had gaps in `fit`, and so have a feature that says it.

    Examples
    --------
    >>> import seamark as sm
    >>> numbers = sm.maps.NumericColumns().fit([[1.0], [3.0], [None], [2.0]])
    >>> numbers.transform([[3.0], [None]]).round(2)
    array([[1.41, 0.  ],
           [0.  , 1.  ]], dtype=float32)
    """

    domain = amounts


# Dates as features: how late it is, and where in the year, the week and the day.


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

    domain = dates

    def _draw(self, X: Floats, rng: np.random.Generator) -> None:
        self.parts_ = []
        for column, seconds in enumerate(X.T):
            days = np.floor(seconds[~np.isnan(seconds)] / DAY).astype("datetime64[D]")
            months = days.astype("datetime64[M]")
            in_month, in_year = days - months.astype("datetime64[D]"), months.astype(np.int64) % 12
            whole_months, whole_years = len(np.unique(in_month)) < 2, len(np.unique(in_year)) < 2
            for part, numbers in _calendar(seconds).items():
                varies = len(np.unique(numbers[~np.isnan(numbers)])) > 1
                # A weekday tells nothing more where all are the first of a month, nor does a year
                # beside time where all are the first of a year.
                told = whole_months and (part == "weekday" or (part == "year" and whole_years))
                if part == "time" or (varies and not told):
                    self.parts_.append((column, part))
        super()._draw(X, rng)

    def _numbers(self, X: Floats) -> Floats:
        calendars = [_calendar(X[:, column]) for column in range(X.shape[1])]
        found = []
        for column, part in self.parts_:
            numbers = calendars[column][part]
            if part in CYCLES:
                angle = 2 * np.pi * numbers / CYCLES[part]
                found += [f(k * angle) for k in range(1, HARMONICS + 1) for f in (np.sin, np.cos)]
            else:
                found.append(numbers)
        return np.column_stack(found)

    def _titles(self) -> list[str]:
        names = self._names_in()
        return [
            f"{names[column]}_{part}{wave}"
            for column, part in self.parts_
            for wave in (WAVES if part in CYCLES else [""])
        ]

    def contributions(
        self, X: Floats, weights: Any, means: Any, names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each part of a date adds: the month, not its waves; time as a year."""
        # Which part each feature in use belongs to; gaps come last. The year belongs to time: both
        # rise together, and coefficients of the two, large and of opposite signs, mean nothing one
        # by one.
        owners: list[int] = []
        for k, (column, part) in enumerate(self.parts_):
            own = self.parts_.index((column, "time")) if part == "year" else k
            owners += [own] * (len(WAVES) if part in CYCLES else 1)
        owners += range(len(self.parts_), len(self.parts_) + len(self.gaps_))
        used, places = np.unique(np.array(owners)[self.feature_numbers_], return_inverse=True)
        parts = (self.block(X) - means) * weights
        amounts = parts @ (places[:, None] == np.arange(len(used))).astype(np.float64)
        names, calendars = self._names_in(), [_calendar(column) for column in X.T]
        lead = [f"{name}: " if len(names) > 1 else "" for name in names]
        found = []
        for row, amounts_of_row in zip(range(len(X)), amounts, strict=True):
            titles = [
                lead[column] + _title(part, calendars[column], X[row, column], row)
                for column, part in self.parts_
            ]
            titles += [
                f"{lead[column]}{'missing' if np.isnan(X[row, column]) else 'not missing'}"
                for column in self.gaps_
            ]
            found.append(
                [
                    Contribution(titles[k], float(amount))
                    for k, amount in zip(used, amounts_of_row, strict=True)
                ]
            )
        return found


MONTHS = "January February March April May June July August September October November December"
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


def _title(part: str, calendar: dict[str, Floats], seconds: float, row: int) -> str:
    """Return what a part of a date is in words: the date itself, a month, a weekday, an hour."""
    if np.isnan(seconds):
        return f"{part} (median)"
    if part in ("time", "year"):
        return str(np.datetime64(int(np.floor(seconds / DAY)), "D"))
    number = int(calendar[part][row])
    if part == "month":
        return MONTHS.split()[number - 1]
    return WEEKDAYS.split()[number] if part == "weekday" else f"{number} h"


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
