"""``python tests/saving/golden/make.py`` writes what every task predicts, and files of some.

Predictions change only with a change that means to change them; files alone (``--files``) are
written anew where a class has another place.
"""

import json
import sys
import warnings
from pathlib import Path

from tasks import said, tasks

import seamark as sm

HERE = Path(__file__).parent
FILES = (
    "option-greedy",
    "option-svm",
    "option-pairs",
    "online-",
    "map-",
    "rival-",
)
FILES += ("LandmarkClassifier-", "pipeline-", "parts", "table", "greedy", "matrix", "paper-d2ke")

if __name__ == "__main__":  # pytest imports every file in search of doctests
    warnings.simplefilter("ignore")
    (HERE / "files").mkdir(exist_ok=True)
    expected = {}
    for name, model, X, targets in tasks():
        model.fit(X, **targets)
        if name.startswith(FILES):
            sm.save(model, HERE / "files" / f"{name}.seamark", overwrite=True)
        expected[name] = {method: values.tolist() for method, values in said(model, X).items()}
    if "--files" not in sys.argv:
        lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in expected.items()]
        (HERE / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
