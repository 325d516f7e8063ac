"""Re-mapping of hard impacts (Lange, Grunwald, Albu-Schaeffer): the measured force says where the
environment is, not what the satellites feel.

Each cycle:
    1. environment/environment.py: from the measured wrench and the measured mock-ups, the normal,
       the contact point and the place of the environment
    2. wanted/contact.py: fixed to the satellites' bodies it is the contact they feel, under the
       wanted law
    3. rewind.py: where the satellites had overlapped it before it was seen, their past is
       recomputed
    4. wanted/motion.py: the satellites move under that contact, in steps shorter than the cycle;
       its mean wrench is what acts in this cycle
    5. lead.py: set-points are sent ahead by the expected delay, with the predicted force

While the environment is known the satellites are a simulation of the wanted contact: robots that
lag, overshoot or are somewhere else matter only through when the contact is seen, its normal and
its point. When the real contact ends first, what is known of it is held until the satellites part
as well.

Books: W_designed is the real contact's work less the work that the wanted contact takes. The wanted
contact's energy that appears without work, because the environment is seen elsewhere than before
(or late, with no rewind), counts as taken, and so shows as invented: `jumped`.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.corrected import CORRECTED_CELLS, note_force
from softdock.core.adaptation.declaration import Belief
from softdock.core.adaptation.interface import BOOK_DESIGNED, CYCLE, Replaced, Wrenches
from softdock.core.adaptation.measured.line_of_action import (
    mean_of,
    mock_ups_when_felt,
    satellite_motions,
    work_between,
)
from softdock.core.adaptation.measured.motions import (
    load_both,
    load_satellites,
    load_wrenches,
    store_both,
    store_satellites,
    store_wrenches,
)
from softdock.core.adaptation.method import Method
from softdock.core.adaptation.remapping import executable, rewind
from softdock.core.adaptation.remapping import keys as remapping_keys
from softdock.core.adaptation.remapping.cells import CELL, CELLS, MARKER, Remapping
from softdock.core.adaptation.remapping.contact import close_contact, follow_contact, open_contact
from softdock.core.adaptation.remapping.environment.environment import environment
from softdock.core.adaptation.remapping.host import checks, reports
from softdock.core.adaptation.remapping.host.truth import truth
from softdock.core.adaptation.remapping.host.wanted import wanted
from softdock.core.adaptation.remapping.keys import AT
from softdock.core.adaptation.remapping.lead import led_motions
from softdock.core.adaptation.remapping.other_wrenches import given_by_others, with_others
from softdock.core.adaptation.remapping.rewind import note_cycle, note_state
from softdock.core.adaptation.remapping.wanted.contact import (
    elastic_energy,
    load_model,
    overlap_of,
    touch_of,
)
from softdock.core.adaptation.remapping.wanted.law import loss_in
from softdock.core.adaptation.remapping.wanted.motion import this_cycle
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import Wrench, no_wrench, opposite
from softdock.core.spatial.vectors import add, dot, norm, store3, subtract


@compiled
def prepare(marker, vector, base, memory):
    rewind = vector[base + AT.rewind]
    rows = int(math.ceil(rewind / vector[CYCLE] - 1e-9)) + 2 if rewind > 0.0 else 1
    substeps = int(vector[base + AT.substeps])
    return Remapping(
        memory=memory,
        vector=vector,
        base=base,
        rows=rows,
        threshold=vector[base + AT.threshold],
        substeps=substeps,
        lead=vector[base + AT.lead],
        loss=loss_in(vector, base),
    )


@compiled
def _both_real(measured, mock_ups):
    """The measured wrench on both mock-ups, about one common point; a reading that is no number is
    no contact."""
    chaser = measured.wrenches.chaser
    if not (norm(chaser.force) < math.inf and norm(chaser.torque) < math.inf):
        chaser = no_wrench()
    return Wrenches(chaser, opposite(chaser, subtract(mock_ups.chaser.p, mock_ups.target.p)))


@compiled
def _real_work(method, mem, rig, felt, real, seen):
    """Work that the real contact took since the last cycle, as measured [J]."""
    m = method.memory
    taken = 0.0
    if rig.cycle > 0 and (seen or mem[m + CELL.seen] != 0.0):
        last = load_wrenches(mem, m + CELL.read)
        taken = -work_between(mean_of(last, real), load_both(mem, m + CELL.felt), felt)
    store_both(mem, m + CELL.felt, felt)
    store_wrenches(mem, m + CELL.read, real)
    return taken


@apart
def _remapped(method, mem, rig, satellites):
    """The wanted contact over this cycle: its mean wrenches and the energy it takes [J]; where the
    satellites will be is kept for `correct`."""
    m = method.memory
    model = load_model(mem, m + CELL.model)
    after, mean, lost = this_cycle(rig, model, satellites, method.substeps)
    stored = elastic_energy(model.law, overlap_of(model, after)) - elastic_energy(
        model.law, overlap_of(model, satellites)
    )
    store_satellites(mem, m + CELL.after, after)
    mem[m + CELL.acts] = 1.0 if method.substeps > 1 or mem[m + CELL.rewound] > 0.0 else 0.0
    return mean, lost + stored


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites over this cycle: the wanted contact's mean wrench in place of the
    measured one."""
    m = method.memory
    felt = mock_ups_when_felt(measured)
    real = _both_real(measured, felt)
    env = environment(method, mem, rig, measured, felt, real.chaser)
    designed = _real_work(method, mem, rig, felt, real, env.seen)
    note_state(method, mem, rig.cycle, satellites)
    mem[m + CELL.rewound], mem[m + CELL.rewound_energy], mem[m + CELL.acts] = 0.0, 0.0, 0.0
    taken = 0.0
    if env.seen:
        if mem[m + CELL.known] == 0.0:
            mem[m + CELL.taken] = 0.0
            satellites, taken = open_contact(method, mem, rig, env, real.chaser, felt, satellites)
        else:
            satellites, taken = follow_contact(method, mem, rig, env, real.chaser, felt, satellites)
    else:
        if env.stiffness < 0.0 or (env.stiffness == 0.0 and norm(env.normal) > 0.0):
            mem[m + CELL.soft] += 1.0
        mem[m + CELL.largest_below] = max(mem[m + CELL.largest_below], norm(real.chaser.force))
        if (
            mem[m + CELL.known] != 0.0
            and overlap_of(load_model(mem, m + CELL.model), satellites) <= 0.0
        ):
            close_contact(method, mem, rig)
    mem[m + CELL.seen] = 1.0 if env.seen else 0.0
    mean = Wrenches(no_wrench(), no_wrench())
    if mem[m + CELL.known] != 0.0:
        mean, more = _remapped(method, mem, rig, satellites)
        taken += more
    store_wrenches(mem, m + CELL.mean, mean)
    mem[m + CELL.taken] += taken
    mem[m + CELL.taken_now] = taken
    force = mean.chaser.force
    note_force(mem, m + CELL.corrected, rig.T, force, dot(force, force))
    mem[BOOK_DESIGNED] += designed - taken
    mem[m + CELL.designed] += designed - taken
    extra = measured.wrenches  # what other methods added to the measured wrench stays
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
def _record(method, mem, rig, mean, satellites):
    m = method.memory
    overlap, normal = 0.0, (0.0, 0.0, 0.0)
    if mem[m + CELL.known] != 0.0:
        touch = touch_of(rig, load_model(mem, m + CELL.model), satellites)
        overlap, normal = touch.overlap, touch.normal
    acting = norm(mean.chaser.force) > 0.0
    if acting:
        mem[m + CELL.acted] += 1.0
    mem[m + CELL.overlap] = overlap
    mem[m + CELL.contact] = mem[m + CELL.seen] + (2.0 if acting else 0.0)
    store3(mem, m + CELL.normal, normal)


