"""Vectors, rotations and poses as plain tuples of numbers. SI; quaternions wxyz, world from body;
see `docs/conventions.md`."""
