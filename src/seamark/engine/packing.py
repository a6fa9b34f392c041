"""How recipes and functions travel to other processes."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from joblib.externals import cloudpickle
except ImportError:  # joblib 1.6 and later depend on it instead of bringing it
    import cloudpickle

__all__ = ["Packed", "cloudpickle"]


@dataclass(frozen=True)
class Packed:
    """Something on its way to other processes, lambdas and closures too.

    It travels as one array, because joblib shares large arrays instead of sending them.
    """

    data: NDArray[np.uint8]
    key: str

    @classmethod
    def of(cls, thing: Any) -> Packed:
        """Pack it."""
        data = cloudpickle.dumps(thing)
        return cls(np.frombuffer(data, dtype=np.uint8), blake2b(data).hexdigest())

    def opened(self) -> Any:
        """Unpack it, in a process once for all pieces of work that name the same content."""
        if self.key not in _held:
            _held.clear()
            _held[self.key] = cloudpickle.loads(self.data.tobytes())
        return _held[self.key]


_held: dict[str, Any] = {}  # in a worker process: what is at work, with its landmarks
