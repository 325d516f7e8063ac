"""Logs of other programs read as recordings: tables, a map that says what their columns are, and
the recording that comes of both."""
