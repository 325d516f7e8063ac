"""Passivity observer and controller around the robots' delay, at the port of force and motion.

Whatever delays the motion on its way to the mock-ups, the satellites may get from a contact what the real contact gives, and no more. The observer
counts, per port,

    active = energy given to the satellites (wrench applied, their own motion) - energy released by the real contact (measured wrench, measured motion)
    level  = active - transit

Measured wrench and motion are paired by their ages. `transit` is the energy reference: the work that the contact will still do while the mock-ups go
where the satellites are already, from the newest wrench and its slope along the way; without it the controller would act on energy that is only late.

The controller takes `level`, and what one more cycle would add, in the next cycle, by a variable damper along the measured wrench: it acts on both
satellites with the part gamma of it. The damper is at most m / (n T), m the mass that the wrench feels, n = `braking_cycles`: at the turning point its
force goes to zero with the velocity, so that a contact always pushes out and nothing sticks; what was not taken is carried on. While a force is felt it
is at most doubled and never reversed. A debt that is left when the contact is over is braked off along its last wrench, down to the share `loan` of the
energy at touch; a credit is dropped. (A real contact with damping can absorb more than the satellites had, because the robots carry the mock-ups deep
into it; no braking repays that.)

With noise of the force the work that is measured is wrong by a chance amount, and what the satellites get with it. With `confidence` above 0.5, z standard
deviations of that amount count as not given: then with this probability a contact gives no more than the real one did.

`coupled`: one port of six degrees of freedom for the pair; the wrenches stay opposite about one point, momentum is kept. `per_axis`: three force and
three torque ports in world axes; linear momentum is kept, the pair's angular momentum only if forces act along axes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.adaptation.delay_observer import (
    ACTIVE,
    ALONG,
    APPLIED,
    BASELINE,
    CONTACTS,
    COUPLED,
    DAMPER,
    DROPPED,
    IDLE,
    KEPT,
    LEVEL,
    OPEN,
    RECORDS,
    REMOVED,
    SLOPE,
    TOO_OLD,
    TOUCH,
    TWIST,
    VARIANCE,
    books_of,
    observe,
    transit_work,
)
from softdock.adaptation.energy_ledger_books import CELLS, ROW_FLOATS, TURNOVER, Booking
from softdock.adaptation.energy_ledger_books import VARIANCE as BOOKS_VARIANCE
from softdock.adaptation.energy_ledger_projection import pair_energy, welded
from softdock.adaptation.interface import Wrenches
from softdock.adaptation.line_of_action import mobility_of
from softdock.adaptation.noise_bias import claim_warnings, deviations_for, handed_over_noise
from softdock.adaptation.paired_records import ROW
from softdock.compiled import apart, compiled
from softdock.parameters import Group, Parameter
from softdock.spatial.motion import Wrench
from softdock.spatial.vectors import add, dot, load3, multiply, norm, scale, store3, subtract

FAITHFUL, PASSIVE = 0, 1
SMALLEST = 1e-9  # of the relative motion's energy: less is none
ROWS_BEYOND = 7  # of a record, for the baseline and both ends
CYCLE = 0  # place of T in the parameter vector

DELAY_PASSIVITY = Group(
    "delay_passivity",
    "Passivity observer and controller around the robots' delay: the satellites get what the real contact gives, and no more.",
    Parameter("coupling", "coupling", "one port of six degrees of freedom, or a port per world axis", "coupled", choices=("coupled", "per_axis")),
    Parameter("braking_cycles", "braking_cycles", "n: the damper is at most the mass it brakes over n cycles", 4.0, low=1.0, high=1e4),
    Parameter(
        "claim",
        "claim",
        "faithful: the likely work of a force that jumps within one sample, debts that no braking along the last wrench repays are dropped; "
        "passive (coupled only): the most it can have been, 0.1 % of the work's turnover kept back, debts taken from all relative motion",
        "faithful",
        choices=("faithful", "passive"),
    ),
    Parameter("loan", "loan", "share of the energy at touch that is left to the satellites after a contact, whatever they owe", 0.01, low=0.0, high=1.0),
    Parameter("threshold", "threshold_N", "a smaller measured force is no contact", 0.0, "N", 0.0, 1e6),
    Parameter("longest_age", "longest_age_ms", "oldest force or pose that is still paired", 40.0, "ms", 0.0, 1e4, scale=1e-3),
    Parameter("unstamped", "unstamped_age_ms", "age of the force beyond its stamp: half of a mean stamped late", 0.0, "ms", 0.0, 1e3, scale=1e-3),
    Parameter("noise_force", "noise_N", "standard deviation of a handed-over force, for the bias", 0.0, "N", 0.0, 1e6),
    Parameter("noise_torque", "noise_Nm", "standard deviation of a handed-over torque, for the bias", 0.0, "Nm", 0.0, 1e6),
    Parameter("confidence", "confidence", "with which noise invents no energy in a contact; 0.5: no bias", 0.5, low=0.5, high=0.999999),
)
AT = DELAY_PASSIVITY.at


class DelayPassivity(NamedTuple):
    memory: int
    coupling: int
    braking_cycles: float
    threshold: float  # N
    rows: int  # of each record
    unstamped: float  # s
    loan: float
    booking: Booking
    deviations: float  # of the noise's work that are kept back


MARKER = DelayPassivity(0, 0, 0.0, 0.0, 0, 0.0, 0.0, Booking(0.0, 0.0, 0.0, False), 0.0)


@compiled
def _rows(longest_age, T):
    return int(math.ceil(longest_age / T)) + ROWS_BEYOND


def memory(values, T):
    """Floats of `mem`; `values` in the user's units."""
    rows = math.ceil(1e-3 * values["longest_age_ms"] / T) + ROWS_BEYOND
    return RECORDS + 2 * (1 + ROW * rows) + CELLS + rows * ROW_FLOATS


