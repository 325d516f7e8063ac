"""What acts on the satellites in orbit as in the loop, sampled once a cycle and held over it: the
tide, and the `external` hooks of methods, each called with orbit's own state, cycle and memory.

Schedules and hands are not sampled: they are functions of time, and orbit follows them exactly
(external_wrenches.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.hooks import add_wrenches, sum_external
from softdock.loop.method.interface import Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.tide import tide_wrenches
from softdock.loop.vector import ORBIT_AT


class Held(NamedTuple):
    """Wrenches over one cycle; on a fixed body none."""

    cycle: int  # k; negative: nothing is sampled
    until: float  # s, the next sampling; inf: never
    on: Wrenches


@compiled
def nothing_held():
    return Held(-1, math.inf, Wrenches(no_wrench(), no_wrench()))


@compiled
def _on_free(params, wrench):
    return no_wrench() if params.fixed else wrench


@noinline
def hold(vector, setup, own, both, cycle):
    """Sampled at the begin of a cycle. `own`: the hooks' memory."""
    rig = Rig(cycle, setup.T, setup.chaser, setup.target)
    satellites = Satellites(both.chaser, both.target)
    on = Wrenches(no_wrench(), no_wrench())
    if setup.tide:
        chaser, target = tide_wrenches(vector, ORBIT_AT, rig, satellites)
        on = add_wrenches(on, Wrenches(chaser, target))
    on = sum_external(setup.methods, own, rig, satellites, on)
    free = Wrenches(_on_free(setup.chaser, on.chaser), _on_free(setup.target, on.target))
    return Held(cycle, (cycle + 1) * setup.T, free)
