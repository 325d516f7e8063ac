"""What the rig's program is told, and what it keeps: flat arrays, declared once.

LIMITS and PLAN (float64) are written before the clock starts and only read, and so are FRAME and
SENSE: one row a mock-up, the chaser's and the target's, whether it has a robot or a force sensor or
not (`there`). STAND (int64) and SEEN (float64) are the whole rig's, ROBOT_STAND, ROBOT_SEEN,
SENSOR_STAND and SENSOR_SEEN one row a mock-up. Metres, radians and seconds; set-points of the
mock-up's centre of mass in orbit's axes, poses of what RIst tells (the flange, or a tool) in the
robot's base.
"""

from __future__ import annotations

from softdock.core.machine.cells import Cell, Cells
from softdock.core.rig.reasons import REASON_COUNT
from softdock.core.spatial.motion import MOTION_FLOATS, POSE_FLOATS

LIMITS = Cells(
    "rig_limits",
    Cell("speed", 1, "m/s", "of set-points, and of every reply: at most this times a cycle"),
    Cell("rate", 1, "rad/s", "the same, turning"),
    Cell("acceleration", 1, "m/s2", "of set-points"),
    Cell("turn_acceleration", 1, "rad/s2", "of set-points"),
    Cell("restitution", 1, "-", "kinetic energy after over before a contact: its square"),
    Cell("energy_floor", 1, "J", "added to every energy bound"),
    Cell("energy_contact", 1, "-", "observed energy of a contact over the energy before it"),
    Cell("energy_run", 1, "-", "energy that a run gains over the energy at its first contact"),
    Cell("noise", 1, "N", "spread of the force's noise: widens the budget of a contact"),
    Cell("power", 1, "W", "force times measured speed"),
    Cell("force", 1, "N", "measured"),
    Cell("torque", 1, "Nm", "measured"),
    Cell("force_step", 1, "N", "between two readings that are used"),
    Cell("touch", 1, "N", "above: contact; below half of it: free"),
    Cell("free_s", 1, "s", "below half of it for so long: free"),
    Cell("tracking", 1, "m", "from where a robot was sent a delay ago"),
    Cell("tracking_angle", 1, "rad", "the same, turning"),
    Cell("stale", 1, "s", "age of the newest force"),
    Cell("lost_in_a_row", 1, "-", "telegrams"),
    Cell("lost_share", 1, "-", "of about a second"),
    Cell("late_in_a_row", 1, "-", "replies"),
    Cell("late_in_all", 1, "-", "replies, of the controller's own count"),
    Cell("silence", 1, "s", "without a telegram"),
    Cell("drift_ppm", 1, "ppm", "of a robot's clock: said, not stopped"),
    Cell("compute", 1, "s", "from a telegram to its answer"),
    Cell("bad_in_a_row", 1, "-", "forces, poses or answers"),
    Cell("still", 1, "m", "a robot that is told nothing stays within this"),
    Cell("deceleration", 1, "m/s2", "of a stop"),
    Cell("turn_deceleration", 1, "rad/s2", "of a stop"),
    Cell("retreat", 1, "m", "way back at most"),
    Cell("retreat_speed", 1, "m/s", "on that way"),
    Cell("axis", 3, "-", "away from the target, orbit's axes: the way where no force tells it"),
    Cell("retreat_force", 1, "N", "of the way out of a jam, stops"),
    Cell("relief", 1, "m/s/N", "sideways speed for a sideways force, on the way out"),
)
PLAN = Cells(
    "rig_plan",
    Cell("cycle", 1, "s", "of the robots and of the controller"),
    Cell("step_ms", 1, "ms", "what IPOC must step by"),
    Cell("total", 1, "-", "cycles of the scenario"),
    Cell("task", 1, "-", "what is to be done: TASKS"),
    Cell("master", 1, "-", "0: the chaser's telegrams are the clock, 1: the target's"),
    Cell("start_chaser", MOTION_FLOATS, "", "set-point of t = 0: a `motion`"),
    Cell("start_target", MOTION_FLOATS, "", "set-point of t = 0: a `motion`"),
    Cell("shift", 3, "m", "that the chaser stays back in a dry run; without a robot, the target"),
    Cell("listen", 1, "s", "heard before anything moves"),
    Cell("patience", 1, "s", "for everybody to be heard"),
    Cell("ramp", 1, "s", "from standstill to the scenario's speed"),
    Cell("settle", 1, "s", "at that speed before t = 0"),
    Cell("transfer_speed", 1, "m/s", "from the pose at RSI_ON to the run-up, and back"),
    Cell("transfer_rate", 1, "rad/s", "the same, turning"),
    Cell("transfer_acceleration", 1, "m/s2", "the same"),
    Cell("end_when_stopped", 1, "-", "1: the loop ends some cycles after the robots stand"),
)
FRAME = Cells(
    "rig_frame",
    Cell("there", 1, "-", "1: a robot; 0: this mock-up stands in the room"),
    Cell("base", 6, "mm, deg", "the robot's base in orbit's axes"),
    Cell("tool", 6, "mm, deg", "the mock-up's centre of mass from what RIst tells"),
    Cell("box_min", 3, "m", "of what RIst tells, in the base"),
    Cell("box_max", 3, "m", "of what RIst tells, in the base"),
    Cell("lower", 3, "m", "corrections, as allowed of PosCorr"),
    Cell("upper", 3, "m", "corrections, as allowed of PosCorr"),
    Cell("max_angle", 1, "rad", "from the pose at RSI_ON"),
    Cell("delay", 1, "s", "from a set-point's instant to the robot being there"),
    Cell("stays", 1, "-", "1: its satellite is fixed; it does not retreat"),
)
SENSE = Cells(
    "rig_sense",
    Cell("there", 1, "-", "1: a force sensor behind this mock-up"),
    Cell("axes", 4, "-", "sensor in body axes, wxyz"),
    Cell("range_force", 1, "N", "of a channel of the sensor, as allowed"),
    Cell("range_torque", 1, "Nm", "of a channel of the sensor, as allowed"),
    Cell("weighs", 1, "-", "1: readings hold a tool's weight, which the controller takes out"),
    Cell("take_bias", 1, "-", "1: the mean wrench before anything moves is the zero"),
)
STAND = Cells(
    "rig_stand",
    Cell("state", 1, "-", "of STATES"),
    Cell("reason", 1, "-", "of REASONS: the first"),
    Cell("in_state", 1, "-", "master's cycles in this state"),
    Cell("k", 1, "-", "cycles of the scenario so far"),
    Cell("first_ns", 1, "ns", "t = 0 on our clock"),
    Cell("began_ns", 1, "ns", "the first telegram of the master"),
    Cell("now_ns", 1, "ns", "the newest instant that was seen"),
    Cell("state_ns", 1, "ns", "when this state began"),
    Cell("contacts", 1, "-", "so far"),
    Cell("free_cycles", 1, "-", "below half the touch force, in a row"),
    Cell("implausible", 1, "-", "readings held back, in all"),
    Cell("slow_row", 1, "-", "answers beyond their time, in a row"),
    Cell("samples", 1, "-", "readings whose ages are summed"),
    Cell("cycle_rows", 1, "-", "master's cycles so far, all states"),
    Cell("rows", 1, "-", "cycles of the scenario handed to the recorder"),
    Cell("controller", 1, "-", "status of the controller"),
    Cell("due", 1, "-", "cycles of the scenario that the newest telegram stands for"),
    Cell("caught_up", 1, "-", "cycles that ran without a telegram of their own"),
    Cell("reasons", REASON_COUNT, "-", "how often each failed"),
)
SEEN = Cells(
    "rig_seen",
    Cell("value", 1, "", "of the first reason: what was found"),
    Cell("limit", 1, "", "of the first reason: the limit"),
    Cell("kinetic", 1, "J", "of the pair, less the work of external wrenches"),
    Cell("kinetic_free", 1, "J", "the same at the last free instant"),
    Cell("kinetic_first", 1, "J", "the same at the first contact"),
    Cell("kinetic_bound", 1, "J", "that it may have in this contact"),
    Cell("kinetic_most", 1, "J", "the largest that was sent to the robots"),
    Cell("observed_free", 1, "J", "observed energy at the last free instant"),
    Cell("observed_contact", 1, "J", "of this contact so far"),
    Cell("observed_run", 1, "J", "sum over contacts of what was above zero"),
    Cell("observed_bound", 1, "J", "of this contact"),
    Cell("age_sum", 1, "s", "of the force, while in contact"),
    Cell("age_most", 1, "s", "of the force"),
    Cell("peak_force", 1, "N", "measured"),
    Cell("power", 1, "W", "largest"),
    Cell("transfer_s", 1, "s", "of the way to the start, or back"),
    Cell("contact_cycles", 1, "-", "of this contact"),
    Cell("speed_in", 1, "m/s", "of the gap's closing, at the last free instant"),
    Cell("jam_force", 1, "N", "when the way out began"),
    Cell("compute_last", 1, "s", "newest answer"),
    Cell("compute_most", 1, "s", "slowest answer"),
)
SENSOR_STAND = Cells(
    "rig_sensor_stand",
    Cell("used_ns", 1, "ns", "stamp of the reading that is used; 0: none"),
    Cell("implausible_row", 1, "-", "readings held back, in a row"),
    Cell("faulty_row", 1, "-", "cycles with an error status, in a row"),
    Cell("bias_samples", 1, "-", "readings that the bias is the mean of"),
    Cell("bias_ns", 1, "ns", "stamp of the last of them"),
    Cell("kept", 1, "-", "samples handed to the recorder"),
)
SENSOR_SEEN = Cells(
    "rig_sensor_seen",
    Cell("force", 3, "N", "felt by the mock-up, orbit's axes, without tool"),
    Cell("raw", 6, "N, Nm", "the reading that is used, body axes, without bias"),
    Cell("bias", 6, "N, Nm", "sensor axes"),
    Cell("tool", 3, "N", "raw force less the contact's, orbit's axes, at the last cycle"),
)
ROBOT_STAND = Cells(
    "rig_robot_stand",
    Cell("heard", 1, "-", "telegrams answered"),
    Cell("zeroed", 1, "-", "1: the pose at RSI_ON is known"),
    Cell("late_before", 1, "-", "the controller's count of late replies, a telegram ago"),
    Cell("late_first", 1, "-", "the same when it was first heard"),
    Cell("late_row", 1, "-", "replies late in a row"),
    Cell("jump_row", 1, "-", "poses held back, in a row"),
    Cell("jumps", 1, "-", "poses held back, in all"),
    Cell("clock_jumps", 1, "-", "as the link counts them"),
    Cell("drift_said", 1, "-", "1: a drift was said"),
    Cell("sent", 1, "-", "replies in the ring of replies"),
    Cell("gated", 1, "-", "replies that the last gate held back"),
    Cell("standing", 1, "-", "1: at rest, of a stop"),
)
ROBOT_SEEN = Cells(
    "rig_robot_seen",
    Cell("zero", POSE_FLOATS, "", "pose at RSI_ON, base"),
    Cell("reply", POSE_FLOATS, "", "the last reply's set-point, base"),
    Cell("v", 3, "m/s", "of the last two replies, base"),
    Cell("w", 3, "rad/s", "the same, base axes"),
    Cell("measured", POSE_FLOATS, "", "RIst of the newest telegram that is believed, base"),
    Cell("step", 3, "m/s", "of the last set-point, orbit's axes"),
    Cell("turn", 3, "rad/s", "of the last set-point, body axes"),
    Cell("leave", POSE_FLOATS, "", "where a planned way began, base"),
    Cell("stop_v", 3, "m/s", "at the end of the newest cycle of a stop, base"),
    Cell("stop_w", 3, "rad/s", "the same, base axes"),
    Cell("backed", 1, "m", "way of a retreat so far"),
    Cell("stood_ns", 1, "ns", "stamp of the telegram before"),
    Cell("lost_share", 1, "-", "of about a second"),
    Cell("largest_step", 1, "m", "of two replies"),
    Cell("largest_turn", 1, "rad", "of two replies"),
    Cell("largest_error", 1, "m", "tracking"),
)
(
    IDLE,
    ARMING,
    TRANSFER,
    RUN_UP,
    APPROACH,
    CONTACT,
    RETREATING,
    WAY_OUT,
    BRAKING,
    RETURNING,
    STOPPED,
) = range(11)
STATES = (
    "idle",
    "arming",
    "to the start",
    "run-up",
    "approach",
    "contact",
    "retreat",
    "way out",
    "braking",
    "return",
    "stopped",
)
DOCK, LEAVE = 0, 1
TASKS = ("docking", "way out of a jam")
NOT_ASKED, ASKED_STOP = 0, 1
SENT_SLOTS = 256  # replies kept, to compare poses with
CHASER, TARGET, BODIES = 0, 1, 2  # rows of everything that stands once a mock-up