def suggest(scenario):
    """Its keys for a scenario that does not list it: what noise alone does not reach, and records long enough for the ages there are."""
    sensor, pose = scenario.tables["sensor"], scenario.tables["pose"]
    cycle = scenario.tables["time"]["cycle_ms"]
    oldest = max(sensor["delay_ms"] + sensor["period_ms"], pose["delay_ms"] + pose["period_ms"], cycle)
    force, torque = handed_over_noise(scenario)
    return {"threshold_N": 6.0 * sensor["noise_N"], "longest_age_ms": 2.0 * oldest + 10.0, "noise_N": force, "noise_Nm": torque}


def refuses(scenario):
    """Why it cannot run on a scenario, in words; None if it can."""
    if scenario.tables["laboratory"]["mapping"] == "shared":
        return "the robots share the relative motion: a mock-up is not where its satellite is, and the way it has still to go cannot be told"
    return None


def check(values: dict[str, Any], tables: Any) -> Any:
    """What it claims, it must be able to keep."""
    problems = []
    if values["claim"] == "passive" and values["coupling"] != "coupled":
        problems.append(("claim", "passive", "faithful with coupling = per_axis: by axis no debt is taken from all relative motion, and nothing is claimed"))
    return problems, [f"delay_passivity: {words}" for words in claim_warnings(values, tables)]


@compiled
def prepare(marker, vector, base, memory):
    rows = _rows(vector[base + AT.longest_age], vector[CYCLE])
    v, b = vector, base
    coupling, deviations = int(v[b + AT.coupling]), deviations_for(v[b + AT.confidence])
    braking, threshold, unstamped, loan = v[b + AT.braking_cycles], v[b + AT.threshold], v[b + AT.unstamped], v[b + AT.loan]
    booking = Booking(threshold, v[b + AT.noise_force], v[b + AT.noise_torque], int(v[b + AT.claim]) == PASSIVE and coupling == COUPLED)
    return DelayPassivity(memory, coupling, braking, threshold, rows, unstamped, loan, booking, deviations)


@compiled
def _only(method, port, j, a):
    """A vector with what does not belong to the port set to zero; j: 0 forces, 1 torques."""
    if method.coupling == COUPLED:
        return a
    i = port - 3 * j
    return (a[0] if i == 0 else 0.0, a[1] if i == 1 else 0.0, a[2] if i == 2 else 0.0)


