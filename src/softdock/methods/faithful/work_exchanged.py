"""Work that the believed contact does not do: that of the real contact as measured, and that of
others (thrusters, other methods).

In: paired wrenches and motions, world axes. Out: energies [J], and mean wrenches over the cycle.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Wrench, port_energy
from softdock.loop.spatial.vectors import add, dot, norm, subtract
from softdock.methods.faithful.cells import CELL
from softdock.methods.measured.line_of_action import (
    average,
    satellite_motions,
    work_between,
)
from softdock.methods.measured.motions import (
    load_both,
    load_wrenches,
    store_both,
    store_wrenches,
)
from softdock.methods.remapping.other_wrenches import given_by_others

ROUNDING = 1e-12  # of a body's momentum: what others gave below that is none


@compiled
def real_work(method, mem, cycle, felt, wrenches):
    """Energy that the real contact took since the cycle before, as measured [J]."""
    m = method.memory
    work = 0.0
    follows = mem[m + CELL.felt_cycle] == float(cycle - 1)
    mem[m + CELL.felt_cycle] = float(cycle)
    if follows and mem[m + CELL.any_sent] != 0.0 and mem[m + CELL.touching] != 0.0:
        mean = average(load_wrenches(mem, m + CELL.read), wrenches)
        work = -work_between(mean, load_both(mem, m + CELL.felt), felt)
    store_both(mem, m + CELL.felt, felt)
    store_wrenches(mem, m + CELL.read, wrenches)
    return work


@compiled
def exchanged(given, measured, mean):
    force, torque = subtract(given.force, measured.force), subtract(given.torque, measured.torque)
    # the reading was no number
    if not (dot(force, force) < math.inf and dot(torque, torque) < math.inf):
        return mean
    return Wrench(add(force, mean.force), add(torque, mean.torque))


@compiled
def given_to(params, T, before, after, mean):
    """What others gave a body in this cycle; rounding is none."""
    given = given_by_others(params, T, before, after, mean)
    small = ROUNDING * (norm(before.v) + T * norm(mean.force) / params.mass[0]) * params.mass[0] / T
    small_turn = ROUNDING * (norm(before.L) / T + norm(mean.torque))
    force = given.force if norm(given.force) > small else (0.0, 0.0, 0.0)
    return Wrench(force, given.torque if norm(given.torque) > small_turn else (0.0, 0.0, 0.0))


@compiled
def work_of(rig, wrenches, before, after):
    """Work of wrenches on both satellites over the cycle [J]."""
    start, end = satellite_motions(rig, before), satellite_motions(rig, after)
    work = (
        0.0 if rig.chaser.fixed else port_energy(wrenches.chaser, rig.T, start.chaser, end.chaser)
    )
    if not rig.target.fixed:
        work += port_energy(wrenches.target, rig.T, start.target, end.target)
    return work
