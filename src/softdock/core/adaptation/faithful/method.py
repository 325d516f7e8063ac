"""`faithful`: the satellites feel the contact's identified law where they are (ours).

Each cycle:
    1. readings.py, samples.py: reports paired by their stamps; in free flight they give tare, noise
       and delay (free_flight.py), in contact samples of the law (deflection and rate from the known
       shapes)
    2. fit.py, friction.py: the laws that the samples bear, with their uncertainty
    3. recomputed_past.py: under a law better known the satellites' past is recomputed from their
       touch on
    4. satellite_steps.py: the satellites move under that law, at their own deflection and sliding
    5. lead.py: set-points ahead by the delay that was found

Neither the force's delay nor its noise acts on the satellites: they decide only what is believed,
and whatever is believed is a passive law from one touch on (docs/faithful.md).
"""

from __future__ import annotations

from softdock.core.adaptation.corrected import CORRECTED_CELLS, note_force
from softdock.core.adaptation.declaration import ONCE
from softdock.core.adaptation.energy_ledger.method import send
from softdock.core.adaptation.faithful import notes
from softdock.core.adaptation.faithful.cells import CELL, CELLS
from softdock.core.adaptation.faithful.commanded_acceleration import note_command
from softdock.core.adaptation.faithful.contact import (
    APART,
    BY_LEDGER,
    FLIES,
    OVER,
    begin,
    believe,
    follow_contact,
    is_quick,
    learn_flight,
    take_over,
)
from softdock.core.adaptation.faithful.fallback import bounded, ledger_of
from softdock.core.adaptation.faithful.free_flight import tared
from softdock.core.adaptation.faithful.keys import FAITHFUL, MARKER
from softdock.core.adaptation.faithful.lead import (
    ahead,
    forget_futures,
    note_output,
    smoothed,
)
from softdock.core.adaptation.faithful.learn import fit_again, is_learning, is_worth
from softdock.core.adaptation.faithful.ledger_fallback import (
    by_ledger,
    given_here,
    settled_by_ledger,
)
from softdock.core.adaptation.faithful.prepare import prepare
from softdock.core.adaptation.faithful.readings import note
from softdock.core.adaptation.faithful.recomputed_future import carry_futures
from softdock.core.adaptation.faithful.recomputed_past import (
    MOST_CYCLES,
    carry_past,
    mean_wrenches,
    past,
)
from softdock.core.adaptation.faithful.samples import take_samples
from softdock.core.adaptation.faithful.satellite_steps import Twin, believed_cycle, flown
from softdock.core.adaptation.faithful.work_exchanged import exchanged, given_to, real_work, work_of
from softdock.core.adaptation.interface import BOOK_DESIGNED, Replaced, Wrenches
from softdock.core.adaptation.measured.line_of_action import mock_ups_when_felt
from softdock.core.adaptation.measured.motions import (
    load_both,
    load_satellites,
    store_satellites,
    store_wrenches,
)
from softdock.core.adaptation.measured.projection import pair_energy
from softdock.core.adaptation.method import Method
from softdock.core.adaptation.remapping.other_wrenches import with_others
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import no_wrench, opposite
from softdock.core.spatial.vectors import dot, load3, store3, subtract


@compiled
def _in_free_flight(method, mem, measured, wrenches):
    """Nothing of the contact acts, and what is measured does not."""
    m, nothing = method.memory, no_wrench()
    mem[m + CELL.rewound], mem[m + CELL.rewound_energy], mem[m + CELL.acts] = 0.0, 0.0, 0.0
    mem[m + CELL.taken] = 0.0
    store3(mem, m + CELL.force, (0.0, 0.0, 0.0))
    note_force(mem, m + CELL.corrected, 0.0, (0.0, 0.0, 0.0), 0.0)
    return Wrenches(
        exchanged(wrenches.chaser, measured.wrenches.chaser, nothing),
        exchanged(wrenches.target, measured.wrenches.target, nothing),
    )


