"""Constraints for pip: the oldest version of everything that pyproject.toml declares."""

import tomllib
from pathlib import Path

settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
declared = settings["project"]["dependencies"] + settings["dependency-groups"]["test"]
print("\n".join(sorted({each.replace(">=", "==") for each in declared})))
