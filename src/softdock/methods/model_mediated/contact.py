"""The course of a contact in `model_mediated`, from the last instant at which nothing touched to
its end.

It decides what is learnt in between, when the past is recomputed (recomputed_past.py), and when the
energy ledger takes over (fallback.py). In: readings and satellites of the cycle, world axes. Out:
the phase of the contact in the method's cells.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.contact.keys import PAIR
from softdock.loop.contact.pair import PAIR_FLOATS
from softdock.loop.contact.prepare import store_pair
from softdock.loop.method.corrected import take_past
from softdock.loop.method.interface import Measured, Output, Rig, Satellites
from softdock.loop.nominal import is_relative, relative_velocity
from softdock.loop.spatial.vectors import add_scaled, norm, subtract
from softdock.methods.measured.line_of_action import satellite_motions
from softdock.methods.measured.projection import pair_energy
from softdock.methods.model_mediated.fallback import (
    forget_ledger,
    is_ledger_open,
    make_ledger,
    may_learn,
)
from softdock.methods.model_mediated.free_flight import choose_lead, note_delay
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.lead import adjust_leads
from softdock.methods.model_mediated.pose_offset import LEADS, note_lead, note_pose
from softdock.methods.model_mediated.recomputed_past import (
    SAME,
    WORTH,
    begin_earlier,
    begin_past,
    forget_futures,
    laws_differ,
    take_futures,
)
from softdock.methods.model_mediated.satellite_steps import forget_inner
from softdock.methods.model_mediated.state import STATE
from softdock.methods.model_mediated.surface import move_declared
from softdock.methods.model_mediated.touches import bound_free_time, find_depth, find_places

APART, BY_LEDGER, TOUCHING, FINISHING = 0, 1, 2, 3  # phases; from 2 on: held in a contact
NEITHER, FLIES, OVER = 0, 1, 2  # what follow_contact finds
IN_A_ROW = 3  # samples of a force that the shapes do not explain, before it is believed
FARTHEST = 8e-3  # m; a surface is not farther from where it is declared
MATTERS = 1e-3  # of the approach speed, in a cycle
CLEAR = 3  # cycles without any touch after which a contact is over
STEADY = 2e-3  # rate of a lead below which it does not disturb the delay that is read
MOST_AGE = LEADS - 4  # cycles, of a pose whose lead is still known
SWIFTEST = 1.0  # m/s^2; no satellite is accelerated beyond, while nothing touches
PAIR_KEYS = PAIR.size  # floats of a pair in the vector


@noinline
def prepare_pairs(method: ModelMediated, mem):
    """The mock-ups' shapes; of their laws nothing."""
    s = STATE(mem, method.memory)
    s.ready, s.shadow_stamp, s.last_touch = True, -1, -1.0
    for which in range(2):
        s.flight.poses[which].looked = not (_tells_apart(method, mem) and method.lead)
    for i in range(method.number):
        at = method.memory + STATE.at.pairs + i * PAIR_FLOATS
        store_pair(method.vector, method.pairs_at + i * PAIR_KEYS, mem, at, False)
        pair, law, surface = s.pairs[i], s.found[i], s.surfaces[i]
        surface.axis, surface.origin = pair.shape.axis, pair.origin
        s.reach = max(s.reach, norm(pair.tip) + pair.tip_radius)
        law.power, law.slip = 1.0, 1e-3
    s.laws = s.found


@compiled
def _tells_apart(method: ModelMediated, mem):
    """Whether an offset is told from a delay: relative to a motion that turns no flight is
    straight."""
    return method.poses and not is_relative(mem)


