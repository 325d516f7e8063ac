"""Runs on disk and in other libraries' hands: the run folder, data frames, a figure."""
