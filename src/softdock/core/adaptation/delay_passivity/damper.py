"""The passivity controller of `delay_passivity`: a variable damper along the measured wrench, and a
brake for the energy that is still owed when the contact is over.

In: the energy level of each port [J] (observer.py) and the last wrench of the contact. Out:
wrenches on both satellites, world axes, equal and opposite about one point (`coupled`).
"""

from __future__ import annotations

import math

from softdock.core.adaptation.delay_passivity.cells import CELL, PART
from softdock.core.adaptation.delay_passivity.observer import BASELINE
from softdock.core.adaptation.delay_passivity.transit import COUPLED, transit_work
from softdock.core.adaptation.interface import Wrenches
from softdock.core.adaptation.measured.line_of_action import mobility_of
from softdock.core.adaptation.measured.projection import pair_energy, welded
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import Wrench
from softdock.core.spatial.vectors import add, dot, load3, multiply, scale, subtract

SMALLEST = 1e-9  # of the relative motion's energy: less is none


@compiled
def _only(method, port, j, a):
    """A vector with what does not belong to the port set to zero; j: 0 forces, 1 torques."""
    if method.coupling == COUPLED:
        return a
    i = port - 3 * j
    return (a[0] if i == 0 else 0.0, a[1] if i == 1 else 0.0, a[2] if i == 2 else 0.0)


@apart
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


@apart
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
