"""Adaptive virtual damping: the model-based critical damping blended with the energy observed so
far, so that the contact ends at the wanted energy.

Model: believed stiffness and delay give the damping that holds the loop on its boundary (Zebenay
section 4, for a damper without delay). Observation: since the touch, the energy of the satellites
along the line of action plus what the real contact absorbed, less the work that commands already
sent will still do,

    E = E_0 + energy given to the satellites + energy absorbed by the contact - F . (satellite -
    mock-up)

needs measured force and motion only. A delay h on a stiffness k makes it grow by k h v^2, a damper
b makes it fall by b v^2. What is left of the contact holds J = integral of v^2; so b = b_model + (E
- e^2 E_0) / J ends at the wanted restitution e however wrong b_model is: the error goes as J ln J,
to zero. J is that of a spring on the effective mass, with the stiffness seen in this contact, f^2 /
(2 absorbed), once there is enough of it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.core.adaptation.hybrid.normal_damper import (
    DAMPER_FLOATS,
    book_damper,
    damper_wrenches,
    last_motions,
)
from softdock.core.adaptation.hybrid.virtual_contact import load_both, store_both
from softdock.core.adaptation.interface import Wrenches
from softdock.core.adaptation.measured.line_of_action import (
    effective_mass,
    mean_of,
    measured_force,
    mock_ups_when_felt,
    noise_warnings,
    parting_rate,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    load_wrench,
    no_wrench,
    port_energy,
    store_wrench,
)

ADAPTIVE_DAMPING = Group(
    "adaptive_damping",
    "Virtual damping along the measured force that ends each contact at the wanted energy, "
    "though stiffness and delay are known only roughly.",
    Parameter(
        "stiffness",
        "stiffness_N_per_m",
        "stiffness of the real contact, as believed",
        None,
        "N/m",
        0.0,
        1e9,
        True,
    ),
    Parameter(
        "delay",
        "delay_ms",
        "delay from set-point to measured force, as believed",
        None,
        "ms",
        0.0,
        2000.0,
        scale=1e-3,
    ),
    Parameter(
        "restitution",
        "restitution",
        "wanted of a lossless contact; 1: the rig is neutral",
        1.0,
        low=0.25,
        high=1.0,
    ),
    Parameter(
        "threshold",
        "contact_N",
        "measured force above which there is contact; set it above the sensor's noise",
        0.0,
        "N",
        0.0,
        1e6,
    ),
    Parameter(
        "most",
        "most_Ns_per_m",
        "largest damping; 0: no limit below the aperiodic one",
        0.0,
        "Ns/m",
        0.0,
        1e8,
    ),
)
AT = ADAPTIVE_DAMPING.at
ENOUGH = 0.02  # of the approach energy in the contact, from which the stiffness seen there counts
STEEPEST = 1.3  # rad; the model's crossing is not looked for beyond (the nose is at 1.08)

CHANNELS = (
    ("damping", "Ns/m", "-", "virtual damping in use"),
    ("energy", "J", "-", "energy along the line of action, commands under way included"),
    ("wanted", "J", "-", "energy at which the contact is to end"),
    ("stiffness", "N/m", "-", "stiffness seen in this contact, or believed"),
    ("absorbed", "J", "-", "absorbed by the virtual damper so far"),
)
# floats of the method's slice of mem
DAMPING, ENERGY, WANTED, STIFFNESS, ABSORBED, ACTS, START, GIVEN, TAKEN, MODEL, DAMPER = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
)
FELT = DAMPER + DAMPER_FLOATS
WRENCHES, READ = (
    FELT + 2 * MOTION_FLOATS,
    FELT + 2 * MOTION_FLOATS + 12,
)  # of the last cycle: on the satellites, and measured
FLOATS = READ + 12


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
        memory,
        v[b + AT.stiffness],
        v[b + AT.delay],
        v[b + AT.restitution],
        v[b + AT.threshold],
        v[b + AT.most],
    )


@compiled
def model_damping(stiffness, delay, mass):
    """Damping at the stability boundary of mass d'' + b d' + stiffness d(t - delay): b w = k sin(w
    h), mass w^2 = k cos(w h) [Ns/m]."""
    w = math.sqrt(stiffness / mass)
    for _ in range(20):
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
def _begin(method, mem, T, mass, rate):
    m = method.memory
    mem[m + START] = 0.5 * mass * rate * rate
    mem[m + GIVEN], mem[m + TAKEN] = 0.0, 0.0
    mem[m + WANTED] = method.restitution * method.restitution * mem[m + START]
    mem[m + MODEL] = model_damping(method.stiffness, method.delay + 0.5 * T, mass)
    mem[m + DAMPING] = mem[m + MODEL]


@compiled
def _choose_damping(method, mem, mass, rate, force, under_way):
    """The damping for the coming cycle [Ns/m]."""
    m = method.memory
    mem[m + ENERGY] = mem[m + START] + mem[m + GIVEN] + mem[m + TAKEN] - under_way
    stiffness = method.stiffness
    if mem[m + TAKEN] > ENOUGH * mem[m + START]:
        stiffness = 0.5 * force * force / mem[m + TAKEN]
    mem[m + STIFFNESS] = stiffness
    left = rest_of_contact(stiffness, mass, force, rate, mem[m + DAMPING])
    most = 2.0 * math.sqrt(stiffness * mass)  # aperiodic: more would only hold the bodies together
    if method.most > 0.0:
        most = min(most, method.most)
    excess = mem[m + ENERGY] - mem[m + WANTED]
    if left * most <= abs(excess):
        return most if excess > 0.0 else 0.0
    return min(max(mem[m + MODEL] + excess / left, 0.0), most)


@compiled
def _count(mem, m, T, measured, felt, motions):
    """Energy given to the satellites and taken by the contact since the last cycle."""
    held = Wrenches(load_wrench(mem, m + WRENCHES), load_wrench(mem, m + WRENCHES + 6))
    before = last_motions(mem, m + DAMPER)
    mem[m + GIVEN] += port_energy(held.chaser, T, before.chaser, motions.chaser) + port_energy(
        held.target, T, before.target, motions.target
    )
    read = Wrenches(load_wrench(mem, m + READ), load_wrench(mem, m + READ + 6))
    mem[m + TAKEN] -= work_between(mean_of(read, measured.wrenches), load_both(mem, m + FELT), felt)


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    m, force = method.memory, measured_force(measured)
    felt, motions = mock_ups_when_felt(measured), satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if rig.cycle == 0:
        book_damper(mem, m + DAMPER, virtual, motions)
        store_both(mem, m + FELT, felt)
        mem[m + ABSORBED] = 0.0
    touching = force > method.threshold
    if touching:
        mass, rate = (
            effective_mass(rig, satellites, measured.wrenches, force),
            -parting_rate(measured.wrenches, force, motions),
        )
        if mem[m + ACTS] == 0.0:
            _begin(method, mem, rig.T, mass, rate)
        _count(mem, m, rig.T, measured, felt, motions)
        mem[m + DAMPING] = _choose_damping(
            method, mem, mass, rate, force, work_between(measured.wrenches, felt, motions)
        )
        virtual = damper_wrenches(measured, wrenches, force, mem[m + DAMPING] * rate)
    else:
        mem[m + DAMPING] = 0.0
    mem[m + ACTS] = 1.0 if touching else 0.0
    mem[m + ABSORBED] += book_damper(mem, m + DAMPER, virtual, motions)
    acting = plus_wrenches(wrenches, 1.0, virtual)
    store_both(mem, m + FELT, felt)
    store_wrench(mem, m + WRENCHES, acting.chaser)
    store_wrench(mem, m + WRENCHES + 6, acting.target)
    store_wrench(mem, m + READ, measured.wrenches.chaser)
    store_wrench(mem, m + READ + 6, measured.wrenches.target)
    return acting


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], noise_warnings(values, tables)
