"""What a robot that is more than late keeps in `mem`: its accelerations, room to plan, and the
state of an elastic joint behind them."""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.loop.spatial.motion import MOTION_FLOATS

AXIS = Cells(  # one axis while it is planned
    "planned_axis",
    Cell("x", 1, "m, rad", "start, then end of the step"),
    Cell("v", 1, "m/s, rad/s", "its rate"),
    Cell("a", 1, "m/s^2, rad/s^2", "not used: the acceleration stands before the axes"),
    Cell("target", 1, "m, rad", "the set-point"),
    Cell("target_rate", 1, "m/s, rad/s", "its rate"),
)
WAY = Cells(  # of coordinated axes, in the room to plan of translation and of rotation
    "planned_way",
    Cell("first", 3, "-", "its axes, kept while the robot is off its set-point; 0: none"),
    Cell("second", 3, "-", ""),
    Cell("shares", 3, "-", "of the limits, for each axis"),
    Cell("expected", 1, "s", "time until all arrive"),
)
ROBOT_STATE = Cells(
    "robot_state",
    Cell("acceleration", 3, "m/s^2", "of the mock-up, world axes"),
    Cell("turning", 3, "rad/s^2", "its angular acceleration, body axes"),
    Cell("axes", 3 * AXIS.size, "", "room to plan: translation, a `planned_axis` each"),
    Cell("turns", 3 * AXIS.size, "", "and rotation"),
)
ROBOT_FLOATS = ROBOT_STATE.size
JOINT = Cells(  # in `mem`, behind a robot's accelerations and room to plan
    "joint",
    Cell("motors", MOTION_FLOATS, "", "where the motors are: a `motion`"),
    Cell("acceleration", 3, "m/s^2", "of the motors, world axes"),
    Cell("motor_work", 1, "J", "of the motors on the moving mass"),
    Cell("contact_work", 1, "J", "of the contact on the moving mass"),
    Cell("dissipated", 1, "J", "taken by the joint's damper"),
)
JOINT_FLOATS = JOINT.size
# from the first float of a robot's part of `mem`
MOTORS, ACCELERATION, MOTOR_WORK, CONTACT_WORK, DISSIPATED = (ROBOT_FLOATS + at for at in JOINT.at)
