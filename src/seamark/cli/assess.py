"""`seamark assess`: whether measures suit a task."""

from __future__ import annotations

import argparse
from pathlib import Path

import seamark as sm

from .messages import listed, progress_wanted, say, show_json, show_text
from .tables import DataError, require_output
from .training_data import ASSESSED_AS, DEFAULTS, read_training_data


def run(options: argparse.Namespace) -> None:
    """Judge one measure, or compare several, on a table."""
    if options.html:
        require_output(options.html, options.data, overwrite=options.force)
    data = read_training_data(options, DEFAULTS)
    if data.objects.reading.targets is not None or data.target.task == "labels":
        raise DataError("assess judges by one target with one class or number; name one --target.")
    whole = data.source is None
    found = sm.assess(
        data.measure,
        data.objects.data if whole else data.source,
        data.target.ranked if whole else None,
        task=ASSESSED_AS[data.target.task],
        qid=data.target.query,
        budget=options.budget,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress_wanted(options.quiet),
    )
    if options.html:
        name = f"{listed(options.targets)} of {Path(options.data).name}"
        lines = [f"line {line}" for line in data.lines] if whole else None
        found.to_html(options.html, name=name, rows=lines, overwrite=options.force)
    if options.json:
        several = isinstance(found, list)
        show_json([one.document() for one in found] if several else found.document())
    else:
        show_text(found)
    if options.html:
        say(f"wrote {options.html}")
