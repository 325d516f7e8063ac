"""A run and what follows from it: the loop stepped by hand, series, metrics, verdict, causes."""
