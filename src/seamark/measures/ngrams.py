"""Strings by their character n-grams, and plans over bags: things with weights."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, strings
from ..engine.reference import ngram_spans
from ..validation import require_bounded
from .base import Measure, require_one_of, require_whole

Values = Literal["cosine", "minmax", "dot"]
VALUES = ("cosine", "minmax", "dot")
THING_SECONDS = 1.5e-7  # to find one thing of a row and weigh it
SHARED_SECONDS = 1e-10  # per thing of a row and landmark


@dataclass(frozen=True)
class Bags:
    """Bag i holds ``things[offsets[i]:offsets[i + 1]]``, none of them twice, with their weights."""

    things: NDArray[Any]
    weights: NDArray[np.float32]
    offsets: NDArray[np.int64]

    def sums(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the sum of some values of the things of every bag."""
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return np.asarray(running[self.offsets[1:]] - running[self.offsets[:-1]])

    def scaled(self) -> Bags:
        """Return bags whose squared weights add up to 1; an empty one stays empty."""
        sizes = np.sqrt(self.sums(np.square(self.weights, dtype=np.float64)))
        factors = 1.0 / np.where(sizes > 0, sizes, 1.0)
        weights = self.weights * np.repeat(factors, np.diff(self.offsets))
        return Bags(self.things, weights.astype(np.float32), self.offsets)


class BagMeasure(Measure):
    """A similarity of what objects hold: their bags."""

    values: Values
    kind = "similarity"
    symmetric = True
    psd = True

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Only products have no upper bound."""
        return (0.0, np.inf) if self.values == "dot" else (0.0, 1.0)

    @abstractmethod
    def bags(self, X: Any) -> Bags:
        """Return the bags of ingested objects."""

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1, or the squared size; 0 of an empty bag."""
        bags = self.bags(X)
        squares = bags.sums(np.square(bags.weights, dtype=np.float64))
        return squares if self.values == "dot" else np.asarray(squares > 0, np.float64)


class BagPlan(engine.Plan):
    """Bags compared with landmark bags.

    Parameters
    ----------
    L : Bags
        Landmarks.
    values : {"cosine", "minmax", "dot"}
        Σ ab / √(Σ a² Σ b²), Σ min(a, b) / Σ max(a, b), or Σ ab.
    bags : callable
        ``bags(rows)`` returns the Bags of ingested rows.
    sizes : callable
        ``sizes(rows)`` estimates how many things the rows hold.
    """

    def __init__(
        self,
        L: Bags,
        values: Values,
        bags: Callable[[Any], Bags],
        sizes: Callable[[Any], NDArray[Any]],
    ) -> None:
        self.n_landmarks = len(L.offsets) - 1
        self.values, self.bags, self.sizes = values, bags, sizes
        self.known, things = np.unique(L.things, return_inverse=True)
        self.totals = L.sums(L.weights)
        kernels = engine.backend()
        self.slowness = kernels.slowness
        weights = (L.scaled() if values == "cosine" else L).weights
        value = "smaller" if values == "minmax" else "product"
        numbers = things.astype(np.int32)
        self.plan = kernels.bags(numbers, weights, L.offsets, len(self.known), value)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """In proportion to the things of the rows."""
        per_thing = THING_SECONDS + self.n_landmarks * SHARED_SECONDS
        return np.asarray(self.sizes(X) * (per_thing * self.slowness), np.float64)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        """Sum over the things that rows and landmarks share, then divide."""
        rows = self.bags(X)
        weights = (rows.scaled() if self.values == "cosine" else rows).weights
        numbers = np.full(len(rows.things), -1, dtype=np.int32)  # -1: in no landmark
        if len(self.known):
            places = np.searchsorted(self.known, rows.things)
            places[places == len(self.known)] = 0
            found = self.known[places] == rows.things
            numbers[found] = places[found]
        self.plan.run(numbers, weights, rows.offsets, out, stop)
        if self.values == "cosine":
            np.minimum(out, 1.0, out=out)
        elif self.values == "minmax":
            union = np.add.outer(rows.sums(rows.weights), self.totals).astype(np.float32) - out
            np.divide(out, union, out=out, where=union > 0)


# Strings by their character n-grams: cosine or min-max of weighted counts.


# Where Python's str.split and bytes.split cut.
BLANKS = [*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]
TEXT_BLANKS = np.array([*BLANKS, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000], np.uint32)
BYTE_BLANKS = np.array([*range(0x09, 0x0E), 0x20], np.uint32)
MARK = 0x20  # a word holds no blank, so a blank can mark its ends
STRING_MARK = 0x110000  # no code point at all
LETTER_BITS, LAST_PLACE = 21, 2**11 - 1  # of a symbol of 32 bits: its code point and its place


