"""Small data sets that come with the package, and a reader for a folder of larger ones.

A data file is a `.npz` without pickles: `codes` (strings: UTF-8 bytes) or `values` (series: time ×
channels; sets: vectors × dimensions) laid end to end, `offsets` (n + 1), `y`, and where they exist
`classes` (names that `y` indexes) and `split` (0 train, 1 test). Vectors are `X` and `y`. Graphs
have `node_labels` and `edges` (pairs of nodes numbered within their graph), `node_offsets` and
`edge_offsets`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..data import Ragged, Series, Sets, graphs, strings

__all__ = ["load", "load_cars", "load_musk", "load_splice", "load_vowels"]

_BUNDLED = Path(__file__).parent / "data"

_SPLICE = """Primate splice junctions (UCI, CC BY 4.0).

3190 DNA windows of 60 letters: exon→intron (EI), intron→exon (IE), or neither (N).
"""
_VOWELS = """Japanese vowels (UCI, CC BY 4.0).

640 utterances by 9 speakers, 12 LPC cepstrum coefficients over 7 to 29 steps; who is speaking?
"""
_MUSK = """Musk, version 1 (UCI, CC BY 4.0).

92 molecules, each a set of 2 to 40 conformations described by 166 distances; is it a musk?
"""
_CARS = """Cars of 1970 to 1982 (UCI, Auto MPG, CC BY 4.0; as in vega-datasets, BSD-3-Clause).

406 cars: names as people wrote them ("chevroelt", "maxda", "vokswagen"), five numbers, the year as
a date (those of 1981 are dated 1982), where they were built; miles per gallon. 8 have no mpg, 6 no
horsepower.
"""


def load_splice(*, return_X_y: bool = False) -> Any:
    """Load DNA strings around splice junctions: 3190 strings of 60 letters, three classes.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    Bunch with `data`, `target`, `target_names`, `split`, `DESCR`

    Examples
    --------
    >>> from seamark.datasets import load_splice
    >>> splice = load_splice()
    >>> splice.data, splice.data[0][:10], splice.target_names.tolist()
    (Ragged(3190 strings, lengths 60..60), 'CCAGCTGCAT', ['EI', 'IE', 'N'])
    """
    return _read(_BUNDLED / "splice.npz", "strings", _SPLICE, return_X_y)


def load_vowels(*, return_X_y: bool = False) -> Any:
    """Load utterances of Japanese vowels: 640 series with 12 channels, nine speakers.

    Parameters and returns are those of `load_splice`.

    Examples
    --------
    >>> from seamark.datasets import load_vowels
    >>> load_vowels().data
    Ragged(640 series, lengths 7..29, 12 variables)
    """
    return _read(_BUNDLED / "vowels.npz", "series", _VOWELS, return_X_y)


def load_musk(*, return_X_y: bool = False) -> Any:
    """Load molecules as sets of conformations: 92 sets of vectors with 166 dimensions, two classes.

    Parameters and returns are those of `load_splice`.

    Examples
    --------
    >>> from seamark.datasets import load_musk
    >>> load_musk().data
    Ragged(92 sets, lengths 2..40, 166 variables)
    """
    return _read(_BUNDLED / "musk.npz", "sets", _MUSK, return_X_y)


def load_cars() -> Bunch:
    """Load a mixed table: 406 cars, with names, numbers, dates, a category and gaps.

    Returns
    -------
    Bunch with `frame` (a pandas DataFrame), `filename` (the CSV it was read from), `DESCR`

    Examples
    --------
    >>> from seamark.datasets import load_cars
    >>> cars = load_cars().frame
    >>> cars.shape, cars.columns.tolist()[:3], int(cars["mpg"].isna().sum())
    ((406, 9), ['name', 'mpg', 'cylinders'], 8)
    """
    path = _BUNDLED / "cars.csv"
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(f"load_cars needs pandas: pip install pandas; or read {path}.") from None
    return Bunch(frame=pd.read_csv(path), filename=str(path), DESCR=_CARS)


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> Bunch:
    """Load one data set of a folder of larger ones.

    Parameters
    ----------
    name : str
        Path inside the folder without ending, such as ``"strings/splice"``; its first part,
        ``strings``, ``series``, ``sets``, ``graphs`` or ``tabular``, says what the objects are.
    folder : path, optional
        The folder; default: the environment variable SEAMARK_DATA.

    Returns
    -------
    Bunch with `data`, `target`, `target_names`, `split`, `DESCR`
    """
    folder = folder or os.environ.get("SEAMARK_DATA")
    if not folder:
        raise ValueError("say where the data are: load(name, folder=…), or set SEAMARK_DATA.")
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        raise FileNotFoundError(f"no data set {name!r}: {path} does not exist.")
    return _read(path, name.split("/", maxsplit=1)[0], f"{name}, from {folder}", False)


def _read(path: Path, kind: str, description: str, return_X_y: bool) -> Any:
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    if kind == "strings":
        flat, offsets = arrays["codes"].tobytes(), arrays["offsets"].tolist()
        texts = [flat[a:b].decode("utf-8") for a, b in pairwise(offsets)]
        X: Any = strings.ingest(texts)
    elif kind == "graphs":
        X = graphs.ingest(list(_graphs(arrays)))
    elif "values" in arrays:
        domain = Sets() if kind == "sets" else Series(flat=arrays["values"].shape[1] == 1)
        X = Ragged(arrays["values"].astype(np.float32), arrays["offsets"], domain)
    else:
        X = arrays["X"]
    y = arrays.get("y")
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        target_names=arrays.get("classes"),
        split=arrays.get("split"),
        DESCR=description,
    )


def _graphs(arrays: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield edges and labels of every graph."""
    nodes, edges = pairwise(arrays["node_offsets"]), pairwise(arrays["edge_offsets"])
    for (a, b), (c, d) in zip(nodes, edges, strict=True):
        yield arrays["edges"][c:d], arrays["node_labels"][a:b]
