"""Weights of columns are learned from decided pairs; doubtful ones come back with decisions."""

import numpy as np
import pytest

import seamark as sm
from seamark.search import PairModel

pd = pytest.importorskip("pandas", reason="tables with index labels")
MEASURES = {"name": "jaro_winkler", "born": "levenshtein", "city": "equality"}


@pytest.fixture(scope="module")
def people():
    """A table in which each person stands twice, the second time with faults."""
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("abcdefgh"), 7)) for _ in range(150)]
    born = [f"19{y}{m:02}{d:02}" for y, m, d in rng.integers([10, 1, 1], [99, 13, 29], (150, 3))]
    city = rng.choice(["oslo", "rome", "bonn"], 150)
    rows = [(*one, i) for i, one in enumerate(zip(names, born, city, strict=True))]
    for i in range(150):
        name = names[i][:3] + "x" + names[i][4:] if i % 3 else names[i]
        day = born[i][:-1] + "9" if i % 4 == 0 else born[i]
        rows.append((name, None if i % 10 == 0 else day, city[(i + (i % 5 == 0)) % 150], i))
    table = pd.DataFrame(rows, columns=["name", "born", "city", "who"])
    return table.set_index([f"r{i}" for i in rng.permutation(300)] * np.ones(1, dtype=object))


@pytest.fixture(scope="module")
def pairs(people):
    return sm.duplicates(people, MEASURES, within=[{"name": 0.75}, {"born": 1, "name": 0.5}])


def truth(pairs, people):
    who = people["who"].to_numpy()
    return who[pairs.left] == who[pairs.right]


def test_matches_are_learned_from_few_decisions(pairs, people):
    match = truth(pairs, people)
    assert len(pairs) > 2 * match.sum() > 250
    labels = [bool(one) if k % 4 == 0 else None for k, one in enumerate(match)]
    model = PairModel().fit(pairs, labels)
    chances = model.predict_proba(pairs)
    assert chances.shape == (len(pairs), 2)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    found = model.predict(pairs)
    assert (found & match).sum() > 0.95 * match.sum()
    assert (found & match).sum() > 0.95 * found.sum()
    assert max(model.weights_.values()) < 0
    matches = pairs[found]
    assert len(matches) == found.sum()
    assert max(map(len, matches.members())) <= 4
    assert model.score(pairs, match) > 0.98


def test_decisions_come_back_from_a_file(pairs, people, tmp_path):
    match = truth(pairs, people)
    model = PairModel()
    asked = model.doubtful(pairs, 60)
    assert asked["match"].isna().all()
    assert asked["value"].is_monotonic_increasing
    who = people["who"]
    for _ in range(2):
        decided = [who[a] == who[b] for a, b in zip(asked["left"], asked["right"], strict=True)]
        asked["match"] = [int(one) if k else None for k, one in enumerate(decided)]
        asked.to_csv(tmp_path / "asked.csv", index=False)
        model.fit(pairs, pd.read_csv(tmp_path / "asked.csv"))
        asked = model.doubtful(pairs, 25)
    doubts = np.abs(asked["probability"] - 0.5)
    assert doubts.is_monotonic_increasing
    assert doubts.max() <= np.sort(np.abs(model.predict_proba(pairs)[:, 1] - 0.5))[24] + 1e-12
    assert np.mean(model.predict(pairs) == match) > 0.95


def test_it_is_saved_without_pickle(pairs, people, tmp_path):
    model = PairModel().fit(pairs, truth(pairs, people))
    sm.save(model, tmp_path / "m")
    same = sm.load(tmp_path / "m")
    np.testing.assert_array_equal(same.predict_proba(pairs), model.predict_proba(pairs))


def test_what_makes_no_sense_is_said(pairs, people):
    match = truth(pairs, people)
    with pytest.raises(ValueError, match="decide at least 2 of each"):
        PairModel().fit(pairs, [True] * len(pairs))
    with pytest.raises(ValueError, match="pairs and 3 labels"):
        PairModel().fit(pairs, [True, False, None])
    with pytest.raises(ValueError, match="a label is 'maybe'; give 1 for a match"):
        PairModel().fit(pairs, ["maybe", *match[1:]])
    with pytest.raises(ValueError, match="no column 'match'"):
        PairModel().fit(pairs, pairs.to_frame())
    with pytest.raises(ValueError, match="decided pair of r1 and r1 is not among"):
        PairModel().fit(pairs, pd.DataFrame({"left": ["r1"], "right": ["r1"], "match": [1]}))
    with pytest.raises(ValueError, match="C must be a positive number"):
        PairModel(C=0).fit(pairs, match)
    model = PairModel().fit(pairs, match)
    other = sm.duplicates(people, {"name": "jaro_winkler"}, within={"name": 0.9})
    with pytest.raises(ValueError, match="no values of column 'born'"):
        model.predict(other)
