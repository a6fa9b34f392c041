"""Every block of a default model explains itself, in one list that sums to the score."""

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.models.report import document_of
from seamark.plotting import page

RNG = np.random.default_rng(0)
N = 150
Y = np.arange(N) % 3
LETTERS = np.array(list("abcdefgh"))
WORDS = ["".join(RNG.choice(LETTERS, 6)) + ("ella", "ov", "ez")[k] for k in Y]
SERIES = RNG.normal(size=(N, 1, 60))
SERIES[Y == 1, 0, 20:30] += 2
SERIES[Y == 2, 0, 40:50] -= 2
ROWS = 300
VECTORS = RNG.normal(size=(ROWS, 5))
CORNER = (VECTORS[:, 0] > 0).astype(int) + (VECTORS[:, 1] > 0)
SETS = [RNG.normal(size=(RNG.integers(3, 9), 2)) + k for k in Y]
GRAPHS = [[(0, 1), (1, 2), (2, 0)] + [(j, j + 1) for j in range(2, 3 + k)] for k in Y]
TABLE = pd.DataFrame(
    {
        "name": [None if k % 9 == 4 else word for k, word in enumerate(WORDS * 2)],
        "colour": np.array(["red", "green", "blue"])[RNG.integers(0, 3, ROWS)],
        "height": np.where(RNG.random(ROWS) < 0.1, np.nan, VECTORS[:, 0]),
        "weight": VECTORS[:, 1],
        "sold": pd.date_range("2024-01-01", periods=ROWS, freq="9h"),
    },
    index=[f"r{k}" for k in range(ROWS)],
)
KINDS = {
    "strings": (WORDS, Y),
    "series": (SERIES, Y),
    "vectors": (VECTORS, CORNER),
    "sets": (SETS, Y),
    "graphs": (GRAPHS, Y),
    "table": (TABLE, CORNER),
}


def few(X, n=8):
    return X.iloc[:n] if hasattr(X, "iloc") else X[:n]


@pytest.fixture(scope="module", params=KINDS)
def three(request):
    X, y = KINDS[request.param]
    return sm.LandmarkClassifier(random_state=0).fit(X, y), few(X)


def require_sums(explanations, scores):
    for one, score in zip(explanations, scores, strict=True):
        assert one.score == pytest.approx(score, abs=1e-4)
        assert sum(added for _, added in one.lines()) == pytest.approx(one.score, abs=1e-9)
        frame = one.to_frame(rest=True)
        assert frame["contribution"].sum() == pytest.approx(one.score, abs=1e-9)


def test_reasons_sum_to_the_margin_of_classes(three):
    model, X = three
    explained = model.explain(X)
    scores = np.sort(model.decision_function(X), axis=1)
    require_sums(explained, scores[:, -1] - scores[:, -2])
    if len(model.map_.blocks_) > 1:  # an average object scores the same in all that ask the same
        bases: dict = {}
        for one in explained:
            if not (isinstance(one.object, dict) and None in one.object.values()):
                bases.setdefault((one.target, one.rival), []).append(one.base)
        assert max(map(np.ptp, bases.values())) < 1e-4


def test_every_block_that_weighs_is_named(three):
    model, X = three
    if not model.map_.is_union:
        return
    from seamark.models.explain import Evidence, block_name

    named = {group.name for one in model.explain(X) for group in one.groups}
    for k, weight in enumerate(model.measure_weights_):
        name = block_name(model.map_, k)
        block = Evidence(model, k)
        if block.by_column or isinstance(block.map, (sm.ForestScores, sm.BoostedScores)):
            columns = model.map_.columns_[k] or getattr(model, "feature_names_in_", ["x0", "x1"])
            assert any(group.startswith(f"{columns[0]} = ") for group in named)
        elif weight > 0.05:
            assert any(group.startswith(name) or name in group for group in named), name


@pytest.mark.parametrize("kind", ["strings", "vectors", "table"])
def test_reasons_sum_to_what_is_predicted_of_two_classes_and_of_numbers(kind):
    X, y = KINDS[kind]
    model = sm.LandmarkClassifier(random_state=0).fit(X, y > 0)
    require_sums(model.explain(few(X)), np.abs(model.decision_function(few(X))))
    numbers = sm.LandmarkRegressor(random_state=0).fit(X, y + 0.5)
    require_sums(numbers.explain(few(X)), numbers.predict(few(X)))


def test_n_grams_that_decide_are_named_and_marked():
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(LETTERS, 30)) for _ in range(400)]
    y = np.arange(400) % 2
    for k in np.flatnonzero(y):
        place = rng.integers(0, 25)
        words[k] = words[k][:place] + "gate" + words[k][place + 4 :]
    model = sm.LandmarkClassifier(["levenshtein", sm.BagScores()], random_state=0)
    model.fit(words[:300], y[:300])
    told = [one for one in model.explain(words[300:]) if one.prediction == 1]
    named = [[one.landmark for one in x.reasons if one.block == "n-grams"] for x in told]
    assert np.mean(["gat" in str(names) or "ate" in str(names) for names in named]) > 0.9
    for one in told[:5]:
        assert len(one.saliency) == 30
        if "gate" in one.object:
            at = one.object.index("gate")
            assert one.saliency[at : at + 4].sum() > 0.4 * np.abs(one.saliency).sum() - 1
            assert "gat" in str(one).split("where: ")[1]
        total = sum(g.contribution for g in one.groups if g.name.startswith("n-grams: "))
        assert one.saliency.sum() == pytest.approx(total, abs=0.2)


