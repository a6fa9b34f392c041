"""Edit distances of strings: values, searches, pairs, and substrings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, Ragged, Substrings, marks, strings, with_ends
from .algebra import PlanAround
from .base import Fact, FoundNear, FoundPairs, Measure

CELL_SECONDS = 6e-12  # per pair of characters, by a bit-parallel kernel
VALUE_SECONDS = 1e-9  # per value, whatever the lengths

LONGEST = 1 << 14  # characters of a string that kernels with a cut-off take

Compile = Callable[[NDArray[np.int32], NDArray[np.int64], int], Any]


class TextPlan(engine.Plan):
    """A kernel's values of strings against landmark strings.

    Parameters
    ----------
    L : Ragged
        Landmarks.
    compile : callable
        ``compile(codes, offsets, n_symbols)`` returns the kernel's plan.
    slowness : float, default=1.0
        Rough factor on the time that a bit-parallel kernel takes.
    at_most : {"longer", "landmark"}, optional
        Whole values are at most the longer of two lengths, or the landmark's.
    encodes_there : bool, default=False
        Whether a device encodes bytes itself.
    ends : bool, default=False
        Put marks around texts. They are codes like others: texts need not be wider to hold them.
    """

    narrow = False

    def __init__(
        self,
        L: Ragged,
        compile: Compile,
        slowness: float = 1.0,
        *,
        at_most: Literal["longer", "landmark"] | None = None,
        encodes_there: bool = False,
        ends: bool = False,
    ) -> None:
        self.at_most, self.ends = at_most, ends
        self.n_landmarks = L.shape[0]
        text = L.flat
        if text.dtype.itemsize > 2:
            self.alphabet = np.unique(text)
        else:  # of narrow characters a table knows without sorting
            seen = np.zeros(1 << (8 * text.dtype.itemsize), dtype=bool)
            seen[text] = True
            self.alphabet = np.flatnonzero(seen)
        self.total_length, self.longest = len(text), int(L.lengths.max(initial=0))
        self.slowness = engine.backend().slowness * slowness
        offsets = L.offsets - L.offsets[0]
        self.plan = compile(self.encode(text), offsets, len(self.alphabet))
        self.fills_device = getattr(self.plan, "fills_device", False)
        self.narrow = self.fills_device and len(self.alphabet) < 255
        self.sends_bytes = self.narrow and encodes_there
        if self.sends_bytes:
            self.plan.read_bytes(self.of_bytes())

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        """In proportion to pairs of characters."""
        per_character = self.total_length * CELL_SECONDS * self.slowness
        cost = X.lengths.astype(np.float64)
        cost *= per_character
        cost += self.n_landmarks * VALUE_SECONDS
        return cost

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Encode the texts and run the kernel."""
        self.plan.run(*self.encoded(X), out, stop)

    def encoded(self, X: Ragged) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the texts in codes, or in bytes where the device reads them, and their offsets."""
        as_they_are = self.sends_bytes and X.values.dtype.itemsize == 1
        codes, offsets = X.flat if as_they_are else self.encode(X.flat), X.offsets - X.offsets[0]
        if not self.ends:
            return codes, offsets
        start, end = self.encode(np.array(marks(X), np.uint16))
        return with_ends(codes, offsets, int(start), int(end))

    def largest(self, X: Ragged) -> int | None:
        """Return the largest value possible, where values are whole."""
        if self.at_most is None:
            return None
        return max(self.longest, int(X.lengths.max(initial=0)) if self.at_most == "longer" else 0)

    def encode(self, text: NDArray[Any]) -> NDArray[Any]:
        """Dense codes over the landmarks' alphabet; one more for characters in no landmark.

        In bytes, where a device takes them, else as int32.
        """
        size = len(self.alphabet)
        if self.narrow and text.dtype.itemsize == 1:
            return np.frombuffer(text.tobytes().translate(self.of_bytes().tobytes()), np.uint8)
        if text.dtype.itemsize <= 2:
            table = np.full(1 << (8 * text.dtype.itemsize), size, dtype=np.int32)
            known = self.alphabet[self.alphabet < len(table)]
            table[known] = np.arange(len(known), dtype=np.int32)
            codes: NDArray[np.int32] = table[text]
            return codes
        if size == 0:
            return np.zeros(len(text), dtype=np.int32)
        places = np.searchsorted(self.alphabet, text)
        places[places == size] = 0
        places[self.alphabet[places] != text] = size
        return places.astype(np.int32)

    def of_bytes(self) -> NDArray[np.uint8]:
        """Return the code of each character below 256, where codes fit bytes."""
        codes = np.full(256, len(self.alphabet), dtype=np.uint8)
        known = self.alphabet[self.alphabet < 256]
        codes[known] = np.arange(len(known))
        return codes


class _Edits(Measure):
    """A number of edits that turn one string into another."""

    domain = strings
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle: Fact = True
    self_value = 0.0
    joint_size: ClassVar[np.ufunc] = np.maximum

    def sizes(self, X: Ragged) -> NDArray[np.float64]:
        """Length of each string."""
        return X.lengths.astype(np.float64)

    def sketch(self, X: Ragged) -> NDArray[np.float64]:
        """Lengths: an edit changes a length by one at most."""
        return X.lengths.astype(np.float64)[:, None]


class Levenshtein(_Edits):
    """Edit distance: fewest insertions, deletions and substitutions that turn x into y. Exact.

    ``Levenshtein().normalised()`` divides by the longer length.

    Examples
    --------
    >>> Levenshtein().cross(["kitten", ""], ["sitting", "mitten"])
    array([[3., 1.],
           [7., 6.]], dtype=float32)
    """

    name: ClassVar[str] = "levenshtein"

    def compile(self, L: Ragged) -> engine.Plan:
        """Pack the landmarks into words."""
        return TextPlan(L, engine.backend().levenshtein, at_most="longer", encodes_there=True)

    def searching(self, X: Ragged) -> EditSearch | None:
        """Search in the order of lower bounds, by a kernel with a cut-off."""
        search = engine.backend().edit_search
        if search is None or int(X.lengths.max(initial=0)) > LONGEST:
            return None
        return EditSearch(X, search)

    def pairs_within(
        self, X: Ragged, Y: Ragged | None, radius: float, **options: Any
    ) -> FoundPairs | None:
        """Join by segments: all but near strings are never compared.

        Examples
        --------
        >>> words = strings.ingest(["sea", "mark", "see"])
        >>> Levenshtein().pairs_within(words, None, 1.5, most=100)
        (array([0]), array([2]), array([1.], dtype=float32))
        """
        both = [X] if Y is None else [X, Y]
        longest = max(int(one.lengths.max()) for one in both)
        if longest > LONGEST:
            return None
        empty = np.empty(0, dtype=np.intp)
        if radius < 0:
            return empty, empty, empty.astype(np.float32)
        limit = int(min(radius, longest))
        orders = [np.argsort(one.lengths, kind="stable") for one in both]
        coded = TextPlan(X[orders[0]], lambda *texts: texts)
        codes, offsets, n_symbols = coded.plan
        others = None if Y is None else coded.encoded(Y[orders[1]])
        a, b, edits = engine.edit_pairs(
            (codes, offsets), n_symbols, limit, others=others, **options
        )
        left, right = orders[0][a], orders[-1][b]
        if Y is None:
            left, right = np.minimum(left, right), np.maximum(left, right)
        return left, right, edits.astype(np.float32)


class DamerauLevenshtein(_Edits):
    """Edit distance in which swapping two neighbours is one edit too. Exact.

    The unrestricted form: what was swapped may be edited again, so it is a metric. It costs 15
    to 60 times as much as `OptimalAlignment`, which seldom differs.
    ``DamerauLevenshtein().normalised()`` divides by the longer length.

    Examples
    --------
    >>> DamerauLevenshtein().cross(["sea", "ca"], ["esa", "abc"])
    array([[1., 3.],
           [2., 2.]], dtype=float32)
    """

    name: ClassVar[str] = "damerau_levenshtein"

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return TextPlan(L, engine.backend().damerau, slowness=50.0)


class OptimalAlignment(_Edits):
    """Optimal string alignment: Damerau's distance where no substring is edited twice. Exact.

    It is no metric: "ca" is 3 edits from "abc", but 1 from "ac", which is 1 from "abc".
    ``OptimalAlignment().normalised()`` divides by the longer length.

    Examples
    --------
    >>> OptimalAlignment().cross(["sea", "ca"], ["esa", "abc"])
    array([[1., 3.],
           [2., 3.]], dtype=float32)
    """

    name: ClassVar[str] = "osa"
    triangle = False

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return TextPlan(L, partial(engine.backend().strings, "osa"))


class Indel(_Edits):
    """Fewest insertions and deletions that turn x into y: all that is in no common subsequence.

    Exact. ``Indel().normalised()`` divides by the sum of the lengths.

    Examples
    --------
    >>> Indel().cross(["kitten", ""], ["sitting", "mitten"])
    array([[5., 2.],
           [7., 6.]], dtype=float32)
    """

    name: ClassVar[str] = "indel"
    joint_size: ClassVar[np.ufunc] = np.add

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        lengths = L.lengths.astype(np.float32)

        def change(X: Ragged, out: NDArray[np.float32]) -> None:
            """What two strings have apart from their longest common subsequence."""
            out *= -2.0
            out += lengths
            out += X.lengths.astype(np.float32)[:, None]

        return PlanAround(TextPlan(L, partial(engine.backend().strings, "lcs")), change=change)


# What strings have in common: similarities.


class LCS(Measure):
    """Length of the longest common subsequence, whose symbols need not be neighbours. Exact.

    ``LCS().normalised()`` divides by the root of the product of the lengths.

    Examples
    --------
    >>> LCS().cross(["kitten", ""], ["sitting", "mitten"])
    array([[4., 5.],
           [0., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "lcs"
    domain = strings
    kind = "similarity"
    bounds = (0.0, np.inf)
    symmetric = True
    psd = False

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        return TextPlan(L, partial(engine.backend().strings, "lcs"))

    def self_values(self, X: Ragged) -> NDArray[np.float64]:
        """Length of each string."""
        return X.lengths.astype(np.float64)


@dataclass(eq=False, repr=False)
class JaroWinkler(Measure):
    """Jaro–Winkler similarity: the share of symbols that match near their place.

    Made for names: similarities above 0.7 grow with the common prefix, of at most four symbols.

    Parameters
    ----------
    prefix_weight : float, default=0.1
        What each symbol of a common prefix takes of the way to 1, from 0 (Jaro's similarity) to
        0.25.

    Examples
    --------
    >>> JaroWinkler().cross(["martha"], ["marhta", "otto"]).round(3)
    array([[0.961, 0.472]], dtype=float32)
    """

    prefix_weight: float = 0.1

    name: ClassVar[str] = "jaro_winkler"
    ranges: ClassVar = {"prefix_weight": (0, 0.25)}  # which keeps similarities in [0, 1]
    domain = strings
    kind = "similarity"
    bounds = (0.0, 1.0)
    self_value = 1.0
    symmetric = True
    psd = False

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        weight = float(self.prefix_weight)
        return TextPlan(L, partial(engine.backend().strings, "jaro", weight=weight), slowness=3.0)


# The nearest strings by edits, each comparison given up as early as it can be.


TEXT_SECONDS = 4e-9  # per text that a query is held against
STEP_SECONDS = 1e-9  # per symbol of a text that is compared, and word of the query
TRIAL = 8
"""Queries after which it is known whether letters rule enough texts out."""


class EditSearch:
    """Strings to be searched by Levenshtein's distance.

    Lengths and letters bound edits from below. Strings are compared in the order of these bounds,
    eight at a time, until no bound is as small as the last of the nearest; a comparison ends where
    it must exceed that.

    Parameters
    ----------
    X : Ragged
        At most `LONGEST` characters each.
    search : callable
        The backend's `edit_search`.

    Examples
    --------
    >>> from seamark.data import strings
    >>> words = strings.ingest(["seamark", "sea", "mark", "see"])
    >>> cutoffs = np.array([np.inf], dtype=np.float32)
    >>> found = Levenshtein().searching(words).near(strings.ingest(["seal"]), cutoffs, 2)
    >>> [one.tolist() for one in found]
    [[2], [1, 3], [1.0, 2.0]]
    """

    def __init__(self, X: Ragged, search: Callable[..., engine.EditSearchPlan]) -> None:
        order = np.argsort(X.lengths, kind="stable")
        self.texts = TextPlan(X[order], lambda *texts: search(*texts[:2], order, texts[2]))
        self.n = len(X)
        self.tried, self.spent, self.instead = 0, 0.0, 0.0
        """Queries; their estimated seconds; those of comparing with all texts instead."""

    def suits(self, queries: Ragged, cutoffs: NDArray[np.float32], most: int | None) -> int:
        """See `seamark.measures.base.Search`."""
        n = len(queries)
        if int(queries.lengths.max(initial=0)) > LONGEST:
            return 0
        if 3 * cutoffs.mean() < queries.lengths.mean():  # comparisons end early
            return n
        if most is None or 4 * most > self.n:
            return 0
        if self.tried < TRIAL:
            return min(n, TRIAL)
        return n if self.spent <= self.instead else 0

    def near(
        self,
        queries: Ragged,
        cutoffs: NDArray[np.float32],
        most: int | None,
        n_jobs: int | None = None,
    ) -> FoundNear:
        """See `seamark.measures.base.Search`."""
        limits = np.clip(cutoffs, -1, LONGEST).astype(np.int32)
        wanted = self.n if most is None else min(most, self.n)
        texts, n = self.texts, len(queries)
        instead = 1.3 * float(texts.seconds(queries).sum()) + n * self.n * TEXT_SECONDS
        counts, rows, edits, steps = engine.edits_near(
            texts.plan, texts.encoded(queries), limits, wanted, instead / max(1, n), n_jobs
        )
        if wanted < self.n:
            self.tried += n
            self.spent += (steps * STEP_SECONDS + n * self.n * TEXT_SECONDS) * texts.slowness
            self.instead += instead
        return counts, rows, edits.astype(np.float32)


# Strings against substrings: how well a short piece fits anywhere in a string.


@dataclass(eq=False, repr=False)
class Substring(Measure):
    r"""Smallest edit distance of a landmark to any substring of the string. Exact.

    Landmarks are *parts* of strings, so the measure is not symmetric: a long string that holds
    the landmark somewhere is at distance 0.

    Parameters
    ----------
    ends : bool, default=True
        Mark where strings begin and end, so that a landmark can ask for it: "␂sea" fits where a
        string begins with "sea", "mark␃" where it ends with "mark" (of bytes: ``b"\x02sea"`` and
        ``b"mark\x03"``). To landmarks without such marks it makes no difference.

    Examples
    --------
    >>> Substring().cross(["seamark", "oversea"], ["sea", "sae", "␂sea", "sea␃"])
    array([[0., 1., 0., 1.],
           [0., 1., 1., 0.]], dtype=float32)
    """

    ends: bool = True

    name: ClassVar[str] = "substring"
    choices: ClassVar = {"ends": (True, False)}
    domain = strings
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = False

    @property
    def landmark_domain(self) -> Domain:
        """Substrings, with or without marks of ends."""
        return Substrings(ends=bool(self.ends))

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        kernel = partial(engine.backend().strings, "substring")
        return TextPlan(L, kernel, at_most="landmark", ends=bool(self.ends))
