"""The state of the loop at t_k: everything that changes from cycle to cycle but `mem`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.loop.contact.log import Tracker
from softdock.loop.energy.ledger import Ledger
from softdock.loop.facility.state import Facility
from softdock.loop.method.interface import Output, Satellites, Wrenches


class Loop(NamedTuple):
    """Everything that changes from cycle to cycle, at t_k."""

    satellites: Annotated[Satellites, "", "both satellites"]
    command: Annotated[Output, "", "set-points stamped t_k"]
    facility: Annotated[Facility, "", "mock-ups, true wrenches and what was handed over"]
    wrenches: Annotated[Wrenches, "N, Nm", "on the satellites over the cycle that ended at t_k"]
    ledger: Annotated[Ledger, "J", "sums since the start"]
    tracker: Annotated[Tracker, "", "the contact under way"]
    depth: Annotated[float, "m", "of the real contact; negative: the gap"]
    status: Annotated[int, "-", "of the run, an index of `STATUSES`"]
