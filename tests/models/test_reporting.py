"""Pages about models and comparisons: what the first screen says, and what is folded."""

import re

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.assessment.report import ordered
from seamark.measures.custom import titled
from seamark.models.report import document_of
from seamark.plotting import page

RNG = np.random.default_rng(0)
LETTERS = np.array(list("abcd"))
WORDS = ["".join(RNG.choice(LETTERS, 8)) for _ in range(160)]
Y = np.array([word.count("a") > 1 for word in WORDS])
HOSTILE = "<script>alert(1)</script>"


def test_a_model_reports_what_it_is_worth(tmp_path):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=40, random_state=0).fit(WORDS, Y)
    text = model.report(tmp_path / "m.html", WORDS).read_text(encoding="utf-8")
    said = model.describe()
    assert f"{said.accuracy:.1%} correct on unseen rows" in text
    guess = f"Always guessing the commonest class: {said.constant:.1%} correct."
    assert text.index(guess) < text.index("Next: ") < text.index("decides by")
    assert text.index("edit distance") < text.index("Charts") < text.index("Explain this object")
    assert text.index("Explain this object") < text.index("Typical examples")
    assert text.index("Typical examples") < text.index("Levenshtein()") < text.index("time to fit")
    with pytest.raises(FileExistsError):
        model.report(tmp_path / "m.html")


def test_no_object_is_explained_by_itself():
    """All rows are landmarks here, and a row is like itself: that says nothing."""
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=160, random_state=0).fit(WORDS, Y)
    document = document_of(model, WORDS)
    explained = document["explanations"]
    assert {one["object"] for one in explained} & set(map(str, model.landmarks_))
    assert all(one["reasons"] for one in explained)
    for one in explained:
        assert one["object"] not in {reason["object"] for reason in one["reasons"]}
        assert one["prediction"] == model.predict([one["object"]])[0]
        assert one["truth"] == Y[WORDS.index(one["object"])]
    assert document_of(model)["explanations"] == []


def figure_named(document, title):
    return next(one for one in document["figures"] if one["title"] == title)


def test_a_learning_curve_says_whether_more_rows_would_help():
    table = pd.DataFrame({"word": WORDS, "size": RNG.normal(size=160)})
    y = table["size"] + 0.1 * RNG.normal(size=160)
    model = sm.LandmarkRegressor(random_state=0, effort="quick").fit(table, y)
    curve = figure_named(document_of(model, table, y), "would more rows help?")
    (line,) = curve["series"]
    assert line["x"] == sorted(line["x"])
    assert line["x"][-1] == pytest.approx(120, abs=12)  # three quarters
    assert all(
        low <= score <= high
        for low, score, high in zip(*(line[end] for end in ("low", "y", "high")), strict=True)
    )
    assert line["y"][-1] > line["y"][0]
    assert ("more rows would help" in curve["note"]) == (line["low"][-1] > line["y"][-2])


@pytest.mark.parametrize("numbers", [False, True])
def test_a_map_of_the_objects_names_each(numbers):
    y = np.array([word.count("a") for word in WORDS]) + (RNG.random(160) if numbers else 0)
    model = (sm.LandmarkRegressor if numbers else sm.LandmarkClassifier)(
        "levenshtein", n_landmarks=40, random_state=0
    ).fit(WORDS, y)
    drawn = figure_named(document_of(model, WORDS, y), "map of the objects")
    texts = [text for one in drawn["series"] for text in one["texts"]]
    assert len(texts) == len(set(texts)) == 160
    assert any(text.startswith(f"row 7: {WORDS[7]} (") for text in texts)
    names = [one["name"] for one in drawn["series"]]
    assert names[0].startswith("up to ") if numbers else names == sorted(names)
    assert 'data-map="yes"' in page.render(document_of(model, WORDS, y))


