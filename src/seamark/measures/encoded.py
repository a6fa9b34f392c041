"""Any encoder as a measure: objects become vectors once, and a measure of vectors compares them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data import anything
from ..engine.python_calls import batch as as_batch
from ..engine.python_calls import name_of, objects
from ..engine.value_cache import Store, digest, digest_function
from .algebra import Prepared
from .base import require_whole
from .resolve import get

Vectors = NDArray[np.float32]
KEPT_BYTES = 2**28  # of vectors, in memory


class Encoded(Prepared):
    """A measure of the vectors that an encoder makes of objects.

    Sentence embeddings, fingerprints of molecules, features of images: an object is encoded when
    it is first met, and known again by its content, so that folds, landmarks and predictions of one
    model never encode it twice. Up to 256 MiB of vectors are kept.

    Parameters
    ----------
    f : callable
        ``f(batch)`` returns an array with a vector for each object of the batch. A batch is a
        matrix if the objects are rows of one, else a list.
    measure : Measure or str, default="cosine"
        What compares the vectors.
    batch : int, default=256
        How many objects `f` gets at once, at most.
    memory : str or path, optional
        A folder in which vectors are kept, too, for other runs. As for `Custom`, a changed encoder
        starts afresh; what is changed in a function that it calls is not noticed.

    Notes
    -----
    `f` runs in this process, one batch after another; vectors are float32.

    Examples
    --------
    >>> import seamark as sm
    >>> from sklearn.feature_extraction.text import HashingVectorizer
    >>> hashing = HashingVectorizer(n_features=256, alternate_sign=False)
    >>> measure = sm.measures.Encoded(hashing.transform)
    >>> measure.cross(["green tea", "Tea", "black coffee"], ["green tea"]).round(2)
    array([[1.  ],
           [0.71],
           [0.  ]], dtype=float32)
    """

    domain = landmark_domain = anything

    def __init__(
        self,
        f: Callable[[Any], Any],
        measure: Any = "cosine",
        batch: int = 256,
        memory: Any = None,
    ) -> None:
        self.f = f
        self.measure = get(measure)
        self.batch = batch
        self.memory = memory
        self._known = KnownVectors(f)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"Encoded({name_of(self.f)}, {self.measure!r})"

    def __sklearn_clone__(self) -> Self:
        """Share the encoder, and what it has encoded."""
        copy = type(self)(**self.get_params(deep=False))
        copy._known = self._known
        return copy

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; a measure may be named."""
        super().set_params(**parameters)
        self.measure = get(self.measure)
        return self

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_known"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._known = KnownVectors(self.f)

    def check_parameters(self) -> None:
        """Require a callable, a measure of vectors, a size and a path."""
        super().check_parameters()
        f: Any = self.f
        if not callable(f):
            raise TypeError(f"f must be a function of a batch of objects, not {f!r}.")
        if self.measure.domain.name != "vectors":
            raise TypeError(
                f"{self.measure!r} compares {self.measure.domain.name}; Encoded needs a measure of "
                "vectors, such as Cosine()."
            )
        require_whole("batch", self.batch, 1)
        if self.memory is not None and not isinstance(self.memory, (str, os.PathLike)):
            raise TypeError(f"memory must be the path of a folder, or None, not {self.memory!r}.")

    def prepared(self, X: Any) -> Vectors:
        """Return the vectors of ingested objects."""
        if self._known.f is not self.f:
            self._known = KnownVectors(self.f)
        return self._known.of(X, self.batch, self.memory)

    def outline(self, X: Any) -> Vectors:
        """Return as many rows of as many numbers."""
        return np.broadcast_to(np.float32(0), (X.shape[0], self._known.width))


class KnownVectors:
    """Vectors by the content of what was encoded; the first to come are the first to go.

    Parameters
    ----------
    f : callable
        The encoder.
    """

    def __init__(self, f: Callable[[Any], Any]) -> None:
        self.f = f
        self.width = 1
        self._vectors: dict[bytes, Vectors] = {}
        self._alone = threading.Lock()  # few encoders may be called by several threads at once
        self._prefix: bytes | None = None

    def of(self, X: Any, size: int, memory: Any) -> Vectors:
        """Return the vectors of ingested objects; encode those that are not known."""
        keys = list(map(digest, objects(X)))
        with self._alone:
            first = dict(zip(reversed(keys), reversed(range(len(keys))), strict=True))
            new = {key: i for key, i in first.items() if key not in self._vectors}
            if memory is not None and new:
                with Store(memory) as store:
                    for key in list(new):
                        vector = store.vector(self._key(key))
                        if vector is not None:
                            self._vectors[key], self.width = vector, len(vector)
                            del new[key]
            rows = sorted(new.values())
            for start in range(0, len(rows), size):
                some = rows[start : start + size]
                made = self._encoded(X[some])
                fresh = dict(zip((keys[i] for i in some), made, strict=True))
                self._vectors |= fresh
                if memory is not None:
                    with Store(memory) as store:
                        store.put_vectors((self._key(key), one) for key, one in fresh.items())
            found = np.stack([self._vectors[key] for key in keys])
            while len(self._vectors) * 4 * self.width > KEPT_BYTES:
                del self._vectors[next(iter(self._vectors))]
        return found

    def _key(self, key: bytes) -> bytes:
        if self._prefix is None:
            self._prefix = digest_function(self.f)
        return self._prefix + key

    def _encoded(self, some: Any) -> Vectors:
        name, n = name_of(self.f), some.shape[0]
        result = self.f(as_batch(some))
        made = np.asarray(result.toarray() if sparse.issparse(result) else result)
        if made.ndim != 2 or len(made) != n or made.dtype.kind not in "biuf":
            raise ValueError(
                f"{name} returned an array of {made.dtype} of shape {made.shape} for {n} objects; "
                "it must return a row of numbers for each."
            )
        made = made.astype(np.float32)
        bad = np.flatnonzero(~np.isfinite(made).all(axis=1))
        if len(bad):
            raise ValueError(f"{name} returned a vector that is not finite for {some[bad[0]]!r}.")
        if self._vectors and made.shape[1] != self.width:
            raise ValueError(
                f"{name} returned vectors of {made.shape[1]} numbers, and of {self.width} before."
            )
        self.width = made.shape[1]
        return made
