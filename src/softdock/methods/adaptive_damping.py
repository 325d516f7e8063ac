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
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method import declaration as suggestions
from softdock.loop.method.declaration import Belief
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import (
    no_wrench,
    port_energy,
)
from softdock.methods.measured.line_of_action import (
    CONTACT_THRESHOLD,
    average,
    effective_mass,
    find_noise_warnings,
    measured_force,
    mock_ups_when_felt,
    parting_rate,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.methods.measured.normal_damper import (
    DAMPER,
    compute_damper_wrenches,
    count_damper,
)

# Keys of the adaptive damping, its cells, and what it says before and after a run.

ADAPTIVE_DAMPING = Group(
    "adaptive_damping",
    "Virtual damping along the measured force that ends each contact at the wanted energy, "
    "though stiffness and delay are known only roughly.",
    Parameter(
        "stiffness",
        "stiffness_N_per_m",
        "stiffness of the real contact, assumed",
        None,
        unit="N/m",
        low=0.0,
        high=1e9,
        open_low=True,
    ),
    Parameter(
        "delay",
        "delay_ms",
        "delay from set-point to measured force, assumed",
        None,
        unit="ms",
        low=0.0,
        high=2000.0,
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
    CONTACT_THRESHOLD,
    Parameter(
        "acts",
        "acts",
        "always, or from where a check fails: what the model predicts or what is observed",
        "always",
        choices=("always", "on_check"),
    ),
    Parameter(
        "bound",
        "bound_J",
        "energy above the wanted one, predicted or observed, at which a check fails",
        1e-3,
        unit="J",
        low=0.0,
        high=1e9,
        when=("acts", ("on_check",)),
    ),
    Parameter(
        "most",
        "most_Ns_per_m",
        "largest damping; 0: no limit below the aperiodic one",
        0.0,
        unit="Ns/m",
        low=0.0,
        high=1e8,
    ),
)
STATE = Cells(
    "adaptive_damping",
    recorded("damping", "Ns/m", "virtual damping in use"),
    recorded("energy", "J", "energy along the line of action, commands under way included"),
    recorded("wanted", "J", "energy at which the contact is to end"),
    recorded("stiffness", "N/m", "stiffness seen in this contact, or believed"),
    recorded("absorbed", "J", "absorbed by the virtual damper so far"),
    recorded(
        "failed", "-", "checks that failed in this contact: 1 the model's, 2 the energy's, 3 both"
    ),
    recorded("predicted", "J", "that the loop would add to this contact without the damper"),
    Cell("acts", bool, "-", "1: in contact"),
    Cell("start", float, "J", "energy of the approach"),
    Cell("given", float, "J", "given to the satellites since touch"),
    Cell("taken", float, "J", "absorbed by the real contact since touch"),
    Cell("model", float, "Ns/m", "damping of the model"),
    Cell("contacts", int, "-", "contacts that have ended"),
    Cell("above", int, "-", "of them with more energy than wanted"),
    Cell("worst", float, "-", "largest energy at an end over the wanted one"),
    Cell("by_model", int, "-", "contacts in which the model's check failed"),
    Cell("by_energy", int, "-", "contacts in which the energy's check failed"),
    Cell("at_most", int, "-", "contacts that ended with the damping at its limit"),
    Cell("limit", float, "Ns/m", "of the damping, in the last cycle in contact"),
    Cell("damper", DAMPER, "", "of the virtual damper (methods/measured/normal_damper.py)"),
    Cell("felt", Output, "m, -, m/s, rad/s", "mock-ups of the last force sample"),
    Cell("wrenches", Wrenches, "N, Nm", "on the satellites in the last cycle"),
    Cell("read", Wrenches, "N, Nm", "measured in the last cycle"),
)


def summarize(mem: Any) -> dict[str, Any]:
    """How its contacts ended."""
    s = STATE(mem)
    return {
        "contacts": float(s.contacts),
        "contacts_above_the_wanted_energy": float(s.above),
        "largest_energy_over_wanted": float(s.worst),
        "contacts_that_the_model_found_unstable": float(s.by_model),
        "contacts_that_the_energy_found_unstable": float(s.by_energy),
    }


def describe(mem: Any, values: dict[str, Any]) -> list[str]:
    """Contacts that it could not end at the wanted energy."""
    s = STATE(mem)
    if s.above == 0:
        return []
    why = (
        "its damping was at the limit beyond which it would only hold the bodies together"
        if s.at_most > 0
        else "the contact was over before"
    )
    return [
        f"adaptive_damping: {s.above} of {s.contacts} contacts ended with more energy "
        f"than wanted, by up to {100.0 * (s.worst - 1.0):.1f} % as it observed: {why}; the "
        "rig stays active (a shorter delay, a lower restitution or energy_ledger would help)"
    ]


def describe_wanted(values: dict[str, Any]) -> dict[str, Any] | None:
    """The contact that orbit is flown with: a restitution below 1 is meant."""
    e = values["restitution"]
    return {"restitution": e} if e < 1.0 else None


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], find_noise_warnings(values, tables)


ENOUGH = 0.02  # of the approach energy in the contact, from which the stiffness seen there counts
TOO_MUCH = 0.02  # of the wanted energy: more at a contact's end is said
ROUNDS = 20  # of the fixed-point iteration for the model's frequency
ON_CHECK = 1  # of `acts`
BY_MODEL, BY_ENERGY = 1, 2  # checks
LARGEST_SWING = 50.0  # of the exponent
STEEPEST = 1.3  # rad; the model's crossing is not looked for beyond (the nose is at 1.08)


class AdaptiveDamping(NamedTuple):
    memory: int
    stiffness: float  # N/m
    delay: float  # s
    restitution: float
    threshold: float  # N
    most: float  # Ns/m
    on_check: bool
    bound: float  # J


@compiled
def prepare(marker, vector, base, memory):
    keys = ADAPTIVE_DAMPING(vector, base)
    return AdaptiveDamping(
        memory=memory,
        stiffness=keys.stiffness,
        delay=keys.delay,
        restitution=keys.restitution,
        threshold=keys.threshold,
        most=keys.most,
        on_check=keys.acts == ON_CHECK,
        bound=keys.bound,
    )


@compiled
def compute_model_damping(stiffness, delay, mass):
    """Damping at the stability boundary of mass d'' + b d' + stiffness d(t - delay): b w = k sin(w
    h), mass w^2 = k cos(w h) [Ns/m]."""
    w = math.sqrt(stiffness / mass)
    for _ in range(ROUNDS):
        w = math.sqrt(stiffness * math.cos(min(w * delay, STEEPEST)) / mass)
    return stiffness * math.sin(min(w * delay, STEEPEST)) / w


@compiled
def compute_rest(stiffness, mass, force, rate, damping):
    """J, the integral of the squared rate until the contact's force plus the damper's is zero
    [m^2/s]: a spring on a mass, from here on."""
    w, depth = math.sqrt(stiffness / mass), force / stiffness
    now, end = math.atan2(w * depth, rate), math.pi - math.atan(damping * w / stiffness)
    if now >= end:
        return 0.0
    swing = (rate * rate + w * w * depth * depth) / w
    return swing * (0.5 * (end - now) + 0.25 * (math.sin(2.0 * end) - math.sin(2.0 * now)))


@compiled
def compute_still_absorbed(stiffness, force, under_way):
    """Energy that the contact will absorb until the mock-ups are where the satellites are [J]:
    `under_way`, force times the way still to go, with the slope of the spring; no more is given
    back than it holds, where they part on the way."""
    way = under_way / force  # m, > 0: apart
    if stiffness * way > force:
        return -0.5 * force * force / stiffness
    return -under_way + 0.5 * stiffness * way * way


@compiled
def compute_least_damping(T, stiffness, mass, force, parting, under_way, missing):
    """The damping below which the coming cycle alone would bring in more than `missing` [J], with
    parts that separate at `parting` [m/s]: the held force gives F v T + (F T)^2 / 2m, the contact
    has less to give by the way from where the satellites are to where they will be [Ns/m]."""
    way = under_way / force
    now, then = max(force - stiffness * way, 0.0), max(force - stiffness * (way + parting * T), 0.0)
    allowed = missing + 0.5 * (now * now - then * then) / stiffness
    held = 0.0
    if allowed > 0.0:
        held = mass / T * (math.sqrt(parting * parting + 2.0 * allowed / mass) - parting)
    return (force - held) / parting


@compiled
def _begin(method: AdaptiveDamping, s, T, mass, rate):
    s.start = 0.5 * mass * rate * rate
    s.given, s.taken = 0.0, 0.0
    s.wanted = method.restitution * method.restitution * s.start
    s.model = compute_model_damping(method.stiffness, method.delay + 0.5 * T, mass)
    s.damping = s.model
    s.failed = 0.0


@compiled
def _choose_damping(method: AdaptiveDamping, s, T, mass, rate, force, under_way):
    """The damping for the coming cycle [Ns/m]."""
    stiffness = method.stiffness
    if s.taken > ENOUGH * s.start:
        stiffness = 0.5 * force * force / s.taken
    s.energy = s.start + s.given + s.taken + compute_still_absorbed(stiffness, force, under_way)
    s.stiffness = stiffness
    left = compute_rest(stiffness, mass, force, rate, s.damping)
    most = 2.0 * math.sqrt(stiffness * mass)  # aperiodic: more would only hold the bodies together
    if method.most > 0.0:
        most = min(most, method.most)
    s.limit = most
    excess = s.energy - s.wanted
    damping = min(max(s.model + excess / left, 0.0), most) if left * most > abs(excess) else 0.0
    if left * most <= excess:
        damping = most
    if rate < 0.0:
        missing = max(-excess, 0.0)  # below 0 it would hold the parts together
        least = compute_least_damping(T, stiffness, mass, force, -rate, under_way, missing)
        if method.most > 0.0:
            least = min(least, method.most)
        damping = max(damping, least)
    return damping


@compiled
def _check(method: AdaptiveDamping, s, T, mass):
    """Both checks of this cycle. The model's: what a delay h on this stiffness adds to a bounce of
    the approach energy, exp(pi h sqrt(k / m)) - 1. The energy's: what was observed, commands under
    way included."""
    swing = math.pi * (method.delay + 0.5 * T) * math.sqrt(s.stiffness / mass)
    s.predicted = (math.exp(min(swing, LARGEST_SWING)) - 1.0) * s.start
    failed = int(s.failed)
    if s.predicted > method.bound and failed & BY_MODEL == 0:
        failed += BY_MODEL
        s.by_model += 1
    if s.energy - s.wanted > method.bound and failed & BY_ENERGY == 0:
        failed += BY_ENERGY
        s.by_energy += 1
    s.failed = float(failed)


@compiled
def _note_end(s):
    """How a contact ended: with how much of the wanted energy, and whether more damping was
    needed."""
    ratio = s.energy / s.wanted if s.wanted > 0.0 else 0.0
    s.contacts += 1
    s.worst = max(s.worst, ratio)
    if ratio > 1.0 + TOO_MUCH:
        s.above += 1
        if s.damping >= s.limit:
            s.at_most += 1


@compiled
def _count_work(s, T, measured: Measured, felt: Output, motions: Output):
    """Energy given to the satellites and taken by the contact since the last cycle."""
    held = s.wrenches
    before = s.damper.motions
    s.given += port_energy(held.chaser, T, before.chaser, motions.chaser) + port_energy(
        held.target, T, before.target, motions.target
    )
    s.taken -= work_between(average(s.read, measured.wrenches), s.felt, felt)


@noinline
def wrench(
    method: AdaptiveDamping,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    force = measured_force(measured)
    s = STATE(mem, method.memory)
    felt, motions = mock_ups_when_felt(measured), satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if rig.cycle == 0:
        count_damper(mem, s.damper, virtual, motions)
        s.felt = felt
        s.absorbed = 0.0
    touching = force > method.threshold
    if touching:
        mass, rate = (
            effective_mass(rig, satellites, measured.wrenches, force),
            -parting_rate(measured.wrenches, force, motions),
        )
        if not s.acts:
            _begin(method, s, rig.T, mass, rate)
        _count_work(s, rig.T, measured, felt, motions)
        s.damping = _choose_damping(
            method, s, rig.T, mass, rate, force, work_between(measured.wrenches, felt, motions)
        )
        _check(method, s, rig.T, mass)
        if method.on_check and s.failed == 0.0:
            s.damping = 0.0
        virtual = compute_damper_wrenches(measured, wrenches, force, s.damping * rate)
    else:
        if s.acts:
            _note_end(s)
        s.damping = 0.0
    s.acts = touching
    s.absorbed += count_damper(mem, s.damper, virtual, motions)
    acting = plus_wrenches(wrenches, 1.0, virtual)
    s.felt = felt
    s.wrenches = acting
    s.read = measured.wrenches
    return acting


METHOD = Method(
    name="adaptive_damping",
    summary="virtual damping that ends a contact at the wanted energy",
    knows="rough values of stiffness and delay",
    while_latched="it damps where the observed energy rises: after 1.5 % the pair stays as it is",
    holds_latch=True,
    group=ADAPTIVE_DAMPING,
    marker=AdaptiveDamping(
        memory=0,
        stiffness=0.0,
        delay=0.0,
        restitution=0.0,
        threshold=0.0,
        most=0.0,
        on_check=False,
        bound=0.0,
    ),
    prepare=prepare,
    wrench=wrench,
    cells=STATE,
    check=check,
    books=summarize,
    report=describe,
    wanted=describe_wanted,
    compensates_delay="its damper takes what the delay brings in",
    needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "delay_ms")),
    suggest=suggestions.stiffness_and_delay,
    advised=suggestions.delay_before_the_hold,
    refuses=suggestions.needs_stiffness,
    in_demo=True,
)
