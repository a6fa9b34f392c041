"""STUB."""


class LevenshteinPlan: ...
