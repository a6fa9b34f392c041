"""Shared data for tests; being here, it also puts `tests/` on the path, so that `naive` imports."""

import os
from collections import Counter
from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from seamark.engine.settings import changed

if os.environ.get("SEAMARK_TEST_DEVICE"):
    import every_backend  # noqa: F401  # before anybody asks for the backend "cuda"

collect_ignore = [
    "golden",
    "saving/golden",
    "sanitized.py",
]  # scripts that other programs or builds need

# No deadlines: machines are noisy. Derandomised: a red run can be repeated, and as the examples are
# the same each time, more of them than these find nothing new.
settings.register_profile(
    "seamark",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("seamark")


def pytest_terminal_summary(terminalreporter):
    """Say why tests were skipped, one line a reason: `-rs` writes hundreds, and buries failures."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped. {reason}")


@pytest.fixture(autouse=True, scope="session")
def small_jobs_on_the_device():
    """Where all tests run on a GPU (`make test-cuda`), small ridges do so too."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("SEAMARK_ISA") == "cuda":
            patch.setattr("seamark.engine.cuda.Device.sums_from", 0.0)
        yield


@pytest.fixture
def settings_of():
    """Return a function that changes settings of the engine until the test ends."""
    with ExitStack() as stack:
        yield lambda **changes: stack.enter_context(changed(**changes))


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)
