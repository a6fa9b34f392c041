"""scikit-learn's callbacks (1.9 and later), where they exist."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Leave the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "with_callbacks"]
