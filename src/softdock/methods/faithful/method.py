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

import math

from softdock.compile.jit import compiled, noinline
from softdock.compile.lazy import lazy
from softdock.loop.method.corrected import CORRECTED_CELLS, note_force
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import BOOK_DESIGNED, CYCLE, Measured, Replaced, Wrenches
from softdock.loop.method.method import Method
from softdock.loop.mounting import ON_CHASER
from softdock.loop.spatial.motion import no_wrench, opposite
from softdock.loop.spatial.rotations import normalise, rotate_back
from softdock.loop.spatial.vectors import dot, load3, load4, store3, subtract
from softdock.methods.energy_ledger.method import (
    correct_energy,
    remember_set_points,
    remember_wrenches,
)
from softdock.methods.faithful import notes
from softdock.methods.faithful.cells import CELL, CELLS
from softdock.methods.faithful.commanded_acceleration import note_command
from softdock.methods.faithful.contact import (
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
from softdock.methods.faithful.fallback import bounded, ledger_of, ledger_work
from softdock.methods.faithful.free_flight import tared
from softdock.methods.faithful.keys import AT, FAITHFUL, MARKER, Faithful
from softdock.methods.faithful.lead import (
    ahead,
    forget_futures,
    note_output,
    smoothed,
)
from softdock.methods.faithful.learn import fit_again, is_learning, is_worth
from softdock.methods.faithful.readings import note
from softdock.methods.faithful.recomputed_future import carry_futures
from softdock.methods.faithful.recomputed_past import (
    MOST_CYCLES,
    carry_past,
    mean_wrenches,
    note_others,
    past,
)
from softdock.methods.faithful.samples import take_samples
from softdock.methods.faithful.satellite_steps import Twin, believed_cycle, flown
from softdock.methods.faithful.work_exchanged import exchanged, given_to, real_work, work_of
from softdock.methods.measured.doubts import PLACES
from softdock.methods.measured.line_of_action import mock_ups_when_felt
from softdock.methods.measured.motions import (
    load_both,
    load_satellites,
    load_wrenches,
    store_satellites,
    store_wrenches,
)
from softdock.methods.measured.projection import pair_energy
from softdock.methods.remapping.other_wrenches import with_others

# The prepared parameters of `faithful`: its keys, and what it may know of the sensor (period,
# averaging, tool, gravity), from the parameter vector.

COUNT = 1  # of a key's two numbers: where the pairs stand, and how many
SENSOR_ON = PLACES.at.on
CHASER_HAND, TARGET_HAND = PLACES.at.chaser_hand, PLACES.at.target_hand


@compiled
def averaged(v, period_at, handover_at):
    """Window of readings that are the mean of a cycle's samples: from the first to the last, and
    the root mean square of their instants about the middle [s]; zeros where a reading is one."""
    period = v[period_at]
    if v[handover_at] == 0.0 or period <= 0.0:
        return 0.0, 0.0
    samples = max(math.floor(v[CYCLE] / period + 0.5), 1.0)
    return (samples - 1.0) * period, period * math.sqrt((samples * samples - 1.0) / 12.0)


@compiled
def _rows(v, place):
    """Number of rows of a schedule; it stands where `place` says."""
    return v[int(v[place])]


@compiled
def _gravity(v, attitude_at, gravity_at, on_chaser):
    """Gravity in orbit's axes; zero where the tool is not the chaser's."""
    if not on_chaser:
        return (0.0, 0.0, 0.0)
    return rotate_back(normalise(load4(v, attitude_at)), load3(v, gravity_at))


@compiled
def prepare(marker, vector, base, memory):
    v, b = vector, base
    window, scatter = averaged(v, int(v[b + AT.averages]), int(v[b + AT.averages + COUNT]))
    return Faithful(
        memory=memory,
        vector=vector,
        pairs_at=int(v[b + AT.contacts]),
        number=int(v[b + AT.contacts + COUNT]),
        sensor_at=base + AT.sensor,
        on_chaser=int(v[int(v[b + AT.sensor + SENSOR_ON])]) == ON_CHASER,
        hands=_rows(v, b + AT.sensor + CHASER_HAND) + _rows(v, b + AT.sensor + TARGET_HAND) > 0.0,
        gravity=_gravity(
            v,
            int(v[b + AT.laboratory]),
            int(v[b + AT.laboratory + COUNT]),
            int(v[int(v[b + AT.sensor + SENSOR_ON])]) == ON_CHASER,
        ),
        window=window,
        scatter=scatter,
        rows=int(math.ceil(v[b + AT.past] / vector[CYCLE] - 1e-9)) + 2,
        tare=v[b + AT.tare] != 0.0,
        lead=v[b + AT.lead] != 0.0,
        damping=v[b + AT.damping] != 0.0,
        powers=v[b + AT.powers] != 0.0,
        lag=v[b + AT.lag] != 0.0,
        friction=v[b + AT.friction] != 0.0,
        rewind=v[b + AT.rewind] != 0.0,
        ledger=v[b + AT.ledger] != 0.0,
    )


# The satellites while the energy ledger has taken over (fallback.py decides when): the measured
# wrench acts, and the ledger brings them to the energy that the real contact left.


@lazy("the wrench in the ledger's hands", returns="wrenches")
def by_ledger(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites while the ledger has them: what was measured."""
    m, ledger = method.memory, ledger_of(method, mem, rig.T)
    if method.tare:
        q, raw = measured.mock_ups.chaser.q, measured.wrenches.chaser
        chaser = tared(mem, m + CELL.flight, q, method.gravity, raw)
        target = opposite(chaser, subtract(satellites.chaser.p, satellites.target.p))
        was, now = measured.wrenches, Wrenches(chaser, target)
        wrenches = Wrenches(
            exchanged(wrenches.chaser, was.chaser, chaser),
            exchanged(wrenches.target, was.target, target),
        )
        measured = Measured(
            wrenches=now,
            mock_ups=measured.mock_ups,
            force_age=measured.force_age,
            pose_age=measured.pose_age,
            mismatch=measured.mismatch,
        )
    force = measured.wrenches.chaser.force
    store3(mem, m + CELL.force, force)
    note_force(mem, m + CELL.corrected, rig.T, force, dot(force, force))
    mem[m + CELL.taken] = ledger_work(ledger, mem) - mem[m + CELL.booked]
    mem[m + CELL.booked] = ledger_work(ledger, mem)
    given = remember_wrenches(ledger, mem, rig, measured, satellites, wrenches)
    store_wrenches(mem, m + CELL.mean, given)  # what more the satellites get is of others
    return given


@compiled
def given_here(method, mem, rig, before, after):
    """What others gave in this cycle; it is noted."""
    mean = load_wrenches(mem, method.memory + CELL.mean)
    others = Wrenches(
        given_to(rig.chaser, rig.T, before.chaser, after.chaser, mean.chaser),
        given_to(rig.target, rig.T, before.target, after.target, mean.target),
    )
    note_others(method, mem, rig.cycle, others)
    return others


@lazy("the takeover by the energy ledger", returns=("after", "output"))
def settled_by_ledger(method, mem, rig, measured, before, after, output):
    """The satellites and set-points while the ledger has them."""
    others = given_here(method, mem, rig, before, after)
    mem[method.memory + CELL.given] += work_of(rig, others, before, after)
    ledger = ledger_of(method, mem, rig.T)
    end, output = correct_energy(ledger, mem, rig, measured, before, after, output)
    # its loans add up, and readings may be forged
    return bounded(method, mem, rig, end), output


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


@noinline
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


@noinline
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


@noinline
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


@noinline
def _pushes(rig, before, after):
    """What others gave while nothing touched."""
    nothing = no_wrench()
    return Wrenches(
        given_to(rig.chaser, rig.T, before.chaser, after.chaser, nothing),
        given_to(rig.target, rig.T, before.target, after.target, nothing),
    )


@noinline
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
        return remember_set_points(ledger_of(method, mem, rig.T), mem, rig, satellites, output)
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
)
