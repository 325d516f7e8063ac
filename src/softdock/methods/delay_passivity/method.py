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

A sensor that freezes, jumps or gives no number is doubted (methods/measured/doubts.py), and of a passive
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

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import Wrenches
from softdock.loop.method.method import Method
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import add, dot, load3, multiply, norm, scale, store3, subtract
from softdock.methods.delay_passivity import keys
from softdock.methods.delay_passivity.cells import CELL, CELLS, PART
from softdock.methods.delay_passivity.keys import ROWS_BEYOND
from softdock.methods.delay_passivity.observer import (
    BASELINE,
    least_of_contact,
    noise_variance,
    observe,
    settle_books,
)
from softdock.methods.delay_passivity.transit import COUPLED, transit_work
from softdock.methods.measured.doubt_notes import doubt_books, doubt_events
from softdock.methods.measured.doubts import DOUBT, believe, is_finite
from softdock.methods.measured.line_of_action import mobility_of
from softdock.methods.measured.passive_ceiling import within_room
from softdock.methods.measured.projection import pair_energy, welded

# The passivity controller of `delay_passivity`: a variable damper along the measured wrench, and a
# brake for the energy that is still owed when the contact is over.
#
# In: the energy level of each port [J] (observer.py) and the last wrench of the contact. Out:
# wrenches on both satellites, world axes, equal and opposite about one point (`coupled`).

SMALLEST = 1e-9  # of the relative motion's energy: less is none


@compiled
def _only(method, port, j, a):
    """A vector with what does not belong to the port set to zero; j: 0 forces, 1 torques."""
    if method.coupling == COUPLED:
        return a
    i = port - 3 * j
    return (a[0] if i == 0 else 0.0, a[1] if i == 1 else 0.0, a[2] if i == 2 else 0.0)


@noinline
def damper_gain(method, mem, rig, satellites, port):
    """How much of the last wrench of the contact the damper puts against the motion at a port."""
    at, T = method.memory, rig.T
    cf, ct = (
        _only(method, port, 0, load3(mem, at + CELL.along)),
        _only(method, port, 1, load3(mem, at + CELL.along + PART.chaser_torque)),
    )
    tf, tt = (
        _only(method, port, 0, load3(mem, at + CELL.along + PART.target_force)),
        _only(method, port, 1, load3(mem, at + CELL.along + PART.target_torque)),
    )
    power = dot(cf, load3(mem, at + CELL.twist)) + dot(
        ct, load3(mem, at + CELL.twist + PART.chaser_torque)
    )
    power += dot(tf, load3(mem, at + CELL.twist + PART.target_force)) + dot(
        tt, load3(mem, at + CELL.twist + PART.target_torque)
    )
    level = mem[at + CELL.active + port] - transit_work(method, mem, satellites, port)
    coming = (
        level - mem[at + CELL.level + port] + mem[at + CELL.removed + port]
    )  # what a cycle adds without the damper
    mem[at + CELL.level + port] = level
    mem[at + CELL.removed + port] = 0.0
    mobility = mobility_of(rig.chaser, satellites.chaser.q, Wrench(cf, ct)) + mobility_of(
        rig.target, satellites.target.q, Wrench(tf, tt)
    )
    if power == 0.0 or mobility == 0.0:
        return 0.0
    kinetic = 0.5 * power * power / mobility  # of the motion along the wrench
    most = abs(power) / (method.braking_cycles * T * mobility)
    if mem[at + CELL.idle] == 0.0:
        if mem[at + CELL.touch + port] == 0.0:
            mem[at + CELL.touch + port] = kinetic
            mem[at + CELL.largest_touch] = max(mem[at + CELL.largest_touch], kinetic)
        wanted = level + coming
        most = min(most, 1.0)
    else:  # the contact is over, and a debt is left
        spare = kinetic - method.loan * mem[at + CELL.touch + port]
        if method.booking.worst and (power < 0.0 or spare < level):
            # more than the motion along the last wrench has: taken from all relative motion, when
            # every reading is counted
            return 0.0
        if power < 0.0 or spare <= 0.0:
            if mem[at + CELL.idle] <= (method.rows - BASELINE) * T:
                return 0.0  # a force that flickers about the threshold: the contact may only begin
            mem[at + CELL.dropped] += max(mem[at + CELL.active + port], 0.0)
            mem[at + CELL.active + port] = 0.0
            return 0.0
        wanted = min(level, spare)
    if wanted <= 0.0:
        return 0.0
    gamma = max(-most, min(most, wanted / (power * T)))
    mem[at + CELL.removed + port] = gamma * power * T
    return gamma


@compiled
def braked(gamma, mem, at, wrench):
    """A wrench less its port's share of the one along which the damper acts."""
    a, b = load3(mem, at), load3(mem, at + PART.chaser_torque)
    f, t = wrench.force, wrench.torque
    force = (f[0] - gamma[0] * a[0], f[1] - gamma[1] * a[1], f[2] - gamma[2] * a[2])
    return Wrench(force, (t[0] - gamma[3] * b[0], t[1] - gamma[4] * b[1], t[2] - gamma[5] * b[2]))


@compiled
def _towards(params, share, body, weld, wrench):
    """A wrench and what brings a body in one cycle by `share` [1/s] of the way to another
    motion."""
    if params.fixed:
        return wrench
    force = add(wrench.force, scale(share, multiply(params.mass, subtract(weld.v, body.v))))
    return Wrench(force, add(wrench.torque, scale(share, subtract(weld.L, body.L))))


@noinline
def brake_relative(method, mem, rig, satellites, wrenches):
    """The contact is over, and what is owed is more than the motion along its last wrench has:
    brake the motion relative to the pair welded together."""
    at, weld = method.memory, welded(rig, satellites)
    relative = pair_energy(rig, satellites) - pair_energy(rig, weld)
    spare = relative - method.loan * mem[at + CELL.touch]
    if spare <= SMALLEST * relative:
        mem[at + CELL.dropped] += max(mem[at + CELL.active], 0.0)
        mem[at + CELL.active] = 0.0
        return wrenches
    share = (
        min(
            1.0 - math.sqrt(1.0 - min(mem[at + CELL.level], spare) / relative),
            1.0 / method.braking_cycles,
        )
        / rig.T
    )
    chaser = _towards(rig.chaser, share, satellites.chaser, weld.chaser, wrenches.chaser)
    return Wrenches(
        chaser, _towards(rig.target, share, satellites.target, weld.target, wrenches.target)
    )


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


@noinline
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
