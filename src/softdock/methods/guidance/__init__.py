"""Guidance, navigation and control of the chaser: what it sees, a controller, its thrusters. One
method that pushes from outside (docs/guided_docking.md)."""
