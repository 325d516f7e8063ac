"""What is said of a run: the scenario flown, orbit beside it, metrics, verdict, faults, works by axis."""