@compiled
def learn_flight(method: ModelMediated, mem, rig: Rig, measured: Measured, satellites: Satellites):
    """How late the robots are, while nothing touches and the leads are steady; the leads are
    brought in."""
    s, apart = STATE(mem, method.memory), _tells_apart(method, mem)
    if method.lead:
        adjust_leads(s, rig.T, apart)
    for which in range(2):
        note_lead(s.flight.poses[which], rig.cycle + 1, s.leads[which], s.lead_rates[which])
    if s.fading:
        return  # the mock-ups are on their way to where the satellites have been moved
    age, mock_ups = measured.pose_age, measured.mock_ups
    c, t = satellites.chaser, satellites.target
    if s.shared:
        v, relative = subtract(c.v, t.v), subtract(c.p, t.p)
        shown = subtract(mock_ups.chaser.p, mock_ups.target.p)
        gap = add_scaled(subtract(shown, relative), age, v)
        _learn_report(apart, s, rig, CHASER, age, v, gap)
        return
    gap_c = add_scaled(subtract(mock_ups.chaser.p, c.p), age, c.v)
    gap_t = add_scaled(subtract(mock_ups.target.p, t.p), age, t.v)
    _learn_report(apart, s, rig, CHASER, age, relative_velocity(rig, mem, c.p, c.v), gap_c)
    _learn_report(apart, s, rig, TARGET, age, relative_velocity(rig, mem, t.p, t.v), gap_t)


@compiled
def _learn_report(apart, s, rig: Rig, which, age, v, gap):
    """Delay and, told `apart`, offset of a robot from one report; `gap`: of its mock-up to the
    satellite then."""
    poses = s.flight.poses[which]
    if apart and s.contacts == 0 and age < MOST_AGE * rig.T:
        target = choose_lead(s.flight, which, apart)
        was = poses.offset
        delay = note_pose(poses, rig.cycle * rig.T - age, rig.T, v, gap, target)
        if delay >= 0.0:
            s.flight.delays[which] = delay
        if was != poses.offset:
            s.mock_clear_until = 0.0
    if abs(s.lead_rates[which]) < STEADY:
        note_delay(s.flight, which, s.leads[which], v, subtract(gap, poses.offset))


@compiled
def _compute_force_that_matters(rig: Rig, satellites: Satellites):
    """The force that changes the approach by 1 % in ten cycles [N]."""
    v = norm(subtract(satellites.chaser.v, satellites.target.v))
    c, t = rig.chaser, rig.target
    ease = (0.0 if c.fixed else c.inverse_mass[0]) + (0.0 if t.fixed else t.inverse_mass[0])
    return MATTERS * v / (rig.T * max(ease, 1e-30))


@compiled
def is_quick(s, rig: Rig):
    """Whether nothing can touch in this cycle; it is noted."""
    s.quick = (
        s.phase == APART
        and rig.cycle * rig.T + rig.T < s.clear_until
        and not s.touching
        and s.unexplained_now == 0
    )
    return s.quick


@noinline
def _note_unfelt(method: ModelMediated, mem, motions: Output):
    """Pairs that the satellites touch and of which no law is known yet."""
    s, pairs = STATE(mem, method.memory), method.memory + STATE.at.pairs
    for i in range(method.number):
        if s.fits[i].model == 0:
            found = find_places(mem, pairs, s.latches, i, motions.chaser, motions.target)
            if max(found.first.depth, found.second.depth) > 0.0:
                s.unfelt[i] = True


@noinline
def _move_surface(method: ModelMediated, mem, rig: Rig, satellites: Satellites):
    """The surface that pushes while the known shapes are apart to where it was felt first, for
    mock-ups and satellites; these are looked at again from before."""
    s, i = STATE(mem, method.memory), STATE(mem, method.memory).onset_pair
    pair, gap = s.pairs[i], s.onset_gap
    pair.origin = add_scaled(pair.origin, gap, s.onset_normal)
    move_declared(s.surfaces[i], gap, s.onset_normal)
    s.moved[i] += gap
    s.onset_gap, s.unexplained_now, s.mock_clear_until, s.clear_until = 0.0, 0, 0.0, 0.0
    s.start, s.start_stamp, s.start_latches = satellites, rig.cycle, s.latches
    begin_earlier(method, mem, rig, int(math.ceil((rig.cycle * rig.T - s.onset_time) / rig.T)) + 1)
    forget_futures(s.futures)


