"""The rig's program: supervisor, run-up, safe stop and the controller between them, compiled.

This is no safety function: the robots' own limits are the guard.

    declarations   layout (all arrays), reasons (every check by name and sentence)
    state          arrays (what a program holds, events, failed checks), states (the state machine)
    checks         robots (a robot's telegram), forces (sensors), control (set-points), energy,
                   replies (box, corrections, last gate)
    motion         paths (planned ways and stops)
    the whole      program (what the loop calls), rows (what the recorder gets)
"""
