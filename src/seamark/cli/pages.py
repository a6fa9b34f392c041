"""Report pages, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from ..saving.atomic import require_place


def write_page(found: Any, path: str | Path, *, overwrite: bool) -> None:
    """Write the page of an assessment.

    Parameters
    ----------
    found : Assessment
    path : path
    overwrite : bool
        Whether a file that is there may be replaced.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".seamark-") as folder:
        draft = Path(folder) / "page.html"
        found.to_html(draft)
        require_place(path, overwrite=overwrite)  # one may have come in the meantime
        os.replace(draft, path)
