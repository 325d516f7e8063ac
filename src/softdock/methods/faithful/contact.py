"""The course of a contact in `faithful`, from the last instant at which nothing touched to its end.

It decides what is learnt in between, when the past is recomputed (recomputed_past.py), and when the
energy ledger takes over (fallback.py). In: readings and satellites of the cycle, world axes. Out:
the phase of the contact in the method's cells.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import TARGET
from softdock.loop.contact.keys import PAIR
from softdock.loop.contact.pair import IN_PAIR, PAIR_FLOATS
from softdock.loop.contact.prepare import store_pair
from softdock.loop.method.corrected import take_past
from softdock.loop.spatial.vectors import add_scaled, load3, norm, subtract
from softdock.methods.faithful.cells import CELL
from softdock.methods.faithful.fallback import (
    forget_ledger,
    ledger_is_open,
    ledger_of,
    may_learn,
)
from softdock.methods.faithful.free_flight import note_delay
from softdock.methods.faithful.law import LAW, LAW_FLOATS
from softdock.methods.faithful.law_samples import FIT, FIT_FLOATS
from softdock.methods.faithful.lead import bring_in, forget_futures
from softdock.methods.faithful.recomputed_future import take_futures
from softdock.methods.faithful.recomputed_past import (
    SAME,
    WORTH,
    begin_past,
    copy_laws,
    laws_differ,
)
from softdock.methods.faithful.touches import copy_latches, deepest, free_for, places_of
from softdock.methods.measured.line_of_action import satellite_motions
from softdock.methods.measured.motions import load_satellites, store_satellites
from softdock.methods.measured.projection import pair_energy

APART, BY_LEDGER, TOUCHING, FINISHING = 0.0, 1.0, 2.0, 3.0  # from 2 on: held in a contact
NEITHER, FLIES, OVER = 0, 1, 2  # what follow_contact finds
IN_A_ROW = 3.0  # samples of a force that the shapes do not explain, before it is believed
MATTERS = 1e-3  # of the approach speed, in a cycle
CLEAR = 3.0  # cycles without any touch after which a contact is over
STEADY = 2e-3  # rate of a lead below which it does not disturb the delay that is read
SWIFTEST = 1.0  # m/s^2; no satellite is accelerated beyond, while nothing touches
PAIR_KEYS = PAIR.size  # floats of a pair in the vector


@noinline
def begin(method, mem):
    """The mock-ups' shapes; of their laws nothing."""
    m = method.memory
    mem[m + CELL.ready], mem[m + CELL.shadow_stamp] = 1.0, -1.0
    mem[m + CELL.last_touch] = -1.0
    for i in range(method.number):
        at = m + CELL.pairs + i * PAIR_FLOATS
        store_pair(method.vector, method.pairs_at + i * PAIR_KEYS, mem, at, False)
        tip = norm(load3(mem, at + IN_PAIR.tip)) + mem[at + IN_PAIR.tip_radius]
        mem[m + CELL.reach] = max(mem[m + CELL.reach], tip)
        law = m + CELL.found + i * LAW_FLOATS
        mem[law + LAW.power], mem[law + LAW.slip] = 1.0, 1e-3
    copy_laws(mem, m + CELL.found, m + CELL.laws, method.number)


@compiled
def learn_flight(method, mem, rig, measured, satellites):
    """How late the robots are, while nothing touches and the leads are steady; the leads are
    brought in."""
    m = method.memory
    if method.lead:
        bring_in(method, mem, rig.T)
    if mem[m + CELL.fading] != 0.0:
        return  # the mock-ups are on their way to where the satellites have been moved
    flight, age, mock = m + CELL.flight, measured.pose_age, measured.mock_ups
    c, t = satellites.chaser, satellites.target
    if mem[m + CELL.shared] != 0.0:
        v, apart_by = subtract(c.v, t.v), subtract(c.p, t.p)
        if abs(mem[m + CELL.lead_rates]) < STEADY:
            note_delay(
                mem,
                flight,
                0,
                mem[m + CELL.leads],
                add_scaled(apart_by, -age, v),
                v,
                subtract(mock.chaser.p, mock.target.p),
            )
        return
    if abs(mem[m + CELL.lead_rates]) < STEADY:
        note_delay(
            mem, flight, 0, mem[m + CELL.leads], add_scaled(c.p, -age, c.v), c.v, mock.chaser.p
        )
    if abs(mem[m + CELL.lead_rates + TARGET]) < STEADY:
        note_delay(
            mem,
            flight,
            1,
            mem[m + CELL.leads + TARGET],
            add_scaled(t.p, -age, t.v),
            t.v,
            mock.target.p,
        )


@compiled
def _force_that_matters(rig, satellites):
    """The force that changes the approach by 1 % in ten cycles [N]."""
    v = norm(subtract(satellites.chaser.v, satellites.target.v))
    c, t = rig.chaser, rig.target
    ease = (0.0 if c.fixed else c.inverse_mass[0]) + (0.0 if t.fixed else t.inverse_mass[0])
    return MATTERS * v / (rig.T * max(ease, 1e-30))


@compiled
def is_quick(mem, m, rig):
    """Whether nothing can touch in this cycle."""
    quick = (
        mem[m + CELL.phase] == APART
        and rig.cycle * rig.T + rig.T < mem[m + CELL.clear_until]
        and mem[m + CELL.touching] == 0.0
        and mem[m + CELL.unexplained_now] == 0.0
    )
    mem[m + CELL.quick] = 1.0 if quick else 0.0
    return quick


