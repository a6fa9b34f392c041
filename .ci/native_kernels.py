"""Check that the seamark that is imported is an installed one, on native kernels."""

import sys
from pathlib import Path

import seamark as sm

name, home = sm.engine.backend().name, Path(sm.__file__)
if name == "reference":
    sys.exit("the native module is not here")
if not home.is_relative_to(sys.prefix):
    sys.exit(f"seamark comes from {home.parent}, not from this environment")
print("native kernels:", name)
