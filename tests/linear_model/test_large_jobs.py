"""Jobs so large that float32 products are tried first."""

import numpy as np

from seamark.linear_model import RidgeRegressor


def test_a_constant_column_is_no_hindrance(rng, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_fit.SMALL_JOB", 0.0)
    X = rng.normal(size=(600, 12)).astype(np.float32)
    X[:, 5] = 1.0
    y = X[:, 0] + rng.normal(size=600)
    model = RidgeRegressor(random_state=0).fit(X, y)
    assert model.precision_ == "single"
    exact = RidgeRegressor(precision="double", random_state=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-3, atol=1e-5)
