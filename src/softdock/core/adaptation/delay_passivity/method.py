"""Passivity observer and controller around the robots' delay, at the port of force and motion.

Whatever delays the motion on its way to the mock-ups, the satellites may get from a contact what
the real contact gives, and no more. The observer counts, per port,

    active = energy given to the satellites (wrench applied, their own motion) - energy released by
    the real contact (measured wrench, measured motion)
    level  = active - transit

Measured wrench and motion are paired by their ages. `transit` is the energy reference: the work
that the contact will still do while the mock-ups go where the satellites are already, from the
newest wrench and its slope along the way; without it the controller would act on energy that is
only late.

The controller takes `level`, and what one more cycle would add, in the next cycle, by a variable
damper along the measured wrench: it acts on both satellites with the part gamma of it. The damper
is at most m / (n T), m the mass that the wrench feels, n = `braking_cycles`: at the turning point
its force goes to zero with the velocity, so that a contact always pushes out and nothing sticks;
what was not taken is carried on. While a force is felt it is at most doubled and never reversed. A
debt that is left when the contact is over is braked off along its last wrench, down to the share
`loan` of the energy at touch; a credit is dropped. (A real contact with damping can absorb more
than the satellites had, because the robots carry the mock-ups deep into it; no braking repays
that.)

A sensor that freezes, jumps or gives no number is doubted (measured/doubts.py), and of a passive
contact no more is believed than that it returned what it took since touch, with the loan and four
standard deviations of the noise. While a force is felt the wrench on the satellites gives them no
more than that (passive_ceiling.py): so no fault of the sensor lifts their energy beyond it.

With noise of the force the work that is measured is wrong by a chance amount, and what the
satellites get with it. With `confidence` above 0.5, z standard deviations of that amount count as
not given: then with this probability a contact gives no more than the real one did. Also counted:
what a sensor's threshold lets through by chance (real_work.gate_variance), and the noise
just before a contact opens.

`coupled`: one port of six degrees of freedom for the pair; the wrenches stay opposite about one
point, momentum is kept. `per_axis`: three force and three torque ports in world axes; linear
momentum is kept, the pair's angular momentum only if forces act along axes.
"""

from __future__ import annotations

import math
from typing import Any

from softdock.core.adaptation.declaration import ONCE
from softdock.core.adaptation.delay_passivity import keys
from softdock.core.adaptation.delay_passivity.cells import CELL, CELLS, PART
from softdock.core.adaptation.delay_passivity.damper import brake_relative, braked, damper_gain
from softdock.core.adaptation.delay_passivity.keys import ROWS_BEYOND
from softdock.core.adaptation.delay_passivity.observer import (
    BASELINE,
    least_of_contact,
    noise_variance,
    observe,
    settle_books,
)
from softdock.core.adaptation.delay_passivity.transit import COUPLED
from softdock.core.adaptation.interface import Wrenches
from softdock.core.adaptation.measured.doubt_notes import doubt_books, doubt_events
from softdock.core.adaptation.measured.doubts import DOUBT, believe, is_finite
from softdock.core.adaptation.measured.passive_ceiling import within_room
from softdock.core.adaptation.measured.projection import pair_energy
from softdock.core.adaptation.method import Method
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.vectors import norm, store3, subtract

ROUNDING = 1e-9  # of the energy at touch: a debt below is none


@compiled
def _store_wrenches(mem, at, wrenches):
    store3(mem, at + PART.chaser_force, wrenches.chaser.force)
    store3(mem, at + PART.chaser_torque, wrenches.chaser.torque)
    store3(mem, at + PART.target_force, wrenches.target.force)
    store3(mem, at + PART.target_torque, wrenches.target.torque)


@compiled
def _store_damper(mem, at, given, without):
    store3(mem, at, subtract(given.chaser.force, without.chaser.force))
    store3(mem, at + PART.chaser_torque, subtract(given.chaser.torque, without.chaser.torque))
    store3(mem, at + PART.target_force, subtract(given.target.force, without.target.force))
    store3(mem, at + PART.target_torque, subtract(given.target.torque, without.target.torque))