@apart
def _pushed(method, mem, measured, satellites, wrenches):
    """A hand at a mock-up, while nothing touches: what it pushes with acts on the satellites."""
    given = _in_free_flight(method, mem, measured, wrenches)
    m, nothing = method.memory, no_wrench()
    q, raw = measured.mock_ups.chaser.q, measured.wrenches.chaser
    chaser = tared(mem, m + CELL.flight, q, method.gravity, raw)
    target = measured.wrenches.target
    if method.on_chaser:
        target = opposite(chaser, subtract(satellites.chaser.p, satellites.target.p))
    store_wrenches(mem, m + CELL.mean, Wrenches(nothing, nothing))
    return Wrenches(
        exchanged(given.chaser, nothing, chaser), exchanged(given.target, nothing, target)
    )


@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites: the believed contact's mean wrench in place of the measured
    one."""
    m = method.memory
    if mem[m + CELL.ready] == 0.0:
        begin(method, mem)
    note(mem, m + CELL.paired, rig.cycle * rig.T, measured)
    take_samples(method, mem)
    stage = FLIES if is_quick(mem, m, rig) else follow_contact(method, mem, rig, satellites)
    if stage == FLIES:
        learn_flight(method, mem, rig, measured, satellites)
    if mem[m + CELL.quick] != 0.0:
        return _in_free_flight(method, mem, measured, wrenches)
    return _in_contact(method, mem, rig, measured, satellites, wrenches, stage == OVER)


@apart
def _in_contact(method, mem, rig, measured, satellites, wrenches, over):
    """The same where something touches, or may in this cycle; `over`: a contact has ended."""
    m = method.memory
    if method.hands and mem[m + CELL.phase] == APART and mem[m + CELL.unexplained_now] > 0.0:
        return _pushed(method, mem, measured, satellites, wrenches)
    felt = mock_ups_when_felt(measured)
    designed = real_work(method, mem, rig.cycle, felt, measured.wrenches)
    anew = fit_again(method, mem, over)
    over = over and not is_learning(method, mem)
    if over or (anew and is_worth(method, mem, rig)):
        believe(method, mem, over)
    mem[m + CELL.rewound], mem[m + CELL.rewound_energy], mem[m + CELL.acts] = 0.0, 0.0, 0.0
    if mem[m + CELL.phase] == BY_LEDGER:
        return by_ledger(method, mem, rig, measured, satellites, wrenches)
    before = satellites
    waits = anew and rig.cycle - mem[m + CELL.start_stamp] > MOST_CYCLES  # a cycle does one of both
    if mem[m + CELL.shadow_stamp] >= 0.0 and not waits and _has_caught_up(method, mem, rig):
        before = take_over(method, mem, rig, satellites)
        mem[m + CELL.acts] = 1.0
    elif over and mem[m + CELL.phase] == APART and method.ledger:
        before = bounded(method, mem, rig, satellites)
        forget_futures(method, mem)
        mem[m + CELL.rewound_energy] = pair_energy(rig, before) - pair_energy(rig, satellites)
        mem[m + CELL.acts] = 1.0
    twin = Twin(m + CELL.pairs, m + CELL.latches, m + CELL.laws, method.number)
    after, steps, most = believed_cycle(mem, twin, rig, before, rig.T)
    mean = Wrenches(no_wrench(), no_wrench())
    taken = -mem[m + CELL.rewound_energy]
    if steps > 0:
        mem[m + CELL.acts] = 1.0
        mean = mean_wrenches(rig, before, after)
        taken += pair_energy(rig, before) - pair_energy(rig, after)
    elif mem[m + CELL.acts] != 0.0:
        after = flown(rig, before, rig.T)
    store_satellites(mem, m + CELL.after, after)
    store_wrenches(mem, m + CELL.mean, mean)
    store3(mem, m + CELL.force, mean.chaser.force)
    note_force(mem, m + CELL.corrected, rig.T, mean.chaser.force, most)
    mem[m + CELL.taken] = taken
    mem[BOOK_DESIGNED] += designed - taken
    extra = measured.wrenches
    return Wrenches(
        exchanged(wrenches.chaser, extra.chaser, mean.chaser),
        exchanged(wrenches.target, extra.target, mean.target),
    )


@apart
def _has_caught_up(method, mem, rig):
    """Some cycles of a recomputed past and of what is ahead of it; whether both are
    known."""
    return carry_past(method, mem, rig) and carry_futures(method, mem, rig)


@compiled
def correct(method, mem, rig, measured, before, after, output):
    """The satellites where the believed contact has led them; set-points ahead by the leads."""
    m = method.memory
    end, others, jumped = after, Wrenches(no_wrench(), no_wrench()), False
    if mem[m + CELL.quick] == 0.0:
        if mem[m + CELL.phase] == BY_LEDGER:
            return settled_by_ledger(method, mem, rig, measured, before, after, output)
        end, others = _led(method, mem, rig, before, after)
        jumped = mem[m + CELL.rewound] > 0.0
    elif not _coast(before, after):
        others = _pushes(rig, before, after)
    output = smoothed(method, mem, rig, ahead(method, mem, rig, end, others), jumped)
    note_output(method, mem, output)
    return end, output


@compiled
def _coast(before, after):
    """Whether nothing at all has acted on the satellites."""
    c, t, end = before.chaser, before.target, after
    return (
        c.v == end.chaser.v and c.L == end.chaser.L and t.v == end.target.v and t.L == end.target.L
    )


@apart
def _pushes(rig, before, after):
    """What others gave while nothing touched."""
    nothing = no_wrench()
    return Wrenches(
        given_to(rig.chaser, rig.T, before.chaser, after.chaser, nothing),
        given_to(rig.target, rig.T, before.target, after.target, nothing),
    )


@apart
def _led(method, mem, rig, before, after):
    """Where the believed contact has led the satellites, and what others gave."""
    m, others, end = method.memory, given_here(method, mem, rig, before, after), after
    if mem[m + CELL.acts] != 0.0:
        end = with_others(rig, load_satellites(mem, m + CELL.after), others)
    mem[m + CELL.given] += work_of(rig, others, before, end)
    return end, others


@compiled
def set_point(method, mem, rig, satellites, output):
    """Whether the robots carry shares of the relative motion."""
    if mem[method.memory + CELL.phase] == BY_LEDGER:
        return send(ledger_of(method, mem, rig.T), mem, rig, satellites, output)
    mine = load_both(mem, method.memory + CELL.output)
    chaser, target = (
        subtract(mine.chaser.p, output.chaser.p),
        subtract(mine.target.p, output.target.p),
    )
    if dot(chaser, chaser) + dot(target, target) > 0.0:
        mem[method.memory + CELL.shared] = 1.0
    note_command(mem, method.memory, rig.cycle + 1, output.chaser)
    return output


@compiled
def rewound(method, mem):
    """Gain of kinetic energy by a past that was taken over in this cycle [J]."""
    return mem[method.memory + CELL.rewound_energy]


@compiled
def replaced(method, mem):
    """What the believed contact did in this cycle, for the books and the log of contacts."""
    m = method.memory
    force = load3(mem, m + CELL.force)
    return Replaced(
        taken=mem[m + CELL.taken],
        acts=mem[m + CELL.phase] != APART,
        pushes=dot(force, force) > 0.0,
    )


METHOD = Method(
    name="faithful",
    summary="the contact's law is identified, and the satellites feel it where they are",
    knows="nothing; the mock-ups' shapes",
    knows_no_latch="it takes what it measures for a contact, which only pushes",
    group=FAITHFUL,
    marker=MARKER,
    prepare=prepare,
    wrench=wrench,
    correct=correct,
    set_point=set_point,
    rewound=rewound,
    replaced=replaced,
    past=past,
    cells=CELLS,
    memory=notes.memory,
    refuses=notes.refuses,
    check=notes.check,
    books=notes.books,
    vouches=notes.vouches,
    events=notes.events,
    once=ONCE,
    settles_energy=True,
    holds_contact="phase",
    parts=(CORRECTED_CELLS,),
    double_only="the law's identification, which was never tried in single",
)
