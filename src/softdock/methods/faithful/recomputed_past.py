"""The satellites' past recomputed under a law that is better known, from the last instant at which
they did not touch.

Some cycles of the past are recomputed in each cycle, until it has caught up with the present; then
it takes over. At every instant the satellites are therefore where one passive contact, from one
touch on, has led them. Nothing of a law that was believed in between remains in them.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Past, Wrenches
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import BODY_FLOATS
from softdock.loop.spatial.vectors import add, dot, load3, scale, store3, subtract
from softdock.methods.faithful.cells import (
    CELL,
    FUTURE,
    FUTURE_FLOATS,
    PAST,
    PAST_FLOATS,
    RING_AT,
)
from softdock.methods.faithful.law import LAW, LAW_FLOATS
from softdock.methods.faithful.satellite_steps import (
    Twin,
    believed_cycle,
    contact_impulse,
    flown,
)
from softdock.methods.faithful.touches import copy_latches
from softdock.methods.measured.motions import (
    load_satellites,
    load_wrenches,
    store_satellites,
    store_wrenches,
)
from softdock.methods.remapping.other_wrenches import with_others

MOST_CYCLES, MOST_STEPS = 16, 48  # recomputed in one cycle; steps, of which a cycle has several
SAME = 1e-7  # of a law's numbers: a smaller change is none
WORTH = 1e-3  # while a contact lasts, a smaller one waits until it is over


@compiled
def _row(method, stamp):
    return row_of(Ring(method.memory + RING_AT, method.rows, PAST_FLOATS), stamp)


@compiled
def note_others(method, mem, stamp, others):
    """What others gave the satellites in the cycle that begins at a stamp."""
    store_wrenches(mem, _row(method, stamp) + PAST.others, others)


@compiled
def others_at(method, mem, stamp):
    return load_wrenches(mem, _row(method, stamp) + PAST.others)


@compiled
def is_nothing(wrenches):
    c, t = wrenches.chaser, wrenches.target
    return (
        dot(c.force, c.force)
        + dot(c.torque, c.torque)
        + dot(t.force, t.force)
        + dot(t.torque, t.torque)
        == 0.0
    )


@compiled
def copy_laws(mem, source, to, count):
    for i in range(count * LAW_FLOATS):
        mem[to + i] = mem[source + i]


@compiled
def _differs(a, b, least):
    return abs(a - b) > least * (abs(a) + abs(b))


@noinline
def laws_differ(mem, one, other, count, least):
    """Whether two sets of laws differ by more than a share `least` of their numbers."""
    for i in range(count):
        a, b = one + i * LAW_FLOATS, other + i * LAW_FLOATS
        if (
            _differs(mem[a + LAW.stiffness], mem[b + LAW.stiffness], least)
            or _differs(mem[a + LAW.power], mem[b + LAW.power], least)
            or _differs(mem[a + LAW.friction], mem[b + LAW.friction], least)
            or (
                mem[a + LAW.friction] > 0.0
                and _differs(mem[a + LAW.slip], mem[b + LAW.slip], least)
            )
            or _differs(mem[a + LAW.damping], mem[b + LAW.damping], least)
            or _differs(mem[a + LAW.factor], mem[b + LAW.factor], least)
            or _differs(mem[a + LAW.preload], mem[b + LAW.preload], least)
            or _differs(mem[a + LAW.ramp], mem[b + LAW.ramp], least)
            or mem[a + LAW.pulls] != mem[b + LAW.pulls]
        ):
            return True
    return False


@compiled
def forget_both(mem, at):
    """Futures of both robots: there are none."""
    mem[at + FUTURE.stamp], mem[at + FUTURE_FLOATS + FUTURE.stamp] = -1.0, -1.0


@compiled
def begin_past(method, mem):
    """Recompute the past, under the laws as last fitted."""
    m = method.memory
    copy_laws(mem, m + CELL.found, m + CELL.shadow_laws, method.number)
    copy_latches(mem, m + CELL.start_latches, m + CELL.shadow_latches)
    for i in range(2 * BODY_FLOATS):
        mem[m + CELL.shadow + i] = mem[m + CELL.start + i]
    mem[m + CELL.shadow_stamp] = mem[m + CELL.start_stamp]
    forget_both(mem, m + CELL.shadow_futures)
    mem[m + CELL.shadow_largest] = 0.0
    store3(mem, m + CELL.shadow_impulse, (0.0, 0.0, 0.0))


@noinline
def carry_past(method, mem, rig):
    """Some cycles of it; whether it has caught up."""
    m = method.memory
    stamp = int(mem[m + CELL.shadow_stamp])
    satellites = load_satellites(mem, m + CELL.shadow)
    end, spent = min(rig.cycle, stamp + MOST_CYCLES), 0
    latches, laws = m + CELL.shadow_latches, m + CELL.shadow_laws
    twin = Twin(m + CELL.pairs, latches, laws, method.number)
    while stamp < end and spent < MOST_STEPS:
        before = satellites
        satellites, steps, most = believed_cycle(mem, twin, rig, satellites, rig.T)
        spent += steps + 1
        impulse = contact_impulse(rig, before, satellites)
        if steps == 0:
            satellites = flown(rig, satellites, rig.T)
        others = others_at(method, mem, stamp)
        if not is_nothing(others):
            satellites = with_others(rig, satellites, others)
        stamp += 1
        _note_past(method, mem, rig, stamp, satellites, impulse, most)
    store_satellites(mem, m + CELL.shadow, satellites)
    mem[m + CELL.shadow_stamp] = float(stamp)
    return stamp == rig.cycle


@compiled
def _note_past(method, mem, rig, stamp, satellites, impulse, most):
    """A recomputed cycle that ends at a stamp; `most`: its largest force, squared."""
    m, at = method.memory, _row(method, stamp)
    store_satellites(mem, at + PAST.satellites, satellites)
    store3(mem, at + PAST.force, scale(1.0 / rig.T, impulse))
    mem[at + PAST.largest] = most
    store3(mem, m + CELL.shadow_impulse, add(load3(mem, m + CELL.shadow_impulse), impulse))
    mem[m + CELL.shadow_largest] = max(mem[m + CELL.shadow_largest], most)


@compiled
def past(method, mem, stamp):
    """The recomputed past, as long as no other is begun."""
    at = _row(method, stamp)
    return Past(
        load_satellites(mem, at + PAST.satellites),
        load3(mem, at + PAST.force),
        mem[at + PAST.largest],
    )


@compiled
def mean_wrenches(rig, before, after):
    """What a cycle of the contact did to both, as constant wrenches."""
    per, impulse = 1.0 / rig.T, contact_impulse(rig, before, after)
    force = scale(per, impulse)
    return Wrenches(
        _mean(rig.chaser, per, before.chaser, after.chaser, force),
        _mean(rig.target, per, before.target, after.target, scale(-1.0, force)),
    )


@compiled
def _mean(params, per, before, after, force):
    return Wrench(force, scale(per, subtract(after.L, before.L)))