@apart
def correct(method, mem, rig, measured, before, after, output):
    """The satellites where the wanted contact's own steps have led them; set-points ahead by the
    lead."""
    m, T = method.memory, rig.T
    mean = load_wrenches(mem, m + CELL.mean)
    on_chaser = given_by_others(rig.chaser, T, before.chaser, after.chaser, mean.chaser)
    others = Wrenches(
        on_chaser, given_by_others(rig.target, T, before.target, after.target, mean.target)
    )
    note_cycle(method, mem, rig.cycle, others, mean.chaser.force)
    end = after
    if mem[m + CELL.acts] != 0.0:
        end = load_satellites(mem, m + CELL.after)
        end = with_others(rig, end, others)
        output = satellite_motions(rig, end)
    _record(method, mem, rig, mean, end)
    if method.lead > 0.0:
        output = led_motions(method, mem, rig, end, output)
    return end, output


@compiled
def rewound(method, mem):
    """Gain of kinetic energy by what was recomputed in this cycle [J]."""
    return mem[method.memory + CELL.rewound_energy]


@compiled
def replaced(method, mem):
    """What the wanted contact did in this cycle, for the books and the log of contacts."""
    m = method.memory
    acts, pushes = mem[m + CELL.known] != 0.0, mem[m + CELL.contact] >= 2.0
    return Replaced(taken=mem[m + CELL.taken_now], acts=acts, pushes=pushes)


METHOD = Method(
    name="remapping",
    summary="the measured force says where the environment is; the satellites feel the wanted "
    "contact there",
    knows="the mock-ups' stiffness; the delay, for its lead",
    knows_no_latch="it puts a wanted contact, which only pushes, in place of what is measured",
    group=remapping_keys.REMAPPING,
    marker=MARKER,
    prepare=prepare,
    wrench=wrench,
    correct=correct,
    set_point=executable.set_point,
    rewound=rewound,
    replaced=replaced,
    past=rewind.past,
    cells=CELLS,
    memory=reports.memory,
    check=checks.check,
    without_arms=checks.without_arms,
    told_of_arms=checks.told_of_arms,
    report=reports.report,
    truth=truth,
    needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "lead_ms")),
    suggest=reports.suggest,
    refuses=reports.refuses,
    wanted=wanted,
    books=reports.books,
    contact_key="threshold_N",
    holds_contact="contact",
    parts=(CORRECTED_CELLS,),
    double_only="the re-mapping, whose past and filter were never tried in single",
)
