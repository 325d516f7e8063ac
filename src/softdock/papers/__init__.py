"""The papers regenerated: every table and figure with ours beside the published value. frame.py is
what they all plug into; one folder a paper."""
