"""OAM: the steps of the paper, and orders as good as they should be."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive_online
from seamark.baselines import OAMgra, OAMseq
from seamark.online import Reservoir
from seamark.validation import generator


def test_gradient_steps_are_those_of_the_paper(rng):
    X, y = rng.normal(size=(60, 3)), np.where(rng.random(60) < 0.3, 1, -1)
    model = OAMgra(size=8, penalty=0.05, random_state=3).fit(X, y)
    shared = generator(3)
    reservoirs = {label: Reservoir(4).begin(shared) for label in (-1, 1)}
    expected = naive_online.oam_gra(X, y, reservoirs, 0.05)
    np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-10)


def test_a_sequential_step_is_just_far_enough():
    # Two points a distance 2 apart: the step reaches margin 1, and no further.
    X = np.array([[0.0], [2.0]])
    assert OAMseq(penalty=10).fit(X, [0, 1]).coef_[0, 0] == pytest.approx(0.5)
    assert OAMseq(penalty=0.1).fit(X, [0, 1]).coef_[0, 0] == pytest.approx(0.05 * 2)


@pytest.mark.parametrize("model", [OAMgra(average=True), OAMseq(average=True)])
def test_nearly_as_good_as_batch_logistic_regression(model):
    X, y = make_classification(2000, 10, weights=[0.8], flip_y=0.05, random_state=0)
    scores = [
        roc_auc_score(y[1200:], m.fit(X[:1200], y[:1200]).decision_function(X[1200:]))
        for m in (LogisticRegression(), model.set_params(random_state=0))
    ]
    assert scores[1] > scores[0] - 0.02


def test_parameters_are_checked():
    for wrong in ({"size": 0}, {"penalty": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            OAMgra(**wrong).fit(np.eye(2), [0, 1])


@parametrize_with_checks([OAMgra(), OAMseq()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
