"""Set-points that a robot can execute (Lange IV-G): not the satellites' motion, which turns round
within a contact, but what a follower with limits of speed, acceleration and jerk makes of it. How
far that is from the motion itself is recorded, and what it costs stands in the ledger's row
`command`.

The follower is the one of `robots/limited.py`: a rig whose robots have these limits then does
exactly what it is sent.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.interface import Output
from softdock.core.adaptation.remapping.cells import CELL, FOLLOWER_FLOATS
from softdock.core.adaptation.remapping.keys import AT, EXECUTABLE
from softdock.core.machine.compiled import apart, compiled
from softdock.core.optional_limits import or_no_limit
from softdock.core.robots.limited import follow_within_limits
from softdock.core.spatial.motion import MOTION_FLOATS, load_motion, store_motion
from softdock.core.spatial.vectors import norm, subtract


@apart
def _followed(limits, T, mem, at, set_point, started):
    """One robot's next set-point; `at`: what was sent last, then the follower's accelerations and
    its room to plan."""
    sent = set_point
    if started:
        sent = follow_within_limits(
            limits, T, mem, at + MOTION_FLOATS, load_motion(mem, at), set_point
        )
    store_motion(mem, at, sent)
    return sent


@compiled
def set_point(method, mem, rig, satellites, output):
    """What leaves for the robots."""
    v, b, m = method.vector, method.base, method.memory
    if int(v[b + AT.set_points]) != EXECUTABLE:
        return output
    along = or_no_limit(v[b + AT.speed]), v[b + AT.acceleration], or_no_limit(v[b + AT.jerk])
    limits = (*along, math.inf, v[b + AT.turn_acceleration], or_no_limit(v[b + AT.turn_jerk]))
    at, started = m + CELL.followers, rig.cycle > 0
    chaser = _followed(limits, rig.T, mem, at, output.chaser, started)
    target = _followed(limits, rig.T, mem, at + FOLLOWER_FLOATS, output.target, started)
    mem[m + CELL.deviation] = max(
        norm(subtract(chaser.p, output.chaser.p)), norm(subtract(target.p, output.target.p))
    )
    mem[m + CELL.largest_deviation] = max(mem[m + CELL.largest_deviation], mem[m + CELL.deviation])
    return Output(chaser, target)
