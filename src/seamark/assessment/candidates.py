"""Candidates of ``measure="auto"`` and of tables: measures of single columns, and all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import as_frame, as_table, domain_of, missing_in, without_gaps
from ..data.tables import Tables, part_of
from ..landmarks import AtMost
from ..maps import DateParts
from ..measures import Manhattan, Measure, ScaledColumns, get
from ..measures.custom import titled
from ..models import LandmarkClassifier, LandmarkRegressor
from ..models.auto import auto_blocks, suitable
from ..models.describe import describe_model
from ..models.explain import inner_measure
from ..models.tables import single_measures
from .curves import Estimate
from .facts import Observations
from .report import BALANCED, Assessment
from .tasks import AssessedTask
from .verdict import GOOD_SKILL, Sentence, skill

FEWEST_LANDMARKS, MOST_LANDMARKS = 20, 500  # of each measure, in the model of all


@dataclass(frozen=True)
class Candidate:
    """A measure, and the objects that it compares.

    Attributes
    ----------
    title : str
    measure : Measure
    objects : objects
        All of X, or a column of it; raw.
    fitted : (str, str) or None
        What code gives a model as `measure=`, and as X; None: the measure is the user's own.
    """

    title: str
    measure: Measure
    objects: Any
    fitted: tuple[str, str] | None = None


def candidates_for(measure: Any, X: Any) -> list[Candidate]:
    """Return what is to be compared where `measure` is "auto", or a dict by column.

    Of objects of one kind those measures that models try; of a table one for each column, and some
    for all columns of numbers together.

    Examples
    --------
    >>> [one.title for one in candidates_for("auto", ["sea", "mark"])]
    ['Levenshtein()', 'NGrams(n=(1, 5))']
    """
    found: list[Candidate] = []
    if not isinstance(measure, dict):
        X = as_table(X)
        domain = domain_of(X)
        if domain is not None:
            blocks = suitable(auto_blocks(domain), domain.ingest(X))
            measures = [one for block in blocks for one in _whole_measures(block)]
            known = {titled(inner_measure(one)): one for one in measures}
            for title, one in known.items():
                # A measure that stands within another, as scaled columns do, has no name to copy.
                code = f"sm.measures.{title}" if inner_measure(one) is one else ""
                found.append(Candidate(title, one, X, (code, "X")))
            return found
        measure = single_measures(X)
    for key, what in measure.items():
        names = list(key) if isinstance(key, (tuple, list)) else [key]
        columns = names if isinstance(key, (tuple, list)) else key
        title, fitted = ", ".join(map(str, names)), ("", f"X[{names!r}]")
        for one in what if isinstance(what, list) else [what]:
            for own in _whole_measures(one):
                part = _filled(part_of(X, columns, own.domain), own)
                found.append(Candidate(f"{title}: {titled(inner_measure(own))}", own, part, fitted))
            if isinstance(one, DateParts):  # which have no measure of their own
                parts = one.fit_transform(part_of(X, columns, None))
                own = ScaledColumns(Manhattan())
                found.append(Candidate(f"{title}: parts of dates", own, parts, fitted))
    return found


def _whole_measures(block: Any) -> list[Measure]:
    """Return the measures of a block that compare whole objects; a map may have none."""
    given = getattr(block, "measure", None) if hasattr(block, "fit") else block
    given = given if isinstance(given, list) else [] if given is None else [given]
    return [one for one in map(get, given) if not one.compares_parts]


def _filled(part: Any, measure: Measure) -> Any:
    """Return a column in which missing text is empty, and other missing cells are a full one."""
    if as_frame(part) is not None:  # numbers, which their measure fills
        return part
    missing = missing_in(part)
    if not missing.any() or missing.all():
        return part
    filled = without_gaps(part, missing)
    if measure.domain.name in ("strings", "categories"):
        filled = ["" if gap else cell for gap, cell in zip(missing, filled, strict=True)]
    return filled


def assess_together(
    measure: Any, X: Any, task: AssessedTask, n: int, budget: int, rng: np.random.Generator
) -> Assessment | None:
    """Return what a quick model of everything reaches out of fold; None: such tasks have none.

    Parameters
    ----------
    measure : "auto" or dict
    X : objects or table
    task : AssessedTask
    n : int
        Objects to look at, at most.
    budget : int
        About how many values to compute.
    rng : Generator
    """
    models = {"classification": LandmarkClassifier, "regression": LandmarkRegressor}
    if task.name not in models:
        return None
    X = as_table(X)
    domain = domain_of(X) if measure == "auto" else None
    objects = (Tables() if domain is None else domain).ingest(X)
    total = int(objects.shape[0])
    rows: NDArray[np.intp] = np.sort(rng.permutation(total)[:n])
    blocks = max(1, len(candidates_for(measure, X)))
    few = int(np.clip(budget // (len(rows) * blocks), FEWEST_LANDMARKS, MOST_LANDMARKS))
    many: dict[str, Any] = (
        {"landmarks": AtMost(few)} if isinstance(measure, dict) else {"n_landmarks": few}
    )
    seed = int(rng.integers(2**31 - 1))
    model = models[task.name](measure, effort="quick", random_state=seed, **many)
    model.fit(objects[rows], task.labels[rows])
    said = describe_model(model, None, 0)
    if said.interval is None:
        return None
    if task.n_classes:
        score, constant = float(said.accuracy or 0.0), float(said.constant or 0.0)
    else:
        score, constant = float(said.r2 or 0.0), 0.0
    found = Estimate(score, *map(float, said.interval))
    estimates = {"constant": Estimate(constant, constant, constant), "landmark model": found}
    recalls = [one.recall for one in said.classes if one.recall is not None]
    if recalls:
        mean = float(np.mean(recalls))
        estimates[BALANCED] = Estimate(mean, mean, mean)
    name = "all columns together" if domain is None else "several measures together"
    reached = (
        f"{name} reach {task.score_name} {found} out of fold, baseline (a constant) {constant:.3g}"
    )
    verdict = Sentence("warn", f"Of some use for this task: {reached}.")
    if found.low <= constant:
        verdict = Sentence("bad", f"No better than a constant: {reached}.")
    elif skill(score, constant) >= GOOD_SKILL:
        verdict = Sentence("good", f"Good for this task: {reached}.")
    return Assessment(
        title=name,
        domain="rows" if domain is None else domain.name,
        task=task.name,
        score_name=task.score_name,
        facts=Observations({}),
        verdict=[verdict],
        p_value=float("nan"),
        estimates=estimates,
        curves={},
        theory={},
        explained=None,
        n_given=total,
        n_objects=len(rows),
        n_references=0,
        n_evaluations=int(model.n_evaluations_),
        budget=budget,
        fitted=("" if measure == "auto" else "measure", "X"),
    )
