"""A cone and points of it, for the tests of geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

MOUTH, BOTTOM, THICK, ANGLE = (
    0.05,
    0.02,
    0.005,
    math.radians(20.0),
)  # m; the cone of the EPOS 3-D preset
SINE, COSINE = math.sin(ANGLE), math.cos(ANGLE)
LENGTH, DEPTH = (MOUTH - BOTTOM) / SINE, (MOUTH - BOTTOM) / math.tan(ANGLE)
AXIS = tuple(float(x) for x in np.array([2.0, -1.0, 2.0]) / 3.0)
SIDEWAYS = np.array([1.0, 2.0, 0.0]) / math.sqrt(5.0)
UP = np.cross(AXIS, SIDEWAYS)


def at(rho, z, turn=0.4):
    """A point by its distance from the axis and its height above the mouth, target axes."""
    return tuple(
        float(x)
        for x in z * np.array(AXIS) + rho * (math.cos(turn) * SIDEWAYS + math.sin(turn) * UP)
    )


def on_wall(s, n):
    """(rho, z) of a point by its place along the wall (0 mouth, -length bottom) and out of it into
    the cavity."""
    return MOUTH + s * SINE - n * COSINE, s * COSINE + n * SINE


def in_half_plane(normal, turn=0.4):
    """(along rho, along z) of a vector in target axes; what sticks out of the half-plane must be
    nothing."""
    radial = math.cos(turn) * SIDEWAYS + math.sin(turn) * UP
    assert np.dot(normal, np.cross(radial, AXIS)) == pytest.approx(0.0, abs=1e-12)
    return np.dot(normal, radial), np.dot(normal, AXIS)
