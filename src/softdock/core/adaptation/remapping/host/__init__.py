"""Checks, durations, reports and truth of the re-mapping: Python, never in a cycle."""
