"""`faithful`: the satellites feel the contact's identified law where they are (ours).

Each cycle:
    1. readings.py, samples.py: reports paired by their stamps; in free flight they give tare, noise and
       delay (flight.py), in contact samples of the law (deflection and rate from the known shapes)
    2. fit.py, rub.py: the laws that the samples bear, with their uncertainty
    3. past.py: under a law better known the satellites' past is computed anew from their touch on
    4. twin.py: the satellites move under that law, at their own deflection and sliding
    5. lead.py: set-points ahead by the delay that was found

Neither the force's delay nor its noise acts on the satellites: they decide only what is believed, and
whatever is believed is a passive law from one touch on (docs/faithful.md).
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful import notes
from softdock.core.adaptation.faithful.cells import CELL, CELLS
from softdock.core.adaptation.faithful.flight import ENOUGH, FLIGHT, note_delay
from softdock.core.adaptation.faithful.keys import AT, FAITHFUL, MARKER, Faithful
from softdock.core.adaptation.faithful.law import LAW, LAW_FLOATS
from softdock.core.adaptation.faithful.lead import ahead, bring_in, note_output, smoothed
from softdock.core.adaptation.faithful.learn import fit_again, is_worth
from softdock.core.adaptation.faithful.past import (
    begin_past,
    carry_past,
    contact_impulse,
    copy_laws,
    laws_differ,
    load_satellites,
    mean_wrenches,
    note_others,
    store_satellites,
)
from softdock.core.adaptation.faithful.readings import PAIRED, note
from softdock.core.adaptation.faithful.samples import take_samples
from softdock.core.adaptation.faithful.touches import copy_latches, deepest
from softdock.core.adaptation.faithful.twin import believed_cycle, flown
from softdock.core.adaptation.interface import (
    BOOK_DESIGNED,
    CYCLE,
    Replaced,
    Wrenches,
)
from softdock.core.adaptation.measured.line_of_action import satellite_motions
from softdock.core.adaptation.measured.motions import load_both, load_wrenches, store_wrenches
from softdock.core.adaptation.measured.projection import pair_energy
from softdock.core.adaptation.method import ONCE, Method
from softdock.core.adaptation.remapping.others import given_by_others, with_others
from softdock.core.machine.compiled import apart, compiled
from softdock.core.shapes.keys import PAIR
from softdock.core.shapes.pair import PAIR_FLOATS
from softdock.core.shapes.prepare import store_pair
from softdock.core.spatial.motion import Wrench, no_wrench
from softdock.core.spatial.vectors import add, add_scaled, load3, norm, scale, store3, subtract

APART, BY_LEDGER, TOUCHING, FINISHING = 0.0, 1.0, 2.0, 3.0  # from 2 on: held in a contact
CLEAR = 3.0  # cycles without any touch after which a contact is over
STEADY = 2e-3  # rate of a lead below which it does not disturb the delay that is read
ROUNDING = 1e-12  # of a body's momentum: what others gave below that is none


@compiled
def prepare(marker, vector, base, memory):
    v, b = vector, base
    return Faithful(
        memory=memory,
        vector=vector,
        pairs_at=int(v[b + AT.contacts]),
        count=int(v[b + AT.contacts + 1]),
        rows=int(math.ceil(v[b + AT.past] / vector[CYCLE] - 1e-9)) + 2,
        tare=v[b + AT.tare] != 0.0,
        lead=v[b + AT.lead] != 0.0,
        damping=v[b + AT.damping] != 0.0,
        powers=v[b + AT.powers] != 0.0,
        friction=v[b + AT.friction] != 0.0,
        rewind=v[b + AT.rewind] != 0.0,
        ledger=v[b + AT.ledger] != 0.0,
    )


@apart
def _begin(method, mem):
    """The mock-ups' shapes; of their laws nothing."""
    m = method.memory
    mem[m + CELL.ready], mem[m + CELL.shadow_stamp] = 1.0, -1.0
    for i in range(method.count):
        at = m + CELL.pairs + i * PAIR_FLOATS
        store_pair(method.vector, method.pairs_at + i * PAIR.size, mem, at, False)
        law = m + CELL.found + i * LAW_FLOATS
        mem[law + LAW.power], mem[law + LAW.slip] = 1.0, 1e-3
    copy_laws(mem, m + CELL.found, m + CELL.laws, method.count)


