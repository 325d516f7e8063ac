"""Measured numbers, each with the command that makes it: `python -m benchmarks`, `python -m
benchmarks.gpu_check`."""
