"""Runs, comparisons and campaigns on disk: folders that hold their numbers and their page."""
