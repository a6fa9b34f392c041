"""Which columns are compared if the options do not say: those that are not in doubt."""

from __future__ import annotations

import shlex

from .cells import described, fault, is_identifier, is_numeric, oddity
from .reading import Reading
from .showing import listed
from .tables import DataError, Table


def default_measure(table: Table, reading: Reading) -> str:
    """Return a measure for what the columns hold; stop if there are both text and numbers.

    Examples
    --------
    >>> table = Table("names.csv", ["name", "sex"], [["Anna", "f"]], [2])
    >>> default_measure(table, Reading(target="sex"))
    'levenshtein'
    >>> default_measure(table, Reading(id="run", time="t"))
    'dtw'
    """
    if reading.id is not None:
        return "modified_hausdorff" if reading.time is None else "dtw"
    if reading.column is not None:
        return "levenshtein"
    if reading.columns is not None:
        return "gaussian"
    numeric = numeric_columns(table, reading)
    faults = {name: fault(table, name) for name in text_columns(table, reading)}
    texts = [name for name, wrong in faults.items() if wrong is None]
    if texts and numeric:
        raise DataError(
            f"{table.source} has columns of text ({_described(table, texts)}) beside columns of "
            f"numbers ({_described(table, numeric)}); say what to compare: {_column(texts)}, or "
            f"{_columns(table, numeric)}, or --all-columns."
        )
    return "gaussian" if (numeric or faults) and not texts else "levenshtein"


def chosen_text(table: Table, reading: Reading) -> str:
    """Return the only column of text; stop if there are several."""
    texts = text_columns(table, reading)
    if len(texts) != 1:
        known = _described(table, texts or free_columns(table, reading) or table.names)
        raise DataError(
            f"{table.source} has {len(texts) or 'no'} columns of text besides the target "
            f"({known}); name the one to compare with --column."
        )
    if oddity(table, texts[0]) is not None:
        raise DataError(
            f"the only column of text in {table.source} is {described(table, texts[0])}; if it is "
            f"to be compared as text, say {_column(texts)}."
        )
    return texts[0]


def chosen_numbers(table: Table, reading: Reading) -> list[str]:
    """Return all columns of numbers; stop if some of them may not be meant as numbers."""
    names = numeric_columns(table, reading)
    if not names:
        found = _described(table, free_columns(table, reading))
        raise DataError(
            f"{table.source} has no numeric columns besides the target"
            f"{f' ({found})' if found else ''}; for text give --column."
        )
    # An identifier of letters is no number, and not in question here.
    unread = {name for name in text_columns(table, reading) if is_identifier(table, name)}
    asked = [name for name in free_columns(table, reading) if name not in unread]
    odd = [name for name in asked if oddity(table, name) is not None]
    if odd:
        mend = "" if all(is_identifier(table, name) for name in odd) else "correct it, or "
        raise DataError(
            f"it is not clear which columns of {table.source} to compare: "
            f"{_described(table, odd)}; "
            f"{mend}say {_columns(table, names)}."
        )
    return names


def text_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns of text that are no target and no query."""
    return [name for name in free_columns(table, reading) if not is_numeric(table, name)]


def numeric_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns of numbers that are no target and no query."""
    return [name for name in free_columns(table, reading) if is_numeric(table, name)]


def free_columns(table: Table, reading: Reading) -> list[str]:
    """Return the columns that are no target and no query."""
    taken = {*reading.predicted, reading.query}
    return [name for name in table.names if name not in taken]


def _described(table: Table, names: list[str]) -> str:
    return listed([described(table, name) for name in names])


def _column(texts: list[str]) -> str:
    """The option that names a column of text, with the one there is."""
    return f"--column {shlex.quote(texts[0]) if len(texts) == 1 else 'NAME'}"


def _columns(table: Table, names: list[str]) -> str:
    """The option that names columns of numbers, with those that look sound."""
    sound = [name for name in names if not is_identifier(table, name)] or names
    simple = len(sound) <= 8 and not any("," in name for name in sound)
    return f"--columns {shlex.quote(','.join(sound)) if simple else 'A,B,…'}"
