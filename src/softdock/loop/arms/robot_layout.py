"""Where an arm of the loop stands: its numbers behind the parameter vector, its state in `mem`.

`PLACED` is the arm itself (loop/arms/layout.py) and how it is set up: frames, start, elastic joints.
`ARM_STATE` follows a robot's accelerations and its elastic joint in `mem` (loop/robots/memory.py), and
behind it stands the ring of joint set-points, a `joint_set_point` for every stamp that is kept.
Slot 0 of the seven axes is the base axis, slots 1 to 6 are the joints; rad, m, s.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.arms.layout import ARM, AXES, JOINTS, WORK
from softdock.loop.parameters import Group, Parameter
from softdock.loop.robots.keys import ARM_MODEL, ROBOT
from softdock.loop.robots.memory import JOINT_FLOATS, ROBOT_FLOATS

SQUARE = JOINTS * JOINTS
FIRST_JOINT = 1  # its slot; slot 0 is the base axis
PLACED = Group(
    "placed_arm",
    "An arm of the loop: the arm, and how it is set up.",
    *ARM.parameters,
    Parameter("orbit", "orbit", "pose of the orbit frame in the arm's base", 0.0, size=7),
    Parameter("grip", "grip", "pose of the flange in the satellite's frame", 0.0, size=7),
    Parameter("held", "held", "pose of the satellite's frame in the flange", 0.0, size=7),
    Parameter("slot_0", "slot_0", "where the base axis stands", 0.0, unit="m or rad"),
    Parameter("follow_share", "follow_share", "of the flange's way, that slot 0 takes over", 0.0),
    Parameter("follow_gain", "follow_gain", "of what is left, in a cycle", 0.0),
    Parameter("follow_cycle", "follow_cycle", "the cycle", 0.0, unit="s"),
    Parameter("near", "near", "1: start near the joints that follow", 0.0),
    Parameter("start", "start", "joints to start near", 0.0, unit="rad or m", size=AXES),
    Parameter(
        "elasticity",
        "elasticity",
        "of the joints, row-major 6 x 6",
        0.0,
        unit="Nm/rad",
        size=SQUARE,
    ),
    Parameter(
        "loss", "loss", "damping of the joints, 6 x 6; all zero: by the ratio", 0.0, size=SQUARE
    ),
)
ARM_STATE = Cells(
    "arm_state",
    Cell("on", 1, "-", "1: this robot is an arm"),
    Cell("elastic", 1, "-", "1: its joints are elastic"),
    Cell("first", 1, "-", "slot of its first axis"),
    Cell("branch", 1, "-", "the branch that is followed, 0 to 7"),
    Cell("status", 1, "-", "of loop/arms/follow.py: 0 reached, then why a set-point was not"),
    Cell("slot", 1, "-", "the axis it is about"),
    Cell("missing", 1, "m", "by how much out of reach"),
    Cell("stamp", 1, "-", "of that set-point"),
    Cell("clearance", 1, "-", "least distance from a singularity, of the newest set-point"),
    Cell("rail_start", 1, "m or rad", "where an axis that follows would be for place 0"),
    Cell("rail_behind", 1, "m or rad", "how far it is behind what it follows, at the start"),
    Cell("rail_from", 3, "m", "from a turntable's axis to the flange, of the first set-point"),
    Cell("rail_place", 1, "m or rad", "place of the newest set-point's flange along or about it"),
    Cell("commanded", AXES, "rad or m", "the newest joint set-point"),
    Cell("q", AXES, "rad or m", "where the motors are"),
    Cell("rate", AXES, "rad/s or m/s", "their speeds"),
    Cell("was", AXES, "rad or m", "where the motors were at the begin of the step"),
    Cell("acceleration", AXES, "rad/s^2", "their accelerations"),
    Cell("target", AXES, "rad or m", "the delayed joint set-point, while a step is made"),
    Cell("target_rate", AXES, "rad/s or m/s", "its rate"),
    Cell("before", AXES, "rad or m", "the delayed joint set-point at the begin of a step"),
    Cell("link", AXES, "rad or m", "where the links are"),
    Cell("link_rate", AXES, "rad/s or m/s", "their speeds"),
    Cell("tried", AXES, "rad or m", "the links after a step that is being tried"),
    Cell("tried_rate", AXES, "rad/s", "their speeds"),
    Cell("torque", AXES, "Nm", "of the elastic joints on the links"),
    Cell("motor_work", 1, "J", "of the motors on the links"),
    Cell("contact_work", 1, "J", "of the contact on the links"),
    Cell("dissipated", 1, "J", "taken by the joints' damping"),
    Cell("stored", 1, "J", "in the joints now"),
    Cell("kinetic", 1, "J", "of the links now"),
    Cell("kinetic_start", 1, "J", "of the links at the start"),
    Cell("works", 3, "J", "of the step being tried: motors, contact, damping"),
    Cell("velocity_work", 1, "J", "of the step being tried: of the velocity forces"),
    Cell("velocity_torque", AXES, "Nm", "Coriolis and centrifugal, of the links"),
    Cell("loss", SQUARE, "Nms/rad", "damping of the joints, 6 x 6"),
    Cell("substeps", 1, "-", "in one step of the plant"),
    Cell("mass", AXES * AXES, "kg m^2", "mass matrix of the links"),
    Cell("jacobian", 6 * AXES, "m, -", "of the satellite's centre of mass, or being solved"),
    Cell("factor", SQUARE, "kg m^2", "Cholesky factor of the step"),
    Cell("column", JOINTS, "Nm", "room for a right-hand side"),
    Cell("push", JOINTS, "Nm", "of the wrench on the joints, of the step being tried"),
    Cell("bent", JOINTS, "rad", "links less motors, while a step is tried"),
    Cell("swing", JOINTS, "rad/s", "its rate"),
    Cell("work", WORK.size, "", "room along the links (loop/arms/layout.py)"),
)
JOINT_ROW = Cells(
    "joint_set_point",
    Cell("q", AXES, "rad or m", "joints"),
    Cell("rate", AXES, "rad/s or m/s", "their rates"),
)
P, S, ROW = PLACED.at, ARM_STATE.at, JOINT_ROW.at
# from the first float of a robot's part of `mem`
STATE_AT = ROBOT_FLOATS + JOINT_FLOATS
RING_AT = STATE_AT + ARM_STATE.size
ROW_FLOATS = JOINT_ROW.size
PLACED_FLOATS, WORK_FLOATS = PLACED.size, WORK.size  # lengths of slices
JACOBIAN_FLOATS, MASS_FLOATS = 6 * AXES, AXES * AXES
ARM_AT, MODEL_AT, ELASTIC_AT = ROBOT.at.arm, ROBOT.at.model, ROBOT.at.elastic_joints


def arm_floats(slots: int) -> int:
    """Floats of a robot's part of `mem` where a robot is an arm; `slots`: set-points kept."""
    return RING_AT + slots * ROW_FLOATS


@compiled
def is_arm(vector, base):
    return vector[base + MODEL_AT] == ARM_MODEL


@compiled
def has_elastic_joints(vector, base):
    """Whether a robot is an arm whose joints give way."""
    return is_arm(vector, base) and vector[base + ELASTIC_AT] != 0.0


@compiled
def arm_at(vector, base):
    """Where the arm's numbers begin; `base`: of the robot's keys in the vector. Whoever reads them
    takes the slice from there on: compiled code cannot return one."""
    return int(vector[base + ARM_AT])


@compiled
def work_at(state):
    """Where the room along the links begins; `state`: of the robot's part of `mem`."""
    return state + STATE_AT + S.work
