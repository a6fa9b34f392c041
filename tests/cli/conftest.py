import numpy as np
import pytest
from cli_runs import NAMES, SEX, write_csv


@pytest.fixture
def names(tmp_path):
    return write_csv(tmp_path / "names.csv", {"name": NAMES, "sex": SEX})


@pytest.fixture
def vectors(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2)).round(3)
    label = np.where(X[:, 0] > 0, "up", "down")
    columns = {"a": X[:, 0], "b": X[:, 1], "note": ["x"] * 60, "label": label}
    more = {"amount": (X[:, 0] * 2).round(3), "stars": np.digitize(X[:, 0], [-0.5, 0.5])}
    return write_csv(tmp_path / "v.csv", {**columns, **more, "query": np.arange(60) // 10})


@pytest.fixture
def series(tmp_path):
    rng = np.random.default_rng(4)
    rows = [
        (f"run{i}", t, x, -x, ["calm", "rough"][i % 2])
        for i in range(20)
        for t, x in enumerate(rng.normal(scale=1 + 4 * (i % 2), size=5 + i % 3).round(3))
    ]
    order = rng.permutation(len(rows))  # a long format need not be sorted
    columns = zip(*(rows[i] for i in order), strict=True)
    names = ("run", "t", "x", "y", "state")
    return write_csv(tmp_path / "s.csv", dict(zip(names, columns, strict=True)))
