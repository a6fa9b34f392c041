"""Kernels for NVIDIA GPUs, compiled at first use."""
