"""One job: who is told of its progress, and the user's numbers of its rows and landmarks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .errors import PairError
from .progress import Progress
from .settings import settings


@dataclass
class Job:
    """What an executor tells of the work it does."""

    progress: Progress = field(default_factory=Progress)
    first_row: int = 0
    """Number, among the user's, of the first row and landmark at work: messages name objects."""
    first_landmark: int = 0

    def row(self, i: int) -> int:
        """Return the user's number of row i of this part."""
        return settings().row(self.first_row + i)

    def named(self, error: PairError, start: int = 0) -> PairError:
        """Return an error of a part that begins at row `start`, by the user's numbers."""
        return error.named(self.row(start + error.row), self.first_landmark + error.landmark)

    def finished(self, evaluations: int, values: int | None = None) -> None:
        """Count evaluations, and show how many values they gave if not one each."""
        settings().count(evaluations)
        self.progress.advance(evaluations if values is None else values)

    def found(self, values: int) -> None:
        """Show values that did not need an evaluation."""
        self.progress.advance(values)

    def moved(self, rows: int, landmarks: int = 0) -> Job:
        """Return the same job for a part that begins so many rows and landmarks later."""
        return replace(
            self,
            first_row=self.first_row + rows,
            first_landmark=self.first_landmark + landmarks,
        )

    @contextmanager
    def naming(self, start: int = 0) -> Iterator[None]:
        """Name pairs by the user's numbers, in a part that begins at row `start` of the job."""
        try:
            yield
        except PairError as error:
            raise self.named(error, start) from None
