"""Messages of the library, in the words of the command line."""

from __future__ import annotations

import re

TASKS = {
    "classification": "classify",
    "regression": "regress",
    "ordinal": "ordinal",
    "ranking": "rank",
}
PHRASES = (
    (r"overwrite=True(,? or --force)?", "--force"),
    (r"\bn_landmarks\b", "--landmarks"),
    (r"\bn_jobs\b", "--jobs"),
    (r"\busing\(\"cuda\"\)", "--device cuda"),
    (r"\brandom_state\b", "--seed"),
    (r"\bclass_weight\b", "--class-weight"),
    (r"\bqid\b", "--query"),
    (r"\bmax_pairs\b", "--max-pairs"),
    (r"\bmeasures\.(catalogue\(\)|\w+\.table)", "`seamark measures`"),
    *((rf"\btask='{ours}'", f"--task {theirs}") for ours, theirs in TASKS.items()),
    (r"(--[a-z-]+)=", r"\1 "),
    (r"`y`|\by\b(?= (has|holds|is|contains))", "the target"),
)
"""What the library calls a thing, and what the command line calls it."""


def in_options(message: str) -> str:
    """Return a message of the library with parameters replaced by options.

    Examples
    --------
    >>> in_options("m exists already; to replace it, say so: overwrite=True.")
    'm exists already; to replace it, say so: --force.'
    >>> in_options("n_landmarks=500, but there are only 9 objects")
    '--landmarks 500, but there are only 9 objects'
    """
    for theirs, ours in PHRASES:
        message = re.sub(theirs, ours, message)
    return message
