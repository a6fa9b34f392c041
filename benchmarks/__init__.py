"""Benchmarks: ours and others' side by side, never inside the package."""
