"""Stages 3 to 5 in software: what a real rig would replace."""
