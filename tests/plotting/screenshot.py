"""Photographs of the page: `python tests/plotting/screenshot.py FOLDER`."""

import sys
from pathlib import Path

from browser import CHROMIUM, MISSING, screenshot
from documents import arrays_document, strings_document

from seamark.plotting import page

DARK = "--blink-settings=preferredColorScheme=0"


def main(folder):
    if CHROMIUM is None:
        sys.exit(MISSING)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    strings = page.render(strings_document())
    arrays = page.render([arrays_document(domain) for domain in ("series", "sets", "vectors")])
    for name, html, size, options in [
        ("light", strings, (1200, 2900), ()),
        ("dark", strings, (1200, 2900), (DARK,)),
        ("phone", strings, (390, 5200), ()),
        ("arrays", arrays, (1200, 4800), ()),
    ]:
        print(screenshot(html, folder / f"{name}.png", size, *options))


if __name__ == "__main__":
    main(sys.argv[1])
