"""Local alignment of strings."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, strings
from .base import Measure, require_number

Floats = NDArray[np.float64]

CELL_SECONDS = 3e-8  # per pair of characters
GROUP_SYMBOLS = 1 << 14  # of landmarks that are aligned together: what then stays in the cache

# The matrix of Henikoff and Henikoff, in half bits, as NCBI distributes it. B, Z and X stand for
# amino acids that are not known exactly, * for the end of a protein.
BLOSUM62 = """
   A  R  N  D  C  Q  E  G  H  I  L  K  M  F  P  S  T  W  Y  V  B  Z  X  *
A  4 -1 -2 -2  0 -1 -1  0 -2 -1 -1 -1 -1 -2 -1  1  0 -3 -2  0 -2 -1  0 -4
R -1  5  0 -2 -3  1  0 -2  0 -3 -2  2 -1 -3 -2 -1 -1 -3 -2 -3 -1  0 -1 -4
N -2  0  6  1 -3  0  0  0  1 -3 -3  0 -2 -3 -2  1  0 -4 -2 -3  3  0 -1 -4
D -2 -2  1  6 -3  0  2 -1 -1 -3 -4 -1 -3 -3 -1  0 -1 -4 -3 -3  4  1 -1 -4
C  0 -3 -3 -3  9 -3 -4 -3 -3 -1 -1 -3 -1 -2 -3 -1 -1 -2 -2 -1 -3 -3 -2 -4
Q -1  1  0  0 -3  5  2 -2  0 -3 -2  1  0 -3 -1  0 -1 -2 -1 -2  0  3 -1 -4
E -1  0  0  2 -4  2  5 -2  0 -3 -3  1 -2 -3 -1  0 -1 -3 -2 -2  1  4 -1 -4
G  0 -2  0 -1 -3 -2 -2  6 -2 -4 -4 -2 -3 -3 -2  0 -2 -2 -3 -3 -1 -2 -1 -4
H -2  0  1 -1 -3  0  0 -2  8 -3 -3 -1 -2 -1 -2 -1 -2 -2  2 -3  0  0 -1 -4
I -1 -3 -3 -3 -1 -3 -3 -4 -3  4  2 -3  1  0 -3 -2 -1 -3 -1  3 -3 -3 -1 -4
L -1 -2 -3 -4 -1 -2 -3 -4 -3  2  4 -2  2  0 -3 -2 -1 -2 -1  1 -4 -3 -1 -4
K -1  2  0 -1 -3  1  1 -2 -1 -3 -2  5 -1 -3 -1  0 -1 -3 -2 -2  0  1 -1 -4
M -1 -1 -2 -3 -1  0 -2 -3 -2  1  2 -1  5  0 -2 -1 -1 -1 -1  1 -3 -1 -1 -4
F -2 -3 -3 -3 -2 -3 -3 -3 -1  0  0 -3  0  6 -4 -2 -2  1  3 -1 -3 -3 -1 -4
P -1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4  7 -1 -1 -4 -3 -2 -2 -1 -2 -4
S  1 -1  1  0 -1  0  0  0 -1 -2 -2  0 -1 -2 -1  4  1 -3 -2 -2  0  0  0 -4
T  0 -1  0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1  1  5 -2 -2  0 -1 -1  0 -4
W -3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1  1 -4 -3 -2 11  2 -3 -4 -3 -2 -4
Y -2 -2 -2 -3 -2 -1 -2 -3  2 -1 -1 -2 -1  3 -3 -2 -2  2  7 -1 -3 -2 -1 -4
V  0 -3 -3 -3 -1 -2 -2 -3 -3  3  1 -2  1 -1 -2 -2  0 -3 -1  4 -3 -2 -1 -4
B -2 -1  3  4 -3  0  1 -1  0 -3 -4  0 -3 -3 -2  0 -1 -4 -3 -3  4  1 -1 -4
Z -1  0  0  1 -3  3  4 -2  0 -3 -3  1 -1 -3 -1  0 -1 -3 -2 -2  1  4 -1 -4
X  0 -1 -1 -1 -2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -2  0  0 -2 -1 -1 -1 -1 -1 -4
* -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4  1
"""


def read_matrix(text: str) -> tuple[str, list[list[float]]]:
    r"""Return the letters and the scores of a substitution matrix as NCBI writes them.

    The first line has the letters, every other one a letter and its scores; lines with # are left
    out. The result is what `SmithWaterman` takes as `matrix`.

    Examples
    --------
    >>> read_matrix("   A  C\nA  2 -1\nC -1  2\n")
    ('AC', [[2.0, -1.0], [-1.0, 2.0]])
    """
    lines = [line.split() for line in text.splitlines() if line.strip() and line[0] != "#"]
    return "".join(lines[0]), [[float(score) for score in line[1:]] for line in lines[1:]]


@dataclass(eq=False, repr=False)
class SmithWaterman(Measure):
    """Local alignment: the score of the best-matching stretches of two strings, gaps allowed.

    Symbols that are aligned score by a substitution matrix, a gap costs `gap_open` for its first
    symbol and `gap_extend` for every further one, and the best stretch of each string counts alone
    (Smith and Waterman, 1981; affine gaps after Gotoh). ``SmithWaterman().normalised()`` divides by
    the root of the product of the scores of both strings with themselves.

    Parameters
    ----------
    matrix : "blosum62" or (letters, scores), optional
        Scores of pairs of letters, symmetric; `read_matrix` reads the files of NCBI. Default:
        `match` for equal symbols, `mismatch` for others.
    match : float, default=2.0
        Above 0; not used with a matrix.
    mismatch : float, default=-1.0
        At most 0; not used with a matrix.
    gap_open : float, default=3.0
        Cost of the first symbol of a gap. With BLOSUM62, 10 and 0.5 are usual.
    gap_extend : float, default=1.0
        Cost of each further symbol; at most `gap_open`.

    Notes
    -----
    Computed with numpy, all landmarks of about one length together: 36 million pairs of symbols a
    second on one thread, where the bit-parallel edit distance does a thousand times as many.

    Examples
    --------
    >>> SmithWaterman().cross(["a seamark", "buoy"], ["landmark"])
    array([[8.],
           [0.]], dtype=float32)
    >>> proteins = SmithWaterman("blosum62", gap_open=10.0, gap_extend=0.5)
    >>> proteins.cross(["HEAGAWGHEE"], ["PAWHEAE"])
    array([[18.]], dtype=float32)
    """

    matrix: Any = None
    _: KW_ONLY
    match: float = 2.0
    mismatch: float = -1.0
    gap_open: float = 3.0
    gap_extend: float = 1.0

    name: ClassVar[str] = "smith_waterman"
    domain = strings
    kind = "similarity"
    bounds = (0.0, np.inf)
    symmetric = True

    def check_parameters(self) -> None:
        """Require scores and costs with which an alignment is local."""
        require_number("gap_open", self.gap_open, 0, np.inf)
        require_number("gap_extend", self.gap_extend, 0, self.gap_open)
        require_number("match", self.match, 0, np.inf)
        require_number("mismatch", self.mismatch, -np.inf, 0)
        self._table()

    def _table(self) -> tuple[str, Floats] | None:
        """Return the letters and their scores; None without a matrix."""
        if self.matrix is None:
            return None
        if isinstance(self.matrix, str) and self.matrix == "blosum62":
            letters, scores = read_matrix(BLOSUM62)
        elif isinstance(self.matrix, (tuple, list)) and len(self.matrix) == 2:
            letters, scores = self.matrix
        else:
            raise ValueError(
                f'matrix must be "blosum62" or a pair (letters, scores), not {self.matrix!r}.'
            )
        table, size = np.asarray(scores, dtype=np.float64), len(letters)
        if table.shape != (size, size) or len(set(letters)) < size:
            raise ValueError(
                f"matrix needs a row and a column for each of its {size} letters, all different; "
                f"its scores have the shape {table.shape}."
            )
        if not np.isfinite(table).all() or not np.array_equal(table, table.T):
            raise ValueError("the scores of a matrix must be finite and symmetric.")
        return str(letters), table

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in groups of about one length."""
        pair = float(self.match), float(self.mismatch)
        return _AlignmentPlan(L, self._table(), pair, float(self.gap_open), float(self.gap_extend))


