"""STUB."""


class DTWPlan:
    """STUB."""
