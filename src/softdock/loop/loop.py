"""The state of the loop at t_k: everything that changes from cycle to cycle but `mem`."""

from __future__ import annotations

from typing import NamedTuple

from softdock.loop.contact.log import Tracker
from softdock.loop.energy.ledger import Ledger
from softdock.loop.facility.simulated import Facility
from softdock.loop.method.interface import Output, Satellites, Wrenches


class Loop(NamedTuple):
    """Everything that changes from cycle to cycle, at t_k."""

    satellites: Satellites
    command: Output  # set-points stamped t_k
    facility: Facility
    ledger: Ledger
    tracker: Tracker
    depth: float  # m, of the real contact; negative: the gap
    wrenches: Wrenches  # on the satellites over the cycle that ended at t_k
    status: int
