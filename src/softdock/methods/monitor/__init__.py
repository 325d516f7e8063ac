"""Passivity observer of the rig (Zebenay): keys and cells, and the method."""
