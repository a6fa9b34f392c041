"""Chromium without a window: what becomes of a page when it is opened."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "Chromium is not installed (Debian: apt-get install chromium)"


def opened(page, folder, *options):
    """Open a page; return the document it became, and what was said on the console."""
    path = Path(folder) / "page.html"
    path.write_text(page, encoding="utf-8")
    done = _run(folder, "--dump-dom", "--enable-logging=stderr", *options, path.as_uri())
    said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, said


def driven(page, folder, script, *options):
    """Open a page with a script of ours in it; return what its function `drive` returns.

    The page forbids all scripts but its own, so ours is added to its policy by its hash.
    """
    source = (
        f"function drive() {{ {script} }}\n"
        "const out = document.createElement('pre'); out.id = 'driven';\n"
        "try { out.textContent = JSON.stringify(drive()); }"
        "catch (error) { out.textContent = JSON.stringify(String(error)); }\n"
        "document.body.append(out);"
    )
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    assert "script-src '" in page
    page = page.replace("script-src '", f"script-src 'sha256-{digest}' '", 1)
    page = page.replace("</body>", f"<script>{source}</script></body>")
    document, said = opened(page, folder, *options)
    result = json.loads(
        html.unescape(re.search(r'<pre id="driven">(.*?)</pre>', document, re.S)[1])
    )
    return result, said


def framed(page, folder, script, width, *options):
    """Do as `driven` does in a frame of that width: a window is never narrower than 500 pixels."""
    source = f"parent.postMessage((() => {{ {script} }})(), '*');"
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    page = page.replace("script-src '", f"script-src 'sha256-{digest}' '", 1)
    page = page.replace("</body>", f"<script>{source}</script></body>")
    (Path(folder) / "framed.html").write_text(page, encoding="utf-8")
    frame = (
        "<!doctype html><meta charset='utf-8'><pre id='driven'></pre><script>"
        "addEventListener('message', (event) => {"
        " document.getElementById('driven').textContent = JSON.stringify(event.data); });"
        f"</script><iframe src='framed.html' width='{width}' height='900'></iframe>"
    )
    options = ("--virtual-time-budget=5000", f"--window-size={max(width + 60, 600)},1000", *options)
    document, said = opened(frame, folder, *options)
    found = html.unescape(re.search(r'<pre id="driven">(.*?)</pre>', document, re.S)[1])
    return json.loads(found), said


def screenshot(page, path, size, *options):
    """Save what a window of that size shows of a page."""
    path = Path(path)
    path.with_suffix(".html").write_text(page, encoding="utf-8")
    shot = (f"--screenshot={path}", f"--window-size={size[0]},{size[1]}", "--hide-scrollbars")
    _run(path.parent, *shot, *options, path.with_suffix(".html").resolve().as_uri())
    return path


def _run(folder, *options):
    fixed = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
    profile = f"--user-data-dir={Path(folder).resolve() / 'profile'}"
    return subprocess.run(
        [CHROMIUM, *fixed, profile, *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
