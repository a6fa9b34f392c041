"""How many landmarks, pairs or examples the theorems ask for, and what they promise.

Sample sizes are rounded up. ``delta`` is the probability of failure. Where a printed constant does
not follow from its proof, the docstring says what was changed. BBS is Balcan, Blum and Srebro, "A
Theory of Learning with Similarity Functions"; KJ is Kar and Jain, "Supervised Learning with
Similarity Functions"; the thesis is Kar's.
"""

from .bounds import (
    alignment_gap,
    d2ke_failure,
    d2ke_landmarks,
    hinge_goodness,
    kernel_as_similarity,
    margin_goodness,
    ordinal_excess,
    ordinal_landmarks,
    regression_excess,
    regression_landmarks,
    several_measures_margin,
    sparse_excess,
    strong_goodness,
    transfer_family_pairs,
    transfer_pairs,
    transfer_pairs_hinge,
    weak_error,
    weak_goodness,
)

__all__ = [
    "alignment_gap",
    "d2ke_failure",
    "d2ke_landmarks",
    "hinge_goodness",
    "kernel_as_similarity",
    "margin_goodness",
    "ordinal_excess",
    "ordinal_landmarks",
    "regression_excess",
    "regression_landmarks",
    "several_measures_margin",
    "sparse_excess",
    "strong_goodness",
    "transfer_family_pairs",
    "transfer_pairs",
    "transfer_pairs_hinge",
    "weak_error",
    "weak_goodness",
]
