"""Shared data for tests; being here, it also puts `tests/` on the path, so that `naive` imports."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

collect_ignore = [
    "golden",
    "saving/golden",
    "sanitized.py",
]  # scripts that other programs or builds need

# No deadlines: machines are noisy. Derandomised: a red run can be repeated.
settings.register_profile(
    "seamark", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("seamark")


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)
