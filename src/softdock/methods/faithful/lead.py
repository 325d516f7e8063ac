"""Set-points ahead of the satellites, each by the delay that its robot has shown: where the
satellites will be, under the contact that is believed.

While nothing but the believed contact acts, that future is the one of the cycle before a cycle
later: it goes on, and is computed whole only where a past has taken over. Where others push it goes
on as well, with their push carried ahead as if nothing touched on the way, and is computed whole
every AGED cycles.

When a recomputed past takes over, the set-points do not jump: the difference in pose and twist
from where they would have gone on to fades, critically damped.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import TARGET
from softdock.loop.method.interface import Output
from softdock.loop.spatial.motion import Motion, coasting
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import exponential, inverse, logarithm, product
from softdock.loop.spatial.vectors import add, load3, scale, store3, subtract
from softdock.methods.faithful.cells import (
    CELL,
    FUTURE,
    FUTURE_FLOATS,
    OFFSET,
    OFFSET_FLOATS,
)
from softdock.methods.faithful.free_flight import delay_of
from softdock.methods.faithful.recomputed_future import AGED, has_own_future
from softdock.methods.faithful.recomputed_past import forget_both, is_nothing
from softdock.methods.faithful.satellite_steps import Twin, believed_cycle, drifted, flown
from softdock.methods.faithful.touches import copy_latches
from softdock.methods.measured.motions import (
    load_both,
    load_satellites,
    store_both,
    store_satellites,
)
from softdock.methods.remapping.other_wrenches import carried_ahead

PACE = 25.0  # 1/s, of a lead that is brought in
FADING = 60.0  # 1/s, of a jump
SETTLED = 1e-12  # m, rad, m/s, rad/s, s; what is below is none


@compiled
def bring_in(method, mem, T):
    """Leads a cycle nearer to the delays that are believed."""
    m = method.memory
    for i in range(2):
        off = mem[m + CELL.leads + i] - delay_of(mem, m + CELL.flight, i)
        if abs(off) + abs(mem[m + CELL.lead_rates + i]) < SETTLED:
            continue
        e = math.exp(-PACE * T)
        a = mem[m + CELL.lead_rates + i] + PACE * off
        mem[m + CELL.leads + i] += (off + a * T) * e - off
        mem[m + CELL.lead_rates + i] = (a - PACE * (off + a * T)) * e
    mem[m + CELL.delay] = delay_of(mem, m + CELL.flight, 0)


@compiled
def forget_futures(method, mem):
    """Satellites or laws are others than the futures were computed with."""
    forget_both(mem, method.memory + CELL.futures)


@noinline
def _in_touch(method, mem, rig, satellites, lead, at, others):
    """The satellites after a lead in which they may touch. The future kept at `at` goes on, by a
    cycle and what the lead has gained, with what others gave in this cycle."""
    m, cycles, found, free = method.memory, 1, satellites, is_nothing(others)
    dt = rig.T + (lead - mem[at + FUTURE.lead])
    follows = mem[at + FUTURE.stamp] == rig.cycle and 0.0 < dt <= 2.0 * rig.T
    if follows and (free or mem[at + FUTURE.age] < AGED):
        found = load_satellites(mem, at + FUTURE.satellites)
        mem[at + FUTURE.age] += 0.0 if free else 1.0
    else:
        copy_latches(mem, m + CELL.latches, at + FUTURE.latches)
        cycles = int(math.ceil(lead / rig.T - 1e-9))
        dt, free = lead / cycles, True
        mem[at + FUTURE.age] = 0.0
    twin = Twin(m + CELL.pairs, at + FUTURE.latches, m + CELL.laws, method.number)
    for _ in range(cycles):
        found, steps, _ = believed_cycle(mem, twin, rig, found, dt)
        if steps == 0:
            found = flown(rig, found, dt)
    if not free:
        found = carried_ahead(rig, found, others, lead)
    mem[at + FUTURE.stamp], mem[at + FUTURE.lead] = rig.cycle + 1.0, lead
    store_satellites(mem, at + FUTURE.satellites, found)
    return found


@compiled
def ahead(method, mem, rig, satellites, others):
    """Both satellites' motions after their leads, under the contact that is believed; `others`:
    what else has pushed them in this cycle."""
    m, end = method.memory, (rig.cycle + 2) * rig.T
    lead_c, lead_t = mem[m + CELL.leads], mem[m + CELL.leads + TARGET]
    chaser, target, clear = satellites.chaser, satellites.target, mem[m + CELL.clear_until]
    if end + lead_c < clear and end + lead_t < clear:
        if lead_c > 0.0:
            chaser = drifted(rig.chaser, lead_c, chaser)
        if lead_t > 0.0:
            target = drifted(rig.target, lead_t, target)
    else:
        chaser, target = _both_in_touch(method, mem, rig, satellites, lead_c, lead_t, others)
    found = Output(motion_of(rig.chaser, chaser), motion_of(rig.target, target))
    growth_c, growth_t = mem[m + CELL.lead_rates], mem[m + CELL.lead_rates + TARGET]
    return Output(_faster(found.chaser, growth_c), _faster(found.target, growth_t))


@noinline
def _both_in_touch(method, mem, rig, satellites, lead_c, lead_t, others):
    """The chaser after its lead, the target after its own."""
    at, chaser, target = method.memory + CELL.futures, satellites, satellites
    if lead_c > 0.0:
        chaser = _in_touch(method, mem, rig, satellites, lead_c, at, others)
    if lead_t > 0.0 and not has_own_future(mem, method.memory, TARGET):
        target = chaser
    elif lead_t > 0.0:
        at += FUTURE_FLOATS
        target = _in_touch(method, mem, rig, satellites, lead_t, at, others)
    return chaser.chaser, target.target


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


@compiled
def smoothed(method, mem, rig, output, jumped):
    """Set-points without a jump; `jumped`: the satellites have, in this cycle."""
    if not jumped and mem[method.memory + CELL.fading] == 0.0:
        return output
    return _faded(method.memory, mem, rig.T, output, jumped)


@noinline
def _faded(m, mem, T, output, jumped):
    at, rate, fading = m + CELL.offset, m + CELL.offset_rate, m + CELL.fading
    if jumped and mem[m + CELL.any_sent] != 0.0:
        mem[fading] = 1.0
        was = load_both(mem, m + CELL.output)
        was = Output(coasting(was.chaser, T), coasting(was.target, T))
        _note_jump(mem, at, rate, was.chaser, output.chaser)
        _note_jump(mem, at + OFFSET_FLOATS, rate + OFFSET_FLOATS, was.target, output.target)
    else:
        mem[fading] = 1.0 if _fade(mem, at, rate, T) else 0.0
    return Output(
        _with_offset(mem, at, rate, output.chaser),
        _with_offset(mem, at + OFFSET_FLOATS, rate + OFFSET_FLOATS, output.target),
    )


@compiled
def note_output(method, mem, output):
    store_both(mem, method.memory + CELL.output, output)
    mem[method.memory + CELL.any_sent] = 1.0