@noinline
def _note_unfelt(method, mem, motions):
    """Pairs that the satellites touch and of which no reading has told yet."""
    m = method.memory
    for i in range(method.number):
        if mem[m + CELL.fits + i * FIT_FLOATS + FIT.model] == 0.0:
            at = m + CELL.latches
            found = places_of(mem, m + CELL.pairs, at, i, motions.chaser, motions.target)
            if max(found.first.depth, found.second.depth) > 0.0:
                mem[m + CELL.unfelt + i] = 1.0


@noinline
def follow_contact(method, mem, rig, satellites):
    """Where the contact stands: NEITHER, FLIES (nothing touches) or OVER."""
    m, t = method.memory, rig.cycle * rig.T
    motions = satellite_motions(rig, satellites)
    depth = deepest(
        mem, m + CELL.pairs, m + CELL.latches, method.number, motions.chaser, motions.target
    )
    mem[m + CELL.depth] = depth
    if depth > 0.0:
        _note_unfelt(method, mem, motions)
    phase, mock_ups_touch = mem[m + CELL.phase], mem[m + CELL.touching] != 0.0
    if phase == BY_LEDGER:
        ledger = ledger_of(method, mem, rig.T)
        if depth <= 0.0 and not mock_ups_touch and not ledger_is_open(ledger, mem):
            mem[m + CELL.phase] = APART
        return NEITHER
    strange = mem[m + CELL.unexplained_now] >= IN_A_ROW and not method.hands
    if (
        method.ledger
        and phase == APART
        and (strange or ((depth > 0.0 or mock_ups_touch) and not may_learn(method, mem)))
    ):
        mem[m + CELL.phase], mem[m + CELL.booked] = BY_LEDGER, 0.0
        mem[m + (CELL.strange if strange else CELL.blind)] += 1.0
        forget_ledger(method, mem, rig.T)
        return NEITHER
    if phase == APART and depth <= 0.0:
        store_satellites(mem, m + CELL.start, satellites)
        mem[m + CELL.start_stamp] = float(rig.cycle)
        copy_latches(mem, m + CELL.latches, m + CELL.start_latches)
        mem[m + CELL.frozen], mem[m + CELL.samples], mem[m + CELL.given] = 0.0, 0.0, 0.0
        mem[m + CELL.matters] = _force_that_matters(rig, satellites)
        free = free_for(-depth, motions.chaser, motions.target, mem[m + CELL.reach], SWIFTEST)
        mem[m + CELL.clear_until] = t + free
        return NEITHER if mock_ups_touch else FLIES
    if phase == APART:
        mem[m + CELL.phase], mem[m + CELL.clear] = TOUCHING, 0.0
        mem[m + CELL.contacts] += 1.0
        return NEITHER
    if rig.cycle - mem[m + CELL.start_stamp] > method.rows - 2:
        mem[m + CELL.overlong] += 1.0 - mem[m + CELL.frozen]
        mem[m + CELL.frozen] = 1.0
    if depth > 0.0 or mock_ups_touch:
        mem[m + CELL.clear] = 0.0
        return NEITHER
    mem[m + CELL.clear] += 1.0
    return OVER if phase == TOUCHING and mem[m + CELL.clear] >= CLEAR else NEITHER


@noinline
def believe(method, mem, over):
    """Act on what was found: at once while nothing touches, else by recomputing the past."""
    m = method.memory
    at_once = mem[m + CELL.phase] <= BY_LEDGER or not method.rewind
    least = SAME if at_once or over else WORTH
    differs = laws_differ(mem, m + CELL.found, m + CELL.laws, method.number, least)
    if at_once:
        if differs:
            copy_laws(mem, m + CELL.found, m + CELL.laws, method.number)
            forget_futures(method, mem)
        if over:
            mem[m + CELL.phase] = APART
        return
    if over:
        mem[m + CELL.shadow_stamp] = -1.0
        if differs and mem[m + CELL.frozen] == 0.0:
            begin_past(method, mem)
            mem[m + CELL.phase] = FINISHING
        else:
            mem[m + CELL.phase] = APART
    elif differs and mem[m + CELL.frozen] == 0.0 and mem[m + CELL.shadow_stamp] < 0.0:
        begin_past(method, mem)


@noinline
def take_over(method, mem, rig, satellites):
    """The recomputed past has caught up: the satellites are there."""
    m = method.memory
    corrected = load_satellites(mem, m + CELL.shadow)
    copy_laws(mem, m + CELL.shadow_laws, m + CELL.laws, method.number)
    copy_latches(mem, m + CELL.shadow_latches, m + CELL.latches)
    take_futures(mem, m)
    cycles = float(rig.cycle) - mem[m + CELL.start_stamp]
    mem[m + CELL.rewound] = min(cycles, float(method.rows))  # of more, the oldest are not kept
    mem[m + CELL.longest] = max(mem[m + CELL.longest], cycles)
    mem[m + CELL.rewinds] += 1.0
    mem[m + CELL.rewound_energy] = pair_energy(rig, corrected) - pair_energy(rig, satellites)
    impulse = load3(mem, m + CELL.shadow_impulse)
    take_past(mem, m + CELL.corrected, impulse, mem[m + CELL.shadow_largest])
    mem[m + CELL.shadow_stamp] = -1.0
    if mem[m + CELL.phase] == FINISHING:
        mem[m + CELL.phase], mem[m + CELL.clear] = TOUCHING, 0.0
    return corrected
