"""The controller's state: what it keeps from cycle to cycle beside its methods' memory, as a
structure and as a flat array.

reported.py and loop/seam_entry_points.py work on it. The fused loop (cycle.py) has no need of it,
because there controller and facility share one state (loop.py).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.compile.cells import layout_of
from softdock.loop.contact.log import Tracker
from softdock.loop.energy.ledger import Ledger
from softdock.loop.method.interface import Output, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench


class ControllerState(NamedTuple):
    """What a controller keeps from cycle to cycle, beside its methods' memory."""

    satellites: Annotated[Satellites, "", "both satellites at t_k"]
    before: Annotated[Output, "", "their motions a cycle ago"]
    sent: Annotated[Output, "", "set-points stamped t_{k-1}"]
    command: Annotated[Output, "", "set-points stamped t_k"]
    wrenches: Annotated[Wrenches, "N, Nm", "on the satellites over the cycle that ended at t_k"]
    measured: Annotated[Wrenches, "N, Nm", "measured at t_k, on the satellites"]
    reading: Annotated[Wrench, "N, Nm", "of the chaser's sensor, without the tool"]
    second: Annotated[Wrench, "N, Nm", "of the target's sensor, without the tool"]
    chaser_number: Annotated[float, "-", "of the chaser's sample; negative: none yet"]
    target_number: Annotated[float, "-", "of the target's sample; negative: none yet"]
    chaser_force_age: Annotated[float, "s", "of the chaser's sample"]
    target_force_age: Annotated[float, "s", "of the target's sample"]
    seen: Annotated[Output, "", "the mock-ups as last reported, each at its own instant"]
    chaser_stamp: Annotated[float, "ns", "of the chaser's pose"]
    target_stamp: Annotated[float, "ns", "of the target's pose"]
    mock_ups: Annotated[Output, "", "the mock-ups at one instant, in the laboratory"]
    given: Annotated[Output, "", "the same in orbit's axes, as the methods were given them"]
    force_age: Annotated[float, "s", "age of the force that the methods were given"]
    pose_age: Annotated[float, "s", "age of the poses that the methods were given"]
    ledger: Annotated[Ledger, "J", "sums since the start; what needs the truth is zero"]
    tracker: Annotated[Tracker, "", "the contact under way, by the measured force"]
    peak_force_squared: Annotated[float, "N^2", "largest measured force so far, squared"]
    peak_torque_squared: Annotated[float, "(Nm)^2", "largest measured torque so far, squared"]
    touch_force: Annotated[float, "N", "a measured force above this is a contact"]
    status: Annotated[int, "-", "an index of `SEAM_STATUSES`"]


CONTROLLER_STATE = layout_of(ControllerState)
