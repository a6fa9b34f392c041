"""What is loaded predicts what was saved, to the last bit."""

import inspect
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import seamark as sm
from seamark import papers, rivals
from seamark.features import as_features
from seamark.heads import Ordinal
from seamark.landmarks import Generated
from seamark.measures import Custom, Gaussian, Levenshtein, Precomputed
from seamark.saving import contents

rng = np.random.default_rng(11)
N = 40
y = np.arange(N) % 2
VECTORS = rng.normal(size=(N, 3)) + y[:, None]
WORDS = ["ab" * (1 + i % 4) + "xé"[i % 2] * (1 + i % 5) for i in range(N)]


def overlap(a, b):
    """An asymmetric distance: the share of a's letters that b lacks."""
    return len(set(a) - set(b)) / len(set(a))


def sampler(n, rng, like):
    return ["abxé"[: 1 + int(k)] for k in rng.integers(4, size=n)]


MINE = {f"{__name__}.{f.__name__}": f for f in (overlap, sampler)}
DOMAINS = {
    "strings": ("levenshtein", WORDS),
    "bytes": ("levenshtein", [word.encode() for word in WORDS]),
    "series": ("dtw", [rng.normal(loc=i % 2, size=(2, 3 + i % 4)) for i in range(N)]),
    "univariate": ("dtw", rng.normal(size=(N, 6)) + y[:, None]),
    "sets": ("hausdorff", [rng.normal(loc=i % 2, size=(1 + i % 3, 2)) for i in range(N)]),
    "vectors": ("gaussian", VECTORS),
    "sparse": ("euclidean", sparse.csr_array(VECTORS * (rng.random((N, 3)) > 0.3))),
    "precomputed": ("precomputed", np.abs(VECTORS[:, :1] - VECTORS[:, :1].T)),
    "columns": (Precomputed(square=False, kind="distance"), np.abs(VECTORS)),
    "callable": (overlap, WORDS),
    "custom": (Custom(overlap, kind="distance"), [frozenset(word) for word in WORDS]),
    "dictionaries": (
        Custom(overlap, kind="distance"),
        [{"n": (i, 0.5), **dict.fromkeys(word)} for i, word in enumerate(WORDS)],
    ),
    "algebra": (Gaussian("mean") + 0.5 * Gaussian(2.0).normalised(), VECTORS),
    "several": ([Levenshtein(), Levenshtein().normalised()], WORDS),
    "scipy": ("canberra", VECTORS),
    "rapidfuzz": ("jaro_winkler", WORDS),
}
TASKS = {
    sm.LandmarkClassifier: {"y": np.array(["no", "yes"])[y]},
    sm.LandmarkRegressor: {"y": VECTORS[:, 0]},
    sm.LandmarkOrdinal: {"y": np.arange(N) % 3},
    sm.LandmarkRanker: {"y": y.astype(float), "qid": np.arange(N) // 8},
}


def round_trip(model, path, functions=None):
    sm.save(model, path, overwrite=True)
    return sm.load(path, functions)


def said(model, X):
    """All that a model says of objects."""
    methods = ("predict", "predict_proba", "decision_function", "transform")
    return {name: getattr(model, name)(X) for name in methods if hasattr(model, name)}


def assert_same(model, loaded, X):
    assert type(loaded) is type(model)
    before, after = said(model, X), said(loaded, X)
    assert before
    assert before.keys() == after.keys()
    for name, values in before.items():
        np.testing.assert_array_equal(values, after[name])
        assert np.asarray(values).dtype == np.asarray(after[name]).dtype


MAIN = ("strings", "series", "sets", "vectors", "precomputed", "custom")
# Every model on the main domains, one model on all.
PAIRS = [(m, d) for m in TASKS for d in DOMAINS if d in MAIN or m is sm.LandmarkClassifier]


@pytest.mark.parametrize(("model", "domain"), PAIRS)
def test_landmark_models_on_every_domain(model, domain, tmp_path):
    measure, X = DOMAINS[domain]
    fitted = model(measure, n_landmarks=6, random_state=0)
    if domain == "columns":
        fitted.set_params(n_landmarks=None)
    fitted.fit(X, **TASKS[model])
    loaded = round_trip(fitted, tmp_path / "m", MINE)
    assert_same(fitted, loaded, X)
    assert str(fitted.explain(X[:2])) == str(loaded.explain(X[:2]))


OPTIONS = {
    "svm": (sm.LandmarkClassifier, {"head": "svm"}),
    "logistic": (sm.LandmarkClassifier, {"head": "logistic"}),
    "greedy": (sm.LandmarkClassifier, {"weighing": "greedy"}),
    "own head": (sm.LandmarkRegressor, {"head": Ridge(0.1)}),
    "svr": (sm.LandmarkRegressor, {"head": "svr"}),
    "held out": (sm.LandmarkClassifier, {"tune": "held_out"}),
    "per class": (sm.LandmarkClassifier, {"tune": "held_out_per_class", "head": "svm"}),
    "whitening": (sm.LandmarkRegressor, {"transfer": "whitening"}),
    "pairs": (sm.LandmarkClassifier, {"landmarks": "pairs", "transfer": "ramp"}),
    "generated": (sm.LandmarkRegressor, {"landmarks": "generated"}),
    "order": (sm.LandmarkOrdinal, {"head": Ordinal(categories=[2, 0, 1])}),
    "rng": (sm.LandmarkRegressor, {"random_state": np.random.default_rng(3)}),
    "old rng": (sm.LandmarkRegressor, {"random_state": np.random.RandomState(3)}),
}


@pytest.mark.filterwarnings("ignore:.*converge")
@pytest.mark.parametrize("option", OPTIONS)
def test_every_choice_of_parts(option, tmp_path):
    model, options = OPTIONS[option]
    given = {"n_landmarks": 6, "random_state": 0} | options
    fitted = model("levenshtein", **given).fit(WORDS, **TASKS[model])
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), WORDS)


