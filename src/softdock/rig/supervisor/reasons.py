"""Why a rig leaves what it was doing: named codes, and what each one makes of the motion.

The first reason of a run wins and is its reason; every later one is counted. `BRAKE` comes to rest
from the last reply; `RETREAT` does the same where nothing touches, and otherwise backs off along
the measured force first. Codes are places in REASONS: a row of the recording, a count and a
sentence all use them.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.recording.event_text import NOBODY, fill_text

BRAKE, RETREAT = 0, 1
ACTIONS = ("brake", "retreat")


class Reason(NamedTuple):
    """One named code. `text` is filled (recording/event_text.py) with what was found (a), the limit
    (b) and whose robot or sensor it is (who)."""

    name: str
    action: int
    text: str


_LISTED = (
    Reason("none", BRAKE, "nothing"),
    Reason("completed", BRAKE, "the scenario has completed after {a:.0f} cycles"),
    Reason("operator", RETREAT, "the operator asked for a stop"),
    Reason("stop_input", RETREAT, "the stop input of the {who}'s robot is {a:.0f}"),
    Reason("restitution", RETREAT, "kinetic energy {a:.6g} J, bound of this contact {b:.6g} J"),
    Reason(
        "energy_contact", RETREAT, "observed energy of this contact {a:.6g} J, budget {b:.6g} J"
    ),
    Reason("energy_run", RETREAT, "energy that this run has gained {a:.6g} J, budget {b:.6g} J"),
    Reason("power", RETREAT, "power at the {who}'s sensor {a:.4g} W, limit {b:.4g} W"),
    Reason("force", RETREAT, "force on the {who}'s sensor {a:.4g} N, limit {b:.4g} N"),
    Reason("torque", RETREAT, "torque on the {who}'s sensor {a:.4g} Nm, limit {b:.4g} Nm"),
    Reason(
        "sensor_range",
        RETREAT,
        "a channel of the {who}'s sensor at {a:.3g} of its range, limit {b:.3g}",
    ),
    Reason(
        "sensor_status",
        RETREAT,
        "the {who}'s sensor reports in {b:.0f} cycles in a row: {a:status}",
    ),
    Reason(
        "force_implausible",
        RETREAT,
        "the force of the {who}'s sensor jumped by {a:.4g} N, limit {b:.4g} N, repeatedly",
    ),
    Reason(
        "force_stale",
        RETREAT,
        "the newest force of the {who}'s sensor is {a:.4g} ms old, limit {b:.4g} ms",
    ),
    Reason(
        "force_frozen",
        RETREAT,
        "the {who}'s sensor has sent the same six values for {a:.4g} ms while its count went on, "
        "limit {b:.4g} ms",
    ),
    Reason("speed", RETREAT, "the speed of the {who}'s set-point {a:.4g} m/s, limit {b:.4g} m/s"),
    Reason("rate", RETREAT, "the rate of the {who}'s set-point {a:.4g} rad/s, limit {b:.4g} rad/s"),
    Reason(
        "acceleration",
        RETREAT,
        "the acceleration of the {who}'s set-point {a:.4g} m/s2, limit {b:.4g} m/s2",
    ),
    Reason(
        "turn_acceleration",
        RETREAT,
        "the angular acceleration of the {who}'s set-point {a:.4g} rad/s2, limit {b:.4g} rad/s2",
    ),
    Reason("box", RETREAT, "the {who}'s set-point leaves its box by {a:.4g} mm along {b:axis}"),
    Reason(
        "correction",
        RETREAT,
        "a correction of the {who}'s robot of {a:.4g} mm, allowed {b:.4g} mm of PosCorr",
    ),
    Reason("angle", RETREAT, "the {who}'s set-point is turned by {a:.4g} degrees, limit {b:.4g}"),
    Reason(
        "tracking",
        RETREAT,
        "the {who}'s robot is {a:.4g} mm from where it was sent, limit {b:.4g} mm",
    ),
    Reason(
        "tracking_angle", RETREAT, "the {who}'s robot is {a:.4g} degrees off, limit {b:.4g} degrees"
    ),
    Reason(
        "pose_jump",
        RETREAT,
        "the measured pose of the {who}'s robot jumped by {a:.4g} mm, limit {b:.4g} mm, repeatedly",
    ),
    Reason(
        "pose_turn",
        RETREAT,
        "the measured attitude of the {who}'s robot jumped by {a:.4g} degrees, limit {b:.4g}, "
        "repeatedly",
    ),
    Reason("lost", RETREAT, "{a:.0f} telegrams of the {who}'s robot lost in a row, limit {b:.0f}"),
    Reason(
        "lost_share",
        RETREAT,
        "{a:.3g} of a second's telegrams of the {who}'s robot did not come in time (lost, spoilt "
        "or overtaken), limit {b:.3g}",
    ),
    Reason("late", RETREAT, "{a:.0f} replies to the {who}'s robot late in a row, limit {b:.0f}"),
    Reason(
        "late_in_all", RETREAT, "{a:.0f} replies to the {who}'s robot late in all, limit {b:.0f}"
    ),
    Reason(
        "silence", RETREAT, "the {who}'s robot has been silent for {a:.4g} ms, limit {b:.4g} ms"
    ),
    Reason("clock", RETREAT, "the clock of the {who}'s robot has jumped by {a:.4g} ms"),
    Reason("new_count", RETREAT, "IPOC of the {who}'s robot has begun a new count"),
    Reason(
        "slow",
        RETREAT,
        "an answer to the {who}'s robot took {a:.4g} us, limit {b:.4g} us, repeatedly",
    ),
    Reason(
        "gate",
        RETREAT,
        "a reply to the {who}'s robot would have stepped {a:.4g} mm, at most {b:.4g} mm a cycle",
    ),
    Reason(
        "gate_angle",
        RETREAT,
        "a reply to the {who}'s robot would have turned {a:.4g} degrees, at most {b:.4g} a cycle",
    ),
    Reason(
        "not_finite",
        RETREAT,
        "a reply to the {who}'s robot would have held a value that is no number",
    ),
    Reason("controller", RETREAT, "the controller ended with status {a:.0f}"),
    Reason(
        "wrong_cycle",
        RETREAT,
        "IPOC of the {who}'s robot steps by {a:.0f} ms, stated are {b:.0f} ms",
    ),
    Reason("robot_not_heard", RETREAT, "the {who}'s robot was not heard for {b:.3g} s"),
    Reason(
        "sensor_not_heard",
        RETREAT,
        "the {who}'s sensor was not heard for {b:.3g} s; {a:.0f} of its records were not believed, "
        "by their count",
    ),
    Reason(
        "second_sender",
        RETREAT,
        "two programs send telegrams as the {who}'s robot, from its address and the ports {b:.0f} "
        "and {a:.0f}",
    ),
    Reason("moved", RETREAT, "the {who}'s robot moved by {a:.4g} mm before it was commanded to"),
    Reason(
        "touch",
        RETREAT,
        "a force of {a:.4g} N on the {who}'s sensor where nothing should touch, limit {b:.4g} N",
    ),
    Reason("jammed", BRAKE, "a force of {a:.4g} N on the way out, limit {b:.4g} N"),
    Reason("retreated", BRAKE, "the way out is done: {a:.4g} mm"),
)
REASONS: tuple[Reason, ...] = _LISTED
REASON_COUNT = len(_LISTED)
_AT = {one.name: i for i, one in enumerate(_LISTED)}
RETREATS = tuple(one.action for one in _LISTED)

NONE, COMPLETED, OPERATOR = _AT["none"], _AT["completed"], _AT["operator"]
STOP_INPUT = _AT["stop_input"]
RESTITUTION, ENERGY_CONTACT = _AT["restitution"], _AT["energy_contact"]
ENERGY_RUN, POWER, FORCE = _AT["energy_run"], _AT["power"], _AT["force"]
TORQUE, SENSOR_RANGE = _AT["torque"], _AT["sensor_range"]
SENSOR_STATUS, FORCE_IMPLAUSIBLE = _AT["sensor_status"], _AT["force_implausible"]
FORCE_STALE, FORCE_FROZEN = _AT["force_stale"], _AT["force_frozen"]
SPEED, RATE = _AT["speed"], _AT["rate"]
ACCELERATION, TURN_ACCELERATION = _AT["acceleration"], _AT["turn_acceleration"]
BOX, CORRECTION, ANGLE = _AT["box"], _AT["correction"], _AT["angle"]
TRACKING, TRACKING_ANGLE = _AT["tracking"], _AT["tracking_angle"]
POSE_JUMP, POSE_TURN = _AT["pose_jump"], _AT["pose_turn"]
LOST, LOST_SHARE = _AT["lost"], _AT["lost_share"]
LATE, LATE_IN_ALL, SILENCE = _AT["late"], _AT["late_in_all"], _AT["silence"]
CLOCK, NEW_COUNT, SLOW, GATE = _AT["clock"], _AT["new_count"], _AT["slow"], _AT["gate"]
GATE_ANGLE, NOT_FINITE = _AT["gate_angle"], _AT["not_finite"]
CONTROLLER, WRONG_CYCLE = _AT["controller"], _AT["wrong_cycle"]
ROBOT_NOT_HEARD, SENSOR_NOT_HEARD = _AT["robot_not_heard"], _AT["sensor_not_heard"]
SECOND_SENDER = _AT["second_sender"]
MOVED, TOUCH = _AT["moved"], _AT["touch"]
JAMMED, RETREATED = _AT["jammed"], _AT["retreated"]
FINE = (COMPLETED, RETREATED)  # ends that are no fault


def describe_reason(code: int, a: float, b: float, who: float = NOBODY) -> str:
    """A reason in words, with what was found, the limit and whose it is."""
    return fill_text(REASONS[code].text, a, b, who)