@compiled
def _is_idle(method, mem, rig, satellites, touching):
    """Whether there is nothing to do: no contact, and the last one settled: all its readings
    counted, and no debt left. Then nothing is counted, so that noise adds up to nothing."""
    at = method.memory
    if touching:
        mem[at + CELL.idle] = 0.0
        if mem[at + CELL.open] == 0.0:
            mem[at + CELL.contacts] += 1.0
            mem[at + CELL.open] = 1.0
            mem[at + CELL.net] = 0.0
            mem[at + CELL.kept] += method.deviations * math.sqrt(noise_variance(method, mem))
            mem[at + CELL.touch_kinetic] = pair_energy(rig, satellites)
        return False
    mem[at + CELL.idle] += rig.T
    debt = 0.0
    for port in range(6):
        mem[at + CELL.slope + port] = 0.0
        debt = max(debt, mem[at + CELL.active + port])
    if mem[at + CELL.open] != 0.0 and (
        debt > 0.0 or mem[at + CELL.idle] <= (method.rows - BASELINE) * rig.T
    ):
        return False
    mem[at + CELL.open] = 0.0
    for port in range(6):
        mem[at + CELL.level + port] = 0.0
        mem[at + CELL.removed + port] = 0.0
        mem[at + CELL.touch + port] = 0.0
    settle_books(method, mem)
    return True


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    at, handed = method.memory, wrenches
    measured, wrenches = believe(
        mem,
        at=at + CELL.doubts,
        rig=rig,
        doubts=method.doubts,
        threshold=method.threshold,
        measured=measured,
        satellites=satellites,
        wrenches=wrenches,
    )
    if not is_finite(handed.chaser):
        handed = wrenches
    observe(method, mem, rig, measured, satellites)
    touching = norm(measured.wrenches.chaser.force) > method.threshold
    if touching:
        _store_wrenches(mem, at + CELL.along, wrenches)
        oldest = (method.rows - ROWS_BEYOND + 1) * rig.T
        mem[at + CELL.too_old] += (
            1.0 if max(measured.force_age + method.unstamped, measured.pose_age) > oldest else 0.0
        )
    if _is_idle(method, mem, rig, satellites, touching):
        _store_wrenches(mem, at + CELL.applied, wrenches)
        _store_damper(mem, at + CELL.damper, wrenches, handed)
        return wrenches
    if method.coupling == COUPLED:
        g = damper_gain(method, mem, rig, satellites, 0)
        gamma = (g, g, g, g, g, g)
        if (
            g == 0.0
            and method.booking.worst
            and mem[at + CELL.level] > 0.0
            and mem[at + CELL.idle] > (method.rows - BASELINE) * rig.T
        ):
            given = brake_relative(method, mem, rig, satellites, wrenches)
            _store_wrenches(mem, at + CELL.applied, given)
            _store_damper(mem, at + CELL.damper, given, handed)
            return given
    else:
        gamma = (
            damper_gain(method, mem, rig, satellites, 0),
            damper_gain(method, mem, rig, satellites, 1),
            damper_gain(method, mem, rig, satellites, 2),
            damper_gain(method, mem, rig, satellites, 3),
            damper_gain(method, mem, rig, satellites, 4),
            damper_gain(method, mem, rig, satellites, 5),
        )
    given = Wrenches(
        braked(gamma, mem, at + CELL.along, wrenches.chaser),
        braked(gamma, mem, at + CELL.along + PART.target_force, wrenches.target),
    )
    if touching and not method.doubts.hands:
        given = within_room(
            mem,
            at + CELL.doubts + DOUBT.cut,
            rig,
            satellites,
            given,
            -least_of_contact(method, mem) - mem[at + CELL.net],
        )
    _store_wrenches(mem, at + CELL.applied, given)
    _store_damper(mem, at + CELL.damper, given, handed)
    return given


def books(mem: Any) -> dict[str, Any]:
    """What it did in a run, from its slice of `mem`."""
    own = {
        "contacts": float(mem[CELL.contacts]),
        "dropped_J": float(mem[CELL.dropped]),
        "kept_back_J": float(mem[CELL.kept]),
    }
    return own | doubt_books(mem[CELL.doubts :])


def events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    found = doubt_events(mem[CELL.doubts :], mem[CELL.largest_touch])
    if mem[CELL.dropped] > ROUNDING * mem[CELL.largest_touch]:
        found.append(
            f"{mem[CELL.dropped]:.3g} J of debts were dropped: no braking along the last wrench "
            "could repay them"
        )
    if mem[CELL.too_old] > 0.0:
        found.append(
            f"readings were older than longest_age_ms in {mem[CELL.too_old]:.0f} cycles of "
            "contact: the work was paired with the oldest remembered"
        )
    return found


METHOD = Method(
    name="delay_passivity",
    summary="passivity observer and controller around the robots' delay: the satellites get what "
    "the real contact gives, and no more",
    knows="nothing; with noise: the force that is no contact",
    while_latched="it holds the pair: its energy stays within 0.1 %",
    holds_latch=True,
    group=keys.DELAY_PASSIVITY,
    marker=keys.MARKER,
    prepare=keys.prepare,
    wrench=wrench,
    cells=CELLS,
    memory=keys.memory,
    books=books,
    events=events,
    check=keys.check,
    suggest=keys.suggest,
    refuses=keys.refuses,
    once=ONCE,
    settles_energy=True,
    is_last_on_wrench="it must be the last that changes the wrench, or it counts what never acts",
    threshold_key="threshold_N",
    claims_passivity={"claim": "passive"},
)
