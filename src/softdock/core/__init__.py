"""What is compiled, and nothing else: numpy and numba only. Read cycle.py first."""