def test_trees_name_the_column_that_decides():
    frame = pd.DataFrame(VECTORS, columns=list("abcde"), index=np.arange(ROWS) + 1000)
    model = sm.LandmarkClassifier([sm.ForestScores()], random_state=0)
    explained = model.fit(frame, frame["c"] > 0).explain(frame[:20])
    best = [one.reasons[0] for one in explained]
    assert [one.landmark for one in best].count("c") >= 19
    assert [one.name for one in best] == [f"{r.landmark} = {r.value:.4g}" for r in best]
    assert [one.row for one in explained] == list(range(1000, 1020))
    assert str(explained).splitlines()[1].startswith("1000 ")
    assert explained.to_frame().index.unique().tolist() == list(range(1000, 1020))


def test_a_column_comes_once_whatever_blocks_read_it():
    frame = pd.DataFrame(VECTORS, columns=list("abcde"))
    model = sm.LandmarkRegressor(["manhattan", sm.ForestScores(20)], random_state=0)
    model = model.fit(frame, 4 * frame["b"] - frame["d"])
    explained = model.explain(frame[:40])
    for one, (_, row) in zip(explained, frame[:40].iterrows(), strict=True):
        names = [name.split(" = ")[0] for name, _ in one.lines()]
        assert len(names) == len(set(names))
        assert set(names) <= {"an average object", "all others", *"abcde"}
        amounts = dict(zip(names, (added for _, added in one.lines()), strict=True))
        assert amounts.get("b", 0.0) == pytest.approx(4 * (row["b"] - frame["b"].median()), abs=1.5)


def test_columns_of_an_additive_measure_add_the_same_in_any_company():
    map = sm.LandmarkMap("manhattan", n_landmarks=30, transfer=sm.transfers.Identity())
    model = sm.LandmarkRegressor([map, sm.ForestScores(10)], random_state=0)
    model.fit(VECTORS, CORNER + 0.5)
    from seamark.models.importance import contributions_of_columns

    block = model.map_.blocks_[0]
    rng = np.random.default_rng(2)
    weights, means = rng.normal(size=(2, 30)), rng.normal(size=30)
    rows = np.stack([VECTORS[0], VECTORS[1]])
    rows[1, 2] = rows[0, 2]  # all other columns differ
    first, second = contributions_of_columns(block, rows, weights[[0, 0]], means, list("abcde"))
    assert first[3].what == "c"
    assert first[3].amount == pytest.approx(second[3].amount, abs=1e-5)
    total = (block.block(rows)[1] - means) @ weights[0]
    assert sum(one.amount for one in second) == pytest.approx(total, abs=1e-4)


def test_missing_numbers_are_named():
    model = sm.LandmarkRegressor(random_state=0).fit(TABLE, np.isnan(TABLE["height"]) * 3.0)
    gap = np.flatnonzero(np.isnan(TABLE["height"]))[0]
    one = model.explain(TABLE[gap : gap + 1])[0]
    assert "height missing" in one.lines()[1][0]


def test_substrings_are_named_with_their_ends():
    words = [word + ("burg" if k else "heim") for word, k in zip(WORDS, Y == 0, strict=True)]
    model = sm.LandmarkClassifier("substring", random_state=0).fit(words, Y == 0)
    names = [reason.name for one in model.explain(words[:20]) for reason in one.reasons]
    assert all("…" in name or len(name) > 9 for name in names)
    assert not any("␂" in name or "␃" in name for name in names)


def test_windows_have_their_place():
    model = sm.LandmarkClassifier("subsequence", n_landmarks=50, random_state=0).fit(SERIES, Y)
    (one,) = model.explain(SERIES[1:2])
    assert all(len(reason.where) == 1 for reason in one.reasons)
    assert "steps " in str(one.reasons[0])


def sets_with_a_telling_member():
    """Sets of class 1 have one member near (6, 6); the others are alike in both classes."""
    rng = np.random.default_rng(0)
    classes = np.arange(80) % 2
    sets = [rng.normal(size=(rng.integers(3, 7), 2)) for _ in classes]
    telling = np.array([rng.integers(len(one)) for one in sets])
    for one, k, label in zip(sets, telling, classes, strict=True):
        if label:
            one[k] = 6 + 0.3 * rng.normal(size=2)
    return sets, classes, telling


def test_of_a_set_the_member_that_decides_is_named():
    sets, classes, telling = sets_with_a_telling_member()
    model = sm.LandmarkClassifier("member", random_state=0).fit(sets, classes)
    for k in (1, 3, 5):
        alone = model.explain(sets[k])
        place = int(telling[k])
        assert int(alone.saliency.argmax()) == place
        assert alone.saliency.sum() == pytest.approx(alone.total, abs=1e-6)
        text = str(alone)
        assert "members of sets labelled 1, mostly by its member" in text
        assert f"nearest: member {place}" in text
        assert f"where: member {place} of {len(sets[k])}" in text
    numbers = sm.LandmarkRegressor("member", random_state=0).fit(sets, [s.max() for s in sets])
    assert "members of sets that raise it, mostly by its member" in str(numbers.explain(sets[1]))


def test_a_page_names_the_members_of_sets_that_decide():
    sets, classes, _ = sets_with_a_telling_member()
    model = sm.LandmarkClassifier("member", random_state=0).fit(sets, classes)
    document = document_of(model, sets, classes)
    assert dict(document["summary"])["decides by"] == "nearest member"
    text = page.render(document)
    assert "<span>nearest: member " in text
    assert "members of sets labelled 1, mostly by its member" in text
    assert "landmarks of 1" not in text
