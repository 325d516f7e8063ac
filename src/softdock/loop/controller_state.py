"""The controller's state: what it keeps from cycle to cycle beside its methods' memory, as a
structure and as a flat array.

reported.py and loop/seam_entry_points.py work on it. The fused loop (cycle.py) has no need of it,
because there controller and facility share one state (loop.py).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.loop.contact.log import TRACKER, Tracker
from softdock.loop.energy.ledger import LEDGER, Ledger
from softdock.loop.flat_structures import storing
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.spatial.motion import WRENCH_FLOATS, Wrench
from softdock.loop.state import OUTPUT, SATELLITES, WRENCHES


class Kept(NamedTuple):
    """What a controller keeps from cycle to cycle, beside its methods' memory."""

    satellites: Satellites
    before: Output  # the satellites' motions a cycle ago
    sent: Output  # set-points stamped t_{k-1}
    command: Output  # set-points stamped t_k
    wrenches: Wrenches  # on the satellites over the cycle that ended at t_k
    measured: Wrenches  # measured at t_k, on the satellites
    reading: Wrench  # of the chaser's sensor, without the tool
    second: Wrench  # of the target's
    chaser_number: float  # of these samples; negative: none yet
    target_number: float
    chaser_force_age: float  # s
    target_force_age: float
    seen: Output  # the mock-ups as last reported, each at its own instant
    chaser_stamp: float  # ns, of these
    target_stamp: float
    mock_ups: Output  # the same at one instant
    force_age: float  # s, of what the methods were told
    pose_age: float
    ledger: Ledger
    tracker: Tracker
    peak_force_squared: float  # N^2, measured
    peak_torque_squared: float  # (Nm)^2
    touch_force: float  # N, a measured force above this is a contact
    status: int


KEPT = Cells(
    "controller",
    Cell("satellites", SATELLITES.size, "", "both satellites at t_k"),
    Cell("before", OUTPUT.size, "", "their motions a cycle ago"),
    Cell("sent", OUTPUT.size, "", "set-points stamped t_{k-1}"),
    Cell("command", OUTPUT.size, "", "set-points stamped t_k"),
    Cell("wrenches", WRENCHES.size, "N, Nm", "on the satellites over the cycle that ended at t_k"),
    Cell("measured", WRENCHES.size, "N, Nm", "measured at t_k, on the satellites"),
    Cell("reading", WRENCH_FLOATS, "N, Nm", "of the chaser's sensor, without the tool"),
    Cell("second", WRENCH_FLOATS, "N, Nm", "of the target's sensor, without the tool"),
    Cell("chaser_number", 1, "-", "of the chaser's sample; negative: none yet"),
    Cell("target_number", 1, "-", "of the target's sample; negative: none yet"),
    Cell("chaser_force_age", 1, "s", "of the chaser's sample"),
    Cell("target_force_age", 1, "s", "of the target's sample"),
    Cell("seen", OUTPUT.size, "", "the mock-ups as last reported"),
    Cell("chaser_stamp", 1, "ns", "of the chaser's pose"),
    Cell("target_stamp", 1, "ns", "of the target's pose"),
    Cell("mock_ups", OUTPUT.size, "", "the mock-ups at one instant"),
    Cell("force_age", 1, "s", "age of the force that the methods were told"),
    Cell("pose_age", 1, "s", "age of the poses that the methods were told"),
    Cell("ledger", LEDGER.size, "J", "sums since the start; what needs the truth is zero"),
    Cell("tracker", TRACKER.size, "", "the contact under way, by the measured force"),
    Cell("peak_force_squared", 1, "N^2", "largest measured force so far, squared"),
    Cell("peak_torque_squared", 1, "(Nm)^2", "largest measured torque so far, squared"),
    Cell("touch_force", 1, "N", "a measured force above this is a contact"),
    Cell("status", 1, "-", "an index of `SEAM_STATUSES`"),
)
store_kept, load_kept = storing(Kept, KEPT)
