"""`model_mediated`: the satellites feel the contact's identified law where they are (ours).

Each cycle:
    1. readings.py, samples.py: reports paired by their stamps; in free flight they give tare, noise
       and delay (free_flight.py), in contact samples of the law (deflection and rate from the known
       shapes)
    2. fit.py, friction.py, joint.py: the laws that the samples bear, with their uncertainty
       (learn.py says which fit is due)
    3. recomputed_past.py: under a law better known the satellites' past is recomputed from their
       touch on (contact.py says when)
    4. satellite_steps.py: the satellites move under that law, at their own deflection and sliding
    5. lead.py: set-points ahead by the delay that was found

Neither the force's delay nor its noise acts on the satellites: they decide only what is believed,
and whatever is believed is a passive law from one touch on (docs/model_mediated.md).
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.corrected import CORRECTED_CELLS, note_force
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import (
    BOOK_DESIGNED,
    Measured,
    Replaced,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.loop.method.method import Method
from softdock.loop.nominal import is_relative, restore_set_points
from softdock.loop.spatial.motion import no_wrench, opposite
from softdock.loop.spatial.vectors import dot, subtract
from softdock.methods.energy_ledger.method import remember_set_points
from softdock.methods.measured.line_of_action import mock_ups_when_felt
from softdock.methods.measured.projection import pair_energy
from softdock.methods.model_mediated import notes
from softdock.methods.model_mediated.contact import (
    APART,
    BY_LEDGER,
    FLIES,
    OVER,
    believe_laws,
    follow_contact,
    is_quick,
    learn_flight,
    prepare_pairs,
    take_over_past,
)
from softdock.methods.model_mediated.contact_review import review_contact
from softdock.methods.model_mediated.fallback import (
    bound_energy,
    make_ledger,
    pass_to_ledger,
    settle_by_ledger,
)
from softdock.methods.model_mediated.free_flight import remove_tare
from softdock.methods.model_mediated.keys import MARKER, MODEL_MEDIATED, ModelMediated, prepare
from softdock.methods.model_mediated.lead import predict_set_points, smooth_jump
from softdock.methods.model_mediated.learn import fit_again, is_learning, is_worth_acting
from softdock.methods.model_mediated.readings import note_command, note_readings
from softdock.methods.model_mediated.recomputed_past import (
    MOST_CYCLES,
    carry_futures,
    carry_past,
    compute_mean_wrenches,
    forget_futures,
    read_past,
)
from softdock.methods.model_mediated.samples import take_samples
from softdock.methods.model_mediated.satellite_steps import (
    BelievedContact,
    coast_both,
    simulate_cycle,
)
from softdock.methods.model_mediated.state import STATE
from softdock.methods.model_mediated.work_exchanged import (
    compute_real_work,
    compute_work,
    exchange_wrench,
    find_given,
    note_given,
)
from softdock.methods.remapping.other_wrenches import add_others


@compiled
def _pass_free_flight(method: ModelMediated, mem, measured: Measured, wrenches: Wrenches):
    """Nothing of the contact acts, and what is measured does not."""
    s, nothing = STATE(mem, method.memory), no_wrench()
    s.rewound, s.rewound_energy, s.acts = 0, 0.0, False
    s.taken, s.force = 0.0, (0.0, 0.0, 0.0)
    note_force(mem, method.memory + STATE.at.corrected, 0.0, (0.0, 0.0, 0.0), 0.0)
    return Wrenches(
        exchange_wrench(wrenches.chaser, measured.wrenches.chaser, nothing),
        exchange_wrench(wrenches.target, measured.wrenches.target, nothing),
    )


@noinline
def _pass_hand(
    method: ModelMediated, mem, measured: Measured, satellites: Satellites, wrenches: Wrenches
):
    """A hand at a mock-up, while nothing touches: what it pushes with acts on the satellites."""
    given = _pass_free_flight(method, mem, measured, wrenches)
    s, nothing = STATE(mem, method.memory), no_wrench()
    q, raw = measured.mock_ups.chaser.q, measured.wrenches.chaser
    chaser = remove_tare(s.flight, q, method.gravity, raw)
    target = measured.wrenches.target
    if method.on_chaser:
        target = opposite(chaser, subtract(satellites.chaser.p, satellites.target.p))
    s.mean = Wrenches(nothing, nothing)
    return Wrenches(
        exchange_wrench(given.chaser, nothing, chaser),
        exchange_wrench(given.target, nothing, target),
    )


@compiled
def compute_wrenches(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites: the believed contact's mean wrench in place of the measured
    one."""
    s = STATE(mem, method.memory)
    if not s.ready:
        prepare_pairs(method, mem)
    note_readings(mem, method.memory + STATE.at.readings, rig.cycle * rig.T, measured)
    take_samples(method, mem)
    stage = FLIES if is_quick(s, rig) else follow_contact(method, mem, rig, satellites)
    if stage == FLIES:
        learn_flight(method, mem, rig, measured, satellites)
    if s.quick:
        return _pass_free_flight(method, mem, measured, wrenches)
    return _apply_contact(method, mem, rig, measured, satellites, wrenches, stage == OVER)


