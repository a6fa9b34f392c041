"""scikit-learn's callbacks (1.9 and later), where they exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..engine import CallbackProgress, Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Leave the method as it is."""
        return method


@contextmanager
def fit_context(estimator: Any, progress: bool) -> Iterator[bool | Progress]:
    """Tell an estimator's callbacks of a fit that begins and ends here.

    Yields what shows progress inside: the callbacks if there are any, else what was asked for.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        yield progress
        return
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator)
    yield CallbackProgress(estimator, context)
    context.call_on_fit_task_end(estimator=estimator)


__all__ = ["CallbackSupportMixin", "fit_context", "with_callbacks"]
