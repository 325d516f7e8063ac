"""Compiled loops with sockets inside: Linux system calls without Python, by their C names."""
