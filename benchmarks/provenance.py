"""Where the figures of a page come from, so that others can repeat them."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import seamark as sm

ROOT = Path(__file__).parents[1]
LIBRARIES = ("numpy", "scipy", "scikit-learn")


def written_by(command: str, *peers: str) -> str:
    """Return a sentence: the command, the day, the machine, the commit, and versions of libraries.

    `peers` are the distributions that a page compares with; those not installed are left out.
    """
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {found}" for name in (*LIBRARIES, *peers) if (found := _version(name))]
    return (
        f"Written by `{command}` on {datetime.now(tz=UTC):%Y-%m-%d}, on {_processor()} "
        f"({os.cpu_count()} processors, {platform.system()}), with seamark {sm.__version__} "
        f"at commit {_commit()}, {', '.join(versions)}."
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _commit() -> str:
    """Return the commit, with a plus where files differ from it."""
    command = ["git", "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()
