"""Work that the believed contact does not do: that of the real contact as measured, and that of
others (thrusters, other methods).

In: paired wrenches and motions, world axes. Out: energies [J], and mean wrenches over the cycle.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output, Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench, port_energy
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.loop.spatial.vectors import add, dot, norm, subtract
from softdock.methods.measured.line_of_action import average, satellite_motions, work_between
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.recomputed_past import note_others
from softdock.methods.model_mediated.state import STATE
from softdock.methods.remapping.other_wrenches import compute_others

ROUNDING = 1e-12  # of a body's momentum: what others gave below that is none


@compiled
def compute_real_work(s, cycle, felt: Output, wrenches: Wrenches):
    """Energy that the real contact took since the cycle before, as measured [J]."""
    work = 0.0
    follows = s.felt_cycle == cycle - 1
    s.felt_cycle = cycle
    if follows and s.any_sent and s.touching:
        work = -work_between(average(s.read, wrenches), s.felt, felt)
    s.felt, s.read = felt, wrenches
    return work


@compiled
def exchange_wrench(given: Wrench, measured: Wrench, mean: Wrench):
    """A wrench with `mean` in place of the measured one."""
    force, torque = subtract(given.force, measured.force), subtract(given.torque, measured.torque)
    # the reading was no number
    if not (dot(force, force) < math.inf and dot(torque, torque) < math.inf):
        return mean
    return Wrench(add(force, mean.force), add(torque, mean.torque))


@compiled
def find_given(params: BodyParams, T, before: Body, after: Body, mean: Wrench):
    """What others gave a body in this cycle; rounding is none."""
    given = compute_others(params, T, before, after, mean)
    small = ROUNDING * (norm(before.v) + T * norm(mean.force) / params.mass[0]) * params.mass[0] / T
    small_turn = ROUNDING * (norm(before.L) / T + norm(mean.torque))
    force = given.force if norm(given.force) > small else (0.0, 0.0, 0.0)
    return Wrench(force, given.torque if norm(given.torque) > small_turn else (0.0, 0.0, 0.0))


@compiled
def note_given(method: ModelMediated, mem, rig: Rig, before: Satellites, after: Satellites):
    """What others gave in this cycle; it is noted."""
    mean = STATE(mem, method.memory).mean
    others = Wrenches(
        find_given(rig.chaser, rig.T, before.chaser, after.chaser, mean.chaser),
        find_given(rig.target, rig.T, before.target, after.target, mean.target),
    )
    note_others(method, mem, rig.cycle, others)
    return others


@compiled
def compute_work(rig: Rig, wrenches: Wrenches, before: Satellites, after: Satellites):
    """Work of wrenches on both satellites over the cycle [J]."""
    start, end = satellite_motions(rig, before), satellite_motions(rig, after)
    work = (
        0.0 if rig.chaser.fixed else port_energy(wrenches.chaser, rig.T, start.chaser, end.chaser)
    )
    if not rig.target.fixed:
        work += port_energy(wrenches.target, rig.T, start.target, end.target)
    return work
