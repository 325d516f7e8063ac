"""The satellites' past recomputed under a law that is better known, from the last instant at which
they did not touch; and the set-points ahead of it, where it leads after the lead of each robot.

Some cycles of the past are recomputed in each cycle, until it has caught up with the present; then
some of what is ahead of it, so that no cycle has to compute the whole of either. When all is known
it takes over. At every instant the satellites are therefore where one passive contact, from one
touch on, has led them. Nothing of a law that was believed in between remains in them.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import TARGET
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.loop.method.interface import Past, Rig, Satellites, Wrenches
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import Body
from softdock.loop.spatial.vectors import add, dot, scale, subtract
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.satellite_steps import (
    BelievedContact,
    coast_both,
    compute_contact_impulse,
    forget_inner,
    simulate_cycle,
)
from softdock.methods.model_mediated.state import PAST, STATE
from softdock.methods.remapping.other_wrenches import add_others

MOST_CYCLES, MOST_STEPS = 16, 48  # recomputed in one cycle; steps, of which a cycle has several
SAME = 1e-7  # of a law's numbers: a smaller change is none
WORTH = 1e-3  # while a contact lasts, a smaller one waits until it is over


@compiled
def find_row(method: ModelMediated, mem, stamp):
    return PAST(mem, row_of(Ring(method.memory + STATE.size, method.rows, PAST.size), stamp))


@compiled
def note_others(method: ModelMediated, mem, stamp, others: Wrenches):
    """What others gave the satellites in the cycle that begins at a stamp."""
    find_row(method, mem, stamp).others = others


@compiled
def is_nothing(wrenches: Wrenches):
    c, t = wrenches.chaser, wrenches.target
    return (
        dot(c.force, c.force)
        + dot(c.torque, c.torque)
        + dot(t.force, t.force)
        + dot(t.torque, t.torque)
        == 0.0
    )


@compiled
def _differs(a, b, least):
    return abs(a - b) > least * (abs(a) + abs(b))


@noinline
def laws_differ(one, other, count, least):
    """Whether two sets of laws differ by more than a share `least` of their numbers."""
    for i in range(count):
        a, b = one[i].whole, other[i].whole
        if (
            _differs(a.stiffness, b.stiffness, least)
            or _differs(a.power, b.power, least)
            or _differs(a.friction, b.friction, least)
            or (a.friction > 0.0 and _differs(a.slip, b.slip, least))
            or _differs(a.damping, b.damping, least)
            or _differs(a.factor, b.factor, least)
            or _differs(a.preload, b.preload, least)
            or _differs(a.ramp, b.ramp, least)
            or a.pulls != b.pulls
            or a.elements != b.elements
        ):
            return True
    return False


@compiled
def forget_futures(futures):
    """Satellites or laws are others than the futures of both robots were computed with."""
    futures[0].stamp, futures[1].stamp = -1, -1


@compiled
def begin_past(s):
    """Recompute the past, under the laws as last fitted."""
    s.shadow_laws, s.shadow_latches = s.found, s.start_latches
    s.shadow_elements = s.found_elements
    forget_inner(s.shadow_inner, MOST_PAIRS)
    s.shadow, s.shadow_stamp, s.turned = s.start, s.start_stamp, False
    forget_futures(s.shadow_futures)
    s.shadow_largest, s.shadow_impulse = 0.0, (0.0, 0.0, 0.0)


@noinline
def begin_earlier(method: ModelMediated, mem, rig: Rig, cycles):
    """The past so many cycles earlier: nothing touched in them."""
    s, nothing = STATE(mem, method.memory), no_wrench()
    s.start, s.start_stamp = coast_both(rig, s.start, -cycles * rig.T), s.start_stamp - cycles
    for j in range(cycles):
        note_others(method, mem, s.start_stamp + j, Wrenches(nothing, nothing))


@noinline
def carry_past(method: ModelMediated, mem, rig: Rig):
    """Some cycles of it; whether it has caught up."""
    s = STATE(mem, method.memory)
    stamp, satellites = s.shadow_stamp, s.shadow
    end, spent = min(rig.cycle, stamp + MOST_CYCLES), 0
    contact = BelievedContact(
        method.memory + STATE.at.pairs,
        s.shadow_latches,
        s.shadow_laws,
        s.shadow_elements,
        s.shadow_inner,
        method.number,
    )
    while stamp < end and spent < MOST_STEPS:
        before = satellites
        satellites, steps, most = simulate_cycle(mem, contact, rig, satellites, rig.T)
        spent += steps + 1
        impulse = compute_contact_impulse(rig, before, satellites)
        if steps == 0:
            satellites = coast_both(rig, satellites, rig.T)
        others = find_row(method, mem, stamp).others
        if not is_nothing(others):
            satellites = add_others(rig, satellites, others)
        stamp += 1
        _note_past(method, mem, rig, stamp, satellites, impulse, most)
    s.shadow, s.shadow_stamp = satellites, stamp
    return stamp == rig.cycle


@compiled
def _note_past(method: ModelMediated, mem, rig: Rig, stamp, satellites: Satellites, impulse, most):
    """A recomputed cycle that ends at a stamp; `most`: its largest force, squared."""
    s, row = STATE(mem, method.memory), find_row(method, mem, stamp)
    row.satellites, row.force, row.largest = satellites, scale(1.0 / rig.T, impulse), most
    s.shadow_impulse = add(s.shadow_impulse, impulse)
    s.shadow_largest = max(s.shadow_largest, most)


@compiled
def read_past(method, mem, stamp):
    """The recomputed past, as long as no other is begun."""
    row = find_row(method, mem, stamp)
    return Past(row.satellites, row.force, row.largest)


@compiled
def compute_mean_wrenches(rig: Rig, before: Satellites, after: Satellites):
    """What a cycle of the contact did to both, as constant wrenches."""
    per, impulse = 1.0 / rig.T, compute_contact_impulse(rig, before, after)
    force = scale(per, impulse)
    return Wrenches(
        _compute_mean_wrench(per, before.chaser, after.chaser, force),
        _compute_mean_wrench(per, before.target, after.target, scale(-1.0, force)),
    )


@compiled
def _compute_mean_wrench(per, before: Body, after: Body, force):
    return Wrench(force, scale(per, subtract(after.L, before.L)))


# Set-points ahead of a recomputed past

ONE_LEAD = 1e-9  # s; leads that differ by less are one
AGED = 16  # cycles in which others have pushed, after which a future is computed whole


@compiled
def has_own_future(s, which):
    """Whether a robot's future is another than the present, and than the chaser's."""
    lead = s.leads[which]
    return lead > 0.0 and (which == 0 or abs(lead - s.leads[0]) >= ONE_LEAD)


@compiled
def _begin_future(s, rig: Rig, future, lead):
    """Begin at the newest instant that the recomputed past has reached."""
    future.satellites, future.latches = s.shadow, s.shadow_latches
    future.inner = s.shadow_inner
    future.stamp, future.lead, future.age = rig.cycle, lead, 0
    future.left = int(math.ceil(lead / rig.T - 1e-9))


@noinline
def _carry_future(method: ModelMediated, mem, rig: Rig, future, steps_left):
    """One robot's future, first over its lead, then with the present; the steps that are left."""
    s, found = STATE(mem, method.memory), future.satellites
    lead, left, stamp = future.lead, future.left, future.stamp
    contact = BelievedContact(
        method.memory + STATE.at.pairs,
        future.latches,
        s.shadow_laws,
        s.shadow_elements,
        future.inner,
        method.number,
    )
    while steps_left > 0 and (left > 0 or stamp < rig.cycle):
        dt = lead / math.ceil(lead / rig.T - 1e-9) if left > 0 else rig.T
        found, steps, _ = simulate_cycle(mem, contact, rig, found, dt)
        if steps == 0:
            found = coast_both(rig, found, dt)
        steps_left -= steps + 1
        if left > 0:
            left -= 1
        else:
            stamp += 1
    future.satellites, future.left, future.stamp = found, left, stamp
    return steps_left


@noinline
def carry_futures(method: ModelMediated, mem, rig: Rig):
    """Some cycles of what is ahead of a past that has caught up; whether all is known."""
    s, ready, steps_left = STATE(mem, method.memory), True, MOST_STEPS
    for which in range(2):
        if not has_own_future(s, which):
            continue
        future = s.shadow_futures[which]
        if future.stamp < 0:
            _begin_future(s, rig, future, s.leads[which])
        steps_left = _carry_future(method, mem, rig, future, steps_left)
        ready = ready and future.left == 0 and future.stamp == rig.cycle
    return ready


@compiled
def take_futures(s):
    """Make the prepared set-points the satellites' own; where others push, they are computed
    whole."""
    s.futures = s.shadow_futures
    s.futures[0].age, s.futures[1].age = AGED, AGED


assert TARGET == 1  # of `which`
