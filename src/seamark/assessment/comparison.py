"""`Comparison`: assessments of several measures on the same objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..estimating import pandas_for
from ..plotting.text import html_table
from .assessment import BALANCED, YARDSTICKS, Assessment, written
from .presenting import side_by_side

if TYPE_CHECKING:
    from ..plotting import AssessmentDisplay

SHOWN = ("landmark model", "constant", "nearest neighbour", BALANCED)


class Comparison(list[Assessment]):
    """Assessments of several measures, the best first; prints itself as a table.

    All were made on the same objects. Best is the largest skill of the landmark model; useless
    measures come last.

    Examples
    --------
    >>> import seamark as sm
    >>> numbers, large = [[k] for k in range(60)], [k > 29 for k in range(60)]
    >>> found = sm.assess(["euclidean", lambda x, y: 0.0], numbers, large)
    >>> [one.verdict[0].level for one in found]
    ['good', 'bad']
    >>> found.to_frame().shape[0]
    2
    """

    def __str__(self) -> str:
        lines = self._lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines = self._lines()
        return html_table(lines[1:], lines[0])

    def _lines(self) -> list[tuple[str, ...]]:
        """Return a table: its head, and a line for each measure."""
        names = [name for name in SHOWN if any(name in one.estimates for one in self)]
        return [("measure", "verdict", *names), *(_cells(one, names) for one in self)]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each measure, and all estimates.

        Intervals are columns of their own, such as ``landmark model low``.
        """
        pd = pandas_for("to_frame")
        return pd.DataFrame([_row(one) for one in self])

    def plot(self) -> AssessmentDisplay:
        """Draw the scores of all measures side by side with matplotlib.

        Returns
        -------
        AssessmentDisplay
            Has `figure_` and `axes_`.
        """
        from ..plotting import AssessmentDisplay

        scored = [one for one in self if one.estimates]
        if not scored:
            raise ValueError(
                "every measure gives all pairs one value, so there is no score to draw."
            )
        return AssessmentDisplay([side_by_side(scored, YARDSTICKS)]).plot()

    def to_html(self, path: Any, *, overwrite: bool = False) -> Path:
        """Write one self-contained page that compares the measures; see `Assessment.to_html`."""
        return written(self, path, overwrite)


def _cells(one: Assessment, names: list[str]) -> tuple[str, ...]:
    scores = (str(one.estimates.get(name, "")) for name in names)
    return (one.title, _judged(one), *scores)


def _judged(one: Assessment) -> str:
    return one.verdict[0].text.partition(":")[0]


def _row(one: Assessment) -> dict[str, Any]:
    row = {
        "measure": one.title,
        "verdict": _judged(one),
        "score": one.score_name,
        "p_value": one.p_value,
        "skill": one.skill,
    }
    for name, estimate in one.estimates.items():
        row |= {name: estimate.value, f"{name} low": estimate.low, f"{name} high": estimate.high}
    return row