PRESETS = [name for name in papers.__all__ if name != "as_similarity"]


@pytest.mark.filterwarnings("ignore:.*converge")
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset(name, tmp_path):
    preset = getattr(papers, name)
    targets = {
        "regland": TASKS[sm.LandmarkRegressor],
        "regland_sp": TASKS[sm.LandmarkRegressor],
        "orland": TASKS[sm.LandmarkOrdinal],
        "rank": TASKS[sm.LandmarkRanker],
    }.get(name, {"y": y})
    options = {"n_candidates": 20} if "n_candidates" in inspect.signature(preset).parameters else {}
    fitted = preset("levenshtein", n_landmarks=6, random_state=0, **options).fit(WORDS, **targets)
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), WORDS)


RIVALS = [
    rivals.KernelRegression(n_references=9),
    rivals.SubstitutionSVM(),
    rivals.PseudoEuclidean(n_landmarks=8, n_components=3),
    rivals.AverageSimilarity(),
    rivals.AverageSimilarity(vote="weak", n_per_class=6),
    rivals.NearestNeighboursClassifier(n_neighbors=3),
    rivals.NearestNeighboursRegressor(n_neighbors=3),
    rivals.DBoost(n_pairs=20, n_rounds=5),
    rivals.pseudo_euclidean_svm(n_components=3),
]


@pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: repr(rival)[:40])
@pytest.mark.parametrize("domain", ["strings", "vectors", "precomputed", "custom"])
def test_every_rival(rival, domain, tmp_path):
    measure, X = DOMAINS[domain]
    if domain == "precomputed":
        measure = Precomputed(kind="distance")
    if domain == "vectors":
        measure = "euclidean"
    fitted = clone(rival)
    name = "pseudoeuclidean__measure" if hasattr(fitted, "steps") else "measure"
    fitted.set_params(**{name: measure}).fit(X, y)
    assert_same(fitted, round_trip(fitted, tmp_path / "m", MINE), X)