@noinline
def _apply_contact(
    method: ModelMediated,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
    over,
):
    """The same where something touches, or may in this cycle; `over`: a contact has ended."""
    s = STATE(mem, method.memory)
    if method.hands and s.phase == APART and s.unexplained_now > 0:
        return _pass_hand(method, mem, measured, satellites, wrenches)
    felt = mock_ups_when_felt(measured)
    designed = compute_real_work(s, rig.cycle, felt, measured.wrenches)
    anew = fit_again(method, mem, rig, over)
    over = over and not is_learning(method, s)
    if over or (anew and is_worth_acting(method, mem, rig)):
        believe_laws(method, mem, over)
    s.rewound, s.rewound_energy, s.acts = 0, 0.0, False
    if s.phase == BY_LEDGER:
        return pass_to_ledger(method, mem, rig, measured, satellites, wrenches)
    before = satellites
    waits = anew and rig.cycle - s.start_stamp > MOST_CYCLES  # a cycle does one of both
    if s.shadow_stamp >= 0 and not waits and _has_caught_up(method, mem, rig):
        before = take_over_past(method, mem, rig, satellites)
        s.acts = True
    elif over and s.phase == APART and method.ledger:
        review_contact(method, mem, rig, satellites)
        before = bound_energy(method, mem, rig, satellites)
        forget_futures(s.futures)
        s.rewound_energy = pair_energy(rig, before) - pair_energy(rig, satellites)
        s.acts = True
    contact = BelievedContact(
        method.memory + STATE.at.pairs, s.latches, s.laws, s.elements, s.inner, method.number
    )
    after, steps, most = simulate_cycle(mem, contact, rig, before, rig.T)
    mean = Wrenches(no_wrench(), no_wrench())
    taken = -s.rewound_energy
    if steps > 0:
        s.acts = True
        mean = compute_mean_wrenches(rig, before, after)
        taken += pair_energy(rig, before) - pair_energy(rig, after)
    elif s.acts:
        after = coast_both(rig, before, rig.T)
    s.after, s.mean, s.force = after, mean, mean.chaser.force
    note_force(mem, method.memory + STATE.at.corrected, rig.T, mean.chaser.force, most)
    s.taken = taken
    mem[BOOK_DESIGNED] += designed - taken
    extra = measured.wrenches
    return Wrenches(
        exchange_wrench(wrenches.chaser, extra.chaser, mean.chaser),
        exchange_wrench(wrenches.target, extra.target, mean.target),
    )


@noinline
def _has_caught_up(method: ModelMediated, mem, rig: Rig):
    """Some cycles of a recomputed past and of what is ahead of it; whether both are
    known."""
    return carry_past(method, mem, rig) and carry_futures(method, mem, rig)


