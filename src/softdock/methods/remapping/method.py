"""Re-mapping of hard impacts (Lange, Grunwald, Albu-Schaeffer): the measured force says where the
environment is, not what the satellites feel.

Each cycle:
    1. environment.py: from the measured wrench and the measured mock-ups, the normal,
       the contact point and the place of the environment
    2. wanted_contact.py: fixed to the satellites' bodies it is the contact they feel, under the
       wanted law
    3. rewind.py: where the satellites had overlapped it before it was seen, their past is
       recomputed
    4. wanted_motion.py: the satellites move under that contact, in steps shorter than the cycle;
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
from typing import Any

import numpy as np

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.corrected import CORRECTED_CELLS, note_force
from softdock.loop.method.declaration import Belief
from softdock.loop.method.interface import BOOK_DESIGNED, CYCLE, Output, Replaced, Wrenches
from softdock.loop.method.method import Method
from softdock.loop.optional_limits import or_no_limit
from softdock.loop.robots.limited import follow_within_limits
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    Wrench,
    coasting,
    load_motion,
    no_wrench,
    opposite,
    store_motion,
)
from softdock.loop.spatial.vectors import add, dot, norm, store3, subtract
from softdock.methods.measured.line_of_action import (
    average,
    mock_ups_when_felt,
    satellite_motions,
    work_between,
)
from softdock.methods.measured.motions import (
    load_both,
    load_satellites,
    load_wrenches,
    store_both,
    store_satellites,
    store_wrenches,
)
from softdock.methods.remapping import checks, reports, rewind
from softdock.methods.remapping import keys as remapping_keys
from softdock.methods.remapping.cells import CELL, CELLS, FOLLOWER_FLOATS, MARKER, Remapping
from softdock.methods.remapping.contact import close_contact, follow_contact, open_contact
from softdock.methods.remapping.durations import matrix_of
from softdock.methods.remapping.environment import environment
from softdock.methods.remapping.keys import AT, EXECUTABLE
from softdock.methods.remapping.other_wrenches import given_by_others, with_others
from softdock.methods.remapping.rewind import note_cycle, note_state
from softdock.methods.remapping.truth import truth
from softdock.methods.remapping.wanted_contact import (
    elastic_energy,
    load_model,
    overlap_of,
    touch_of,
)
from softdock.methods.remapping.wanted_law import loss_in
from softdock.methods.remapping.wanted_motion import steps_noinline, this_cycle

# The contact that the re-mapping's own keys want, in the words of a scenario's contact.


def wanted(values: dict[str, Any]) -> dict[str, Any] | None:
    """The contact that its own keys want, as keys of contact.wanted; None: the scenario's. Of a
    stiffness that differs by direction the scenario's is taken."""
    law = values["wanted.law"]
    if law == "scenario":
        return None
    found: dict[str, Any] = {"law": values["wanted.by"] if law == "restitution" else law}
    chaser, target = (
        _alike(values.get(f"wanted.{whose}stiffness_N_per_m", 0.0)) for whose in ("", "target_")
    )
    if chaser > 0.0:
        found["stiffness_N_per_m"] = chaser * target / (chaser + target) if target > 0.0 else chaser
    keys = {
        "restitution": ("restitution",),
        "spring_damper": ("damping_Ns_per_m",),
        "hunt_crossley": ("exponent", "lambda_s_per_m"),
    }[law]
    return found | {key: float(values[f"wanted.{key}"]) for key in keys}


def _alike(stiffness: Any) -> float:
    """A stiffness that is the same in all directions [N/m]; 0: it is not, or none is given."""
    K = matrix_of(stiffness)
    return float(K[0, 0]) if np.array_equal(K, K[0, 0] * np.eye(3)) else 0.0


# Set-points ahead of the satellites, by the delay that robots are expected to have (Lange IV-F).
#
# Without force the satellites fly on as they are. With force, as long as the environment is known,
# they go on under the wanted contact; so the robots are sent where the satellites will be, and not
# where they would be had the contact ended now.


@noinline
def _predicted(method, mem, rig, satellites):
    cycles = int(math.ceil(method.lead / rig.T - 1e-9))
    nothing, model = Wrenches(no_wrench(), no_wrench()), load_model(mem, method.memory + CELL.model)
    for _ in range(cycles):
        satellites = steps_noinline(
            rig, model, satellites, method.lead / cycles, method.substeps, nothing
        )[0]
    return satellites


@compiled
def led_motions(method, mem, rig, satellites, output):
    """Where the satellites will be after the lead."""
    if mem[method.memory + CELL.known] != 0.0 and method.vector[method.base + AT.lead_force] != 0.0:
        return satellite_motions(rig, _predicted(method, mem, rig, satellites))
    return Output(coasting(output.chaser, method.lead), coasting(output.target, method.lead))


# Set-points that a robot can execute (Lange IV-G): not the satellites' motion, which turns round
# within a contact, but what a follower with limits of speed, acceleration and jerk makes of it. How
# far that is from the motion itself is recorded, and what it costs stands in the ledger's row
# `command`.
#
# The follower is the one of `loop/robots/limited.py`: a rig whose robots have these limits then does
# exactly what it is sent.


@noinline
def _followed(limits, T, mem, at, set_point, started):
    """One robot's next set-point; `at`: what was sent last, then the follower's accelerations and
    its room to plan."""
    sent = set_point
    if started:
        sent = follow_within_limits(
            limits, T, mem, at + MOTION_FLOATS, load_motion(mem, at), set_point
        )
    store_motion(mem, at, sent)
    return sent


@compiled
def set_point(method, mem, rig, satellites, output):
    """What leaves for the robots."""
    v, b, m = method.vector, method.base, method.memory
    if int(v[b + AT.set_points]) != EXECUTABLE:
        return output
    along = or_no_limit(v[b + AT.speed]), v[b + AT.acceleration], or_no_limit(v[b + AT.jerk])
    limits = (*along, math.inf, v[b + AT.turn_acceleration], or_no_limit(v[b + AT.turn_jerk]))
    at, started = m + CELL.followers, rig.cycle > 0
    chaser = _followed(limits, rig.T, mem, at, output.chaser, started)
    target = _followed(limits, rig.T, mem, at + FOLLOWER_FLOATS, output.target, started)
    mem[m + CELL.deviation] = max(
        norm(subtract(chaser.p, output.chaser.p)), norm(subtract(target.p, output.target.p))
    )
    mem[m + CELL.largest_deviation] = max(mem[m + CELL.largest_deviation], mem[m + CELL.deviation])
    return Output(chaser, target)


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
        taken = -work_between(average(last, real), load_both(mem, m + CELL.felt), felt)
    store_both(mem, m + CELL.felt, felt)
    store_wrenches(mem, m + CELL.read, real)
    return taken


@noinline
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


@noinline
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


@noinline
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
    set_point=set_point,
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
)
