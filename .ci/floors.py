"""Constraints for pip: the oldest version of everything that pyproject.toml declares."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
declared = project["dependencies"] + project["optional-dependencies"]["test"]
print("\n".join(sorted({each.replace(">=", "==") for each in declared})))
