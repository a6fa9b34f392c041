"""Figure 1 of Sinha and Duchi: inside the ball? A kernel that is poor, and a learned one.

``python -m benchmarks.ball`` writes docs/benchmarks/ball.md and its picture.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import seamark as sm
from seamark.measures import Gaussian

DIMENSIONS = (2, 3, 5, 8, 10, 12, 15)
TRAIN, TEST, POOL, RHO = 10_000, 1000, 20_000, 200
SEEDS = range(3)
OUT = Path("docs/benchmarks")


def points(d: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Normal points, and whether they lie outside the ball of radius √d."""
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, np.linalg.norm(X, axis=1) > np.sqrt(d)


def errors(d: int, seed: int) -> tuple[float, float, int]:
    """Test errors of random and of learned features, as many of both, and their number."""
    rng = np.random.default_rng([seed, d])
    (X, y), (X_new, y_new) = points(d, TRAIN, rng), points(d, TEST, rng)
    learned = sm.Aligned(fourier(POOL, seed), rho_per_feature=RHO / POOL, random_state=seed)
    n = len(learned.fit(X, y).support_)
    found = []
    for features in (fourier(n, seed).fit(X), learned):
        head = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
        head.fit(features.transform(X), y)
        found.append(1 - head.score(features.transform(X_new), y_new))
    return found[0], found[1], n


def fourier(n: int, seed: int) -> sm.RandomFourier:
    """Features with w ~ N(0, I), as printed."""
    return sm.RandomFourier(Gaussian(1.0), n_components=n, random_state=seed)


def main() -> None:
    rows = {}
    for d in DIMENSIONS:
        rows[d] = np.mean([errors(d, seed) for seed in SEEDS], axis=0)
        random, learned, n = rows[d]
        print(f"d = {d}: random {random:.3f}, learned {learned:.3f}, {n:.0f}", flush=True)
    write(rows)


def write(rows: dict[int, np.ndarray]) -> None:
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    lines = [f"| {d} | {row[2]:.0f} | {row[0]:.3f} | {row[1]:.3f} |" for d, row in rows.items()]
    figure, axes = plt.subplots(figsize=(6, 3.5))
    for column, name in enumerate(("random features", "learned features")):
        axes.plot(list(rows), [row[column] for row in rows.values()], "o-", label=name)
    axes.set(xlabel="dimensions", ylabel="test error", ylim=(0, 0.55))
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(OUT / "ball.png", dpi=120)
    text = f"""# In or out of the ball? A learned kernel where the given one is poor

Figure 1 of Sinha and Duchi. Points are normal, labels say whether they lie outside the ball of
radius √d. The Gaussian kernel of width 1 is a poor choice for this. Out of {POOL} of its random
features `Aligned` chooses with ρ = {RHO}; a logistic regression has these, or as many random ones
as they come. {TRAIN} points train, {TEST} test; means over {len(SEEDS)} draws. Written by `make
bench-ball` with seamark {sm.__version__}.

| d | features | error, random | error, learned |
|---|---|---|---|
{chr(10).join(lines)}

![test error over dimensions](ball.png)

The paper shows this as a picture only: both errors grow with d, the learned kernel's more slowly,
with fewer than 250 features for d up to 15.
"""
    (OUT / "ball.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
