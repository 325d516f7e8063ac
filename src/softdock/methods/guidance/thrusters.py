"""Thrusters: from a force and a torque that are wanted to pulses, and from pulses to thrust.

In: force [N] and torque [Nm] on the chaser, chaser axes, once a navigation period. Out: thrust of
every thruster over a cycle, and what they push with together.

Allocation is closed: each thruster's row has the thrust for one unit of each of the twelve commands
(+-force, +-torque along three axes), none negative, made on the host (allocation.py). A command is
the sum of its six parts' columns: exact, and never negative. Where it is more than a thruster has,
torque is served first, then as much of the force as fits; what does not fit is not owed. What is
owed is kept as impulse of the whole chaser, so that opposite wishes cancel; a thruster fires once
its share is worth the least impulse. A pulse is on at full thrust, a part of a cycle counts as its
mean; thrust rises and falls with a time constant, and a pulse's impulse is what was asked.
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.vectors import add, add_scaled, cross, dot, scale, subtract
from softdock.methods.guidance.keys import STATE, THRUSTER
from softdock.methods.guidance.navigation import Guided

FAINT = 1e-15  # of full thrust
NOTHING = (0.0, 0.0, 0.0)


@compiled
def _find_row(g: Guided, j):
    return THRUSTER(g.numbers, g.thrusters + THRUSTER.size * j)


@compiled
def _find_table(g: Guided, j, near):
    """Thrust of thruster j for a unit of each command; `near`: with plumes off."""
    row = _find_row(g, j)
    return row.near if near else row.far


@compiled
def _pick_thrust(owed, positive, negative):
    """Thrust for a unit of what is owed along or about each axis, by its sign."""
    return (
        negative[0] if owed[0] < 0.0 else positive[0],
        negative[1] if owed[1] < 0.0 else positive[1],
        negative[2] if owed[2] < 0.0 else positive[2],
    )


@compiled
def _compute_force_share(owed, table):
    """Impulse that a thruster must give for what is owed along the axes."""
    sizes = (abs(owed.force[0]), abs(owed.force[1]), abs(owed.force[2]))
    return dot(sizes, _pick_thrust(owed.force, table.positive.force, table.negative.force))


@compiled
def _compute_torque_share(owed, table):
    """The same about the axes."""
    sizes = (abs(owed.torque[0]), abs(owed.torque[1]), abs(owed.torque[2]))
    return dot(sizes, _pick_thrust(owed.torque, table.positive.torque, table.negative.torque))


@compiled
def _keep_possible(owed, able):
    """What is owed along or about the axes for which there are thrusters."""
    return (
        owed[0] if able[0] != 0.0 else 0.0,
        owed[1] if able[1] != 0.0 else 0.0,
        owed[2] if able[2] != 0.0 else 0.0,
    )


@compiled
def _forgive(g: Guided, owed, near):
    """What no thruster can make (a brake with plumes off) is not owed."""
    force, torque = NOTHING, NOTHING
    for j in range(g.thruster_count):
        table = _find_table(g, j, near)
        force = add(force, _pick_thrust(owed.force, table.positive.force, table.negative.force))
        torque = add(
            torque, _pick_thrust(owed.torque, table.positive.torque, table.negative.torque)
        )
    owed.force = _keep_possible(owed.force, force)
    owed.torque = _keep_possible(owed.torque, torque)


@noinline
def ask(g: Guided, mem, force, torque):
    """A force and a torque over the next period, chaser axes, into pulses."""
    s = STATE(mem, g.memory)
    owed, near = s.owed, s.near
    owed.force = add_scaled(owed.force, g.period, force)
    owed.torque = add_scaled(owed.torque, g.period, torque)
    _forgive(g, owed, near)
    most, largest, fits = g.thrust * g.period, 0.0, 1.0
    for j in range(g.thruster_count):
        largest = max(largest, _compute_torque_share(owed, _find_table(g, j, near)))
    turn = most / largest if largest > most else 1.0
    for j in range(g.thruster_count):
        table = _find_table(g, j, near)
        push, room = (
            _compute_force_share(owed, table),
            most - turn * _compute_torque_share(owed, table),
        )
        if push > room:
            fits = min(fits, max(room, 0.0) / push)
    along, about = NOTHING, NOTHING
    for j in range(g.thruster_count):
        row, table = _find_row(g, j), _find_table(g, j, near)
        fired = turn * _compute_torque_share(owed, table) + fits * _compute_force_share(owed, table)
        if fired >= g.least and fired > 0.0:
            s.pulse[j] += fired
            along = add_scaled(along, fired, row.direction)
            about = add_scaled(about, fired, cross(row.place, row.direction))
    if turn < 1.0 or fits < 1.0:
        owed.force, owed.torque = NOTHING, NOTHING
    else:
        owed.force, owed.torque = subtract(owed.force, along), subtract(owed.torque, about)


@noinline
def fire(g: Guided, mem, T):
    """Force and torque of all thrusters over this cycle, chaser axes."""
    s = STATE(mem, g.memory)
    force, torque, spent = NOTHING, NOTHING, 0.0
    for j in range(g.thruster_count):
        row = _find_row(g, j)
        if s.near and row.off:
            s.pulse[j] = 0.0  # the valve closes
        wanted = min(s.pulse[j] / T, g.thrust)
        s.pulse[j] -= wanted * T
        level = wanted + (s.level[j] - wanted) * g.keep
        if level < FAINT * g.thrust:
            level = 0.0  # a fall has no end, and numbers this small are slow
        s.level[j] = level
        spent += level * T
        f = scale(level, row.direction)
        force = add_scaled(force, 1.0, f)
        torque = add_scaled(torque, 1.0, cross(row.place, f))
    s.force, s.torque = force, torque
    s.impulse += spent
    return force, torque
