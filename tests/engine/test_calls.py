import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamark import engine
from seamark.engine import MeasureError, counting, python_calls
from seamark.engine.executors import execute
from seamark.engine.plan import Job, Recipe
from seamark.engine.progress import Progress
from seamark.engine.python_calls import CallPlan, Tiles, call_pairs
from seamark.measures import Custom

made = []


def logged(x, y):
    made.append((x, y))
    return x - 2 * y


@pytest.fixture(autouse=True)
def nothing_made():
    made.clear()


def items(values):
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def plan_of(f, L, vectorised=False, **options):
    return CallPlan(f, L, vectorised, **options)


def run(plan, X, job=None):
    out = np.full((X.shape[0], plan.n_landmarks), np.nan, dtype=np.float32)
    execute(Recipe.of(plan), X, out, job or Job())
    return out


# Tiles


@given(st.integers(1, 12), st.integers(1, 12), st.booleans(), st.data())
def test_tiles_cover_what_is_needed_once(n, n_landmarks, batches, data):
    shape, need = (n, n_landmarks), None
    if data.draw(st.booleans()):
        size = n * n_landmarks
        chosen = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
        need = np.array(chosen).reshape(shape)
    wanted = np.ones(shape, bool) if need is None else need
    tiles, seen = Tiles(n, n_landmarks, need, batches=batches), np.zeros(shape, dtype=int)
    while tiles.left:
        budget = data.draw(st.integers(1, 30))
        tile = tiles.next(budget)
        rows, columns = tile.pairs()
        assert tile.wanted == wanted[rows, columns].sum() <= budget
        if len(tile.rows) > 1:
            assert len(rows) <= 1.125 * tile.wanted
        taken = tile.taken(np.arange(n))
        assert list(taken[tile.rows - taken[0]] if not batches else taken) == list(tile.rows)
        seen[rows, columns] += 1
    assert np.array_equal(seen[wanted], np.ones(wanted.sum()))
    assert batches or not seen[~wanted].any()


def test_batches_waste_little():
    n = 500
    tiles, area = Tiles(n, n, np.tri(n, dtype=bool), batches=True), 0
    calls_made = 0
    while tiles.left:
        area += len(tiles.next(10**6).pairs()[0])
        calls_made += 1
    assert area <= 1.125 * n * (n + 1) / 2
    assert calls_made < n / 5


# Running


def test_full_lower_and_diagonal_call_just_what_they_need():
    X = items(range(40))
    expected = np.arange(40)[:, None] - 2 * np.arange(40)
    plan = plan_of(logged, X)
    with counting() as counter:
        assert np.array_equal(run(plan, X), expected)
    assert counter.evaluations == len(made) == len(set(made)) == 1600

    made.clear()
    out = np.full((40, 40), np.nan, dtype=np.float32)
    with counting() as counter:
        call_pairs(plan, X, out, Job(), np.tri(len(X), dtype=bool))
    assert np.array_equal(out[np.tril_indices(40)], expected[np.tril_indices(40)])
    assert counter.evaluations == len(made) == len(set(made)) == 820

    made.clear()
    assert np.array_equal(engine.diagonal(plan, X), np.diag(expected))
    assert len(made) == 40


def test_a_function_of_batches_is_counted_by_what_it_computes():
    sizes = []

    def f(A, B):
        sizes.append(len(A) * len(B))
        return np.subtract.outer(np.array(A), 2 * np.array(B))

    X = items(range(100))
    plan = plan_of(f, X, vectorised=True)
    out = np.zeros((100, 100), dtype=np.float32)
    with counting() as counter:
        call_pairs(plan, X, out, Job(), np.tri(len(X), dtype=bool))
    expected = np.arange(100)[:, None] - 2 * np.arange(100)
    assert np.array_equal(np.tril(out), np.tril(expected))
    assert counter.evaluations == sum(sizes) <= 1.125 * 5050


class Spy(Progress):
    shown = True

    def __init__(self):
        self.done, self.said = 0, []

    def advance(self, amount):
        self.done += amount

    def say(self, message):
        self.said.append(message)


@pytest.mark.parametrize("vectorised", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_progress_ends_at_its_total(tmp_path, vectorised, symmetric):
    def f(a, b):
        return np.subtract.outer(np.array(a), b) if vectorised else a - b

    X = items(range(60))
    for _ in range(2):  # the second time all is found
        spy, out = Spy(), np.empty((60, 60), dtype=np.float32)
        plan = plan_of(f, X, vectorised, memory=tmp_path, symmetric=symmetric)
        call_pairs(plan, X, out, Job(spy), np.tri(60, dtype=bool) if symmetric else None)
        assert spy.done == (1830 if symmetric else 3600)


def test_stop_iteration_is_an_error_not_an_end():
    def f(x, y):
        if y == 3:
            next(iter([]))
        return 0.0

    with pytest.raises(MeasureError, match="row 0 of X and landmark 3: StopIteration"):
        run(plan_of(f, items(range(5))), items(range(2)))


def test_part_of_a_job_names_the_users_rows():
    def f(x, y):
        raise ValueError("no")

    job = Job().moved(10, 20).moved(5)
    with pytest.raises(MeasureError, match="row 15 of X and landmark 20"):
        run(plan_of(f, items([1])), items([1]), job)


def test_panels_of_a_symmetric_matrix_name_the_users_rows():
    def f(x, y):
        if (x, y) == (290, 200):  # in the second panel
            raise ValueError("no")
        return 0.0

    m = Custom(f, symmetric=True, vectorised=False)
    with pytest.raises(MeasureError, match="row 290 of X and landmark 200: ValueError: no"):
        (2.0 * m).cross(list(range(300)))


def test_tiles_grow_from_one_pair(monkeypatch):
    tried = []
    evaluate = CallPlan.evaluate
    monkeypatch.setattr(
        CallPlan,
        "evaluate",
        lambda plan, rows, tile: tried.append(tile.wanted) or evaluate(plan, rows, tile),
    )
    monkeypatch.setattr(python_calls, "TILE_SECONDS", 0.0)  # as if every call were slow
    run(plan_of(logged, items(range(6))), items(range(2)))
    assert tried == [1] * 12


def test_the_plan_asks_what_the_function_takes_once():
    asked = []
    plan = CallPlan(logged, items([1, 2]), lambda X, L: asked.append(1) or False)
    run(plan, items([1]))
    run(plan, items([2, 3]))
    assert asked == [1]
    assert python_calls.n_workers(None) == python_calls.n_workers(1) == 1
    assert python_calls.n_workers(2) == 2
    with engine.using(n_jobs=0), pytest.raises(ValueError, match="n_jobs must not be 0"):
        run(plan, items([1]))
