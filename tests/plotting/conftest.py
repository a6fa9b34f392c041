from importlib.util import find_spec

import pytest


@pytest.fixture(autouse=True)
def drawn_nowhere():
    """No window opens, and no figure outlives its test."""
    if find_spec("matplotlib") is None:  # the page does without
        yield
        return
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")
