"""Settings, executors and recipes: the same values, counts and messages wherever work runs."""

import numpy as np
import pytest

import seamark as sm
from seamark import engine
from seamark.engine import settings, threads
from seamark.engine.settings import changed


class Differences(engine.Plan):
    """x − l of numbers."""

    def __init__(self, L, cost=0.0):
        self.L, self.n_landmarks, self.cost = L, len(L), cost

    def seconds(self, X):
        return np.full(len(X), self.cost)

    def fill(self, X, out, stop):
        out[:] = X - self.L[:, 0]


def numbers(n):
    return np.arange(float(n))[:, None]


RNG = np.random.default_rng(0)
NAMES = ["".join(RNG.choice(list("abcdefghij"), RNG.integers(4, 12))) for _ in range(60)]
HAS_A = np.array(["a" in name for name in NAMES])
EXECUTORS = ["threads", "processes"]


def difference_of_lengths(x, y):
    return float(abs(len(x) - len(y)))


def test_settings_reach_the_threads_of_a_pool():
    seen = []

    class Looking(Differences):
        def fill(self, X, out, stop):
            seen.append((engine.backend().name, settings().feature_bytes))
            super().fill(X, out, stop)

    with engine.using("reference", n_jobs=2, feature_bytes=77):
        engine.run(Looking(numbers(2), cost=1.0), numbers(4))
    assert len(seen) == 4
    assert set(seen) == {("reference", 77)}


def test_settings_end_with_their_block_and_nest():
    with engine.using(n_jobs=3, budget=5):
        with engine.using(n_jobs=2):
            assert threads.n_threads() == 2
            assert settings().kept_bytes == 5
        assert threads.n_threads() == 3
    assert settings() == engine.Settings()
    with pytest.raises(ValueError, match="no backend or executor 'cloud' here; there are refer"):
        engine.using("cloud").__enter__()


def test_a_recipe_is_compiled_once_for_each_backend():
    compiled = []

    def compile_landmarks(L):
        compiled.append(engine.backend().name)
        return Differences(L)

    recipe = engine.Recipe(compile_landmarks, numbers(3))
    for _ in range(2):
        engine.run(recipe, numbers(4))
        with engine.using("reference"):
            engine.run(recipe, numbers(4))
    # Once for the default, which may be the same, and once for what was asked for by name.
    assert compiled == [engine.backend().name, "reference"]


@pytest.mark.parametrize("name", ["levenshtein", "manhattan", "euclidean"])
def test_recipes_travel_to_other_processes(name):
    X = ["a" * k for k in range(40)] if name == "levenshtein" else np.arange(80.0).reshape(40, 2)
    here = sm.cross(name, X, X[:7])
    with engine.using("processes", n_jobs=2, chunk_seconds=1e-9), engine.counting() as counter:
        np.testing.assert_array_equal(sm.cross(name, X, X[:7]), here)
    assert counter.evaluations == 280


@pytest.mark.parametrize("where", ["threads", "processes"])
def test_a_chunk_names_the_users_rows(where):
    def compile_landmarks(L):
        class Picky(engine.Plan):  # inside a function, so that it travels with its code
            n_landmarks = len(L)

            def seconds(self, X):
                return np.full(len(X), 1.0)

            def fill(self, X, out, stop):
                if X[0, 0] == 30:
                    raise engine.PairError("row {row} and landmark {landmark} clash.", 0, 1)
                out[:] = 0

        return Picky()

    recipe = engine.Recipe(compile_landmarks, numbers(3))
    with (
        engine.using(where, n_jobs=2),
        pytest.raises(engine.PairError, match="row 30 and landmark 1 clash"),
    ):
        engine.run(recipe, numbers(40))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_products_of_measures_and_maps_are_the_backends(n_jobs):
    X, asked = np.random.default_rng(0).normal(size=(300, 4)), []

    class Asked(engine.backends.Reference):
        def __init__(self):
            super().__init__()
            plain = self.products

            def products(X, L, out):
                asked.append(len(X))
                plain(X, L, out)

            self.products = products

    with changed(backend=Asked(), n_jobs=n_jobs, chunk_seconds=1e-6):
        for measure in ("euclidean", "linear", "gaussian"):
            asked.clear()
            sm.cross(sm.measures.get(measure), X, X[:9])
            assert asked, measure
        asked.clear()
        sm.RandomFourier(n_components=8, random_state=0).fit_transform(X)
        assert asked


def fitted(estimator):
    return lambda: estimator().fit(NAMES, HAS_A).predict(NAMES[:20])


def chosen(landmarks):
    options = {"landmarks": landmarks, "n_landmarks": 9, "random_state": 0}
    return fitted(lambda: sm.LandmarkClassifier("levenshtein", **options))


