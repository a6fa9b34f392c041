"""One self-contained HTML page from plain data: the verdict first, then all that supports it.

Objects, labels and names are of unknown origin. They enter the page as escaped text only; style
and script are constant, and the page's policy lets the browser run these two and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ...files import atomic_file
from ..text import escaped
from .document import (
    Document,
    checked,
    predictions_figure,
    recall_figure,
    reliability_figure,
)
from .sections import Section, comparison_table

__all__ = [
    "Document",
    "predictions_figure",
    "recall_figure",
    "reliability_figure",
    "render",
    "write",
]


def render(documents: Document | Sequence[Document]) -> str:
    """Return the page as text.

    Parameters
    ----------
    documents : dict or list of dict
        What `Document` describes; several are compared.

    Examples
    --------
    >>> page = render({"title": "<edit> distance", "verdict": [{"level": "good", "text": "Yes."}]})
    >>> "<h1>&lt;edit&gt; distance</h1>" in page
    True
    """
    given = checked(documents)
    style, script = _asset("page.css"), _asset("page.js")
    titles = given[0].get("heading") or " · ".join(one["title"] for one in given)
    compared = comparison_table(given) if len(given) > 1 else ""
    return Template(_asset("template.html")).substitute(
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
        title=escaped(titles, 200),
        style=style,
        script=script,
        body=compared + "".join(Section(one, k).html() for k, one in enumerate(given)),
    )


def write(documents: Document | Sequence[Document], path: Any, *, overwrite: bool = False) -> Path:
    """Write the page to a file, whole or not at all.

    Parameters
    ----------
    documents : dict or list of dict
        What `Document` describes; several are compared.
    path : str or Path
    overwrite : bool, default=False
        Replace the file if it exists.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> document = {"title": "dtw", "verdict": [{"level": "info", "text": "Nothing yet."}]}
    >>> write(document, f"{folder.name}/report.html").name
    'report.html'
    >>> folder.cleanup()
    """
    page = render(documents).encode()
    with atomic_file(path, overwrite=overwrite) as file:
        file.write(page)
    return Path(path)


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
