"""`Learned`: few columns out of very many, screened by alignment and chosen by a ridge."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from ..estimator import generator, require_count, require_number
from .chosen import Chosen
from .columns import Array, Rows, read
from .forward import RidgePath, forward_ridge
from .rows import check_training
from .sums import Candidates, TargetSums
from .target import Target, encode
