"""Groups and pictures: the map feeds scikit-learn's clusterings, and medoids name groups."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import seamark as sm
from seamark.search import medoids

plt = pytest.importorskip("matplotlib.pyplot")
rng = np.random.default_rng(0)


def mutated(text):
    letters = list(text)
    for _ in range(rng.integers(1, 5)):
        letters[rng.integers(len(letters))] = str(rng.choice(list("acgt")))
    return "".join(letters)


STEMS = ["".join(rng.choice(list("acgt"), 30)) for _ in range(4)]
TRUTH = np.repeat(np.arange(4), 30)
DNA = [mutated(STEMS[i]) for i in TRUTH]
SHAPES = np.array([np.sin(np.linspace(0, f, 40)) for f in (3, 6, 12, 20)])
WAVES = SHAPES[TRUTH] + 0.2 * rng.normal(size=(120, 40))


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize(("measure", "X"), [("levenshtein", DNA), ("dtw", WAVES)])
@pytest.mark.parametrize(
    "clustering", [KMeans(4, n_init=4, random_state=0), HDBSCAN(min_cluster_size=10, copy=True)]
)
def test_groups_are_found_on_the_map(measure, X, clustering):
    line = make_pipeline(sm.LandmarkMap(measure, random_state=0), clustering)
    assert adjusted_rand_score(TRUTH, line.fit_predict(X)) > 0.95


def test_medoids_are_nearest_the_centres():
    features = rng.normal(size=(50, 3))
    groups = rng.integers(-1, 3, size=50)
    rows = medoids(features, groups)
    for group, row in enumerate(rows):
        own = features[groups == group]
        apart = np.linalg.norm(own - own.mean(axis=0), axis=1)
        assert groups[row] == group
        assert np.isclose(np.linalg.norm(features[row] - own.mean(axis=0)), apart.min())
    assert medoids([[0.0], [1.0]], ["b", "a"]).tolist() == [1, 0]
    assert len(medoids([[0.0]], [-1])) == 0
    with pytest.raises(ValueError, match="1 objects and y has 2"):
        medoids([[0.0]], [0, 1])


def test_a_picture_of_strings():
    drawn = sm.picture(DNA, groups=4, random_state=0)
    assert adjusted_rand_score(TRUTH, drawn.groups) == 1
    assert drawn.points.shape == (120, 2)
    assert [DNA[row] for row in drawn.medoids] == drawn.names
    assert {text.get_text()[:10] for text in drawn.ax_.texts} == {n[:10] for n in drawn.names}
    again = sm.picture(DNA, groups=4, random_state=0)
    np.testing.assert_array_equal(drawn.points, again.points)


def test_given_groups_other_planes_and_axes():
    figure, ax = plt.subplots()
    known = np.where(TRUTH == 3, -1, TRUTH)
    drawn = sm.picture(WAVES, "dtw", groups=known, plane="tsne", random_state=0, ax=ax)
    assert drawn.figure_ is figure
    assert drawn.names == [f"row {row}" for row in drawn.medoids]
    assert len(drawn.medoids) == 3
    named = sm.picture(WAVES, "dtw", groups=[f"kind {t}" for t in TRUTH], plane=PCA(2))
    assert len(named.medoids) == 4
    assert sm.picture(["a", "a", "a"], groups=5).points.shape == (3, 2)


@pytest.mark.filterwarnings("ignore:Glyph")  # the font lacks pictures of control codes
def test_names_are_no_formulas_and_no_control_codes():
    words = ["$x$\x1b" + "a" * i for i in range(6)]
    drawn = sm.picture(words, groups=2, random_state=0)
    assert not any("\x1b" in text.get_text() or text.get_parse_math() for text in drawn.ax_.texts)
    drawn.figure_.canvas.draw()


def test_refusals():
    with pytest.raises(ValueError, match="at least three objects, not 2"):
        sm.picture(["a", "b"])
    with pytest.raises(ValueError, match="groups must be a positive whole number, not 0"):
        sm.picture(DNA, groups=0)
    with pytest.raises(ValueError, match="120 objects and y has 2"):
        sm.picture(DNA, groups=[0, 1])
    with pytest.raises(ValueError, match="room to name 12"):
        sm.picture(DNA, groups=np.arange(120))
    with pytest.raises(ValueError, match='"pca", "tsne" or a transformer'):
        sm.picture(DNA, plane="umap")
    with pytest.raises(ValueError, match="two columns"):
        sm.picture(DNA, plane=PCA(3))