@compiled
def correct_satellites(method, mem, rig, measured, before, after, output):
    """The satellites where the believed contact has led them; set-points ahead by the leads."""
    s = STATE(mem, method.memory)
    end, others, jumped = after, Wrenches(no_wrench(), no_wrench()), False
    if not s.quick:
        if s.phase == BY_LEDGER:
            return settle_by_ledger(method, mem, rig, measured, before, after, output)
        end, others = _follow_believed(method, mem, rig, before, after)
        jumped = s.rewound > 0
    elif not _is_coasting(before, after):
        others = _find_others(rig, before, after)
    ahead = predict_set_points(method, mem, rig, end, others)
    output = smooth_jump(method, mem, rig, ahead, jumped)
    s.output, s.any_sent = output, True
    return end, output


@compiled
def _is_coasting(before: Satellites, after: Satellites):
    """Whether nothing at all has acted on the satellites."""
    c, t, end = before.chaser, before.target, after
    return (
        c.v == end.chaser.v and c.L == end.chaser.L and t.v == end.target.v and t.L == end.target.L
    )


@noinline
def _find_others(rig: Rig, before: Satellites, after: Satellites):
    """What others gave while nothing touched."""
    nothing = no_wrench()
    return Wrenches(
        find_given(rig.chaser, rig.T, before.chaser, after.chaser, nothing),
        find_given(rig.target, rig.T, before.target, after.target, nothing),
    )


@noinline
def _follow_believed(method: ModelMediated, mem, rig: Rig, before: Satellites, after: Satellites):
    """Where the believed contact has led the satellites, and what others gave."""
    s, others, end = STATE(mem, method.memory), note_given(method, mem, rig, before, after), after
    if s.acts:
        end = add_others(rig, s.after, others)
    s.given += compute_work(rig, others, before, end)
    return end, others


@compiled
def note_set_points(method, mem, rig, satellites, output):
    """What is sent, and whether the robots carry shares of the relative motion."""
    s = STATE(mem, method.memory)
    if s.phase == BY_LEDGER:
        return remember_set_points(make_ledger(method, mem, rig.T), mem, rig, satellites, output)
    if is_relative(mem):
        note_command(s, rig.cycle + 1, restore_set_points(rig, mem, output).chaser)
        return output
    own = s.output
    chaser, target = (
        subtract(own.chaser.p, output.chaser.p),
        subtract(own.target.p, output.target.p),
    )
    if dot(chaser, chaser) + dot(target, target) > 0.0:
        s.shared = True
    note_command(s, rig.cycle + 1, output.chaser)
    return output


@compiled
def read_rewound_energy(method, mem):
    """Gain of kinetic energy by a past that was taken over in this cycle [J]."""
    return STATE(mem, method.memory).rewound_energy


@compiled
def report_replaced(method, mem):
    """What the believed contact did in this cycle, for the books and the log of contacts."""
    s = STATE(mem, method.memory)
    return Replaced(taken=s.taken, acts=s.phase != APART, pushes=dot(s.force, s.force) > 0.0)


METHOD = Method(
    name="model_mediated",
    summary="identifies the contact's law, which then acts on the satellites where they are",
    knows="only the mock-ups' shapes",
    knows_no_latch="it takes what it measures for a contact, which only pushes",
    group=MODEL_MEDIATED,
    marker=MARKER,
    prepare=prepare,
    wrench=compute_wrenches,
    correct=correct_satellites,
    set_point=note_set_points,
    rewound=read_rewound_energy,
    replaced=report_replaced,
    past=read_past,
    cells=STATE,
    memory=notes.count_floats,
    refuses=notes.explain_refusal,
    check=notes.check,
    books=notes.summarize,
    vouches=notes.list_doubts,
    events=notes.describe_events,
    once=ONCE,
    settles_energy=True,
    holds_contact="phase",
    parts=(CORRECTED_CELLS,),
)
