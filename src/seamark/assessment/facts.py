"""What values show of a measure; targets are looked at only where objects are duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.progress import duration
from ..theory import d2ke_landmarks, effective_dimension
from .sample import Sample, Scale
from .tasks import AssessedTask

Floats = NDArray[np.float64]

ROUNDING = 1e-5  # relative; values are float32
TRIANGLE_OBJECTS = 100  # objects whose triangles are looked at: a million triples
FEWEST_COVERED = 8  # objects whose covers show a dimension
COVER_ERROR = 0.1  # of the kernel of random objects, for the number that a theorem asks for


@dataclass(frozen=True)
class Observation:
    """One thing seen in the values, for people and for code.

    Examples
    --------
    >>> Observation("asymmetry", 0.25, "25% of the range").value
    0.25
    """

    name: str
    value: float
    text: str
    remark: str = ""


@dataclass(frozen=True)
class Observations:
    """Observations by name.

    Attributes
    ----------
    every : dict of Observation
    eigenvalues : ndarray or None
        The `spectrum`, if values among the landmarks were looked at.

    Examples
    --------
    >>> Observations({"asymmetry": Observation("asymmetry", 0.25, "")}).value("asymmetry")
    0.25
    """

    every: dict[str, Observation]
    eigenvalues: Floats | None = None

    def value(self, name: str, default: float = 0.0) -> float:
        """Return the number observed; `default` if it could not be observed."""
        fact = self.every.get(name)
        return default if fact is None else fact.value


def gather(sample: Sample, scale: Scale, task: AssessedTask, n_objects: int) -> Observations:
    """Look at the values."""
    S, values = sample.square, sample.values
    low, high, way = float(values.min()), float(values.max()), str(scale)
    found = [
        Observation(
            "range",
            high - low,
            f"{low:.4g} … {high:.4g}, median {float(np.median(values)):.4g}",
            f"taken into [−1, 1] {way if way == 'as they are' else f'as {way}'}",
        ),
        Observation(
            "kind",
            float(scale.kind == "distance"),
            scale.kind,
            "declared"
            if scale.declared
            else "not declared; a distance if objects' values to themselves are least",
        ),
    ]
    eigenvalues = None
    if S is not None:
        eigenvalues = spectrum(S, scale.kind)
        found += _square_facts(S, eigenvalues, scale)
    found += _duplicates(sample, scale, task)
    flat = float((np.ptp(values, axis=1) == 0).mean())
    remark = "share of objects with the same value against all landmarks"
    found.append(Observation("constant rows", flat, f"{flat:.1%}", remark))
    few = min(n_objects, 1000)
    whole = duration(sample.seconds * n_objects * few)
    remark = f"{n_objects} objects against {few} landmarks would take {whole}"
    each = f"{duration(sample.seconds)} per evaluation"
    found.append(Observation("cost", sample.seconds, each, remark))
    return Observations({fact.name: fact for fact in found}, eigenvalues)


def asymmetry(square: NDArray[Any]) -> float:
    """Return mean |K − Kᵀ| / 2 off the diagonal, as a share of the range of values.

    Examples
    --------
    >>> asymmetry(np.array([[0.0, 1.0], [4.0, 0.0]]))
    0.375
    """
    S = square.astype(np.float64)
    off = ~np.eye(len(S), dtype=bool)
    width = float(np.ptp(S))
    return float(np.abs(S - S.T)[off].mean()) / 2 / width if width > 0 and off.any() else 0.0


def triangle_violations(D: NDArray[Any]) -> float:
    """Return the share of ordered triples with d(i, k) > d(i, j) + d(j, k).

    Examples
    --------
    >>> D = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
    >>> round(triangle_violations(D), 3)
    0.333
    """
    D = D.astype(np.float64)
    n = len(D)
    slack = 3 * ROUNDING * float(np.abs(D).max())
    i, j, k = np.ogrid[:n, :n, :n]
    distinct = (i != j) & (j != k) & (i != k)
    broken = D[:, None, :] > D[:, :, None] + D[None, :, :] + slack
    return float(broken[distinct].mean()) if distinct.any() else 0.0


def spectrum(square: NDArray[Any], kind: str) -> Floats:
    """Return the eigenvalues of what an SVM would take for a kernel, ascending.

    Of a similarity K, those of (K + Kᵀ)/2. Of a distance D, those of −½JDJ, J the centring: they
    are never negative exactly if exp(−γd) is a kernel for every γ (Schoenberg).

    Examples
    --------
    >>> spectrum(np.array([[1.0, 2.0], [2.0, 1.0]]), "similarity")
    array([-1.,  3.])
    """
    kernel = (square + square.T).astype(np.float64) / 2
    if kind == "distance":
        J = np.eye(len(kernel)) - 1.0 / len(kernel)
        kernel = -0.5 * J @ kernel @ J
    return np.asarray(np.linalg.eigvalsh(kernel), dtype=np.float64)


def negative_share(eigenvalues: Floats) -> float:
    """Return Σ|λ < 0| / Σ|λ|, rounding errors left out.

    Examples
    --------
    >>> negative_share(np.array([-1.0, 3.0]))
    0.25
    """
    size = np.abs(eigenvalues)
    small = size.max(initial=0.0) * ROUNDING
    total = float(size.sum())
    return float(size[eigenvalues < -small].sum()) / total if total > 0 else 0.0


def _square_facts(S: NDArray[Any], eigenvalues: Floats, scale: Scale) -> list[Observation]:
    """Return what values among the references show."""
    share = negative_share(eigenvalues)
    largest = max(float(np.abs(eigenvalues).max()), 1e-300)
    of = "of −½JDJ" if scale.kind == "distance" else "of the symmetrised values"
    uneven = asymmetry(S)
    facts = [
        Observation(
            "asymmetry", uneven, f"{uneven:.2%} of the range", "mean of |K(x, y) − K(y, x)| / 2"
        ),
        Observation("negative spectrum", share, f"{share:.2%}", f"share {of}, {len(S)} objects"),
        Observation(
            "most negative eigenvalue",
            float(eigenvalues[0]) / largest,
            f"{eigenvalues[0]:.4g}",
            f"the largest in size is {largest:.4g}",
        ),
    ]
    own = S.diagonal().astype(np.float64)
    if scale.kind == "distance":
        least = np.where(np.eye(len(S), dtype=bool), np.inf, S).min(axis=1)
        strange, closer = float((own > least).mean()), "nearer"
    else:
        strange, closer = float((own < S.max(axis=1)).mean()), "more similar"
    text = f"{own.min():.4g} … {own.max():.4g}; {strange:.1%}"
    remark = f"share of objects that are {closer} to another than to themselves"
    facts.append(Observation("self values", strange, text, remark))
    if scale.kind == "distance":
        few = slice(TRIANGLE_OBJECTS)
        broken = triangle_violations(S[few, few])
        facts.append(
            Observation("triangle violations", broken, f"{broken:.2%}", "share of triples")
        )
        facts += _dimension(S)
    return facts


def _dimension(D: NDArray[Any]) -> list[Observation]:
    """Return the effective dimension, and how many random objects D2KE's bound asks for.

    γ is one over the median distance, as where models begin, in units of the largest.
    """
    values = D.astype(np.float64)
    largest, typical = float(values.max()), float(np.median(values))
    if len(values) < FEWEST_COVERED or values.min() < 0 or not 0 < typical < np.inf:
        return []
    p = effective_dimension(values / largest)
    remark = f"covers of radius δ have about δ⁻ᵖ of {len(values)} objects"
    if p > 0:
        asked = d2ke_landmarks(largest / typical, p, COVER_ERROR / 2)
        remark += f"; for D2KE's kernel to within {COVER_ERROR:g} a theorem asks for {asked:,}"
    return [Observation("effective dimension", p, f"{p:.2g}", remark)]


def _duplicates(sample: Sample, scale: Scale, task: AssessedTask) -> list[Observation]:
    """Return how many objects look the same as another one, and as one of another class.

    They do at distance 0, if the measure is symmetric; otherwise if their rows of values are equal.
    """
    S, others = sample.square, sample.rows
    if scale.kind == "distance" and S is not None and asymmetry(S) <= ROUNDING:
        # Landmarks are objects where there is a square.
        same, others = sample.values <= 0, np.asarray(sample.reference)
        what = "at distance 0 from a landmark"
        if sample.groups is not None:
            # Equal objects are in one part, so that none of them is a landmark of the others.
            kinds = sample.groups[sample.rows]
            equal = kinds[:, None] == kinds
            np.fill_diagonal(equal, False)
            same, others = np.hstack([same, equal]), np.concatenate([others, sample.rows])
            what = f"equal to another, or {what}"
    else:
        _, codes = np.unique(sample.values, axis=0, return_inverse=True)
        same = codes.reshape(-1, 1) == codes.reshape(-1)
        np.fill_diagonal(same, False)
        what = "with the same values as another"
    share = float(same.any(axis=1).mean())
    differ = task.y[sample.rows][:, None] != task.y[others]
    if task.query is not None:  # documents of different queries may well differ
        differ &= task.query[sample.rows][:, None] == task.query[others]
    across = float((same & differ).any(axis=1).mean())
    remark = "the same, and of another target"
    return [
        Observation("duplicates", share, f"{share:.1%}", f"share of objects {what}"),
        Observation("contradictory duplicates", across, f"{across:.1%}", remark),
    ]
