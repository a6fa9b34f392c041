"""Kernels against the best existing tools: same job, same process, turn by turn."""
