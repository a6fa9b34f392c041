"""Files are read as they are worked on, and not ahead of it."""

import time

import numpy as np
import pytest

import seamark as sm

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")


def test_a_slow_reader_holds_little_of_a_file(tmp_path):
    n, group = 400_000, 10_000
    column = pa.array(np.random.default_rng(0).integers(10**15, size=n).astype(str))
    pq.write_table(pa.table({"name": column}), tmp_path / "a.parquet", row_group_size=group)
    whole = column.nbytes
    del column
    source = sm.rows(tmp_path / "a.parquet", column="name", chunk_rows=group)
    before, most, rows = pa.total_allocated_bytes(), 0, 0
    for chunk in source.chunks():
        time.sleep(0.01)
        rows += len(chunk)
        most = max(most, pa.total_allocated_bytes() - before)
    assert rows == n
    assert most < whole / 4


@pytest.mark.parametrize("start", [0, 1, 3, 7])
def test_reading_can_begin_at_any_chunk(tmp_path, start):
    names = [str(i) for i in range(1000)]
    for number, (a, b) in enumerate([(0, 310), (310, 311), (311, 1000)]):
        table = pa.table({"name": names[a:b]})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=97)
    source = sm.rows(tmp_path, column="name", chunk_rows=130)
    chunks = list(source.chunks(start))
    assert [chunk.first for chunk in chunks] == list(range(130 * start, 1000, 130))
    assert [one for chunk in chunks for one in chunk.objects.to_pylist()] == names[130 * start :]
