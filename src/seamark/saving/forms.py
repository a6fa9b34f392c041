"""How every type is written that JSON does not have: one table, `FORMS`.

A new type is one line there, and two small functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector

from ..objects import Ragged
from . import columns, instances, values
from .classes import KINDS, is_named_tuple

if TYPE_CHECKING:
    from .tree import Reader, Writer

Parts = dict[str, Any]
RANDOM = (np.random.Generator, np.random.RandomState)


@dataclass(frozen=True)
class Form:
    """How one type is written.

    Attributes
    ----------
    tag : str
        Its name in the file.
    holds : callable
        Whether a value is of this type.
    keys : set of str
        Keys of the JSON object.
    write : callable
        ``write(value, writer, where) -> dict`` of these keys and JSON.
    read : callable
        ``read(dict, reader) -> value``; what comes in is not trusted.
    """

    tag: str
    holds: Callable[[Any], bool]
    keys: set[str]
    write: Callable[[Any, Writer, str], Parts]
    read: Callable[[Parts, Reader], Any]


FORMS: tuple[Form, ...] = (
    Form("float", lambda v: type(v) is float, {"value"}, values.write_float, values.read_float),
    Form("bytes", lambda v: isinstance(v, bytes), {"hex"}, values.write_bytes, values.read_bytes),
    Form(
        "scalar",
        lambda v: isinstance(v, np.generic),
        {"number"},
        values.write_scalar,
        values.read_scalar,
    ),
    Form(
        "objects",
        lambda v: values.is_array(v) and v.dtype == object,
        {"shape", "items"},
        values.write_objects,
        values.read_objects,
    ),
    Form("array", values.is_array, {"number"}, values.write_array, values.read_array),
    Form(
        "dtype", lambda v: isinstance(v, np.dtype), {"name"}, values.write_dtype, values.read_dtype
    ),
    Form(
        "csr",
        lambda v: sparse.issparse(v) and v.format == "csr",
        {"kind", "shape", "data", "indices", "indptr"},
        values.write_csr,
        values.read_csr,
    ),
    Form("tuple", lambda v: type(v) is tuple, {"items"}, values.write_items, values.read_as(tuple)),
    Form("set", lambda v: type(v) is set, {"items"}, values.write_set, values.read_as(set)),
    Form(
        "frozenset",
        lambda v: type(v) is frozenset,
        {"items"},
        values.write_set,
        values.read_as(frozenset),
    ),
    Form(
        "slice",
        lambda v: type(v) is slice,
        {"start", "stop", "step"},
        columns.write_slice,
        columns.read_slice,
    ),
    Form("type", columns.is_plain_type, {"name"}, columns.write_type, columns.read_type),
    Form(
        "selector",
        lambda v: type(v) is make_column_selector,
        {"pattern", "include", "exclude"},
        columns.write_selector,
        columns.read_selector,
    ),
    Form("dict", lambda v: isinstance(v, dict), {"items"}, values.write_dict, values.read_dict),
    Form(
        "ragged",
        lambda v: isinstance(v, Ragged),
        {"domain", "values", "offsets"},
        values.write_ragged,
        values.read_ragged,
    ),
    Form(
        "estimator",
        lambda v: isinstance(v, BaseEstimator),
        {"class", "state"},
        instances.write_estimator,
        instances.read_estimator,
    ),
    Form(
        "record",
        lambda v: is_dataclass(v) and not isinstance(v, type),
        {"class", "state"},
        instances.write_record,
        instances.read_record,
    ),
    Form(
        "named_tuple",
        lambda v: is_named_tuple(type(v)),
        {"class", "state"},
        instances.write_record,
        instances.read_named_tuple,
    ),
    Form(
        "generator",
        values.is_default_generator,
        {"state"},
        values.write_generator,
        values.read_generator,
    ),
    # Of other generators None comes back: numpy does not check their state, and could read astray.
    Form("random", lambda v: isinstance(v, RANDOM), set(), values.write_random, values.read_random),
    Form(
        "object",
        lambda v: KINDS["object"](type(v)),
        {"class", "state"},
        instances.write_object,
        instances.read_object,
    ),
    Form("function", callable, {"name"}, instances.write_function, instances.read_function),
)
"""In the order in which they are asked; the first that holds a value writes it."""
