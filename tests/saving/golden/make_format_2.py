"""Wrote the files in format_2 with seamark 0.2.0. They load for ever: never run this again."""

import json
import warnings
from pathlib import Path

from tasks import said
from tasks_2 import tasks

import seamark as sm

HERE = Path(__file__).parent / "format_2"

if __name__ == "__main__":  # pytest imports every file in search of doctests
    expected = {}
    warnings.simplefilter("ignore")
    for name, model, X, targets in tasks():
        model.fit(X, **targets)
        sm.save(model, HERE / f"{name}.seamark", overwrite=True)
        expected[name] = {method: values.tolist() for method, values in said(model, X).items()}
    lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in expected.items()]
    (HERE / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
