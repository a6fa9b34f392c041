"""Damaged files in this process, for `make sanitize`: there, what reads astray is seen at once."""

import fuzz
import pytest
from fuzz_mutations import damaged
from fuzz_seeds import FUNCTIONS, seeds

CASES = 660


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_read_nothing_that_is_not_theirs(tmp_path):
    known = seeds()
    counts = {"refused": 0, "answered": 0, "failed": 0}
    for number in range(CASES):
        seed, document, arrays, _ = damaged(number, known)
        fuzz.write(tmp_path / "m", document, arrays)
        counts[fuzz.ask(tmp_path / "m", seed.X, FUNCTIONS)] += 1
    assert counts["answered"] > CASES // 10
