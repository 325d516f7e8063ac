"""Adaptive virtual damping: the model-based critical damping blended with the energy observed so
far, so that the contact ends at the wanted energy.

Model: believed stiffness and delay give the damping that holds the loop on its boundary (Zebenay
section 4, for a damper without delay). Observation: since the touch, the energy of the satellites
along the line of action plus what the real contact absorbed, and will still absorb on the way of
commands already sent, d = satellite - mock-up along the force, out of the contact,

    E = E_0 + energy given to the satellites + energy absorbed by the contact - F d + k d^2 / 2

needs measured force and motion, and for its last term, (w h)^2 of the whole, the stiffness. A
delay h on a stiffness k makes it grow by k h v^2, a damper b makes it fall by b v^2. What is left
of the contact holds J = integral of v^2; so b = b_model + (E - e^2 E_0) / J ends at the wanted
restitution e however wrong b_model is: the error goes as J ln J, to zero. J is that of a spring
on the effective mass, with the stiffness seen in this contact, f^2 / (2 absorbed), once there is
enough of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation import suggestions
from softdock.core.adaptation.adaptive_damping_keys import (
    ADAPTIVE_DAMPING,
    AT,
    CELL,
    CELLS,
    books,
    check,
    report,
    wanted,
)
from softdock.core.adaptation.declaration import Belief
from softdock.core.adaptation.interface import Wrenches
from softdock.core.adaptation.measured.line_of_action import (
    effective_mass,
    mean_of,
    measured_force,
    mock_ups_when_felt,
    parting_rate,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.core.adaptation.measured.motions import (
    load_both,
    load_wrenches,
    store_both,
    store_wrenches,
)
from softdock.core.adaptation.measured.normal_damper import (
    book_damper,
    damper_wrenches,
    last_motions,
)
from softdock.core.adaptation.method import Method
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import (
    no_wrench,
    port_energy,
)

ENOUGH = 0.02  # of the approach energy in the contact, from which the stiffness seen there counts
TOO_MUCH = 0.02  # of the wanted energy: more at a contact's end is said
ROUNDS = 20  # of the fixed-point iteration for the model's frequency
STEEPEST = 1.3  # rad; the model's crossing is not looked for beyond (the nose is at 1.08)


class AdaptiveDamping(NamedTuple):
    memory: int
    stiffness: float  # N/m
    delay: float  # s
    restitution: float
    threshold: float  # N
    most: float  # Ns/m


@compiled
def prepare(marker, vector, base, memory):
    v, b = vector, base
    return AdaptiveDamping(
        memory=memory,
        stiffness=v[b + AT.stiffness],
        delay=v[b + AT.delay],
        restitution=v[b + AT.restitution],
        threshold=v[b + AT.threshold],
        most=v[b + AT.most],
    )


@compiled
def model_damping(stiffness, delay, mass):
    """Damping at the stability boundary of mass d'' + b d' + stiffness d(t - delay): b w = k sin(w
    h), mass w^2 = k cos(w h) [Ns/m]."""
    w = math.sqrt(stiffness / mass)
    for _ in range(ROUNDS):
        w = math.sqrt(stiffness * math.cos(min(w * delay, STEEPEST)) / mass)
    return stiffness * math.sin(min(w * delay, STEEPEST)) / w


@compiled
def rest_of_contact(stiffness, mass, force, rate, damping):
    """J, the integral of the squared rate until the contact's force plus the damper's is zero
    [m^2/s]: a spring on a mass, from here on."""
    w, depth = math.sqrt(stiffness / mass), force / stiffness
    now, end = math.atan2(w * depth, rate), math.pi - math.atan(damping * w / stiffness)
    if now >= end:
        return 0.0
    swing = (rate * rate + w * w * depth * depth) / w
    return swing * (0.5 * (end - now) + 0.25 * (math.sin(2.0 * end) - math.sin(2.0 * now)))


@compiled
def still_absorbed(stiffness, force, under_way):
    """Energy that the contact will absorb until the mock-ups are where the satellites are [J]:
    `under_way`, force times the way still to go, with the slope of the spring; no more is given
    back than it holds, where they part on the way."""
    way = under_way / force  # m, > 0: apart
    if stiffness * way > force:
        return -0.5 * force * force / stiffness
    return -under_way + 0.5 * stiffness * way * way


@compiled
def _begin(method, mem, T, mass, rate):
    m = method.memory
    mem[m + CELL.start] = 0.5 * mass * rate * rate
    mem[m + CELL.given], mem[m + CELL.taken] = 0.0, 0.0
    mem[m + CELL.wanted] = method.restitution * method.restitution * mem[m + CELL.start]
    mem[m + CELL.model] = model_damping(method.stiffness, method.delay + 0.5 * T, mass)
    mem[m + CELL.damping] = mem[m + CELL.model]


@compiled
def _choose_damping(method, mem, mass, rate, force, under_way):
    """The damping for the coming cycle [Ns/m]."""
    m = method.memory
    stiffness = method.stiffness
    if mem[m + CELL.taken] > ENOUGH * mem[m + CELL.start]:
        stiffness = 0.5 * force * force / mem[m + CELL.taken]
    mem[m + CELL.energy] = (
        mem[m + CELL.start]
        + mem[m + CELL.given]
        + mem[m + CELL.taken]
        + still_absorbed(stiffness, force, under_way)
    )
    mem[m + CELL.stiffness] = stiffness
    left = rest_of_contact(stiffness, mass, force, rate, mem[m + CELL.damping])
    most = 2.0 * math.sqrt(stiffness * mass)  # aperiodic: more would only hold the bodies together
    if method.most > 0.0:
        most = min(most, method.most)
    mem[m + CELL.limit] = most
    excess = mem[m + CELL.energy] - mem[m + CELL.wanted]
    if left * most <= abs(excess):
        return most if excess > 0.0 else 0.0
    return min(max(mem[m + CELL.model] + excess / left, 0.0), most)


@compiled
def _note_end(mem, m):
    """How a contact ended: with how much of the wanted energy, and whether more damping was
    needed."""
    ratio = mem[m + CELL.energy] / mem[m + CELL.wanted] if mem[m + CELL.wanted] > 0.0 else 0.0
    mem[m + CELL.contacts] += 1.0
    mem[m + CELL.worst] = max(mem[m + CELL.worst], ratio)
    if ratio > 1.0 + TOO_MUCH:
        mem[m + CELL.above] += 1.0
        if mem[m + CELL.damping] >= mem[m + CELL.limit]:
            mem[m + CELL.at_most] += 1.0


@compiled
def _count(mem, m, T, measured, felt, motions):
    """Energy given to the satellites and taken by the contact since the last cycle."""
    held = load_wrenches(mem, m + CELL.wrenches)
    before = last_motions(mem, m + CELL.damper)
    mem[m + CELL.given] += port_energy(held.chaser, T, before.chaser, motions.chaser) + port_energy(
        held.target, T, before.target, motions.target
    )
    read = load_wrenches(mem, m + CELL.read)
    mem[m + CELL.taken] -= work_between(
        mean_of(read, measured.wrenches), load_both(mem, m + CELL.felt), felt
    )


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    m, force = method.memory, measured_force(measured)
    felt, motions = mock_ups_when_felt(measured), satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if rig.cycle == 0:
        book_damper(mem, m + CELL.damper, virtual, motions)
        store_both(mem, m + CELL.felt, felt)
        mem[m + CELL.absorbed] = 0.0
    touching = force > method.threshold
    if touching:
        mass, rate = (
            effective_mass(rig, satellites, measured.wrenches, force),
            -parting_rate(measured.wrenches, force, motions),
        )
        if mem[m + CELL.acts] == 0.0:
            _begin(method, mem, rig.T, mass, rate)
        _count(mem, m, rig.T, measured, felt, motions)
        mem[m + CELL.damping] = _choose_damping(
            method, mem, mass, rate, force, work_between(measured.wrenches, felt, motions)
        )
        virtual = damper_wrenches(measured, wrenches, force, mem[m + CELL.damping] * rate)
    else:
        if mem[m + CELL.acts] != 0.0:
            _note_end(mem, m)
        mem[m + CELL.damping] = 0.0
    mem[m + CELL.acts] = 1.0 if touching else 0.0
    mem[m + CELL.absorbed] += book_damper(mem, m + CELL.damper, virtual, motions)
    acting = plus_wrenches(wrenches, 1.0, virtual)
    store_both(mem, m + CELL.felt, felt)
    store_wrenches(mem, m + CELL.wrenches, acting)
    store_wrenches(mem, m + CELL.read, measured.wrenches)
    return acting


METHOD = Method(
    name="adaptive_damping",
    summary="virtual damping that ends a contact at the wanted energy",
    knows="stiffness and delay, roughly",
    while_latched="it damps where the observed energy rises: after 1.5 % the pair stays as it is",
    holds_latch=True,
    group=ADAPTIVE_DAMPING,
    marker=AdaptiveDamping(
        memory=0, stiffness=0.0, delay=0.0, restitution=0.0, threshold=0.0, most=0.0
    ),
    prepare=prepare,
    wrench=wrench,
    cells=CELLS,
    check=check,
    books=books,
    report=report,
    wanted=wanted,
    compensates_delay="its damper takes what the delay brings in",
    needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "delay_ms")),
    suggest=suggestions.stiffness_and_delay,
    advised=suggestions.delay_before_the_hold,
    refuses=suggestions.needs_stiffness,
    in_demo=True,
)
