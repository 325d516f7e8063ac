"""What is said of a run: flown, with orbit beside it; metrics, verdict, faults, work by axis."""
