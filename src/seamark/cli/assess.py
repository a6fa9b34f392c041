"""`seamark assess`."""

from __future__ import annotations

import argparse

import seamark as sm

from .messages import progress_wanted, say, show_json, show_text
from .output import require_output
from .tables import DataError
from .training import ASSESSED_AS, read_lesson


def run(options: argparse.Namespace) -> None:
    """Judge one measure, or compare several, on a table."""
    if options.html:
        require_output(options.html, options.data, overwrite=options.force)
    lesson = read_lesson(options)
    if isinstance(lesson.measures[0], dict):
        raise DataError("assess judges measures of one column; name one --column.")
    if lesson.objects.reading.targets is not None or lesson.target.task == "labels":
        raise DataError("assess judges by one target with one class or number; name one --target.")
    several = len(lesson.measures) > 1
    found = sm.assess(
        lesson.measures if several else lesson.measures[0],
        lesson.objects.data if lesson.source is None else lesson.source,
        lesson.target.ranked if lesson.source is None else None,
        task=ASSESSED_AS[lesson.target.task],
        qid=lesson.target.query,
        budget=options.budget,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress_wanted(options.quiet),
    )
    if options.html:
        found.to_html(options.html, overwrite=options.force)
    if options.json:
        show_json([one.document() for one in found] if several else found.document())
    else:
        show_text(found)
    if options.html:
        say(f"wrote {options.html}")
