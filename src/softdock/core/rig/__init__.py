"""The rig's program: supervisor, run-up, safe stop and the controller between them, compiled.

This is no safety function: the robots' own limits are the guard.
"""
