"""The papers regenerated: every table and figure with ours beside the published value. frame.py has
their common parts; one folder for each paper."""