def test_maps_pipelines_greedy_and_what_is_not_fitted(tmp_path):
    path = tmp_path / "m"
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=5, random_state=0).fit(WORDS)
    assert_same(bearings, round_trip(bearings, path), WORDS)
    assert_same(bearings.subset([3, 1]), round_trip(bearings.subset([3, 1]), path), WORDS)
    pipeline = make_pipeline(clone(bearings), StandardScaler(), LogisticRegression()).fit(WORDS, y)
    assert_same(pipeline, round_trip(pipeline, path), WORDS)
    frames = clone(bearings).set_output(transform="pandas").fit(WORDS)
    assert round_trip(frames, path).transform(WORDS).equals(frames.transform(WORDS))
    greedy = sm.Greedy(3).fit(as_features(bearings.transform(WORDS)), y)
    loaded = round_trip(greedy, path)
    np.testing.assert_array_equal(loaded.support_, greedy.support_)
    assert (
        repr(round_trip(sm.LandmarkClassifier("dtw"), path)) == "LandmarkClassifier(measure='dtw')"
    )


def test_every_measure_and_strategy_without_registration(tmp_path):
    for entry in sm.measures.catalogue().values():
        assert repr(round_trip(entry.measure, tmp_path / "m")) == repr(entry.measure)
    model = sm.LandmarkRegressor("levenshtein", landmarks=Generated(sampler=sampler), n_landmarks=4)
    model.fit(WORDS, VECTORS[:, 0])
    assert_same(model, round_trip(model, tmp_path / "m", MINE), WORDS)


class Mine(sm.measures.Levenshtein):
    """A measure of the user's."""


def test_classes_of_the_user_are_passed_to_load(tmp_path):
    path = tmp_path / "m"
    model = sm.LandmarkClassifier(Mine(), n_landmarks=4, random_state=0).fit(WORDS, y)
    sm.save(model, path)
    assert contents(path).functions == [f"{__name__}.Mine"]
    with pytest.raises(ValueError, match=rf"needs the class {__name__}.Mine, .* pass it"):
        sm.load(path)
    assert_same(model, sm.load(path, {f"{__name__}.Mine": Mine}), WORDS)


def test_functions_are_passed_never_imported(tmp_path):
    path = tmp_path / "m"
    model = sm.LandmarkClassifier(overlap, n_landmarks=4, random_state=0).fit(WORDS, y)
    sm.save(model, path)
    assert contents(path).functions == [f"{__name__}.overlap"]
    with pytest.raises(ValueError, match=rf"uses the function {__name__}.overlap, .* pass it"):
        sm.load(path)
    two = sm.LandmarkMap([Custom(lambda a, b: 1.0), Custom(lambda a, b: 2.0)])
    with pytest.raises(TypeError, match="second function named .*<lambda>, .*different ones"):
        sm.save(two, tmp_path / "two")


def test_no_folder_travels(tmp_path):
    sm.save(sm.LandmarkMap(Custom(overlap, memory=tmp_path / "values")), tmp_path / "m")
    assert sm.load(tmp_path / "m", MINE).measure.memory is None


def test_numpys_default_generator_goes_on_and_others_are_dropped(tmp_path):
    generator = np.random.default_rng(0)
    generator.integers(10, dtype=np.uint32)  # half of a drawn number waits inside
    loaded = round_trip(sm.LandmarkMap(random_state=generator), tmp_path / "m").random_state
    assert loaded.bit_generator.state == generator.bit_generator.state
    for other in (np.random.RandomState(0), np.random.Generator(np.random.MT19937(0))):
        assert round_trip(sm.LandmarkMap(random_state=other), tmp_path / "m").random_state is None


def test_parts_of_a_loaded_model_share_no_array(tmp_path):
    model = sm.LandmarkMap("euclidean", landmarks=VECTORS[:3]).fit(VECTORS)
    loaded = round_trip(model, tmp_path / "m")
    np.testing.assert_array_equal(loaded.landmarks, loaded.landmarks_)
    assert not np.shares_memory(loaded.landmarks, loaded.landmarks_)
    loaded.landmarks_[0] = 7.0  # and they can be written to


