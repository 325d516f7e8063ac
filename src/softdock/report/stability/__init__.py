"""Stability charts as HTML and as pictures."""
