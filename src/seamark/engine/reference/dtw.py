"""STUB."""


class DTWPlan: ...