@noinline
def follow_contact(method: ModelMediated, mem, rig: Rig, satellites: Satellites):
    """Where the contact stands: NEITHER, FLIES (nothing touches) or OVER."""
    s, t, motions = STATE(mem, method.memory), rig.cycle * rig.T, satellite_motions(rig, satellites)
    pairs = method.memory + STATE.at.pairs
    depth = find_depth(mem, pairs, s.latches, method.number, motions.chaser, motions.target)
    s.depth = depth
    if depth > 0.0:
        _note_unfelt(method, mem, motions)
    phase, mock_ups_touch = s.phase, s.touching
    if phase == BY_LEDGER:
        ledger = make_ledger(method, mem, rig.T)
        if depth <= 0.0 and not mock_ups_touch and not is_ledger_open(ledger, mem):
            s.phase = APART
        return NEITHER
    strange = s.unexplained_now >= IN_A_ROW and not method.hands
    if strange and phase == APART and method.surface and 0.0 < s.onset_gap < FARTHEST:
        _move_surface(method, mem, rig, satellites)
        return NEITHER
    if (
        method.ledger
        and phase == APART
        and (strange or ((depth > 0.0 or mock_ups_touch) and not may_learn(method, s)))
    ):
        s.phase, s.booked = BY_LEDGER, 0.0
        if strange:
            s.strange += 1
        else:
            s.blind += 1
        forget_ledger(method, mem, rig.T)
        return NEITHER
    if phase == APART and depth <= 0.0:
        s.start, s.start_stamp, s.start_latches = satellites, rig.cycle, s.latches
        s.frozen, s.samples, s.given = False, 0, 0.0
        s.matters = _compute_force_that_matters(rig, satellites)
        s.clear_until = t + bound_free_time(
            -depth, motions.chaser, motions.target, s.reach, SWIFTEST
        )
        return NEITHER if mock_ups_touch else FLIES
    if phase == APART:
        s.phase, s.clear = TOUCHING, 0
        s.contacts += 1
        forget_inner(s.inner, method.number)
        return NEITHER
    if rig.cycle - s.start_stamp > method.rows - 2:
        s.frozen = True
    if depth > 0.0 or mock_ups_touch:
        s.clear = 0
        return NEITHER
    s.clear += 1
    return OVER if phase == TOUCHING and s.clear >= CLEAR else NEITHER


@noinline
def believe_laws(method: ModelMediated, mem, over):
    """Act on what was found: at once while nothing touches, else by recomputing the past."""
    s = STATE(mem, method.memory)
    at_once = s.phase <= BY_LEDGER or not method.rewind
    least = SAME if at_once or over else WORTH
    differs = laws_differ(s.found, s.laws, method.number, least) or s.turned
    if at_once:
        if differs:
            s.laws, s.turned = s.found, False
            s.elements = s.found_elements
            forget_futures(s.futures)
        if over:
            s.phase = APART
        return
    if over:
        s.shadow_stamp = -1
        if s.frozen and (s.turned or laws_differ(s.found, s.laws, method.number, WORTH)):
            s.overlong += 1
        if differs and not s.frozen:
            begin_past(s)
            s.phase = FINISHING
        else:
            s.phase = APART
    elif differs and not s.frozen and s.shadow_stamp < 0:
        begin_past(s)


@noinline
def take_over_past(method: ModelMediated, mem, rig: Rig, satellites: Satellites):
    """The recomputed past has caught up: the satellites are there."""
    s = STATE(mem, method.memory)
    corrected = s.shadow
    s.laws, s.latches = s.shadow_laws, s.shadow_latches
    s.elements, s.inner = s.shadow_elements, s.shadow_inner
    take_futures(s)
    cycles = rig.cycle - s.start_stamp
    s.rewound = min(cycles, method.rows)  # of more, the oldest are not kept
    s.longest = max(s.longest, cycles)
    s.rewinds += 1
    s.rewound_energy = pair_energy(rig, corrected) - pair_energy(rig, satellites)
    take_past(mem, method.memory + STATE.at.corrected, s.shadow_impulse, s.shadow_largest)
    s.shadow_stamp = -1
    s.past_end, s.last_largest = rig.cycle, s.shadow_largest
    if s.phase == FINISHING:
        s.phase, s.clear = TOUCHING, 0
    return corrected
