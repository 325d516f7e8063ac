"""The live viewer: a scenario in the browser, run again whenever something is changed.

`server.py` is the only file that knows viser; everything else is plain Python: what can be turned
(knobs.py), what a scenario answers (scenario_answer.py), what would fix it (fixes.py), which
methods are compiled (ready.py), the clock (clock.py), small drawings (panels.py), who may connect
(guard.py).
The viewer simulates. It has no way to command a rig.
"""
