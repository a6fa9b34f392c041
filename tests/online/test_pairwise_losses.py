"""Losses: gradients by finite differences, values by definition."""

import numpy as np
import pytest

import naive_online
from seamark.online import AUC, AlignmentLoss, Combination, GoodnessLoss, MetricLoss
from seamark.online.losses import SURROGATES

LOSSES = [
    AUC(),
    AUC(average="opposite"),
    MetricLoss(),
    MetricLoss(average="balanced"),
    AlignmentLoss(),
    GoodnessLoss(),
]


@pytest.mark.parametrize("surrogate", SURROGATES)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradients_are_those_of_the_value(loss, surrogate, n_classes, rng):
    loss = type(loss)(**{**loss.get_params(), "surrogate": surrogate})
    x, X = rng.normal(size=4), rng.normal(size=(7, 4))
    labels = rng.permutation(np.arange(7) % n_classes)
    w = 0.3 * rng.normal(size=loss.shape(4, n_classes))
    _, gradient = loss.value_and_gradient(w, x, 1, X, labels)
    np.testing.assert_allclose(gradient, slopes(loss, w, x, 1, X, labels), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("surrogate", SURROGATES)
@pytest.mark.parametrize("average", ["buffer", "balanced"])
def test_the_gradient_of_a_combination(surrogate, average, rng):
    loss = Combination(surrogate, average, rng.normal(size=(2, 5, 3)))
    x, X = np.array([1.0, -1.0]), np.stack([np.zeros(4), [4.0, 0, 2, 2]], axis=1)
    w, labels = rng.uniform(size=3), np.array([0, 1, 1, 0])
    _, gradient = loss.value_and_gradient(w, x, 1, X, labels)
    np.testing.assert_allclose(gradient, slopes(loss, w, x, 1, X, labels), rtol=1e-5, atol=1e-7)


def slopes(loss, w, *points, h=1e-6):
    """Central differences of the value."""
    result = np.zeros_like(w)
    for k in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[k] = h
        up, down = (loss.value_and_gradient(w + s, *points)[0] for s in (step, -step))
        result[k] = (up - down) / (2 * h)
    return result


def test_auc_is_the_mean_over_wrongly_ordered_pairs(rng):
    w, x, X = rng.normal(size=(1, 3)), rng.normal(size=3), rng.normal(size=(6, 3))
    labels = np.array([0, 1, 0, 0, 1, 1])
    pairs = [
        max(0, 1 - (w[0] @ (x - x2))) for x2, label in zip(X, labels, strict=True) if not label
    ]
    assert AUC().value_and_gradient(w, x, 1, X, labels)[0] == pytest.approx(sum(pairs) / 6)
    opposite = AUC(average="opposite").value_and_gradient(w, x, 1, X, labels)[0]
    assert opposite == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("average", ["buffer", "opposite"])
def test_a_buffer_of_one_class_teaches_nothing(average):
    value, gradient = AUC(average=average).value_and_gradient(
        np.ones((1, 2)), np.ones(2), 1, np.zeros((3, 2)), np.ones(3, int)
    )
    assert value == 0
    assert not gradient.any()


def test_several_classes_are_each_against_the_rest(rng):
    w, x, X = rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=(9, 2))
    labels = np.arange(9) % 3
    value, gradient = AUC("logistic").value_and_gradient(w, x, 2, X, labels)
    alone = [
        AUC("logistic").value_and_gradient(w[[k]], x, int(k == 2), X, (labels == k).astype(int))
        for k in range(3)
    ]
    assert value == pytest.approx(sum(v for v, _ in alone))
    np.testing.assert_allclose(gradient, np.concatenate([g for _, g in alone]))


def test_the_metric_hinge_is_as_defined(rng):
    A = rng.normal(size=(3, 3))
    W, x, X, labels = A @ A.T, rng.normal(size=3), rng.normal(size=(8, 3)), np.arange(8) % 3
    value, _ = MetricLoss().value_and_gradient(W, x, 1, X, labels)
    assert value == pytest.approx(naive_online.metric_hinge(W, x, 1, X, labels))


def test_goodness_has_its_mean_inside(rng):
    W, x, X = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(5, 3))
    labels = np.array([0, 1, 1, 0, 1])
    mean = np.mean([(1 if k == 1 else -1) * x @ W @ x2 for x2, k in zip(X, labels, strict=True)])
    value, _ = GoodnessLoss("exponential").value_and_gradient(W, x, 1, X, labels)
    assert value == pytest.approx(np.exp(-mean))


NUMBERS = np.array([0.0, 0.3, 1.2, -0.7, 4.0, 1.0])


def test_pairs_of_numbers_weigh_as_they_are_alike_or_not(rng):
    A, x, X = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(6, 3))
    W, y, values = A @ A.T, 0.4, rng.normal(size=(1, 6, 2))
    mu, points = rng.uniform(size=2), np.stack([np.zeros(6), np.arange(6.0)], axis=1)
    cases = [
        (MetricLoss(scale=0.8), (W, x, y, X), lambda k: 1 - (x - X[k]) @ W @ (x - X[k])),
        (AlignmentLoss(scale=0.8), (W, x, y, X), lambda k: x @ W @ X[k]),
        (
            Combination(values=values, scale=0.8),
            (mu, np.array([0, -1.0]), y, points),
            lambda k: mu @ values[0, k],
        ),
    ]
    for loss, given, margin in cases:
        value, gradient = loss.value_and_gradient(*given, NUMBERS)
        assert value == pytest.approx(naive_online.weighted_hinge(margin, y, NUMBERS, 0.8))
        np.testing.assert_allclose(gradient, slopes(loss, *given, NUMBERS), rtol=1e-5, atol=1e-7)
    loss = GoodnessLoss("logistic", scale=0.8)
    value, gradient = loss.value_and_gradient(W, x, y, X, NUMBERS)
    mean = np.mean([naive_online.alike(y, n, 0.8) * x @ W @ X[k] for k, n in enumerate(NUMBERS)])
    assert value == pytest.approx(np.log1p(np.exp(-mean)))
    np.testing.assert_allclose(gradient, slopes(loss, W, x, y, X, NUMBERS), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", [MetricLoss, AlignmentLoss, GoodnessLoss])
def test_numbers_far_apart_are_as_two_classes(loss, rng):
    W, x, X = np.eye(3), rng.normal(size=3), rng.normal(size=(6, 3))
    classes = np.array([0, 1, 1, 0, 1, 0])
    numbers, of_classes = (
        one.value_and_gradient(W, x, label, X, labels)
        for one, label, labels in ((loss(scale=0.4), 1.0, 1.0 * classes), (loss(), 1, classes))
    )
    assert numbers[0] == of_classes[0]
    np.testing.assert_array_equal(numbers[1], of_classes[1])


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (AUC("cubic"), "must be one of hinge.*got 'cubic'"),
        (AUC(average="mean"), "neither"),
        (MetricLoss(average="x"), "neither"),
    ],
)
def test_unknown_words_are_refused(loss, message):
    with pytest.raises(ValueError, match=message):
        loss.check(2)
