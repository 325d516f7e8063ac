"""Where an arm of the loop stands: its numbers behind the parameter vector, its state in `mem`.

`PLACED` is the arm itself (loop/arms/layout.py) and how it is set up: frames, start, elastic
joints. `ARM_STATE` follows a robot's accelerations and its elastic joint in `mem`
(loop/robots/memory.py), and behind it stands the ring of joint set-points, a `joint_set_point` for
every stamp that is kept. Slot 0 of the seven axes is the base axis, slots 1 to 6 are the joints;
rad, m, s.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.arms.layout import ARM, AXES, JOINTS, WORK
from softdock.loop.robots.keys import ARM_MODEL, ROBOT
from softdock.loop.robots.memory import JOINT_FLOATS, ROBOT_FLOATS
from softdock.loop.spatial.motion import Pose

SQUARE = JOINTS * JOINTS
FIRST_JOINT = 1  # its slot; slot 0 is the base axis
PLACED = Cells(
    "placed_arm",
    Cell("arm", ARM),
    Cell("orbit", Pose, "", "pose of the orbit frame in the arm's base"),
    Cell("grip", Pose, "", "pose of the flange in the satellite's frame"),
    Cell("held", Pose, "", "pose of the satellite's frame in the flange"),
    Cell("slot_0", float, "m or rad", "where the base axis stands"),
    Cell("follow_share", float, "-", "of the flange's way, that slot 0 takes over"),
    Cell("follow_gain", float, "-", "of what is left, in a cycle"),
    Cell("follow_cycle", float, "s", "the cycle"),
    Cell("near", bool, "-", "1: start near the joints that follow"),
    Cell("start", AXES, "rad or m", "joints to start near"),
    Cell("elasticity", many(SQUARE), "Nm/rad", "of the joints, row-major 6 x 6"),
    Cell("loss", many(SQUARE), "Nms/rad", "damping of the joints; all zero: by the ratio"),
    Cell("gravity", 3, "m/s^2", "base axes; zeros: weight is calibrated away"),
)
ARM_STATE = Cells(
    "arm_state",
    Cell("on", bool, "-", "1: this robot is an arm"),
    Cell("elastic", bool, "-", "1: its joints are elastic"),
    Cell("first", int, "-", "slot of its first axis"),
    Cell("branch", int, "-", "the branch that is followed, 0 to 7"),
    Cell("status", int, "-", "of loop/arms/follow.py: 0 reached, then why a set-point was not"),
    Cell("slot", int, "-", "the axis it is about"),
    Cell("missing", float, "m", "by how much out of reach"),
    Cell("stamp", int, "-", "of that set-point"),
    Cell("clearance", float, "-", "least distance from a singularity, of the newest set-point"),
    Cell("rail_start", float, "m or rad", "where an axis that follows would be for place 0"),
    Cell("rail_behind", float, "m or rad", "how far it is behind what it follows, at the start"),
    Cell("rail_from", 3, "m", "from a turntable's axis to the flange, of the first set-point"),
    Cell("rail_place", float, "m or rad", "place of the newest set-point's flange on the axis"),
    Cell("commanded", many(AXES), "rad or m", "the newest joint set-point"),
    Cell("q", many(AXES), "rad or m", "where the motors are"),
    Cell("rate", many(AXES), "rad/s or m/s", "their speeds"),
    Cell("was", many(AXES), "rad or m", "where the motors were at the begin of the step"),
    Cell("acceleration", many(AXES), "rad/s^2", "their accelerations"),
    Cell("target", many(AXES), "rad or m", "the delayed joint set-point, while a step is made"),
    Cell("target_rate", many(AXES), "rad/s or m/s", "its rate"),
    Cell("before", many(AXES), "rad or m", "the delayed joint set-point at the begin of a step"),
    Cell("shares", many(JOINTS), "-", "of their limits, of joints that arrive together"),
    Cell("expected", float, "s", "time until these arrive; 0: not planned"),
    Cell("link", many(AXES), "rad or m", "where the links are"),
    Cell("link_rate", many(AXES), "rad/s or m/s", "their speeds"),
    Cell("tried", many(AXES), "rad or m", "the links after a step that is being tried"),
    Cell("tried_rate", many(AXES), "rad/s", "their speeds"),
    Cell("torque", many(AXES), "Nm", "of the elastic joints on the links"),
    Cell("motor_work", float, "J", "of the motors on the links"),
    Cell("contact_work", float, "J", "of the contact on the links"),
    Cell("dissipated", float, "J", "taken by the joints' damping"),
    Cell("stored", float, "J", "in the joints now"),
    Cell("kinetic", float, "J", "of the links now"),
    Cell("kinetic_start", float, "J", "of the links at the start"),
    Cell("tried_motor_work", float, "J", "of the motors in the step being tried"),
    Cell("tried_contact_work", float, "J", "of the contact in the step being tried"),
    Cell("tried_dissipated", float, "J", "taken by the damping in the step being tried"),
    Cell("velocity_work", float, "J", "of the velocity forces in the step being tried"),
    Cell("velocity_torque", many(AXES), "Nm", "Coriolis and centrifugal, of the links"),
    Cell("weight", many(AXES), "Nm", "of links and mock-up, which their joints must hold"),
    Cell("lifted", float, "J", "work against weight since the start"),
    Cell("tried_lifted", float, "J", "the same in the step being tried"),
    Cell("loss", many(SQUARE), "Nms/rad", "damping of the joints, 6 x 6"),
    Cell("substeps", float, "-", "in one step of the plant"),
    Cell("mass", many(AXES * AXES), "kg m^2", "mass matrix of the links"),
    Cell("jacobian", many(6 * AXES), "m, -", "of the satellite's centre, or being solved"),
    Cell("factor", many(SQUARE), "kg m^2", "Cholesky factor of the step"),
    Cell("column", many(JOINTS), "Nm", "room for a right-hand side"),
    Cell("push", many(JOINTS), "Nm", "of the wrench on the joints, of the step being tried"),
    Cell("bent", many(JOINTS), "rad", "links less motors, while a step is tried"),
    Cell("swing", many(JOINTS), "rad/s", "its rate"),
    Cell("work", WORK, "", "room along the links (loop/arms/layout.py)"),
)
JOINT_ROW = Cells(
    "joint_set_point",
    Cell("q", many(AXES), "rad or m", "joints"),
    Cell("rate", many(AXES), "rad/s or m/s", "their rates"),
)
# from the first float of a robot's part of `mem`
STATE_AT = ROBOT_FLOATS + JOINT_FLOATS
RING_AT = STATE_AT + ARM_STATE.size
ROW_FLOATS = JOINT_ROW.size


def arm_floats(slots: int) -> int:
    """Floats of a robot's part of `mem` where a robot is an arm; `slots`: set-points kept."""
    return RING_AT + slots * ROW_FLOATS


@compiled
def is_arm(vector, base):
    return ROBOT(vector, base).model == ARM_MODEL


@compiled
def has_elastic_joints(vector, base):
    """Whether a robot is an arm whose joints give way."""
    return is_arm(vector, base) and ROBOT(vector, base).elastic_joints != 0.0


@compiled
def placed_arm(vector, base):
    """The arm of a robot; `base`: of the robot's keys in the vector."""
    return PLACED(vector, int(ROBOT(vector, base).arm[0]))


@compiled
def arm_state(mem, state):
    """The state of a robot's arm; `state`: of the robot's part of `mem`."""
    return ARM_STATE(mem, state + STATE_AT)
