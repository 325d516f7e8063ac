"""The stamped buffer of set-points, and the motion between them.

A ring of `slots` motions in `mem` (rings.py); the set-point stamped t_j = j T is row number j.
Between stamps: loop/spatial/motion_between.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.jit import compiled
from softdock.loop.instants import ON_STAMP
from softdock.loop.rings import Ring, row_near, row_of
from softdock.loop.spatial.motion import MOTION, MOTION_FLOATS
from softdock.loop.spatial.motion_between import HERMITE, HOLD, INTERPOLATIONS, LINEAR, between
from softdock.loop.spatial.vectors import scale, subtract

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Motion

__all__ = ["HERMITE", "HOLD", "INTERPOLATIONS", "LINEAR", "between"]


@compiled
def push(mem, at, slots, stamp, motion: Motion):
    MOTION(mem, row_of(Ring(at, slots, MOTION_FLOATS), stamp)).whole = motion


@compiled
def near(mem, at, slots, k, by):
    """The set-point `by` stamps after k, -slots <= by < slots."""
    return MOTION(mem, row_near(Ring(at, slots, MOTION_FLOATS), k, by)).whole


@compiled
def read_stamped(mem, at, slots, stamp):
    return MOTION(mem, row_of(Ring(at, slots, MOTION_FLOATS), stamp)).whole


@compiled
def motion_at(mode, T, mem, at, slots, cycles):
    """Motion of the set-points at the time `cycles` T, whole or fractional."""
    nearest = math.floor(cycles + 0.5)
    if abs(cycles - nearest) < ON_STAMP:
        return read_stamped(mem, at, slots, int(nearest))
    earlier = math.floor(cycles)
    a = read_stamped(mem, at, slots, int(earlier))
    b = read_stamped(mem, at, slots, int(earlier) + 1)
    return between(mode, T, a, b, cycles - earlier)


@compiled
def acceleration_at(T, mem, at, slots, cycles):
    """Mean acceleration over the interval between set-points: linear [m/s^2, world] and angular
    [rad/s^2, body axes].

    On a stamp, that of the interval that ends there. The Hermite curve's own second derivative
    would be no better: where the integrator's positions and velocities do not fit each other it
    swings around this mean.
    """
    earlier = int(math.ceil(cycles - ON_STAMP)) - 1
    a = read_stamped(mem, at, slots, earlier)
    b = read_stamped(mem, at, slots, earlier + 1)
    return scale(1.0 / T, subtract(b.v, a.v)), scale(1.0 / T, subtract(b.w, a.w))
