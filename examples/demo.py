"""Where does the exon end? DNA strings, an edit distance, landmarks, a linear model."""

import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import seamark as sm
from seamark.datasets import load_splice


def main() -> None:
    splice = load_splice()
    X_train, X_test, y_train, y_test = train_test_split(
        splice.data, splice.target, test_size=0.3, stratify=splice.target, random_state=0
    )
    rng = np.random.default_rng(0)
    landmarks = X_train[rng.choice(len(X_train), 400, replace=False)]
    print(f"data       {splice.data}: {', '.join(splice.target_names)}")
    print(f"e.g.       {X_train[0]}  is {splice.target_names[y_train[0]]}")
    print(
        f"landmarks  {len(landmarks)} of the training strings; kernels: {sm.engine.backend().name}"
    )

    model = make_pipeline(
        FunctionTransformer(sm.measures.Levenshtein().cross, kw_args={"L": landmarks}),
        StandardScaler(),
        LogisticRegression(C=0.003, max_iter=1000),
    )
    start = time.perf_counter()
    model.fit(X_train, y_train)
    fitted = time.perf_counter()
    accuracy = model.score(X_test, y_test)
    done = time.perf_counter()

    nearest = sm.cross("levenshtein", X_test, X_train).argmin(axis=1)
    one_nn = float((y_train[nearest] == y_test).mean())

    print(f"fit        {fitted - start:.2f} s for {len(X_train)} strings")
    print(f"predict    {done - fitted:.2f} s for {len(X_test)} strings")
    print(f"accuracy   {accuracy:.3f}   (nearest neighbour, same distance: {one_nn:.3f})")


if __name__ == "__main__":
    main()