@apart
def _learn_flight(method, mem, rig, measured, motions):
    """How late the robots are, while nothing touches and the leads are steady."""
    m = method.memory
    flight, age, mock = m + CELL.flight, measured.pose_age, measured.mock_ups
    c, t = motions.chaser, motions.target
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
    if abs(mem[m + CELL.lead_rates + 1]) < STEADY:
        note_delay(
            mem, flight, 1, mem[m + CELL.leads + 1], add_scaled(t.p, -age, t.v), t.v, mock.target.p
        )


@apart
def _follow(method, mem, rig, measured, satellites):
    """Where the contact stands: touched, under way, over."""
    m, motions = method.memory, satellite_motions(rig, satellites)
    depth = deepest(
        mem, m + CELL.pairs, m + CELL.latches, method.count, motions.chaser, motions.target
    )
    mem[m + CELL.depth] = depth
    phase, mock_ups_touch = mem[m + CELL.phase], mem[m + CELL.touching] != 0.0
    if phase == APART and depth <= 0.0:
        store_satellites(mem, m + CELL.start, satellites)
        mem[m + CELL.start_stamp] = float(rig.cycle)
        copy_latches(mem, m + CELL.latches, m + CELL.start_latches)
        mem[m + CELL.frozen], mem[m + CELL.samples] = 0.0, 0.0
        store3(mem, m + CELL.impulse, (0.0, 0.0, 0.0))
        if not mock_ups_touch:
            _learn_flight(method, mem, rig, measured, motions)
            if method.lead:
                bring_in(method, mem, rig.T)
        return False
    if phase == APART:
        mem[m + CELL.phase], mem[m + CELL.clear] = TOUCHING, 0.0
        mem[m + CELL.contacts] += 1.0
        return False
    if rig.cycle - mem[m + CELL.start_stamp] > method.rows - 2:
        mem[m + CELL.frozen] = 1.0
    if depth > 0.0 or mock_ups_touch:
        mem[m + CELL.clear] = 0.0
        return False
    mem[m + CELL.clear] += 1.0
    return phase == TOUCHING and mem[m + CELL.clear] >= CLEAR


@apart
def _believe(method, mem, over):
    """Act on what was found: at once while nothing touches, else by computing the past anew."""
    m = method.memory
    differs = laws_differ(mem, m + CELL.found, m + CELL.laws, method.count)
    if mem[m + CELL.phase] == APART or not method.rewind:
        if differs:
            copy_laws(mem, m + CELL.found, m + CELL.laws, method.count)
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


