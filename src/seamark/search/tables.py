"""Pairs of rows of tables that are near each other in several columns."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import engine
from ..data import Strings, amounts, as_frame, as_table, dates, missing_in, pandas_for, tables
from ..data.tables import naming_column
from ..measures import Equality, Levenshtein, Measure, get, matrix_inside, require_whole_objects
from ..plotting.text import visible
from ..validation import require_count
from .near_pairs import WIDE, Pairs, near_pairs, numbered

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]
RowPairs = tuple[Rows, Rows]

DAY = 86400.0  # seconds
DIFFERENCES = {"date": (dates, DAY), "number": (amounts, 1.0)}
"""What is compared by its difference, how it is read, and in which unit."""
SAMPLED_PAIRS = 10_000  # by which is estimated how many a column lets through
MOST_CANDIDATES = 30_000_000  # pairs that one column lets through
MATRIX_VALUES = 16_000_000  # pairs of different values that are evaluated at once
BATCH_VALUES = 20_000  # values of strings, whether needed or not, for which a call is worth it
CHUNK_PAIRS = 1 << 20  # that are compared together
MOST_PASSING = 0.1  # share of all pairs that are candidates; if more pass, all are compared
MOST_COMPARED = 10_000_000_000  # pairs of rows in that case


@dataclass(frozen=True, eq=False, repr=False)
class TablePairs(Pairs):
    """Pairs of rows of tables, with what each column says of them.

    Attributes
    ----------
    by_column : dict of ndarray
        Values of each compared column; NaN where one of the two is missing.
    largest : dict
        The largest value of each column that is compared by a similarity; None: by a distance.
    labels_of_rows : tuple of two ndarrays
        Index labels of the rows of the left and the right table: row numbers, unless these are
        DataFrames of pandas.

    `values` are the weighted sums, or how near the pairs are to their limits: the mean of distance
    over limit, 0 for equal rows.
    """

    by_column: dict[Any, Floats] = field(default_factory=dict)
    largest: dict[Any, float | None] = field(default_factory=dict)
    labels_of_rows: tuple[Any, Any] = ((), ())

    def __getitem__(self, chosen: Any) -> TablePairs:
        """Return some of the pairs, whose groups are numbered anew."""
        rows = np.arange(len(self))[chosen]
        some = numbered(
            self.left[rows], self.right[rows], self.values[rows],
            self.left_objects, self.right_objects,
        )  # fmt: skip
        by_column = {name: values[rows] for name, values in self.by_column.items()}
        return replace(self, **vars(some), by_column=by_column)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: index labels, value, group, and both cells of each column."""
        pd = pandas_for("to_frame")
        columns: dict[str, Any] = {
            "left": np.asarray(self.labels_of_rows[0])[self.left],
            "right": np.asarray(self.labels_of_rows[1])[self.right],
            "value": self.values,
            "group": self.groups,
        }
        for name, values in self.by_column.items():
            columns[f"{name}_left"] = self.left_objects[name][self.left]
            columns[f"{name}_right"] = self.right_objects[name][self.right]
            columns[f"{name}_value"] = values
        return pd.DataFrame(columns)

    def _text(self, objects: Any, row: int) -> str:
        return visible("; ".join(str(objects[name][row]) for name in self.by_column), WIDE)


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """One column of both tables: its different values, and how far apart any two of them are.

    Attributes
    ----------
    name : str
    measure : Measure or None
        None: numbers, or days, that are compared by their difference.
    values : objects
        The different values of both tables.
    left, right : ndarray of int
        Number of each row's value; −1 where it is missing.
    """

    name: Any
    measure: Measure | None
    values: Any
    left: Rows
    right: Rows

    @property
    def largest(self) -> float | None:
        """The largest value of a similarity; None: it is a distance."""
        if self.measure is None or self.measure.distance_sign() > 0:
            return None
        return float(self.measure.bounds[1])

    def distances(self, values: Any) -> Any:
        """Return values, or limits, as distances: of a similarity what it lacks of the largest."""
        return values if self.largest is None else self.largest - values

    def of_pairs(self, i: Rows, j: Rows) -> Floats:
        """Return the value of each pair of rows; NaN where one is missing."""
        found = np.full(len(i), np.nan)
        a, b = self.left[i], self.right[j]
        known = np.flatnonzero((a >= 0) & (b >= 0))
        if not len(known):
            return found
        a, b = a[known], b[known]
        if self.measure is None:
            found[known] = np.abs(self.values[a] - self.values[b])
            return found
        n = self.values.shape[0]
        (firsts, row), (seconds, column) = _numbered(a, n), _numbered(b, n)
        if len(firsts) * len(seconds) <= MATRIX_VALUES:
            found[known] = self._block(firsts, seconds)[row, column]
            return found
        pairs, place = np.unique(a * n + b, return_inverse=True)
        values = np.empty(len(pairs), dtype=np.float32)
        for some in self._batches(pairs // n):
            firsts, row = _numbered(pairs[some] // n, n)
            seconds, column = _numbered(pairs[some] % n, n)
            values[some] = self._block(firsts, seconds)[row, column]
        found[known] = values[place]
        return found

    def _batches(self, firsts: Rows) -> Iterator[slice]:
        """Yield runs of pairs whose values are computed together, given their firsts, in order.

        All firsts of a run are compared with all its seconds. A call takes as long as some
        thousands of edit distances, so of strings a run has several firsts, of others one.
        """
        starts = np.append(np.flatnonzero(np.diff(firsts, prepend=-1)), len(firsts)).tolist()
        most = BATCH_VALUES if isinstance(cast("Measure", self.measure).domain, Strings) else 0
        begin = 0
        for end in range(1, len(starts)):
            last = end == len(starts) - 1
            if last or (end + 1 - begin) * (starts[end + 1] - starts[begin]) > most:
                yield slice(starts[begin], starts[end])
                begin = end

    def _block(self, rows: Rows, landmarks: Rows) -> NDArray[np.float32]:
        measure: Any = self.measure
        few = measure.domain.landmarks(self.values[landmarks], np.arange(len(landmarks)))
        return engine.run(measure.recipe(few), self.values[rows])

    def near(self, limit: float, progress: Any) -> RowPairs:
        """Return all pairs of numbers of values within a limit, and perhaps some more."""
        if self.measure is None:
            order = np.argsort(self.values, kind="stable")
            rising = self.values[order]
            low = np.searchsorted(rising, rising - limit, side="left")
            high = np.searchsorted(rising, rising + limit, side="right")
            a, places = _spans(low, high - low)
            return order[a], order[places]
        own = np.arange(self.values.shape[0])
        if isinstance(self.measure, Equality) and limit > 0:
            return own, own
        alike = self.measure.symmetric is True
        second = None if alike else self.values
        a, b, _ = near_pairs(
            self.measure, self.values, second, limit, MOST_CANDIDATES, None, progress
        )
        return (np.concatenate([a, b, own]), np.concatenate([b, a, own])) if alike else (a, b)

    def effort(self, limit: float, i: Rows, j: Rows) -> tuple[float, float]:
        """Estimate which share of all pairs is compared to search this column, and passes."""
        apart = self.distances(self.of_pairs(i, j))
        share = float(np.mean(~(apart > self.distances(limit))))
        quick = self.measure is None or isinstance(self.measure, (Equality, Levenshtein))
        different = (self.values.shape[0] ** 2) / max(1, len(self.left) * len(self.right))
        return share + (0.0 if quick else different), share


def table_pairs(
    left: Any,
    right: Any,
    measures: Mapping[Any, Any],
    within: Any,
    weights: Mapping[Any, float] | None,
    max_pairs: int,
    progress: bool | engine.Progress,
) -> TablePairs:
    """Return all pairs of rows within limits, or a weighted sum of them; see `duplicates`.

    A missing value speaks neither for nor against a pair: its column's limit holds, and a sum
    counts as if the column was as far apart as the others. A pair needs one value to go by.

    Candidates are all pairs that are near in one column, the one that lets the fewest through, and
    of rows in which that is missing, those near in the next one; all columns are then compared.
    """
    require_count("max_pairs", max_pairs)
    both = [_table(left, "left"), _table(left if right is None else right, "right")]
    columns = [_column(name, measure, *both) for name, measure in measures.items()]
    if not columns:
        raise ValueError("measure is empty; give a measure for each column to compare.")
    rules = _rules(columns, within, weights)
    n, m = len(both[0]), len(both[1])
    rng = np.random.default_rng(0)
    some = rng.integers(n, size=SAMPLED_PAIRS), rng.integers(m, size=SAMPLED_PAIRS)
    named = {column.name: column for column in columns}
    parts = []
    for limits in rules:
        efforts = {name: named[name].effort(limits[name], *some) for name in limits}
        limited = [named[name] for name in sorted(efforts, key=efforts.__getitem__)]
        share = min(share for _, share in efforts.values())
        if share <= MOST_PASSING:
            chunks = _in_chunks(*_candidates(limited, limits, right is None, progress))
        elif n * m <= MOST_COMPARED:
            chunks = _all_pairs(n, m, right is None)
        else:
            raise ValueError(
                f"about {share:.0%} of all pairs are within the limit of each column, and of "
                f"{n:,} times {m:,} rows that is too many; give smaller limits."
            )
        for i, j in chunks:
            if weights is None:
                parts.append(_within_limits(limited, limits, i, j))
            else:
                parts.append(_within_sum(columns, weights, float(within), i, j))
    i, j, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    # A pair that several rules let through counts by the one it fits best.
    order_of_pairs = np.lexsort((values, j, i))
    i, j, values = i[order_of_pairs], j[order_of_pairs], values[order_of_pairs]
    new = np.ones(len(i), dtype=bool)
    new[1:] = (np.diff(i) != 0) | (np.diff(j) != 0)
    i, j = i[new], j[new]
    if len(i) > max_pairs:
        raise ValueError(
            f"{len(i)} pairs are within the limits; choose smaller ones, or raise max_pairs."
        )
    sums = np.asarray(values[new], dtype=np.float32)
    found = numbered(i, j, sums, both[0], both[0] if right is None else both[1])
    return TablePairs(
        **vars(found),
        by_column={column.name: column.of_pairs(i, j) for column in columns},
        largest={column.name: column.largest for column in columns},
        labels_of_rows=(_labels(left, n), _labels(left if right is None else right, m)),
    )


def _table(X: Any, side: str) -> Any:
    table = as_frame(as_table(X))
    if table is None:
        raise TypeError(
            f"{side} is a {type(X).__name__} without columns; measures by column need a table."
        )
    return tables.ingest(as_table(X))


def _labels(X: Any, n: int) -> Any:
    labels = getattr(X, "index", None)
    return np.asarray(labels) if hasattr(labels, "get_indexer") else np.arange(n)


def _column(name: Any, measure: Any, left: Any, right: Any) -> ComparedColumn:
    """Read a column of both tables: its different values, and which one each row has."""
    for table in (left, right):
        if name not in table.cells:
            known = ", ".join(map(str, table.columns[:20]))
            raise ValueError(f"there is no column {name!r}; the columns are {known}.")
    cells = np.concatenate([_objects(left[name]), _objects(right[name])])
    blank = [isinstance(cell, str) and not cell.strip() for cell in cells]
    there = np.flatnonzero(~(missing_in(cells) | np.array(blank, dtype=bool)))
    codes = np.full(len(cells), -1, dtype=np.intp)
    found: Measure | None = None
    with naming_column(name):
        if not len(there):
            raise ValueError("holds no values at all; leave it out.")
        if isinstance(measure, str) and measure in DIFFERENCES:
            domain, unit = DIFFERENCES[measure]
            numbers_ = domain.ingest(list(cells[there]))[:, 0] / unit
            values, codes[there] = np.unique(numbers_, return_inverse=True)
        else:
            found = clone(get(measure))
            found.check_parameters()
            if matrix_inside(found) is not None:
                raise ValueError("a precomputed matrix compares no cells; give a measure.")
            require_whole_objects(found, "a search for pairs")
            found.distance_sign()
            ingested = found.domain.ingest(list(cells[there]))
            groups = found.domain.groups(ingested)
            _, first, codes[there] = np.unique(groups, return_index=True, return_inverse=True)
            values = ingested[first]
            found = found.fitted_to(values, np.random.default_rng(0))
    n = len(left)
    return ComparedColumn(name, found, values, codes[:n], codes[n:])


def _objects(column: NDArray[Any]) -> NDArray[Any]:
    """Return cells as Python's own objects."""
    return np.fromiter(column.tolist() if column.dtype != object else column, dtype=object)


def _rules(
    columns: list[ComparedColumn], within: Any, weights: Mapping[Any, float] | None
) -> list[dict[Any, float]]:
    """Return the rules of which a pair must keep one: a limit for each column that can rule it out.

    With weights it is one rule, which every pair within the sum keeps.
    """
    known = [column.name for column in columns]
    if weights is None:
        rules = list(within) if isinstance(within, (list, tuple)) else [within]
        for rule in rules:
            if not isinstance(rule, Mapping):
                raise ValueError(
                    "one limit cannot hold for several columns: give within= by column, as "
                    f"within={{{known[0]!r}: {rule!r}}}, or weights= for a sum."
                )
            _require_numbers(rule, known)
        if not rules or not all(rules):
            raise ValueError("within= has no limit; give one for a column at least.")
        return [{name: float(limit) for name, limit in rule.items()} for rule in rules]
    if not _is_number(within):
        raise ValueError(f"with weights=, within is the largest sum, a number; got {within!r}.")
    _require_numbers(weights, known)
    if set(weights) != set(known) or min(weights.values()) < 0 or not any(weights.values()):
        raise ValueError(
            "weights= needs a number of at least 0 for each column of measure=, not all 0."
        )
    limits = {}
    for column in columns:
        if column.largest is not None and not np.isfinite(column.largest):
            raise ValueError(
                f"the similarity of {column.name!r} has no largest value, and cannot be added to "
                "distances; take its normalised() form."
            )
        if weights[column.name] > 0:
            # As a distance; `distances` is its own inverse.
            limits[column.name] = float(column.distances(float(within) / weights[column.name]))
    return [limits]


def _require_numbers(given: Mapping[Any, Any], known: list[Any]) -> None:
    for name, number in given.items():
        if name not in known:
            raise ValueError(f"{name!r} is not among the columns of measure=: {known}.")
        if not _is_number(number):
            raise ValueError(f"{name!r} has {number!r} where a finite number is needed.")


def _is_number(number: Any) -> bool:
    return isinstance(number, numbers.Real) and bool(np.isfinite(float(number)))


def _candidates(
    columns: list[ComparedColumn],
    limits: dict[Any, float],
    within_one: bool,
    progress: Any,
) -> RowPairs:
    """Return pairs of rows among which are all that are within the limits of columns.

    Each pair is near in the first of the columns in which both rows have a value.
    """
    found: list[RowPairs] = []
    m = len(columns[0].right)
    everything = np.ones(len(columns[0].left), dtype=bool), np.ones(m, dtype=bool)
    for k, column in enumerate(columns):
        before = [(earlier.left < 0, earlier.right < 0) for earlier in columns[:k]]
        if not all(left.any() or right.any() for left, right in before):
            break
        # Small errors of rounding must rule nothing out: all is compared again.
        limit = limits[column.name]
        slack = 1e-5 * max(1.0, abs(limit)) * (1 if column.largest is None else -1)
        near = column.near(limit + slack, progress)
        parts = [everything]
        if before:  # of the rows in which the first column is missing, with all others
            parts = [(before[0][0], everything[1]), (everything[0], before[0][1])]
        for rows in parts:
            i, j = _rows_of(column, *near, *rows)
            if within_one:
                i, j = i[i < j], j[i < j]
            for left, right in before[1:]:
                still = left[i] | right[j]
                i, j = i[still], j[still]
            found.append((i, j))
    pairs = np.unique(np.concatenate([i * m + j for i, j in found]))
    return pairs // m, pairs % m


def _rows_of(
    column: ComparedColumn,
    a: Rows,
    b: Rows,
    of_left: NDArray[np.bool_],
    of_right: NDArray[np.bool_],
) -> RowPairs:
    """Return all pairs of rows, among some of each table, that have pairs of values."""
    n = column.values.shape[0]
    sides = []
    for codes, some in ((column.left, of_left), (column.right, of_right)):
        rows = np.flatnonzero(some)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        sides.append((rows, np.searchsorted(codes[rows], np.arange(n + 1))))
    (left, starts), (right, ends) = sides
    n_left, n_right = np.diff(starts)[a], np.diff(ends)[b]
    if int((n_left * n_right).sum()) > MOST_CANDIDATES:
        raise ValueError(
            f"more than {MOST_CANDIDATES:,} pairs are near in column {column.name!r}, the one that "
            "lets the fewest through; give smaller limits, or a limit for another column."
        )
    pair, i = _spans(starts[a], n_left)
    again, j = _spans(ends[b][pair], n_right[pair])
    return left[i][again], right[j]


def _numbered(codes: Rows, n: int) -> RowPairs:
    """Return the different codes below n, and the place of each code among them."""
    there = np.zeros(n, dtype=bool)
    there[codes] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


def _in_chunks(i: Rows, j: Rows) -> Iterator[RowPairs]:
    for start in range(0, max(1, len(i)), CHUNK_PAIRS):
        yield i[start : start + CHUNK_PAIRS], j[start : start + CHUNK_PAIRS]


def _all_pairs(n: int, m: int, within_one: bool) -> Iterator[RowPairs]:
    """Yield all pairs of rows, some left rows at a time."""
    step = max(1, CHUNK_PAIRS // m)
    for start in range(0, n, step):
        rows = np.arange(start, min(n, start + step))
        i, j = np.repeat(rows, m), np.tile(np.arange(m), len(rows))
        yield (i[i < j], j[i < j]) if within_one else (i, j)


def _spans(starts: Rows, lengths: Rows) -> RowPairs:
    """Return all numbers of spans, one after the other, and to which span each belongs.

    Examples
    --------
    >>> _spans(np.array([5, 0]), np.array([2, 3]))
    (array([0, 0, 1, 1, 1]), array([5, 6, 0, 1, 2]))
    """
    owner = np.repeat(np.arange(len(starts)), lengths)
    before = np.cumsum(lengths) - lengths
    return owner, np.arange(len(owner)) - before[owner] + starts[owner]


def _within_limits(
    columns: list[ComparedColumn], limits: dict[Any, float], i: Rows, j: Rows
) -> tuple[Rows, Rows, Floats]:
    """Return the pairs within all limits, and how near to them they are."""
    shares, known = np.zeros(len(i)), np.zeros(len(i))
    for column in columns:
        values, limit = column.of_pairs(i, j), limits[column.name]
        there = ~np.isnan(values)
        near = ~there | (values <= limit if column.largest is None else values >= limit)
        farthest = float(column.distances(limit))
        if np.isfinite(farthest) and farthest > 0:
            shares += np.where(there, column.distances(values) / farthest, 0.0)
        known += there
        i, j, shares, known = i[near], j[near], shares[near], known[near]
    some = known > 0
    return i[some], j[some], shares[some] / known[some]


def _within_sum(
    columns: list[ComparedColumn],
    weights: Mapping[Any, float],
    within: float,
    i: Rows,
    j: Rows,
) -> tuple[Rows, Rows, Floats]:
    """Return the pairs within a weighted sum of distances, and the sums."""
    total, known = np.zeros(len(i)), np.zeros(len(i))
    for column in columns:
        values, weight = column.of_pairs(i, j), weights[column.name]
        there = ~np.isnan(values)
        total += np.where(there, weight * column.distances(values), 0.0)
        known += weight * there
    sums = total * sum(weights.values()) / np.where(known > 0, known, 1.0)
    kept = (known > 0) & (sums <= within)
    return i[kept], j[kept], sums[kept]
