"""Stage 2, the command: satellites' motion in, set-points of the robots out. Model:
`laboratory.py`."""