@apart
def _take_over(method, mem, rig, satellites):
    """The past that was computed anew has caught up: the satellites are there."""
    m = method.memory
    corrected = load_satellites(mem, m + CELL.shadow)
    copy_laws(mem, m + CELL.shadow_laws, m + CELL.laws, method.count)
    copy_latches(mem, m + CELL.shadow_latches, m + CELL.latches)
    cycles = float(rig.cycle) - mem[m + CELL.start_stamp]
    mem[m + CELL.rewound] = cycles
    mem[m + CELL.longest] = max(mem[m + CELL.longest], cycles)
    mem[m + CELL.rewinds] += 1.0
    mem[m + CELL.rewound_energy] = pair_energy(rig, corrected) - pair_energy(rig, satellites)
    impulse = load3(mem, m + CELL.shadow_impulse)
    store3(mem, m + CELL.past_impulse, subtract(impulse, load3(mem, m + CELL.impulse)))
    store3(mem, m + CELL.impulse, impulse)
    mem[m + CELL.shadow_stamp] = -1.0
    if mem[m + CELL.phase] == FINISHING:
        mem[m + CELL.phase], mem[m + CELL.clear] = TOUCHING, 0.0
    return corrected


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites: the believed contact's mean wrench in place of the measured
    one."""
    m = method.memory
    if mem[m + CELL.ready] == 0.0:
        _begin(method, mem)
    note(mem, m + CELL.paired, rig.cycle * rig.T, measured)
    take_samples(method, mem)
    over = _follow(method, mem, rig, measured, satellites)
    if fit_again(method, mem, over) or over:
        if over or is_worth(method, mem):
            _believe(method, mem, over)
    mem[m + CELL.rewound], mem[m + CELL.rewound_energy], mem[m + CELL.acts] = 0.0, 0.0, 0.0
    before = satellites
    if mem[m + CELL.shadow_stamp] >= 0.0 and carry_past(method, mem, rig):
        before = _take_over(method, mem, rig, satellites)
        mem[m + CELL.acts] = 1.0
    after, steps = believed_cycle(
        mem, m + CELL.pairs, m + CELL.latches, m + CELL.laws, method.count, rig, before, rig.T
    )
    mean = Wrenches(no_wrench(), no_wrench())
    taken = -mem[m + CELL.rewound_energy]
    if steps > 0:
        mem[m + CELL.acts] = 1.0
        mean = mean_wrenches(rig, before, after)
        taken += pair_energy(rig, before) - pair_energy(rig, after)
        store3(
            mem,
            m + CELL.impulse,
            add(load3(mem, m + CELL.impulse), contact_impulse(rig, before, after)),
        )
    elif mem[m + CELL.acts] != 0.0:
        after = flown(rig, before, rig.T)
    store_satellites(mem, m + CELL.after, after)
    store_wrenches(mem, m + CELL.mean, mean)
    store3(mem, m + CELL.force, mean.chaser.force)
    mem[m + CELL.taken] = taken
    mem[BOOK_DESIGNED] -= taken
    extra = measured.wrenches
    return Wrenches(
        _exchanged(wrenches.chaser, extra.chaser, mean.chaser),
        _exchanged(wrenches.target, extra.target, mean.target),
    )


@compiled
def _exchanged(given, measured, mean):
    force, torque = subtract(given.force, measured.force), subtract(given.torque, measured.torque)
    if not (norm(force) < math.inf and norm(torque) < math.inf):  # the reading was no number
        return mean
    return Wrench(add(force, mean.force), add(torque, mean.torque))


@compiled
def _others(params, T, before, after, mean):
    """What others gave a body in this cycle; rounding is none."""
    given = given_by_others(params, T, before, after, mean)
    small = ROUNDING * (norm(before.v) + T * norm(mean.force) / params.mass[0]) * params.mass[0] / T
    small_turn = ROUNDING * (norm(before.L) / T + norm(mean.torque))
    force = given.force if norm(given.force) > small else (0.0, 0.0, 0.0)
    return Wrench(force, given.torque if norm(given.torque) > small_turn else (0.0, 0.0, 0.0))


@apart
def correct(method, mem, rig, measured, before, after, output):
    """The satellites where the believed contact has led them; set-points ahead by the leads."""
    m, mean = method.memory, load_wrenches(mem, method.memory + CELL.mean)
    others = Wrenches(
        _others(rig.chaser, rig.T, before.chaser, after.chaser, mean.chaser),
        _others(rig.target, rig.T, before.target, after.target, mean.target),
    )
    note_others(method, mem, rig.cycle, others)
    end = after
    if mem[m + CELL.acts] != 0.0:
        end = with_others(rig, load_satellites(mem, m + CELL.after), others)
    output = ahead(method, mem, rig, end)
    output = smoothed(method, mem, rig, output, mem[m + CELL.rewound] > 0.0)
    note_output(method, mem, output)
    return end, output


@compiled
def set_point(method, mem, rig, satellites, output):
    """Whether the robots carry shares of the relative motion."""
    mine = load_both(mem, method.memory + CELL.output)
    if (
        norm(subtract(mine.chaser.p, output.chaser.p)) > 0.0
        or norm(subtract(mine.target.p, output.target.p)) > 0.0
    ):
        mem[method.memory + CELL.shared] = 1.0
    return output


@compiled
def rewound(method, mem):
    """Gain of kinetic energy by a past that was taken over in this cycle [J]."""
    return mem[method.memory + CELL.rewound_energy]


@compiled
def replaced(method, mem):
    """What the believed contact did in this cycle, for the books and the log of contacts."""
    m = method.memory
    return Replaced(
        taken=mem[m + CELL.taken],
        acts=mem[m + CELL.phase] != APART,
        past_changed=mem[m + CELL.rewound] > 0.0,
        impulse=load3(mem, m + CELL.past_impulse),
        peak_squared=mem[m + CELL.shadow_peak],
        pushes=norm(load3(mem, m + CELL.force)) > 0.0,
    )


METHOD = Method(
    name="faithful",
    summary="the contact's law is identified, and the satellites feel it where they are",
    knows="nothing; the mock-ups' shapes",
    group=FAITHFUL,
    marker=MARKER,
    prepare=prepare,
    wrench=wrench,
    correct=correct,
    set_point=set_point,
    rewound=rewound,
    replaced=replaced,
    cells=CELLS,
    memory=notes.memory,
    refuses=notes.refuses,
    check=notes.check,
    books=notes.books,
    events=notes.events,
    once=ONCE,
    settles_energy=True,
    holds_contact="phase",
    double_only="the law's identification, which was never tried in single",
)
