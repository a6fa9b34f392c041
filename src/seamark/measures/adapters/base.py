"""What adapters share: a name in another library, its keyword parameters, and known facts."""

from __future__ import annotations

import difflib
import importlib
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..base import Fact, Kind, Measure

Params = Mapping[str, Any] | Iterable[tuple[str, Any]] | None


@dataclass(frozen=True)
class Facts:
    """What is certain of one function of a library; None where it is not."""

    kind: Kind = "distance"
    bounds: tuple[float, float] = (0.0, np.inf)
    symmetric: Fact = True
    triangle: Fact = None
    psd: Fact = None
    cost: float = 1.0
    """Work per cell or coordinate, the library's cheapest function being 1."""


class Adapter(Measure):
    """A function of another library, evaluated by that library in blocks.

    A subclass gives the library's name, its table of facts, and compiles landmarks.
    """

    library: ClassVar[str]
    """Name before the colon of ``"library:name"``, and the library's root module."""
    choice: ClassVar[str] = "metric"
    """Constructor parameter that holds the name or the function."""
    table: ClassVar[Mapping[str, Facts]]
    """Facts by name, at the library's default parameters."""
    params: Params

    @classmethod
    @abstractmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the name of a function of the library, None if it has none here."""

    def chosen(self) -> str:
        """Return the name of the library's function, which may have been given itself."""
        wanted = getattr(self, self.choice)
        name = wanted if isinstance(wanted, str) else self.name_of(wanted)
        if name not in self.table:
            raise ValueError(
                f"{type(self).__name__} knows no {self.choice} {wanted!r}"
                f"{did_you_mean(str(wanted), self.table)}; see {type(self).__name__}.table."
            )
        return str(name)

    def keywords(self) -> dict[str, Any]:
        """Return the parameters passed on to the library."""
        try:
            return dict(self.params or ())
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"params must be a dict of keyword parameters, not {self.params!r}."
            ) from error

    def facts(self) -> Facts:
        """Return what is certain at the present parameters."""
        return self.table[self.chosen()]

    def check_parameters(self) -> None:
        """Require a known name and keyword parameters."""
        self.chosen()
        self.keywords()

    @property
    def kind(self) -> Kind | None:  # type: ignore[override]
        """Distance or similarity."""
        return self.facts().kind

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Smallest and largest value possible."""
        return self.facts().bounds

    @property
    def symmetric(self) -> Fact:  # type: ignore[override]
        """Whether value(x, y) = value(y, x)."""
        return self.facts().symmetric

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Whether the triangle inequality holds."""
        return self.facts().triangle

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Whether every matrix of values is positive semidefinite."""
        return self.facts().psd

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions of RapidFuzz cannot be pickled; their names can.
        return {**super().__getstate__(), self.choice: self.chosen()}


def load(module: str, *, library: str, needs: str) -> Any:
    """Import a module of an optional library, or say how to install it.

    Parameters
    ----------
    module : str
        Full name.
    library : str
        The library as its authors write it.
    needs : str
        What to install.
    """
    try:
        importlib.import_module(module.partition(".")[0])
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"This measure needs {library}: pip install {needs!r}") from error


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a clause with the known names that look like `name`, or nothing.

    Examples
    --------
    >>> did_you_mean("canbera", ["canberra", "cosine"])
    " (did you mean 'canberra'?)"
    """
    names = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.7)
    return f" (did you mean {' or '.join(repr(names[one]) for one in close)}?)" if close else ""


def keep_inside(out: NDArray[np.float32], bounds: tuple[float, float]) -> None:
    """Cut what rounding pushes over the bounds; NaN stays."""
    if np.isfinite(bounds).any():
        np.clip(out, *bounds, out=out)