@apart
def _gamma(method, mem, rig, satellites, port):
    """How much of the last wrench of the contact the damper puts against the motion at a port."""
    at, T = method.memory, rig.T
    cf, ct = _only(method, port, 0, load3(mem, at + ALONG)), _only(method, port, 1, load3(mem, at + ALONG + 3))
    tf, tt = _only(method, port, 0, load3(mem, at + ALONG + 6)), _only(method, port, 1, load3(mem, at + ALONG + 9))
    power = dot(cf, load3(mem, at + TWIST)) + dot(ct, load3(mem, at + TWIST + 3))
    power += dot(tf, load3(mem, at + TWIST + 6)) + dot(tt, load3(mem, at + TWIST + 9))
    level = mem[at + ACTIVE + port] - transit_work(method, mem, satellites, port)
    coming = level - mem[at + LEVEL + port] + mem[at + REMOVED + port]  # what a cycle adds without the damper
    mem[at + LEVEL + port] = level
    mem[at + REMOVED + port] = 0.0
    mobility = mobility_of(rig.chaser, satellites.chaser.q, Wrench(cf, ct)) + mobility_of(rig.target, satellites.target.q, Wrench(tf, tt))
    if power == 0.0 or mobility == 0.0:
        return 0.0
    kinetic = 0.5 * power * power / mobility  # of the motion along the wrench
    most = abs(power) / (method.braking_cycles * T * mobility)
    if mem[at + IDLE] == 0.0:
        if mem[at + TOUCH + port] == 0.0:
            mem[at + TOUCH + port] = kinetic
        wanted = level + coming
        most = min(most, 1.0)
    else:  # the contact is over, and a debt is left
        spare = kinetic - method.loan * mem[at + TOUCH + port]
        if method.booking.worst and (power < 0.0 or spare < level):
            return 0.0  # more than the motion along the last wrench has: taken from all relative motion, when every reading is counted
        if power < 0.0 or spare <= 0.0:
            mem[at + DROPPED] += max(mem[at + ACTIVE + port], 0.0)
            mem[at + ACTIVE + port] = 0.0
            return 0.0
        wanted = min(level, spare)
    if wanted <= 0.0:
        return 0.0
    gamma = max(-most, min(most, wanted / (power * T)))
    mem[at + REMOVED + port] = gamma * power * T
    return gamma


@compiled
def _store_wrenches(mem, at, wrenches):
    store3(mem, at, wrenches.chaser.force)
    store3(mem, at + 3, wrenches.chaser.torque)
    store3(mem, at + 6, wrenches.target.force)
    store3(mem, at + 9, wrenches.target.torque)


@compiled
def _store_damper(mem, at, given, without):
    store3(mem, at, subtract(given.chaser.force, without.chaser.force))
    store3(mem, at + 3, subtract(given.chaser.torque, without.chaser.torque))
    store3(mem, at + 6, subtract(given.target.force, without.target.force))
    store3(mem, at + 9, subtract(given.target.torque, without.target.torque))


@compiled
def _braked(gamma, mem, at, wrench):
    """A wrench less its port's share of the one along which the damper acts."""
    a, b = load3(mem, at), load3(mem, at + 3)
    f, t = wrench.force, wrench.torque
    force = (f[0] - gamma[0] * a[0], f[1] - gamma[1] * a[1], f[2] - gamma[2] * a[2])
    return Wrench(force, (t[0] - gamma[3] * b[0], t[1] - gamma[4] * b[1], t[2] - gamma[5] * b[2]))


@compiled
def _towards(params, share, body, weld, wrench):
    """A wrench and what brings a body in one cycle by `share` [1/s] of the way to another motion."""
    if params.fixed:
        return wrench
    force = add(wrench.force, scale(share, multiply(params.mass, subtract(weld.v, body.v))))
    return Wrench(force, add(wrench.torque, scale(share, subtract(weld.L, body.L))))


