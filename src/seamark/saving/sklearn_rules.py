"""What shapes cannot say of scikit-learn's estimators: signs, sums, and what refers to what."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import sparse

from ..bounds import BOUNDS
from .errors import ModelFileError

State = dict[str, Any]
Sizes = dict[str, int]
KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def fits_together(sound: bool, cls: Any, name: str, fault: str = "does not fit the rest") -> None:
    """Stop unless a part is sound."""
    if not sound:
        title = cls if isinstance(cls, str) else cls.__name__
        raise ModelFileError(f"{name[:40]} of its {title} {fault}.")


def rule_of_libsvm(state: State, sizes: Sizes) -> None:
    """Check a support vector machine: libsvm counts, sums and indexes without a look."""
    cls, kernel, n = state["class"], state["kernel"], sizes["l"]
    # What a function of one's own answers cannot be known beforehand.
    known = isinstance(kernel, str) and kernel in KERNELS
    fits_together(known, cls, "kernel", f"is none of {', '.join(KERNELS)}")
    fits_together("d" in sizes, cls, "n_features_in_", "is missing")
    in_sparse = state.get("_sparse")
    fits_together(type(in_sparse) is bool, cls, "_sparse")
    fits_together(not (in_sparse and kernel == "precomputed"), cls, "_sparse")
    classes = sizes.get("c", 2)
    fits_together(classes >= 2, cls, "classes_")
    _require_counts(state, classes, n)
    for name in ("_dual_coef_", "dual_coef_"):
        right = _is_matrix(state.get(name), (classes - 1, n), bool(in_sparse), full=True)
        fits_together(right, cls, name)
    if kernel == "precomputed":  # whose rows are filled up to so many columns
        most = BOUNDS["SVC"]["shape_fit_"]
        sound = max(state["shape_fit_"]) <= most
        fits_together(sound, cls, "shape_fit_", f"must be at most {most}")
    wanted = (0, 0) if kernel == "precomputed" else (n, sizes["d"])
    right = _is_matrix(state.get("support_vectors_"), wanted, bool(in_sparse))
    fits_together(right, cls, "support_vectors_")
    _require_probabilities(state, sizes)


def _require_counts(state: State, classes: int, n: int) -> None:
    cls, counts, support = state["class"], state["_n_support"], state["support_"]
    right = len(counts) == classes and bool((counts >= 0).all())
    # Regression has "two classes", each with all support vectors.
    total = counts.astype(np.int64).sum() if "classes_" in state else counts.max(initial=0)
    fits_together(right and total == n, cls, "_n_support")
    fits_together(len(state["_intercept_"]) == classes * (classes - 1) // 2, cls, "_intercept_")
    shape = state.get("shape_fit_")
    right = type(shape) is tuple and len(shape) == 2 and all(type(side) is int for side in shape)
    fits_together(right, cls, "shape_fit_")
    rows = shape[0] if shape is not None else 0
    fits_together(bool(((support >= 0) & (support < rows)).all()), cls, "support_")


def _require_probabilities(state: State, sizes: Sizes) -> None:
    cls, pairs = state["class"], len(state["_intercept_"])
    wanted = state.get("_effective_probability", state.get("probability"))
    fits_together(type(wanted) is bool, cls, "probability", "is neither true nor false")
    several = (0, pairs) if "c" in sizes else (0,)
    right = sizes["a"] == sizes["b"] and sizes["a"] in several
    fits_together(right and (sizes["a"] == pairs or not wanted), cls, "_probA")


def _is_matrix(value: Any, shape: tuple[int, int], in_sparse: bool, full: bool = False) -> bool:
    """Whether a value is a finite matrix of doubles, or a sparse one with every entry stored."""
    if sparse.issparse(value) != in_sparse or np.shape(value) != shape:
        return False
    if not in_sparse:
        return _is_doubles(value) and value.ndim == 2
    every = not full or len(value.data) == shape[0] * shape[1]
    return every and _is_doubles(value.data) and bool((value.indices < shape[1]).all())


def _is_doubles(value: Any) -> bool:
    right = isinstance(value, np.ndarray) and value.dtype == np.float64
    return right and bool(np.isfinite(value).all())


def rule_of_categories(state: State, sizes: Sizes) -> None:
    """Check the categories of an encoder: numbers are searched, so they must rise."""
    cls, categories = state["class"], state.get("categories_")
    right = type(categories) is list and len(categories) == sizes.get("d")
    fits_together(right and all(map(_are_categories, categories or ())), cls, "categories_")
    fits_together(type(state.get("_infrequent_enabled")) is bool, cls, "_infrequent_enabled")
    if state["_infrequent_enabled"]:
        for name in ("_infrequent_indices", "_default_to_infrequent_mappings"):
            found = state.get(name)
            fits_together(type(found) is list and len(found) == sizes["d"], cls, name)


def _are_categories(values: Any) -> bool:
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "biufUSO":
        return False
    if values.dtype.kind in "US":
        return len(set(values.tolist())) == len(values)
    listed = values.tolist()
    while listed and (listed[-1] is None or listed[-1] != listed[-1]):
        listed.pop()  # missing values come last
    if all(isinstance(one, (str, bytes)) for one in listed):
        return len(set(listed)) == len(listed)
    numbers = all(isinstance(one, (bool, int, float)) for one in listed)
    return numbers and all(a < b for a, b in itertools.pairwise(listed))


def rule_of_one_hot(state: State, sizes: Sizes) -> None:
    """Check that an encoder fills no column that it does not promise."""
    rule_of_categories(state, sizes)
    cls, widths = state["class"], [len(one) for one in state["categories_"]]
    if state["_infrequent_enabled"]:
        widths = [_grouped(state, i, width) for i, width in enumerate(widths)]
    dropped = state.get("_drop_idx_after_grouping")
    if dropped is not None:
        right = isinstance(dropped, np.ndarray) and dropped.shape == (len(widths),)
        fits_together(right, cls, "_drop_idx_after_grouping")
        for i, (drop, width) in enumerate(zip(dropped.tolist(), widths, strict=True)):
            right = drop is None or (isinstance(drop, (int, np.integer)) and 0 <= int(drop) < width)
            fits_together(right, cls, "_drop_idx_after_grouping")
            widths[i] = width - (drop is not None)
    promised = state.get("_n_features_outs")
    right = type(promised) is list and all(isinstance(n, (int, np.integer)) for n in promised)
    fits_together(right and promised == widths, cls, "_n_features_outs")


def _grouped(state: State, i: int, width: int) -> int:
    """Return how many columns a feature has once its rare categories are one."""
    rare, mapping = state["_infrequent_indices"][i], state["_default_to_infrequent_mappings"][i]
    if rare is None and mapping is None:
        return width
    right = all(
        isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind == "i"
        for one in (rare, mapping)
    )
    right = right and len(mapping) == width and 0 < len(set(rare.tolist())) == len(rare) <= width
    right = right and bool(((rare >= 0) & (rare < width)).all())
    frequent = width - len(rare) if right else 0
    right = right and bool(((mapping >= 0) & (mapping <= frequent)).all())
    fits_together(right, state["class"], "_default_to_infrequent_mappings")
    return frequent + 1


def rule_of_quantiles(state: State, sizes: Sizes) -> None:
    """Check that quantiles never fall: they are searched."""
    for name in ("references_", "quantiles_"):
        falls = bool((np.diff(state[name], axis=0) < 0).any())
        fits_together(not falls, state["class"], name, "falls somewhere")


def rule_of_indicator(state: State, sizes: Sizes) -> None:
    """Check that the features with missing values are among the features."""
    features, known = state["features_"], int(state["_n_features"])
    right = bool(((features >= 0) & (features < known)).all())
    fits_together(right, state["class"], "features_")


def rule_of_steps(state: State, sizes: Sizes) -> None:
    """Check that a pipeline or union is a list of names and estimators."""
    name = "steps" if "steps" in state else "transformer_list"
    parts = state.get(name)
    right = type(parts) in (list, tuple) and all(_is_step(one, 2) for one in parts or ())
    fits_together(right, state["class"], name)


def rule_of_columns(state: State, sizes: Sizes) -> None:
    """Check that a transformer of columns is made of names, estimators and columns."""
    fits_together("d" in sizes, state["class"], "n_features_in_", "is missing")
    for name in ("transformers", "transformers_"):
        parts = state.get(name)
        right = type(parts) in (list, tuple) and all(_is_step(one, 3) for one in parts or ())
        fits_together(right, state["class"], name)


def _is_step(one: Any, n: int) -> bool:
    if type(one) not in (list, tuple) or len(one) != n or not isinstance(one[0], str):
        return False
    if one[1] is None or isinstance(one[1], str):
        return one[1] in ("passthrough", "drop", None)
    return hasattr(one[1], "get_params")