def test_rows_are_called_by_the_index_of_pandas():
    labels = [f"K-{k:03}" for k in range(160)]
    table = pd.DataFrame({"word": WORDS, "size": RNG.normal(size=160)}, index=labels)
    y = table["size"] + RNG.normal(size=160)
    model = sm.LandmarkRegressor(random_state=0, effort="quick").fit(table, y)
    document = document_of(model, table, y)
    worst = model.describe(table).mistaken[0].index
    assert f"Next: check row K-{worst:03}, " in document["verdict"][-1]["text"]
    assert document["mistaken"][0]["index"] == f"row K-{worst:03}"
    assert {one["index"] for one in document["landmarks"]} <= {f"row {label}" for label in labels}
    texts = [
        text
        for one in figure_named(document, "map of the objects")["series"]
        for text in one["texts"]
    ]
    assert any(text.startswith("row K-007: word ") for text in texts)
    assert f"<span>row K-{worst:03}</span>" in page.render(document)


def test_what_was_mistaken_is_shown():
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=160, random_state=0).fit(WORDS, Y)
    said, document = model.describe(), document_of(model)
    assert [one["index"] for one in document["mistaken"]] == [one.index for one in said.mistaken]
    text = page.render(document)
    part = text[text.index("<h2>Most surely mistaken") : text.index("<h2>Typical examples")]
    assert part.count("<li>") == len(said.mistaken) > 0
    assert WORDS[said.mistaken[0].index] in part


def test_a_page_on_a_table_explains_its_rows_by_column():
    table = pd.DataFrame({"word": WORDS, "size": RNG.normal(size=160), "age": range(160)})
    model = sm.LandmarkClassifier(random_state=0).fit(table, np.where(Y, "<many>", "few"))
    document = document_of(model, table)
    assert document["title"].startswith("LandmarkClassifier of rows of a table: ")
    # A reason that holds all of a column over several blocks names no block.
    blocks = [reason["block"] for one in document["explanations"] for reason in one["reasons"]]
    assert any(block is not None and block.startswith("word") for block in blocks)
    text = page.render(document)
    assert "&lt;many&gt;" in text
    assert f"word {WORDS[document['mistaken'][0]['index']]}" in text


def test_models_without_scores_out_of_fold_have_pages():
    svm = sm.LandmarkClassifier("levenshtein", n_landmarks=20, head="svm", calibrate=False)
    text = page.render(document_of(svm.fit(WORDS, Y)))
    assert "no cross-validated scores" in text
    assert "probabilities be believed" not in text


def test_a_page_on_numbers_says_how_far_off_they_are():
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=40, random_state=0)
    document = document_of(model.fit(WORDS, [word.count("a") for word in WORDS]), WORDS)
    said, text = model.describe(), page.render(document)
    low, high = said.interval
    assert 0.2 < low < said.r2 < high < 1
    shown = f"R² {said.r2:.2f} on unseen rows (95 % interval {low:.2f} to {high:.2f})"
    assert shown in text
    assert "probabilities be believed" not in text


def test_calibrated_heads_say_whether_they_can_be_believed():
    for head in ("ridge", "svm"):
        model = sm.LandmarkClassifier("levenshtein", n_landmarks=20, head=head, random_state=0)
        [curve] = [
            one for one in document_of(model.fit(WORDS, Y))["figures"] if "believed" in one["title"]
        ]
        right, ideal = curve["series"]
        assert ideal["x"] == ideal["y"]
        ends = zip(right["low"], right["y"], right["high"], strict=True)
        assert all(0 <= low <= share <= high <= 1 for low, share, high in ends)


def test_hostile_words_stay_words():
    words = [HOSTILE, "aaaa", HOSTILE + "b", "aab"] * 10
    labels = [HOSTILE, "q"] * 20
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(words, labels)
    text = page.render(document_of(model, words))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_functions_have_readable_titles():
    def overlap(x, y):
        return 0.0

    assert titled(sm.measures.Custom(overlap, kind="similarity")) == "overlap (similarity)"
    assert titled(sm.measures.get(lambda x, y: 0.0)) == "your function"
    assert titled(sm.measures.get("levenshtein")) == "Levenshtein()"
    first = sm.measures.Custom(lambda x, y: float(x[0] == y[0]), kind="similarity")
    model = sm.LandmarkClassifier(first, n_landmarks=20, random_state=0).fit(WORDS, Y)
    assert model.describe().blocks[0].measure == "your function (similarity)"
    assert "lambda" not in page.render(document_of(model, WORDS))