@dataclass(eq=False, repr=False)
class NGrams(BagMeasure):
    """Similarity of strings by the character n-grams they share, rare ones counting more.

    Each n-gram is hashed to one of 2^bits buckets, by a hash that is the same in every process.

    Parameters
    ----------
    n : tuple of int, default=(1, 3)
        Shortest and longest n-gram, in characters; marks of ends count.
    within : {"words", "strings", "places"}, default="words"
        What n-grams stay within: words between blanks, or whole strings; both ends are marked. With
        "places", n-grams of whole strings are the same only at the same place, which suits strings
        of one length such as aligned DNA or codes. (All places from 2047 on count as one.)
    values : {"cosine", "minmax", "dot"}, default="cosine"
        Of weighted counts a and b: Σ ab / √(Σ a² Σ b²), Σ min(a, b) / Σ max(a, b), or Σ ab.
    weights : "data", array of 2^bits numbers or None, default="data"
        Weight of each bucket: "data" takes ln((1 + N) / (1 + df)) + 1, where df of the N strings of
        the data have the n-gram (TF-IDF); None counts all alike.
    bits : int, default=20
        Logarithm of the number of buckets, from 8 to 24. A fitted measure keeps 4 bytes for each.

    Notes
    -----
    Without collisions of buckets the cosine is that of scikit-learn's
    ``TfidfVectorizer(analyzer="char_wb", lowercase=False)`` with the same n-grams.

    Examples
    --------
    >>> words = ["seamark", "landmark", "lighthouse"]
    >>> NGrams().cross(words, words[:1]).round(2)
    array([[1.  ],
           [0.46],
           [0.14]], dtype=float32)
    """

    n: tuple[int, int] = (1, 3)
    within: Literal["words", "strings", "places"] = "words"
    values: Values = "cosine"
    weights: Any = "data"
    bits: int = 20

    name: ClassVar[str] = "ngrams"
    domain = strings

    def check_parameters(self) -> None:
        """Require lengths, buckets and weights that fit together."""
        require_bounded(type(self), vars(self))
        n: Any = self.n
        whole = isinstance(n, (tuple, list)) and len(n) == 2
        if not whole or not all(isinstance(k, numbers.Integral) for k in n):
            raise ValueError(f"n must be a pair of whole numbers, such as (1, 3), not {self.n!r}.")
        if not 1 <= self.n[0] <= self.n[1]:
            raise ValueError(f"n must rise from 1 or more, not {self.n!r}.")
        require_one_of("within", self.within, ("words", "strings", "places"))
        require_one_of("values", self.values, VALUES)
        require_whole("bits", self.bits, 8)
        if self.weights is None or (isinstance(self.weights, str) and self.weights == "data"):
            return
        array = isinstance(self.weights, np.ndarray) and self.weights.dtype.kind == "f"
        if not array or self.weights.shape != (1 << self.bits,):
            raise ValueError(f"weights must be 'data', None or an array of 2^{self.bits} numbers.")
        if not (np.isfinite(self.weights).all() and (self.weights >= 0).all()):
            raise ValueError("weights must be finite and not negative.")

    def fitted_to(self, X: Ragged, rng: np.random.Generator) -> Self:
        """Return a copy whose weights are those of the strings X."""
        if not isinstance(self.weights, str):
            return self
        self.check_parameters()
        having = np.bincount(self._counts(X).things, minlength=1 << self.bits)
        weights = np.log((1.0 + len(X)) / (1.0 + having)) + 1.0
        return self._with(weights=weights.astype(np.float32))

    def compile(self, L: Ragged) -> engine.Plan:
        """Turn the landmarks around: which of them have an n-gram."""
        self.check_parameters()  # of a file, too: buckets index the weights
        return BagPlan(self.bags(L), self.values, self.bags, lambda X: 3.0 * X.lengths + 1.0)

    def bags(self, X: Ragged) -> Bags:
        """Weighted counts of n-grams, by bucket."""
        bags = self._counts(X)
        if self.weights is None:
            return bags
        return Bags(bags.things, bags.weights * self.weights[bags.things], bags.offsets)

    def found_in(self, text: str | bytes) -> list[tuple[int, str, tuple[int, int]]]:
        """Return the bucket of each n-gram of one string, how it is written, and where it is.

        Dots stand for the rest of the word, or string.

        Examples
        --------
        >>> [name for _, name, _ in NGrams((2, 3)).found_in("sea")]
        ['s…', 'se…', '…se…', '…sea…', '…ea…', '…ea', '…a']
        """
        written = text.decode("latin-1") if isinstance(text, bytes) else text
        letters, sizes = list(map(ord, written)), (int(self.n[0]), int(self.n[1]))
        blanks, mark = self._cut(isinstance(text, bytes))
        cut = set(blanks.tolist())
        marks = {-1, len(letters), *(k for k, letter in enumerate(letters) if letter in cut)}
        symbols = self._symbols(np.array(letters, np.uint32), np.array([0, len(letters)])).tolist()
        found = []
        for bucket, first, after in ngram_spans(symbols, *sizes, cut, mark, int(self.bits)):
            begins, ends = first in marks, after - 1 in marks
            place = first + begins, max(first + begins, after - ends)
            name = f"{'' if begins else '…'}{written[slice(*place)]}{'' if ends else '…'}"
            found.append((bucket, name if place[0] < place[1] else "end of a word", place))
        return found

    def _counts(self, X: Ragged) -> Bags:
        offsets = X.offsets - X.offsets[0]
        texts = self._symbols(X.flat.astype(np.uint32), offsets), offsets
        sizes = int(self.n[0]), int(self.n[1])
        cut = self._cut(getattr(X.domain, "as_bytes", False))
        return Bags(*engine.backend().ngrams(*texts, *sizes, *cut, int(self.bits)))

    def _symbols(self, letters: NDArray[np.uint32], offsets: NDArray[Any]) -> NDArray[np.uint32]:
        """Return what n-grams are made of: letters, with their places in higher bits if asked."""
        if self.within != "places":
            return letters
        places = np.arange(len(letters)) - np.repeat(offsets[:-1], np.diff(offsets))
        high = np.minimum(places, LAST_PLACE).astype(np.uint32) << LETTER_BITS
        return np.asarray(letters | high)

    def _cut(self, as_bytes: bool) -> tuple[NDArray[np.uint32], int]:
        """Return what lies between pieces, and what marks the ends of one."""
        blanks = BYTE_BLANKS if as_bytes else TEXT_BLANKS
        return (blanks, MARK) if self.within == "words" else (blanks[:0], STRING_MARK)
