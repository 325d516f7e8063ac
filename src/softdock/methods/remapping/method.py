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
    5. set-points are sent ahead by the expected delay, with the predicted force

While the environment is known the satellites are a simulation of the wanted contact: robots that
lag, overshoot or are somewhere else matter only through when the contact is seen, its normal and
its point. When the real contact ends first, what is known of it is held until the satellites part
as well.

Books: W_designed is the real contact's work less the work that the wanted contact takes. The wanted
contact's energy that appears without work, because the environment is seen elsewhere than before
(or late, with no rewind), counts as taken, and so counts as added by the loop: `jumped`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.corrected import CORRECTED_CELLS, note_force
from softdock.loop.method.declaration import Belief
from softdock.loop.method.interface import (
    BOOK_DESIGNED,
    CYCLE,
    Measured,
    Output,
    Replaced,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.loop.method.method import Method
from softdock.loop.optional_limits import or_no_limit
from softdock.loop.robots.limited import follow_together, follow_within_limits
from softdock.loop.spatial.motion import Motion, Wrench, coasting, no_wrench, opposite
from softdock.loop.spatial.vectors import ZERO, add, dot, norm, subtract
from softdock.methods.measured.line_of_action import (
    average,
    mock_ups_when_felt,
    satellite_motions,
    work_between,
)
from softdock.methods.remapping import checks, reports
from softdock.methods.remapping.contact import close_contact, follow_contact, open_contact
from softdock.methods.remapping.durations import make_matrix
from softdock.methods.remapping.environment import find_environment
from softdock.methods.remapping.keys import EXECUTABLE, MARKER, REMAPPING, Remapping, read_keys
from softdock.methods.remapping.other_wrenches import add_others, compute_others
from softdock.methods.remapping.rewind import note_cycle, note_state, recall_past
from softdock.methods.remapping.state import FOLLOWER, STATE
from softdock.methods.remapping.truth import compare_with_truth
from softdock.methods.remapping.wanted_contact import (
    compute_overlap,
    compute_touch,
    elastic_energy,
)
from softdock.methods.remapping.wanted_law import prepare_loss
from softdock.methods.remapping.wanted_motion import compute_cycle, take_steps_noinline

# The contact that the re-mapping's own keys want, in the words of a scenario's contact.


def describe_wanted(values: dict[str, Any]) -> dict[str, Any] | None:
    """The contact that its own keys want, as keys of contact.wanted; None: the scenario's. Of a
    stiffness that differs by direction the scenario's is taken."""
    law = values["wanted.law"]
    if law == "scenario":
        return None
    found: dict[str, Any] = {"law": values["wanted.by"] if law == "restitution" else law}
    chaser, target = (
        _find_uniform(values.get(f"wanted.{whose}stiffness_N_per_m", 0.0))
        for whose in ("", "target_")
    )
    if chaser > 0.0:
        found["stiffness_N_per_m"] = chaser * target / (chaser + target) if target > 0.0 else chaser
    keys = {
        "restitution": ("restitution",),
        "spring_damper": ("damping_Ns_per_m",),
        "hunt_crossley": ("exponent", "lambda_s_per_m"),
    }[law]
    numbers = {key: values[f"wanted.{key}"] for key in keys}
    return found | {
        key: _find_uniform(value) if _is_uniform(value) else "by direction"
        for key, value in numbers.items()
    }


def _is_uniform(value: Any) -> bool:
    K = make_matrix(value)
    return np.array_equal(K, K[0, 0] * np.eye(3))


def _find_uniform(value: Any) -> float:
    """A stiffness or damping that is the same in all directions; 0: it is not, or none is given."""
    return float(make_matrix(value)[0, 0]) if _is_uniform(value) else 0.0


# Set-points ahead of the satellites, by the delay that robots are expected to have (Lange IV-F).
#
# Without force the satellites go on as they are. With force, as long as the environment is known,
# they go on under the wanted contact; so the robots are sent where the satellites will be, and not
# where they would be had the contact ended now.


@noinline
def _predict(method: Remapping, mem, rig: Rig, satellites: Satellites):
    cycles = int(math.ceil(method.lead / rig.T - 1e-9))
    nothing, model = Wrenches(no_wrench(), no_wrench()), STATE(mem, method.memory).model
    for _ in range(cycles):
        satellites = take_steps_noinline(
            rig, model, satellites, method.lead / cycles, method.substeps, nothing
        )[0]
    return satellites


@compiled
def lead_motions(method: Remapping, mem, rig: Rig, satellites: Satellites, output: Output):
    """Where the satellites will be after the lead."""
    if STATE(mem, method.memory).known and read_keys(method).lead_force != 0.0:
        return satellite_motions(rig, _predict(method, mem, rig, satellites))
    return Output(coasting(output.chaser, method.lead), coasting(output.target, method.lead))


# Set-points that a robot can execute (Lange IV-G): not the satellites' motion, which turns round
# within a contact, but what a follower with limits of speed, acceleration and jerk makes of it. How
# far that is from the motion itself is recorded, and what it costs stands in the ledger's row
# `command`.
#
# The follower is the one of `loop/robots/limited.py`, or with coordinated axes that of
# `coordinated.py`: a rig whose robots have these limits then does exactly what it is sent.


@noinline
def _follow(limits, together, T, mem, at, set_point: Motion, started):
    """One robot's next set-point; `at`: of its `FOLLOWER` in `mem`."""
    s, sent, room = FOLLOWER(mem, at), set_point, at + FOLLOWER.at.room
    if started and together:
        sent = follow_together(limits, T, mem, room, s.sent, set_point)
    elif started:
        sent = follow_within_limits(limits, T, mem, room, s.sent, set_point)
    s.sent = sent
    return sent


@compiled
def set_point(method: Remapping, mem, rig: Rig, satellites: Satellites, output: Output):
    """What leaves for the robots."""
    s, keys = STATE(mem, method.memory), read_keys(method)
    if int(keys.set_points) != EXECUTABLE:
        return output
    along = or_no_limit(keys.speed), keys.acceleration, or_no_limit(keys.jerk)
    limits = (*along, math.inf, keys.turn_acceleration, or_no_limit(keys.turn_jerk))
    at, started = method.memory + STATE.at.followers, rig.cycle > 0
    together = keys.coordinated != 0.0
    chaser = _follow(limits, together, rig.T, mem, at, output.chaser, started)
    target = _follow(limits, together, rig.T, mem, at + FOLLOWER.size, output.target, started)
    s.deviation = max(
        norm(subtract(chaser.p, output.chaser.p)), norm(subtract(target.p, output.target.p))
    )
    s.largest_deviation = max(s.largest_deviation, s.deviation)
    return Output(chaser, target)


@compiled
def prepare(marker: Remapping, vector, base, memory):
    keys = REMAPPING(vector, base)
    rewind = keys.rewind
    return Remapping(
        memory=memory,
        vector=vector,
        base=base,
        rows=int(math.ceil(rewind / vector[CYCLE] - 1e-9)) + 2 if rewind > 0.0 else 1,
        threshold=keys.threshold,
        substeps=int(keys.substeps),
        lead=keys.lead,
        loss=prepare_loss(vector, base),
    )


@compiled
def _take_real(measured: Measured, mock_ups: Output):
    """The measured wrench on both mock-ups, about one common point; a reading that is no number is
    no contact."""
    chaser = measured.wrenches.chaser
    if not (norm(chaser.force) < math.inf and norm(chaser.torque) < math.inf):
        chaser = no_wrench()
    return Wrenches(chaser, opposite(chaser, subtract(mock_ups.chaser.p, mock_ups.target.p)))


@compiled
def _compute_real_work(s, rig: Rig, felt: Output, real: Wrenches, seen):
    """Work that the real contact took since the last cycle, as measured [J]."""
    taken = 0.0
    if rig.cycle > 0 and (seen or s.seen):
        taken = -work_between(average(s.read, real), s.felt, felt)
    s.felt, s.read = felt, real
    return taken


@noinline
def _remap(method: Remapping, mem, rig: Rig, satellites: Satellites):
    """The wanted contact over this cycle: its mean wrenches and the energy it takes [J]; where the
    satellites will be is kept for `correct`."""
    s = STATE(mem, method.memory)
    model = s.model
    after, mean, lost = compute_cycle(rig, model, satellites, method.substeps)
    stored = elastic_energy(model.law, compute_overlap(model, after)) - elastic_energy(
        model.law, compute_overlap(model, satellites)
    )
    s.after = after
    s.acts = method.substeps > 1 or s.rewound > 0
    return mean, lost + stored


@noinline
def wrench(
    method: Remapping,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """What acts on the satellites over this cycle: the wanted contact's mean wrench in place of the
    measured one."""
    s = STATE(mem, method.memory)
    felt = mock_ups_when_felt(measured)
    real = _take_real(measured, felt)
    env = find_environment(method, mem, rig, felt, real.chaser)
    designed = _compute_real_work(s, rig, felt, real, env.seen)
    note_state(method, mem, rig.cycle, satellites)
    s.rewound, s.rewound_energy, s.acts = 0, 0.0, False
    taken = 0.0
    if env.seen:
        if not s.known:
            s.taken = 0.0
            satellites, taken = open_contact(method, mem, rig, env, real.chaser, felt, satellites)
        else:
            satellites, taken = follow_contact(method, mem, rig, env, real.chaser, felt, satellites)
    else:
        if env.stiffness < 0.0 or (env.stiffness == 0.0 and norm(env.normal) > 0.0):
            s.soft += 1
        s.largest_below = max(s.largest_below, norm(real.chaser.force))
        if s.known and compute_overlap(s.model, satellites) <= 0.0:
            close_contact(s, rig)
    s.seen = env.seen
    mean = Wrenches(no_wrench(), no_wrench())
    if s.known:
        mean, more = _remap(method, mem, rig, satellites)
        taken += more
    s.mean = mean
    s.taken += taken
    s.taken_now = taken
    force = mean.chaser.force
    note_force(mem, method.memory + STATE.at.corrected, rig.T, force, dot(force, force))
    mem[BOOK_DESIGNED] += designed - taken
    s.designed += designed - taken
    extra = measured.wrenches  # what other methods added to the measured wrench stays
    return Wrenches(
        _exchange(wrenches.chaser, extra.chaser, mean.chaser),
        _exchange(wrenches.target, extra.target, mean.target),
    )


@compiled
def _exchange(given: Wrench, measured: Wrench, mean: Wrench):
    force, torque = subtract(given.force, measured.force), subtract(given.torque, measured.torque)
    if not (norm(force) < math.inf and norm(torque) < math.inf):  # the reading was no number
        return mean
    return Wrench(add(force, mean.force), add(torque, mean.torque))


@compiled
def _record(s, rig: Rig, mean: Wrenches, satellites: Satellites):
    overlap, normal = 0.0, ZERO
    if s.known:
        touch = compute_touch(rig, s.model, satellites)
        overlap, normal = touch.overlap, touch.normal
    acting = norm(mean.chaser.force) > 0.0
    if acting:
        s.acted += 1
    s.overlap = overlap
    s.contact = (1 if s.seen else 0) + (2 if acting else 0)
    s.normal = normal


@noinline
def correct(
    method: Remapping,
    mem,
    rig: Rig,
    measured: Measured,
    before: Satellites,
    after: Satellites,
    output: Output,
):
    """The satellites where the wanted contact's own steps have led them; set-points ahead by the
    lead."""
    s, T = STATE(mem, method.memory), rig.T
    mean = s.mean
    on_chaser = compute_others(rig.chaser, T, before.chaser, after.chaser, mean.chaser)
    others = Wrenches(
        on_chaser, compute_others(rig.target, T, before.target, after.target, mean.target)
    )
    note_cycle(method, mem, rig.cycle, others, mean.chaser.force)
    end = after
    if s.acts:
        end = add_others(rig, s.after, others)
        output = satellite_motions(rig, end)
    _record(s, rig, mean, end)
    if method.lead > 0.0:
        output = lead_motions(method, mem, rig, end, output)
    return end, output


@compiled
def compute_rewound(method: Remapping, mem):
    """Gain of kinetic energy by what was recomputed in this cycle [J]."""
    return STATE(mem, method.memory).rewound_energy


@compiled
def describe_replaced(method: Remapping, mem):
    """What the wanted contact did in this cycle, for the energy balance and the log of contacts."""
    s = STATE(mem, method.memory)
    return Replaced(taken=s.taken_now, acts=s.known, pushes=s.contact >= 2)


METHOD = Method(
    name="remapping",
    summary="the measured force gives the place of the environment; the wanted contact acts on "
    "the satellites there",
    knows="the mock-ups' stiffness and, for its lead, the delay",
    knows_no_latch="it puts a wanted contact, which only pushes, in place of what is measured",
    group=REMAPPING,
    marker=MARKER,
    prepare=prepare,
    wrench=wrench,
    correct=correct,
    set_point=set_point,
    rewound=compute_rewound,
    replaced=describe_replaced,
    past=recall_past,
    cells=STATE,
    memory=reports.count_floats,
    check=checks.check,
    without_arms=checks.check_without_arms,
    told_of_arms=checks.list_arm_keys,
    report=reports.describe,
    truth=compare_with_truth,
    needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "lead_ms")),
    suggest=reports.suggest,
    refuses=reports.refuses,
    wanted=describe_wanted,
    books=reports.summarize,
    contact_key="threshold_N",
    holds_contact="contact",
    parts=(CORRECTED_CELLS,),
)