@apart
def _brake_relative(method, mem, rig, satellites, wrenches):
    """The contact is over, and what is owed is more than the motion along its last wrench has: brake the motion relative to the pair welded together."""
    at, weld = method.memory, welded(rig, satellites)
    relative = pair_energy(rig, satellites) - pair_energy(rig, weld)
    spare = relative - method.loan * mem[at + TOUCH]
    if spare <= SMALLEST * relative:
        mem[at + DROPPED] += max(mem[at + ACTIVE], 0.0)
        mem[at + ACTIVE] = 0.0
        return wrenches
    share = min(1.0 - math.sqrt(1.0 - min(mem[at + LEVEL], spare) / relative), 1.0 / method.braking_cycles) / rig.T
    chaser = _towards(rig.chaser, share, satellites.chaser, weld.chaser, wrenches.chaser)
    return Wrenches(chaser, _towards(rig.target, share, satellites.target, weld.target, wrenches.target))


@compiled
def _is_idle(method, mem, rig, touching):
    """Whether there is nothing to do: no contact, and the last one settled: all its readings counted, and no debt left. Then nothing is counted, so that
    noise adds up to nothing."""
    at = method.memory
    if touching:
        mem[at + IDLE] = 0.0
        mem[at + CONTACTS] += 1.0 - mem[at + OPEN]
        mem[at + OPEN] = 1.0
        return False
    mem[at + IDLE] += rig.T
    debt = 0.0
    for port in range(6):
        mem[at + SLOPE + port] = 0.0
        debt = max(debt, mem[at + ACTIVE + port])
    if mem[at + OPEN] != 0.0 and (debt > 0.0 or mem[at + IDLE] <= (method.rows - BASELINE) * rig.T):
        return False
    mem[at + OPEN] = 0.0
    for port in range(6):
        mem[at + ACTIVE + port] = 0.0
        mem[at + LEVEL + port] = 0.0
        mem[at + REMOVED + port] = 0.0
        mem[at + TOUCH + port] = 0.0
        mem[at + VARIANCE + port] = 0.0
    mem[books_of(method) + BOOKS_VARIANCE] = 0.0
    mem[books_of(method) + TURNOVER] = 0.0
    return True


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    at = method.memory
    observe(method, mem, rig, measured, satellites)
    touching = norm(measured.wrenches.chaser.force) > method.threshold
    if touching:
        _store_wrenches(mem, at + ALONG, wrenches)
        oldest = (method.rows - ROWS_BEYOND + 1) * rig.T
        mem[at + TOO_OLD] += 1.0 if max(measured.force_age + method.unstamped, measured.pose_age) > oldest else 0.0
    if _is_idle(method, mem, rig, touching):
        _store_wrenches(mem, at + APPLIED, wrenches)
        _store_damper(mem, at + DAMPER, wrenches, wrenches)
        return wrenches
    if method.coupling == COUPLED:
        g = _gamma(method, mem, rig, satellites, 0)
        gamma = (g, g, g, g, g, g)
        if g == 0.0 and method.booking.worst and mem[at + LEVEL] > 0.0 and mem[at + IDLE] > (method.rows - BASELINE) * rig.T:
            given = _brake_relative(method, mem, rig, satellites, wrenches)
            _store_wrenches(mem, at + APPLIED, given)
            _store_damper(mem, at + DAMPER, given, wrenches)
            return given
    else:
        gamma = (
            _gamma(method, mem, rig, satellites, 0),
            _gamma(method, mem, rig, satellites, 1),
            _gamma(method, mem, rig, satellites, 2),
            _gamma(method, mem, rig, satellites, 3),
            _gamma(method, mem, rig, satellites, 4),
            _gamma(method, mem, rig, satellites, 5),
        )
    given = Wrenches(_braked(gamma, mem, at + ALONG, wrenches.chaser), _braked(gamma, mem, at + ALONG + 6, wrenches.target))
    _store_wrenches(mem, at + APPLIED, given)
    _store_damper(mem, at + DAMPER, given, wrenches)
    return given


def books(mem: Any) -> dict[str, Any]:
    """What it did in a run, from its slice of `mem`."""
    return {"contacts": float(mem[CONTACTS]), "dropped_J": float(mem[DROPPED]), "kept_back_J": float(mem[KEPT])}


def events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    found = []
    if mem[DROPPED] > 0.0:
        found.append(f"{mem[DROPPED]:.3g} J of debts were dropped: no braking along the last wrench could repay them")
    if mem[TOO_OLD] > 0.0:
        found.append(f"readings were older than longest_age_ms in {mem[TOO_OLD]:.0f} cycles of contact: the work was paired with the oldest remembered")
    return found
