"""Wrote the files here, with seamark 0.1.0. They must load for ever: never run this again."""

import json
from pathlib import Path

import numpy as np

import seamark as sm

HERE = Path(__file__).parent

if __name__ == "__main__":  # pytest imports every file in search of doctests
    rng = np.random.default_rng(5)
    words = ["ab" * (1 + i % 4) + "xé"[i % 2] * (1 + i % 5) for i in range(30)]
    series = [rng.normal(loc=i % 2, size=3 + i % 4).round(2) for i in range(30)]
    vectors = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2).round(2)
    labels = np.array(["no", "yes"])[np.arange(30) % 2]
    models = {
        "strings": (sm.LandmarkClassifier("levenshtein", n_landmarks=5), words),
        "series": (sm.LandmarkClassifier("dtw", n_landmarks=5, weighing=sm.Greedy(3)), series),
        "vectors": (sm.LandmarkClassifier("gaussian", n_landmarks=5, head="logistic"), vectors),
    }
    expected = {}
    for name, (model, X) in models.items():
        model.set_params(random_state=0).fit(X, labels)
        sm.save(model, HERE / f"{name}.seamark", overwrite=True, about={"made_of": name})
        some = list(X[:5])
        expected[name] = {
            "X": [x.tolist() if hasattr(x, "tolist") else x for x in some],
            "predictions": model.predict(some).tolist(),
            "probabilities": model.predict_proba(some).tolist(),
        }
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1))
