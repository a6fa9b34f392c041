"""Documents as `Assessment.document` gives them, for the tests and the screenshots of the page."""

import numpy as np

REMARKS = "Values on 400 held-out strings against 200 landmarks."


def strings_document(seed=0, n_landmarks=48):
    """DNA under an edit distance; all numbers are made up."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("ACGT"), rng.integers(34, 46))) for _ in range(n_landmarks)]
    margins = np.linspace(0, 0.3, 25)
    errors = 0.5 - 0.5 * np.exp(-8 * margins) * np.cos(margins)
    sizes = [10, 20, 50, 100, 200, 500]
    scores = [0.71, 0.80, 0.884, 0.921, 0.938, 0.941]
    eigenvalues = np.sort(rng.normal(0, 1, 40) + np.linspace(3, -0.6, 40))[::-1]
    return {
        "title": "Levenshtein distance for splice junctions",
        "verdict": [
            {"level": "good", "text": "Good for this task: landmarks reach 0.94 of the labels."},
            {"level": "info", "text": "60 landmarks reach 98 % of the accuracy of 500."},
            {"level": "warn", "text": "Indefinite: do not give it to SVC; landmarks are fine."},
            {"level": "bad", "text": "12 pairs of equal strings carry different labels."},
        ],
        "figures": [
            _line("How many objects miss a margin", "margin γ", "share ε", margins, errors),
            _line("How many landmarks are enough", "landmarks", "accuracy", sizes, scores, 0.02),
            {
                "kind": "bars",
                "title": "Spectrum of the sample",
                "xlabel": "eigenvalue, largest first",
                "ylabel": "value",
                "series": [_series("spectrum", list(range(1, 41)), eigenvalues)],
            },
            {
                "kind": "bars",
                "title": "Yardsticks",
                "xlabel": "method",
                "ylabel": "accuracy",
                "series": [
                    _series("held out", ["1-NN", "landmarks", "majority"], [0.87, 0.94, 0.52], 0.02)
                ],
            },
        ],
        "facts": [
            ("Range", "0 to 47", "median 31"),
            ("Asymmetry", "0", "symmetric, as declared"),
            ("Triangle violations", "0 %", "of 20 000 triples"),
            ("Negative spectrum", "8.1 %", "of the sum of absolute eigenvalues"),
            ("Cost", "0.4 µs", "per evaluation, one core"),
        ],
        "landmarks": [
            {"object": w, "label": "EN"[k % 2], "index": 7 * k, "weight": float(rng.normal())}
            for k, w in enumerate(words)
        ],
        "domain": "strings",
        "explanations": [_explained(rng, words, k) for k in range(6)],
    }


def _line(title, xlabel, ylabel, x, y, width=0.03):
    return {
        "kind": "line",
        "title": title,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "series": [_series("held out", list(x), y, width)],
    }


def _series(name, x, y, width=None):
    y = np.asarray(y, dtype=float)
    low, high = (None, None) if width is None else ((y - width).tolist(), (y + width).tolist())
    return {"name": name, "x": x, "y": y.tolist(), "low": low, "high": high}


def _explained(rng, objects, k, truth="E"):
    reasons = [
        {
            "object": objects[j],
            "label": "EN"[j % 2],
            "index": 7 * j,
            "value": float(rng.integers(10, 30)),
            "contribution": float(c),
        }
        for j, c in zip(rng.permutation(len(objects))[:4], [0.41, -0.22, 0.13, 0.04], strict=True)
    ]
    return {"object": objects[k], "truth": truth, "prediction": "EN"[k % 2], "reasons": reasons}


def arrays_document(domain, seed=0):
    """Series, sets or vectors."""
    rng = np.random.default_rng(seed)
    make = {
        "series": lambda: np.cumsum(rng.normal(size=(2, rng.integers(40, 70))), axis=1),
        "sets": lambda: rng.normal(size=(rng.integers(4, 20), 5)) + rng.normal(size=5),
        "vectors": lambda: rng.normal(size=12),
    }[domain]
    objects = [make() for _ in range(12)]
    return {
        "title": f"A measure of {domain}",
        "verdict": [{"level": "info", "text": "Nothing to say."}],
        "landmarks": [
            {"object": o, "label": k % 3, "index": k, "weight": None} for k, o in enumerate(objects)
        ],
        "domain": domain,
        "explanations": [_explained(rng, objects, k, truth=1) for k in range(3)],
    }
