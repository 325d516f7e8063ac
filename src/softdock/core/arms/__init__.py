"""Six-axis arms: kinematics, dynamics and stiffness, compiled.

An arm is one flat float64 vector (layout.py). Slot 0 of its seven axes is the base axis, a rail or
a turntable, or nothing; slots 1 to 6 are the joints of the arm. Units are m, rad, s, kg, N. The
frame is the arm's base, unless a name says otherwise.
"""
