"""Where a mock-up is behind an elastic joint, from the force on it and where its robot reports it.

    M e'' + D e' + K e = F - M m''        e: mock-up less what the robot reports, m

from one reading to the next exactly, for a force that grows linearly and motors that accelerate
evenly. K, M and D are told: a joint in series with an unknown contact is just another contact, and
no sample tells them apart.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.oscillator import free_response
from softdock.loop.spatial.vectors import Vector, add, add_scaled, scale, subtract


class BelievedJoint(NamedTuple):
    stiffness: float  # N/m; 0: rigid
    mass: float  # kg, behind it
    zeta: float  # damping ratio


DEFLECTION = Cells(
    "deflection",
    Cell("e", 3, "m", "of the mock-up from what its robot reports, world axes"),
    Cell("rate", 3, "m/s", "its rate"),
    Cell("force", 3, "N", "on the mock-up, at the last reading"),
    Cell("v", 3, "m/s", "of the motors, as reported for it"),
    Cell("stamp", float, "s", "of that reading"),
)


@noinline
def follow_joint(joint: BelievedJoint, s, t, motors: Motion, force: Vector):
    """The deflection at a reading. `s`: a view of DEFLECTION; `motors`: as reported."""
    k, dt = joint.stiffness, t - s.stamp
    change = scale(1.0 / dt, subtract(force, s.force))
    inertia = scale(joint.mass / dt, subtract(motors.v, s.v))
    w = math.sqrt(k / joint.mass)
    ee, er, re, rr = free_response(w, joint.zeta, dt)
    late = scale(-2.0 * joint.zeta / w, change)  # D / K = 2 zeta / w
    before = scale(1.0 / k, add(subtract(s.force, inertia), late))
    after = scale(1.0 / k, add(subtract(force, inertia), late))
    rate = scale(1.0 / k, change)
    e, r = subtract(s.e, before), subtract(s.rate, rate)
    s.e = add(after, add(scale(ee, e), scale(er, r)))
    s.rate = add(rate, add(scale(re, e), scale(rr, r)))
    s.force, s.v, s.stamp = force, motors.v, t


@compiled
def begin_joint(s, t, motors: Motion):
    """Nothing is deflected yet."""
    s.v, s.stamp = motors.v, t


@compiled
def deflect(s, motion: Motion, dt):
    """A mock-up where it is, `dt` [s] from the last reading; `motion`: as reported then."""
    p = add_scaled(add(motion.p, s.e), dt, s.rate)
    return Motion(p, motion.q, add(motion.v, s.rate), motion.w)
