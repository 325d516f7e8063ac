"""The live viewer: a scenario in the browser, run again at every change.

`server.py` is the only file that imports viser. session.py has the knobs, the answer to a scenario
(run, scene, verdict) and the worker; methods.py tries fixes and compiles methods in another
process; stage.py draws a scene and has the clock; panels.py makes the small drawings; server.py
restricts connections.

The viewer simulates. It has no way to command a rig.
"""