def test_the_file_is_plain_small_and_reproducible(tmp_path):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=6, random_state=0).fit(WORDS, y)
    sm.save(model, tmp_path / "a", about={"column": "name", "n": 3})
    sm.save(model, tmp_path / "b", about={"column": "name", "n": 3})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with zipfile.ZipFile(tmp_path / "a") as archive:
        document = json.loads(archive.read("model.json"))
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
        for name in arrays:
            with archive.open(name) as file:
                np.load(file, allow_pickle=False)
    assert (document["format"], document["version"]) == ("seamark model", 1)
    found = contents(tmp_path / "a")
    assert (found.model, found.about) == (
        "seamark.models.LandmarkClassifier",
        {"column": "name", "n": 3},
    )
    # Landmarks are in the map and in the model, and once in the file.
    assert (tmp_path / "a").read_bytes().count(model.landmarks_.values.tobytes()) == 1


def test_never_overwrites_unless_told_and_leaves_no_drafts(tmp_path):
    path = tmp_path / "m"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match="exists already"):
        sm.save(sm.LandmarkMap(), path)
    with pytest.raises(TypeError, match="model.landmarks is a complex, which cannot be saved"):
        sm.save(sm.LandmarkMap(landmarks=1j), path, overwrite=True)
    assert path.read_text() == "precious"
    sm.save(sm.LandmarkMap(), path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
    with pytest.raises(FileNotFoundError, match="make it first"):
        sm.save(sm.LandmarkMap(), tmp_path / "no" / "m")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        sm.save(sm.LandmarkMap(), tmp_path)


class Holder(BaseEstimator):
    def __init__(self, value=None):
        self.value = value


@dataclass
class Boat:
    """A record of the user's, as a landmark of a custom measure might be."""

    length: float
    crew: list[str]


def test_plain_classes_of_ours_and_records_of_the_users(tmp_path):
    given = {f"{__name__}.Holder": Holder, f"{__name__}.Boat": Boat}
    loaded = round_trip(Holder(as_features(VECTORS)), tmp_path / "m", given).value
    assert type(loaded) is type(as_features(VECTORS))
    np.testing.assert_array_equal(next(iter(loaded.blocks()))[1], VECTORS)
    boat = Boat(7.5, ["Anna"])
    assert round_trip(Holder(boat), tmp_path / "m", given).value == boat


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "model.value is a object"),
        ({"a": [1, {2j}]}, r"model.value\['a'\]\[1\]\[0\] is a complex"),
        (np.array(["2026-01-01"], dtype="M8[D]"), "array of datetime64"),
        (np.zeros(2, dtype=[("a", "f8")]), "array of"),
    ],
)
def test_what_cannot_be_saved_is_named(value, reason, tmp_path):
    with pytest.raises(TypeError, match=reason):
        sm.save(Holder(value), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_what_holds_itself_is_refused(tmp_path):
    ring = []
    ring.append(ring)
    with pytest.raises(ValueError, match="or holds itself"):
        sm.save(Holder(ring), tmp_path / "m")
    with pytest.raises(TypeError, match="save takes an estimator"):
        sm.save([1], tmp_path / "m")


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("name", ["strings", "series", "vectors"])
def test_files_of_format_1_load(name):
    """The files were written by seamark 0.1.0, by `golden/make_saved.py`; they never change."""
    model = sm.load(GOLDEN / f"{name}.seamark")
    expected = json.loads((GOLDEN / "expected.json").read_text())[name]
    X = [np.array(x) if name == "series" else x for x in expected["X"]]
    # Other processors and other BLAS round differently.
    np.testing.assert_allclose(model.predict_proba(X), expected["probabilities"], atol=1e-4)
    assert model.predict(X).tolist() == expected["predictions"]


def test_sklearns_own_svc_is_on_the_list(tmp_path):
    fitted = SVC().fit(VECTORS, y)
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), VECTORS)
