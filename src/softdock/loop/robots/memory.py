"""What a robot that is more than late keeps in `mem`: its accelerations, room to plan, and the
state of an elastic joint behind them."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.vectors import scale, subtract

AXIS = Cells(  # one axis while it is planned
    "planned_axis",
    Cell("x", float, "m, rad", "start, then end of the step"),
    Cell("v", float, "m/s, rad/s", "its rate"),
    Cell("a", float, "m/s^2, rad/s^2", "not used: the acceleration stands before the axes"),
    Cell("target", float, "m, rad", "the set-point"),
    Cell("target_rate", float, "m/s, rad/s", "its rate"),
)
WAY = Cells(  # of coordinated axes, in the room to plan of translation and of rotation
    "planned_way",
    Cell("first", 3, "-", "its axes, kept while the robot is off its set-point; 0: none"),
    Cell("second", 3, "-", ""),
    Cell("shares", 3, "-", "of the limits, for each axis"),
    Cell("expected", float, "s", "time until all arrive"),
)
ROBOT_STATE = Cells(
    "robot_state",
    Cell("acceleration", 3, "m/s^2", "of the mock-up, world axes"),
    Cell("turning", 3, "rad/s^2", "its angular acceleration, body axes"),
    Cell("axes", many(3, AXIS), "", "room to plan: translation"),
    Cell("turns", many(3, AXIS), "", "and rotation"),
)
ROBOT_FLOATS = ROBOT_STATE.size
JOINT = Cells(  # in `mem`, behind a robot's accelerations and room to plan
    "joint",
    Cell("motors", Motion, "", "where the motors are"),
    Cell("acceleration", 3, "m/s^2", "of the motors, world axes"),
    Cell("motor_work", float, "J", "of the motors on the moving mass"),
    Cell("contact_work", float, "J", "of the contact on the moving mass"),
    Cell("dissipated", float, "J", "taken by the joint's damper"),
)
JOINT_FLOATS = JOINT.size


@compiled
def joint_state(mem, state):
    """The state of an elastic joint; `state`: of the robot's part of `mem`."""
    return JOINT(mem, state + ROBOT_FLOATS)


@compiled
def store_accelerations(mem, state, dt, before: Motion, after: Motion):
    """The mock-up's mean accelerations over a step dt [s], from its motions before and after."""
    s = ROBOT_STATE(mem, state)
    s.acceleration = scale(1.0 / dt, subtract(after.v, before.v))
    s.turning = scale(1.0 / dt, subtract(after.w, before.w))
