"""Stage 3, the robots: stamped set-points in, where the mock-ups are out.

In: one set-point (pose and twist) a cycle, stamped t_{k+1}, in a ring of `mem`. Out: the mock-up's
`Motion` at any later time, from where it was before. The list of models is in `models.py`; the
stamped buffer in `history.py`.
"""