def assessed():
    found = sm.assess("levenshtein", NAMES, HAS_A, random_state=0).estimates
    return [one.value for one in found.values()]


JOBS = {
    "diverse": chosen("diverse"),
    "farthest": chosen("farthest"),
    "whitening": fitted(
        lambda: sm.LandmarkClassifier("levenshtein", transfer="whitening", random_state=0)
    ),
    "boosting": fitted(lambda: sm.baselines.DBoost("levenshtein", random_state=0)),
    "neighbours": fitted(lambda: sm.baselines.NearestNeighboursClassifier("levenshtein")),
    "kernels": fitted(lambda: sm.baselines.SubstitutionSVM("levenshtein")),
    "assess": assessed,
    "search": lambda: sm.Index("levenshtein").fit(NAMES).query(NAMES[:5], 3)[0],
    "sum": lambda: sm.cross(
        sm.measures.Levenshtein() + sm.measures.Custom(difference_of_lengths, kind="distance"),
        NAMES,
        NAMES[:9],
    ),
    "twice": lambda: sm.cross(2 * sm.measures.Levenshtein(), NAMES, NAMES[:9]),
    "function": lambda: sm.cross(difference_of_lengths, NAMES, NAMES[:9]),
}


@pytest.mark.parametrize("where", EXECUTORS)
@pytest.mark.parametrize("name", JOBS)
def test_everything_runs_everywhere_and_counts_the_same(name, where):
    with engine.counting() as here:
        expected = JOBS[name]()
    with engine.using(where, n_jobs=2, chunk_seconds=1e-3), engine.counting() as there:
        found = JOBS[name]()
    np.testing.assert_array_equal(found, expected)
    assert there.evaluations == here.evaluations


@pytest.mark.parametrize("where", [None, *EXECUTORS])
def test_functions_name_the_users_rows_everywhere(where):
    def picky(x, y):
        if x == NAMES[6]:
            raise ValueError("not this one")
        return 0.0

    with (
        engine.using(where, chunk_seconds=1e-9),
        pytest.raises(engine.MeasureError, match="row 6 of X and landmark 0: ValueError: not this"),
    ):
        sm.cross(picky, NAMES, NAMES[:3])


def test_a_plan_that_is_compiled_already_stays_here():
    plan = sm.measures.Levenshtein().compile(sm.data.strings.ingest(NAMES[:3]))
    X = sm.data.strings.ingest(NAMES)
    with engine.using("processes", n_jobs=2, chunk_seconds=1e-9):
        found = engine.run(plan, X)
    np.testing.assert_array_equal(found, sm.cross("levenshtein", NAMES, NAMES[:3]))


def test_settings_travel_to_other_processes():
    def compile_landmarks(L):
        class Telling(engine.Plan):
            n_landmarks = len(L)

            def seconds(self, X):
                return np.full(len(X), 1.0)

            def fill(self, X, out, stop):
                out[:] = (
                    engine.settings().feature_bytes if engine.backend().name == "reference" else 0
                )

        return Telling()

    with engine.using("reference", feature_bytes=12345), engine.using("processes", n_jobs=2):
        assert (engine.run(engine.Recipe(compile_landmarks, numbers(1)), numbers(4)) == 12345).all()


def test_settings_travel_with_functions(monkeypatch):
    def told(x, y):
        import time

        import seamark

        time.sleep(0.002)  # long enough to be worth another process
        return float(seamark.engine.settings().feature_bytes)

    for name, seconds in {"TRIAL": 0.01, "TILE": 0.01}.items():
        monkeypatch.setattr(f"seamark.engine.python_calls.{name}_SECONDS", seconds)
    monkeypatch.setattr("seamark.engine.python_calls.PROCESSES_FROM", 0.0)
    with engine.using("reference", feature_bytes=12345):
        assert (sm.cross(told, NAMES[:20], NAMES[:5], n_jobs=2) == 12345).all()


def test_an_executor_of_the_users_own_needs_only_to_run():
    class Noting(engine.Executor):
        def run(self, recipe, X, out, job):
            plan = recipe.plan()
            plan.fill(X, out, np.zeros(1, dtype=np.uint8))
            job.finished(out.size * plan.n_parts)
            self.rows = len(X)

    mine = Noting()
    with engine.using(mine), engine.counting() as counter:
        found = sm.cross("levenshtein", NAMES, NAMES[:3])
    np.testing.assert_array_equal(found, sm.cross("levenshtein", NAMES, NAMES[:3]))
    assert (mine.rows, counter.evaluations) == (60, 180)
