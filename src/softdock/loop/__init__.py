"""The control loop, compiled: satellites, command, robots, contact, sensors. Read cycle.py
first."""
