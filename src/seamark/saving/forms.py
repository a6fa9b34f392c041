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

from ..data import Ragged
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


def _is_a(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _just_a(kind: type) -> Callable[[Any], bool]:
    """Ask for a type itself: its subclasses have forms of their own, or none."""
    return lambda value: type(value) is kind


INSTANCE = {"class", "state"}
FORMS: tuple[Form, ...] = (
    Form("float", _just_a(float), {"value"}, values.write_float, values.read_float),
    Form("bytes", _is_a(bytes), {"hex"}, values.write_bytes, values.read_bytes),
    Form("scalar", _is_a(np.generic), {"number"}, values.write_scalar, values.read_scalar),
    Form(
        "objects",
        lambda v: values.is_array(v) and v.dtype == object,
        {"shape", "items"},
        values.write_objects,
        values.read_objects,
    ),
    Form("array", values.is_array, {"number"}, values.write_array, values.read_array),
    Form("dtype", _is_a(np.dtype), {"name"}, values.write_dtype, values.read_dtype),
    Form(
        "csr",
        lambda v: sparse.issparse(v) and v.format == "csr",
        {"kind", "shape", "data", "indices", "indptr"},
        values.write_csr,
        values.read_csr,
    ),
    Form("tuple", _just_a(tuple), {"items"}, values.write_items, values.read_as(tuple)),
    Form("set", _just_a(set), {"items"}, values.write_set, values.read_as(set)),
    Form("frozenset", _just_a(frozenset), {"items"}, values.write_set, values.read_as(frozenset)),
    Form("slice", _just_a(slice), set(columns.ENDS), columns.write_slice, columns.read_slice),
    Form("type", columns.is_plain_type, {"name"}, columns.write_type, columns.read_type),
    Form(
        "selector",
        _just_a(make_column_selector),
        {"pattern", "include", "exclude"},
        columns.write_selector,
        columns.read_selector,
    ),
    Form("dict", _is_a(dict), {"items"}, values.write_dict, values.read_dict),
    Form(
        "ragged",
        _is_a(Ragged),
        {"domain", "values", "offsets"},
        values.write_ragged,
        values.read_ragged,
    ),
    Form(
        "estimator",
        _is_a(BaseEstimator),
        INSTANCE,
        instances.write_estimator,
        instances.read_estimator,
    ),
    Form(
        "record",
        lambda v: is_dataclass(v) and not isinstance(v, type),
        INSTANCE,
        instances.write_record,
        instances.read_record,
    ),
    Form(
        "named_tuple",
        lambda v: is_named_tuple(type(v)),
        INSTANCE,
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
    Form("random", _is_a(*RANDOM), set(), values.write_random, values.read_random),
    Form(
        "object",
        lambda v: KINDS["object"](type(v)),
        INSTANCE,
        instances.write_object,
        instances.read_object,
    ),
    Form("function", callable, {"name"}, instances.write_function, instances.read_function),
)
"""In the order in which they are asked; the first that holds a value writes it."""
