"""Set-points ahead of the satellites, each by the delay that its robot has shown: where the
satellites will be, under the contact that is believed.

When a past computed anew takes over, the set-points do not jump: the difference in pose and twist
from where they would have gone on to fades, critically damped.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.cells import CELL, OFFSET, OFFSET_FLOATS, TARGET
from softdock.core.adaptation.faithful.flight import delay_of
from softdock.core.adaptation.faithful.touches import copy_latches
from softdock.core.adaptation.faithful.twin import believed_cycle, flown
from softdock.core.adaptation.interface import Output
from softdock.core.adaptation.measured.motions import load_both, store_both
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import Motion, coasting
from softdock.core.spatial.rigid_body import motion_of
from softdock.core.spatial.rotations import exponential, inverse, logarithm, product
from softdock.core.spatial.vectors import add, load3, scale, store3, subtract

PACE = 25.0  # 1/s, of a lead that is brought in
FADING = 60.0  # 1/s, of a jump
SETTLED = 1e-12  # m, rad, m/s, rad/s, s; what is below is none


@compiled
def bring_in(method, mem, T):
    """Leads a cycle nearer to the delays that are believed."""
    m = method.memory
    e = math.exp(-PACE * T)
    for i in range(2):
        off = mem[m + CELL.leads + i] - delay_of(mem, m + CELL.flight, i)
        if abs(off) + abs(mem[m + CELL.lead_rates + i]) < SETTLED:
            continue
        a = mem[m + CELL.lead_rates + i] + PACE * off
        mem[m + CELL.leads + i] += (off + a * T) * e - off
        mem[m + CELL.lead_rates + i] = (a - PACE * (off + a * T)) * e
    mem[m + CELL.delay] = delay_of(mem, m + CELL.flight, 0)


@apart
def _ahead(method, mem, rig, satellites, lead):
    """The satellites after a lead, under the contact that is believed."""
    m = method.memory
    if (rig.cycle + 2) * rig.T + lead < mem[m + CELL.clear_until]:
        return flown(rig, satellites, lead)
    copy_latches(mem, m + CELL.latches, m + CELL.lead_latches)
    cycles = int(math.ceil(lead / rig.T - 1e-9))
    dt = lead / cycles
    for _ in range(cycles):
        satellites, steps = believed_cycle(
            mem,
            m + CELL.pairs,
            m + CELL.lead_latches,
            m + CELL.laws,
            method.number,
            rig,
            satellites,
            dt,
        )
        if steps == 0:
            satellites = flown(rig, satellites, dt)
    return satellites


@apart
def ahead(method, mem, rig, satellites):
    """Both satellites' motions after their leads."""
    m = method.memory
    lead_c, lead_t = mem[m + CELL.leads], mem[m + CELL.leads + TARGET]
    chaser, target = satellites, satellites
    if lead_c > 0.0:
        chaser = _ahead(method, mem, rig, satellites, lead_c)
    if lead_t == lead_c:
        target = chaser
    elif lead_t > 0.0:
        target = _ahead(method, mem, rig, satellites, lead_t)
    found = Output(motion_of(rig.chaser, chaser.chaser), motion_of(rig.target, target.target))
    growth_c, growth_t = mem[m + CELL.lead_rates], mem[m + CELL.lead_rates + TARGET]
    return Output(_faster(found.chaser, growth_c), _faster(found.target, growth_t))


@compiled
def _faster(motion, growth):
    """A motion along a path that is run through faster, by the growth of its lead."""
    return Motion(motion.p, motion.q, scale(1.0 + growth, motion.v), scale(1.0 + growth, motion.w))


@compiled
def _note_jump(mem, at, rate, was, now):
    store3(mem, at, subtract(was.p, now.p))
    store3(mem, at + OFFSET.turn, logarithm(product(inverse(now.q), was.q)))
    store3(mem, rate, subtract(was.v, now.v))
    store3(mem, rate + OFFSET.turn, subtract(was.w, now.w))


@compiled
def _with_offset(mem, at, rate, motion):
    return Motion(
        add(motion.p, load3(mem, at)),
        product(motion.q, exponential(load3(mem, at + OFFSET.turn))),
        add(motion.v, load3(mem, rate)),
        add(motion.w, load3(mem, rate + OFFSET.turn)),
    )


@compiled
def _fade(mem, at, rate, T):
    """Whether anything is left."""
    e, left = math.exp(-FADING * T), 0.0
    for i in range(2 * OFFSET_FLOATS):
        a = mem[rate + i] + FADING * mem[at + i]
        moved = mem[at + i] + a * T
        mem[at + i], mem[rate + i] = moved * e, (a - FADING * moved) * e
        left = max(left, abs(mem[at + i]) + abs(mem[rate + i]))
    return left > SETTLED


@apart
def smoothed(method, mem, rig, output, jumped):
    """Set-points without a jump; `jumped`: the satellites have, in this cycle."""
    at, rate = method.memory + CELL.offset, method.memory + CELL.offset_rate
    fading = method.memory + CELL.fading
    if not jumped and mem[fading] == 0.0:
        return output
    if jumped and mem[method.memory + CELL.any_sent] != 0.0:
        mem[fading] = 1.0
        was = load_both(mem, method.memory + CELL.output)
        was = Output(coasting(was.chaser, rig.T), coasting(was.target, rig.T))
        _note_jump(mem, at, rate, was.chaser, output.chaser)
        _note_jump(mem, at + OFFSET_FLOATS, rate + OFFSET_FLOATS, was.target, output.target)
    else:
        mem[fading] = 1.0 if _fade(mem, at, rate, rig.T) else 0.0
    output = Output(
        _with_offset(mem, at, rate, output.chaser),
        _with_offset(mem, at + OFFSET_FLOATS, rate + OFFSET_FLOATS, output.target),
    )
    return output


@compiled
def note_output(method, mem, output):
    store_both(mem, method.memory + CELL.output, output)
    mem[method.memory + CELL.any_sent] = 1.0
