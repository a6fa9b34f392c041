"""Damaged files in this process, for `make sanitize`: there, what reads astray is seen at once."""

import fuzz
import pytest
from fuzz_mutations import damaged
from fuzz_seeds import FUNCTIONS, seeds

CASES = 660


# Damaged numbers overflow, divide by zero or are complex; damaged text is another version.
@pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero) encountered")
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_damaged_files_read_nothing_that_is_not_theirs(tmp_path):
    known = seeds()
    counts = {"refused": 0, "answered": 0, "failed": 0}
    for number in range(CASES):
        seed, document, arrays, _ = damaged(number, known)
        fuzz.write(tmp_path / "m", document, arrays)
        counts[fuzz.ask(tmp_path / "m", seed.X, FUNCTIONS)] += 1
    assert counts["answered"] > CASES // 10
