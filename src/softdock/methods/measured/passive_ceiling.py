"""No wrench gives the satellites more than there is room for: since touch a passive contact has
returned at most what it took, whatever its sensor says.

A wrench held over a cycle gives P T + T^2 mobility / 2, P its power at the cycle's start. Where
that is more than the room, wrench and counter-wrench are scaled together, so the momenta of the
pair stay; a wrench that brakes may turn the motion round as far as the room lets it.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import scale
from softdock.methods.measured.line_of_action import compute_mobility
from softdock.methods.measured.projection import compute_power


@compiled
def _scale_wrench(share, wrench: Wrench):
    return Wrench(scale(share, wrench.force), scale(share, wrench.torque))


@noinline
def limit_to_room(doubts, rig: Rig, satellites: Satellites, wrenches: Wrenches, room):
    """The wrenches, or the share of them that gives the satellites `room` [J] in this cycle.
    `doubts`: their state, which counts cycles in which they were cut."""
    chaser, target = satellites.chaser, satellites.target
    power = compute_power(rig.chaser, chaser, wrenches.chaser) + compute_power(
        rig.target, target, wrenches.target
    )
    mobility = compute_mobility(rig.chaser, chaser.q, wrenches.chaser) + compute_mobility(
        rig.target, target.q, wrenches.target
    )
    room = max(room, 0.0)
    if rig.T * (power + 0.5 * rig.T * mobility) <= room or mobility <= 0.0:
        return wrenches
    doubts.cut += 1
    share = (math.sqrt(power * power + 2.0 * mobility * room) - power) / (mobility * rig.T)
    return Wrenches(_scale_wrench(share, wrenches.chaser), _scale_wrench(share, wrenches.target))