def test_theory_is_folded_and_yardsticks_come_first():
    found = sm.assess("levenshtein", WORDS, Y, random_state=0)
    figures = ordered(found._figures())
    assert figures[0]["title"] == "yardsticks"
    assert figures[1]["xlabel"] == "landmarks"
    assert [bool(one.get("folded")) for one in figures[:2]] == [False, False]
    assert all(one["folded"] and one["note"] for one in figures[2:])
    text = page.render(found.document())
    assert text.index("Compared with".lower()) < text.index("Charts") < text.index("Details")
    assert found.verdict[0].level == "warn"  # so that no model of it is recommended
    assert "print(sm.assess(&quot;auto&quot;, X, y))" in text


def test_a_comparison_names_the_winner_and_draws_it_first(tmp_path):
    def length(x, y):
        return float(abs(len(x) - len(y)))

    length = sm.measures.Custom(length, kind="distance")
    found = sm.assess(["levenshtein", "jaro_winkler", length], WORDS, Y, random_state=0)
    text = found.to_html(tmp_path / "c.html").read_text(encoding="utf-8")
    assert f"Best: {found[0].title} for classification." in text
    score = f"accuracy {found[0].estimates['landmark model'].value:.2f} on unseen rows"
    best = f"{score}, by the best of 3 measures"
    assert f"<h1>classification of 160 strings: {best}</h1>" in text
    named = found.to_html(tmp_path / "n.html", name="a < b of words.csv").read_text("utf-8")
    assert f"<h1>a &lt; b of words.csv (160 strings): {best}</h1>" in named
    assert f"<title>a &lt; b of words.csv (160 strings): {best}" in named
    assert text.index("Best: ") < text.index("<svg") < text.index("Measures in lines")
    assert not re.search(r"Custom\(|lambda", text)


def test_a_model_of_several_blocks_explains_by_other_rows(rng):
    X = [rng.normal(size=rng.integers(15, 30)).cumsum() for _ in range(60)]
    y = np.array([walk.std() > 2 for walk in X]) ^ (rng.random(60) < 0.2)
    blocks = [sm.maps.LandmarkMap("subsequence", n_landmarks=60)]
    blocks += [sm.maps.LandmarkMap("dtw", n_landmarks=10)]
    model = sm.LandmarkClassifier(blocks, random_state=0).fit(X, y)
    document = document_of(model, X)
    assert document["domain"] == "series"
    assert document["explanations"]
    for one in document["explanations"]:
        row = next(
            row for row, thing in enumerate(X) if np.array_equal(thing, np.ravel(one["object"]))
        )
        assert one["reasons"]
        assert all(reason["index"] != row for reason in one["reasons"])


def test_a_page_shows_one_class_for_each_row():
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=8, random_state=0).fit(WORDS, Y)
    document = document_of(model, WORDS)
    unseen = {one["object"]: one["prediction"] for one in document["mistaken"]}
    explained = [one for one in document["explanations"] if one["object"] in unseen]
    assert len(explained) > 0
    assert all(one["prediction"] == unseen[one["object"]] for one in explained)
    text = page.render(document)
    assert "<dt>unseen" not in text
    assert "Predicted by models that had not seen these rows" in text


def test_an_explained_row_shows_all_contributions_and_their_sum(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["width", "height", "depth"])
    y = 3 * frame["width"] - frame["depth"]
    model = sm.LandmarkRegressor(["manhattan", sm.maps.NumericColumns()], random_state=0)
    document = document_of(model.fit(frame, y), frame, y)
    for one in document["explanations"]:
        assert sum(added for _, added in one["lines"]) == pytest.approx(one["prediction"], abs=1e-4)
        assert any(name.startswith("width = ") for name, _ in one["lines"])
    text = model.report(tmp_path / "page.html", frame, y).read_text(encoding="utf-8")
    assert text.count("All contributions, which sum to the score") == len(document["explanations"])


def test_a_flat_learning_curve_says_so():
    from seamark.models.report import _more_rows

    assert _more_rows([(20, 1.0, 1.0, 1.0), (40, 1.0, 1.0, 1.0)]) == (
        "At the last step, to 40 rows, it did not change."
    )
    assert "rose by 0.020, within chance" in _more_rows([(20, 0.8, 0.7, 0.9), (40, 0.82, 0.7, 0.9)])
