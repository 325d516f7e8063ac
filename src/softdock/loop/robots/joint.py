"""The elastic joint between a robot's motors and its mock-up, in Cartesian translation: a moving
mass on a spring and a damper (Lange eqs. 7, 10).

    M x'' = K (m - x) + D (m' - x') + F

x is the mock-up, m where the motors hold it (what the robot's model makes of the set-points, and
what encoders measure), F the contact's force on the mock-up. K, M and the damping ratio are the
same in every direction; the mock-up's attitude is the motors'. Gravity's sag is taken as calibrated
away.

A step is exact for a force that is constant and motors that move at a constant velocity over it;
the force is the mean of both ends (loop/facility/moving.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.robots.memory import joint_state
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.oscillator import free_response
from softdock.loop.spatial.vectors import add, dot, scale, subtract


class Step(NamedTuple):
    """One robot's step of the plant, as its elastic parts see it."""

    at: int  # the robot's keys in the vector
    state: int  # its part of `mem`
    dt: float  # s
    was: Motion  # the mock-up before
    motors: Motion  # the motors after


class Joint(NamedTuple):
    stiffness: float  # N/m; 0: rigid
    mass: float  # kg, of all that moves behind it
    w: float  # rad/s, its natural frequency
    zeta: float  # its damping ratio


@compiled
def prepare_joint(stiffness, mass, zeta):
    return Joint(stiffness, mass, math.sqrt(stiffness / mass) if stiffness > 0.0 else 0.0, zeta)


@compiled
def read_motors(mem, state):
    """Where the motors of an elastic robot are."""
    return joint_state(mem, state).motors


@compiled
def store_motors(mem, state, dt, before: Motion, after: Motion):
    """The motors' motion after a step, and their acceleration over it."""
    s = joint_state(mem, state)
    s.motors = after
    s.acceleration = scale(1.0 / dt, subtract(after.v, before.v))


@compiled
def deflect(joint: Joint, step: Step, motors_before: Motion, force):
    """The mock-up after a step, pushed by a constant force [N, world]."""
    dt, was, motors = step.dt, step.was, step.motors
    if joint.stiffness == 0.0:
        return motors
    ee, er, re, rr = free_response(joint.w, joint.zeta, dt)
    u = scale(1.0 / dt, subtract(motors.p, motors_before.p))
    rest = scale(1.0 / joint.stiffness, force)  # the deflection that balances the force
    e = subtract(subtract(was.p, motors_before.p), rest)
    r = subtract(was.v, u)
    p = add(motors.p, add(rest, add(scale(ee, e), scale(er, r))))
    return Motion(p, motors.q, add(u, add(scale(re, e), scale(rr, r))), motors.w)


@compiled
def add_joint_works(joint: Joint, mem, step: Step, motors_before: Motion, mock_up: Motion, force):
    """Add a step's works: of the motors and of the contact on the moving mass, and what the damper
    took."""
    dt, was, motors = step.dt, step.was, step.motors
    if joint.stiffness == 0.0:
        return
    u = scale(1.0 / dt, subtract(motors.p, motors_before.p))
    impulse = subtract(
        scale(joint.mass, subtract(mock_up.v, was.v)), scale(dt, force)
    )  # of the joint on the moving mass
    before, after = subtract(was.v, u), subtract(mock_up.v, u)
    s = joint_state(mem, step.state)
    s.motor_work += dot(impulse, u)
    s.contact_work += dot(force, subtract(mock_up.p, was.p))
    s.dissipated += (
        joint.zeta * joint.w * joint.mass * dt * (dot(before, before) + dot(after, after))
    )
