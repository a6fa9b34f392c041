"""Public checks of promises: of a measure, and of an estimator over objects.

scikit-learn's own checks feed matrices to estimators; these do the same job for any objects.
"""

from .estimators import check_object_estimator, object_estimator_checks
from .measures import check_measure, measure_checks

__all__ = [
    "check_measure",
    "check_object_estimator",
    "measure_checks",
    "object_estimator_checks",
]
