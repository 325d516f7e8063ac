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
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.method.interface import Output, Rig, Satellites, Wrenches
from softdock.loop.nominal import lead_relative_motion
from softdock.loop.spatial.motion import Motion, coasting
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import exponential, inverse, logarithm, product
from softdock.loop.spatial.vectors import add, add_scaled, scale, subtract
from softdock.methods.model_mediated.free_flight import choose_delay, choose_lead
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.recomputed_past import AGED, has_own_future, is_nothing
from softdock.methods.model_mediated.satellite_steps import (
    BelievedContact,
    coast_both,
    drift,
    simulate_cycle,
)
from softdock.methods.model_mediated.state import STATE
from softdock.methods.remapping.other_wrenches import carry_ahead

PACE = 25.0  # 1/s, of a lead that is brought in
FADING = 90.0  # 1/s, of a jump
SETTLED = 1e-12  # m, rad, m/s, rad/s, s; what is below is none


@compiled
def adjust_leads(s, T, apart):
    """Leads a cycle nearer to the delays that are believed; `apart`: which offsets of the poses are
    to be told from."""
    for i in range(2):
        off = s.leads[i] - choose_lead(s.flight, i, apart)
        if abs(off) + abs(s.lead_rates[i]) < SETTLED:
            continue
        e = math.exp(-PACE * T)
        a = s.lead_rates[i] + PACE * off
        s.leads[i] += (off + a * T) * e - off
        s.lead_rates[i] = (a - PACE * (off + a * T)) * e
    s.delay = choose_delay(s.flight, 0)


@noinline
def _predict_in_touch(
    method: ModelMediated, mem, rig: Rig, satellites: Satellites, lead, future, others: Wrenches
):
    """The satellites after a lead in which they may touch. The future kept goes on, by a cycle and
    what the lead has gained, with what others gave in this cycle."""
    s, cycles, found, free = STATE(mem, method.memory), 1, satellites, is_nothing(others)
    dt = rig.T + (lead - future.lead)
    follows = future.stamp == rig.cycle and 0.0 < dt <= 2.0 * rig.T
    if follows and (free or future.age < AGED):
        found = future.satellites
        future.age += 0 if free else 1
    else:
        future.latches, future.inner = s.latches, s.inner
        cycles = int(math.ceil(lead / rig.T - 1e-9))
        dt, free = lead / cycles, True
        future.age = 0
    contact = BelievedContact(
        method.memory + STATE.at.pairs,
        future.latches,
        s.laws,
        s.elements,
        future.inner,
        method.number,
    )
    for _ in range(cycles):
        found, steps, _ = simulate_cycle(mem, contact, rig, found, dt)
        if steps == 0:
            found = coast_both(rig, found, dt)
    if not free:
        found = carry_ahead(rig, found, others, lead)
    future.stamp, future.lead, future.satellites = rig.cycle + 1, lead, found
    return found


@compiled
def predict_set_points(
    method: ModelMediated, mem, rig: Rig, satellites: Satellites, others: Wrenches
):
    """Both satellites' motions after their leads, under the contact that is believed; `others`:
    what else has pushed them in this cycle."""
    s, end = STATE(mem, method.memory), (rig.cycle + 2) * rig.T
    lead_c, lead_t = s.leads[CHASER], s.leads[TARGET]
    chaser, target, clear = satellites.chaser, satellites.target, s.clear_until
    if end + lead_c < clear and end + lead_t < clear:
        if lead_c > 0.0:
            chaser = drift(rig.chaser, lead_c, chaser)
        if lead_t > 0.0:
            target = drift(rig.target, lead_t, target)
    else:
        chaser, target = _predict_both_in_touch(
            method, mem, rig, satellites, lead_c, lead_t, others
        )
    found = Output(
        lead_relative_motion(rig, mem, motion_of(rig.chaser, chaser), lead_c),
        lead_relative_motion(rig, mem, motion_of(rig.target, target), lead_t),
    )
    return Output(
        _speed_up(found.chaser, s.lead_rates[CHASER]),
        _speed_up(found.target, s.lead_rates[TARGET]),
    )


@noinline
def _predict_both_in_touch(
    method: ModelMediated, mem, rig: Rig, satellites: Satellites, lead_c, lead_t, others: Wrenches
):
    """The chaser after its lead, the target after its own."""
    s, chaser, target = STATE(mem, method.memory), satellites, satellites
    if lead_c > 0.0:
        chaser = _predict_in_touch(method, mem, rig, satellites, lead_c, s.futures[CHASER], others)
    if lead_t > 0.0 and not has_own_future(s, TARGET):
        target = chaser
    elif lead_t > 0.0:
        target = _predict_in_touch(method, mem, rig, satellites, lead_t, s.futures[TARGET], others)
    return chaser.chaser, target.target


@compiled
def _speed_up(motion: Motion, growth):
    """A motion along a path that is run through faster, by the growth of its lead."""
    return Motion(motion.p, motion.q, scale(1.0 + growth, motion.v), scale(1.0 + growth, motion.w))


@compiled
def _note_jump(offset, rate, was: Motion, now: Motion):
    offset.place = subtract(was.p, now.p)
    offset.turn = logarithm(product(inverse(now.q), was.q))
    rate.place, rate.turn = subtract(was.v, now.v), subtract(was.w, now.w)


@compiled
def _add_offset(offset, rate, motion: Motion):
    return Motion(
        add(motion.p, offset.place),
        product(motion.q, exponential(offset.turn)),
        add(motion.v, rate.place),
        add(motion.w, rate.turn),
    )


@compiled
def _fade_vector(offset, rate, e, T):
    """Offset and rate a cycle on, critically damped, and the largest of their sums."""
    a = add_scaled(rate, FADING, offset)
    moved = add_scaled(offset, T, a)
    x, v = scale(e, moved), scale(e, add_scaled(a, -FADING, moved))
    left = max(abs(x[0]) + abs(v[0]), max(abs(x[1]) + abs(v[1]), abs(x[2]) + abs(v[2])))
    return x, v, left


@compiled
def _fade(s, T):
    """Whether anything is left."""
    e, left = math.exp(-FADING * T), 0.0
    for which in range(2):
        offset, rate = s.offset[which], s.offset_rate[which]
        offset.place, rate.place, placed = _fade_vector(offset.place, rate.place, e, T)
        offset.turn, rate.turn, turned = _fade_vector(offset.turn, rate.turn, e, T)
        left = max(left, max(placed, turned))
    return left > SETTLED


@compiled
def smooth_jump(method: ModelMediated, mem, rig: Rig, output: Output, jumped):
    """Set-points without a jump; `jumped`: the satellites have, in this cycle."""
    s = STATE(mem, method.memory)
    if not jumped and not s.fading:
        return output
    return _fade_jump(s, rig.T, output, jumped)


@noinline
def _fade_jump(s, T, output: Output, jumped):
    chaser, target = s.offset[CHASER], s.offset[TARGET]
    chaser_rate, target_rate = s.offset_rate[CHASER], s.offset_rate[TARGET]
    if jumped and s.any_sent:  # both as they were a cycle ago: pasts taken over cycle by cycle fade
        was, now = s.output, output
        _note_jump(chaser, chaser_rate, was.chaser, coasting(now.chaser, -T))
        _note_jump(target, target_rate, was.target, coasting(now.target, -T))
    s.fading = _fade(s, T)
    return Output(
        _add_offset(chaser, chaser_rate, output.chaser),
        _add_offset(target, target_rate, output.target),
    )
