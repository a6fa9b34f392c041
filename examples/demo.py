"""Where does the exon end? DNA strings, an edit distance, landmarks, a linear model."""

import time

from sklearn.model_selection import train_test_split

import seamark as sm
from seamark.datasets import load_splice
from seamark.rivals import NearestNeighboursClassifier


def main() -> None:
    splice = load_splice()
    labels = splice.target_names[splice.target]
    X_train, X_test, y_train, y_test = train_test_split(
        splice.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    print(f"data       {splice.data}: {', '.join(splice.target_names)}")
    print(f"e.g.       {X_train[0]}  is {y_train[0]}")

    start = time.perf_counter()
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(X_train, y_train)
    fitted = time.perf_counter()
    accuracy = model.score(X_test, y_test)
    done = time.perf_counter()
    nearest = NearestNeighboursClassifier("levenshtein").fit(X_train, y_train)

    print(
        f"fit        {fitted - start:.2f} s for {len(X_train)} strings, {len(model.landmarks_)} "
        f"landmarks, {model.n_evaluations_ / 1e6:.1f} M edit distances; "
        f"kernels: {sm.engine.backend().name}"
    )
    print(f"chosen     {model.map_.transfers_[0]}, penalty {model.head_.penalty_:.3g}")
    print(f"predict    {done - fitted:.2f} s for {len(X_test)} strings")
    print(
        f"accuracy   {accuracy:.3f}   (nearest neighbour, same distance: "
        f"{nearest.score(X_test, y_test):.3f})"
    )
    print("landmarks that matter, for the first test string:")
    print(f"           {X_test[0]}  is {y_test[0]}")
    print(model.explain(X_test[:1], n_landmarks=4)[0])


if __name__ == "__main__":
    main()