class _AlignmentPlan(engine.Plan):
    """Dynamic programming over the symbols of a text, all landmarks of a group at once."""

    def __init__(
        self,
        L: Ragged,
        table: tuple[str, Floats] | None,
        pair: tuple[float, float],
        gap_open: float,
        gap_extend: float,
    ) -> None:
        self.table, self.pair = table, pair
        self.gap_open, self.gap_extend = gap_open, gap_extend
        self.n_landmarks, lengths = L.shape[0], L.lengths
        self.total_length = int(lengths.sum())
        codes, offsets = self.encode(L), L.offsets - L.offsets[0]
        order = np.argsort(lengths, kind="stable")
        self.groups: list[tuple[NDArray[np.intp], NDArray[np.int64]]] = []
        start = 0
        while start < len(order):
            stop = start + 1
            while stop < len(order) and lengths[order[stop]] * (stop - start) < GROUP_SYMBOLS:
                stop += 1
            columns, start = order[start:stop], stop
            symbols = np.full((int(lengths[columns].max()), len(columns)), -1, dtype=np.int64)
            for k, column in enumerate(columns):
                symbols[: lengths[column], k] = codes[offsets[column] : offsets[column + 1]]
            self.groups.append((columns, symbols))

    def encode(self, X: Ragged) -> NDArray[np.int64]:
        """Return code points, or places among the letters of the matrix."""
        text = X.flat.astype(np.int64)
        if self.table is None:
            return text
        letters = np.array([ord(letter) for letter in self.table[0]])
        order = np.argsort(letters)
        places = order[np.minimum(np.searchsorted(letters[order], text), len(letters) - 1)]
        unknown = np.flatnonzero(letters[places] != text)
        if len(unknown):
            item = int(np.searchsorted(X.offsets - X.offsets[0], unknown[0], side="right")) - 1
            raise ValueError(
                f"Letters must be one of {self.table[0]}, as in the matrix; got "
                f"{chr(int(text[unknown[0]]))!r} in the string {X[item]!r}. Replace it, or leave "
                "matrix= out."
            )
        return places

    def seconds(self, X: Ragged) -> Floats:
        """In proportion to pairs of symbols."""
        return np.asarray(X.lengths * (self.total_length * CELL_SECONDS) + 1e-5, np.float64)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Align one text after another with each group."""
        codes, offsets = self.encode(X), X.offsets - X.offsets[0]
        for columns, symbols in self.groups:
            scores: dict[int, Floats] = {}  # of each symbol of the texts against the group
            for row in range(X.shape[0]):
                if stop[0]:
                    return
                text = codes[offsets[row] : offsets[row + 1]].tolist()
                for code in set(text).difference(scores):
                    scores[code] = self._scores(code, symbols)
                out[row, columns] = self._align(text, scores, symbols.shape)

    def _scores(self, code: int, symbols: NDArray[np.int64]) -> Floats:
        if self.table is not None:
            known = self.table[1][code][symbols]
        else:
            known = np.where(symbols == code, *self.pair)
        return np.where(symbols < 0, -np.inf, known)  # nothing is aligned with padding

    def _align(self, text: list[int], scores: dict[int, Floats], shape: tuple[int, ...]) -> Floats:
        """Return the best scores of a text with each landmark of a group.

        `best[j]` is the score of the best alignment that ends with the text's present symbol and
        the landmark's j-th; a gap in the landmark has its own scores, kept from symbol to symbol;
        one in the text is a running maximum along j, since a gap that opens at k < j costs
        open + (j − k − 1) extend.
        """
        best, gap, highest = np.zeros(shape), np.full(shape, -np.inf), np.zeros(shape[1:])
        if not shape[0]:
            return highest
        slope = self.gap_extend * np.arange(shape[0])[:, None]
        for code in text:
            np.maximum(gap - self.gap_extend, best - self.gap_open, out=gap)
            aligned = scores[code].copy()
            aligned[1:] += best[:-1]
            best = np.maximum(np.maximum(aligned, gap), 0.0)
            opened = np.maximum.accumulate(best + slope, axis=0)[:-1]
            np.maximum(best[1:], opened - self.gap_open - slope[:-1], out=best[1:])
            np.maximum(highest, best.max(axis=0), out=highest)
        return highest
