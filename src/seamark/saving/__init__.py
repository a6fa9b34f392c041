"""Saved models: one file of plain arrays and JSON, safe to open, without pickle."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from sklearn.base import BaseEstimator

from .format import FORMAT, VERSION, ModelFileError, pack, unpack
from .values import TAG, Reader, Writer, may_be_named

__all__ = ["Contents", "ModelFileError", "contents", "load", "save"]

FILE_BYTES = 2**32  # the largest file

Found = TypeVar("Found")


@dataclass(frozen=True)
class Contents:
    """What a file says of itself, without a model being made of it.

    Attributes
    ----------
    model : str
        Class of the model.
    library : str
        The version of seamark that wrote it.
    functions : list of str
        Import paths of functions and classes that `load` must be given.
    about : dict
        What `save` was told about it.
    """

    model: str
    library: str
    functions: list[str]
    about: dict[str, Any]


def save(
    model: BaseEstimator,
    path: str | os.PathLike[str],
    overwrite: bool = False,
    *,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Save a model to one file, without pickle.

    The file holds the model's parameters and what it learned as JSON and plain arrays. It is
    written whole or not at all. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator
        One of seamark, fitted or not, made of parts of seamark and of scikit-learn's linear
        models. Functions of yours are kept by their import path, and passed to `load`.
    path : path
    overwrite : bool, default=False
        Whether a file that is there may be replaced.
    about : mapping, optional
        What else to keep with the model, such as where it comes from: names and JSON values.

    Notes
    -----
    Not kept: the state of a `RandomState`, or of a `Generator` that is not numpy's default (None
    comes back), and the folder of a measure's `memory`.

    Examples
    --------
    >>> import tempfile
    >>> import seamark as sm
    >>> path = Path(tempfile.mkdtemp()) / "model.seamark"
    >>> model = sm.LandmarkRegressor("levenshtein", random_state=0)
    >>> sm.save(model.fit(["a", "aa", "aaa", "aaaa"] * 3, [1, 2, 3, 4] * 3), path)
    >>> bool((sm.load(path).predict(["aab"]) == model.predict(["aab"])).all())
    True
    """
    if not isinstance(model, BaseEstimator):
        raise TypeError(f"model is a {type(model).__name__}; save takes an estimator of seamark.")
    writer = Writer()
    document = {
        "format": FORMAT,
        "version": VERSION,
        "library": version("seamark"),
        "model": writer.tree(model, "model"),
        "about": writer.tree(dict(about or {}), "about"),
    }
    pack(path, document, writer.arrays, overwrite=overwrite)


def load(
    path: str | os.PathLike[str],
    functions: Mapping[str, Callable[..., Any]] | None = None,
    *,
    max_bytes: int | None = None,
) -> Any:
    """Load a model that `save` wrote.

    Opening a file runs none of its content: it names classes of seamark, and of scikit-learn those
    on a list; everything else is data. Nothing is imported on the word of a file.

    Parameters
    ----------
    path : path
    functions : mapping, optional
        Functions, and classes that are not of seamark, by import path, as in
        ``{"mine.overlap": mine.overlap}``; an error names those that are missing.
    max_bytes : int, optional
        The largest file, and the most bytes of arrays; by default 2³².

    Returns
    -------
    estimator

    Examples
    --------
    >>> import tempfile
    >>> import seamark as sm
    >>> def shared(x, y):
    ...     return len(set(x) & set(y))
    >>> path = Path(tempfile.mkdtemp()) / "model.seamark"
    >>> model = sm.LandmarkClassifier(sm.measures.Custom(shared, kind="similarity"), n_landmarks=2)
    >>> sm.save(model.fit(["sea", "see", "tar", "art"], [0, 0, 1, 1]), path)
    >>> [needed] = sm.saving.contents(path).functions
    >>> sm.load(path, functions={needed: shared}).predict(["rat"])
    array([1])
    """
    document, reader = _open(path, functions or {}, max_bytes)
    model = _guarded(path, lambda: reader.tree(document["model"]))
    if not isinstance(model, BaseEstimator):
        raise ModelFileError(f"{path} holds a {type(model).__name__}, and no model.")
    return model


def contents(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Contents:
    """Read what a file says of itself; no model is made.

    Parameters
    ----------
    path : path
    max_bytes : int, optional
        The largest file; by default 2³².

    Examples
    --------
    >>> import tempfile
    >>> import seamark as sm
    >>> path = Path(tempfile.mkdtemp()) / "model.seamark"
    >>> sm.save(sm.LandmarkMap("dtw"), path, about={"column": "name"})
    >>> found = sm.saving.contents(path)
    >>> found.model, found.about
    ('seamark.maps.LandmarkMap', {'column': 'name'})
    """
    document, reader = _open(path, {}, max_bytes)

    def read() -> Contents:
        model = str(document["model"]["class"])
        needed = _needed(document["model"])
        return Contents(model, str(document["library"]), needed, reader.tree(document["about"]))

    return _guarded(path, read)


def _open(
    path: str | os.PathLike[str], functions: Mapping[str, Any], max_bytes: int | None
) -> tuple[dict[str, Any], Reader]:
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    size = file.stat().st_size
    max_bytes = FILE_BYTES if max_bytes is None else max_bytes
    if size > max_bytes:
        raise ModelFileError(
            f"{path} has {size} bytes, more than max_bytes={max_bytes}; raise it if you trust it."
        )
    data = file.read_bytes()
    document, arrays = _guarded(path, lambda: unpack(data))
    return document, Reader(arrays, functions, max_bytes)


def _guarded(path: str | os.PathLike[str], read: Callable[[], Found]) -> Found:
    """Read, and say in one sentence what is wrong: a damaged file may make anything fail."""
    try:
        return read()
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be loaded: {error}") from error.__cause__
    except Exception as error:
        reason = str(error).partition("\n")[0][:120] or type(error).__name__
        raise ModelFileError(
            f"{path} is not a seamark model, or it is damaged: {reason}"
        ) from error


def _needed(document: dict[str, Any]) -> list[str]:
    """Return the import paths that a document names and that `load` does not know by itself."""
    found: set[str] = set()
    waiting: list[Any] = [document]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
            if node.get(TAG) == "function":
                found.add(str(node["name"]))
            elif "class" in node and TAG in node and not may_be_named(str(node["class"])):
                found.add(str(node["class"]))
    return sorted(found)
