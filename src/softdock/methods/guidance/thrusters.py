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
from softdock.loop.spatial.vectors import add_scaled, cross, load3, scale, store3, subtract
from softdock.methods.guidance.keys import CELLS, PER_COMMAND, THRUSTER, WISH

FAINT = 1e-15  # of full thrust
IN, ROW, ROW_FLOATS = CELLS.at, THRUSTER.at, THRUSTER.size
FORCE, TORQUE = WISH.at
WISH_FLOATS, NEGATIVE = WISH.size, PER_COMMAND.at.negative


@compiled
def _row(g, j):
    return g.thrusters + ROW_FLOATS * j


@compiled
def _share(g, mem, j, table, first):
    """Impulse that thruster j must give for what is owed along (FORCE) or about (TORQUE) the
    axes."""
    at, total = _row(g, j) + table, 0.0
    for i in range(first, first + 3):
        owed = mem[g.memory + IN.owed + i]
        total += abs(owed) * g.numbers[at + i + (NEGATIVE if owed < 0.0 else 0)]
    return total


@compiled
def _forgive(g, mem, table):
    """What no thruster can make (a brake with plumes off) is not owed."""
    for i in range(WISH_FLOATS):
        column = table + i + (NEGATIVE if mem[g.memory + IN.owed + i] < 0.0 else 0)
        able = 0.0
        for j in range(g.thruster_count):
            able += g.numbers[_row(g, j) + column]
        if able == 0.0:
            mem[g.memory + IN.owed + i] = 0.0


@noinline
def ask(g, mem, force, torque):
    """A force and a torque over the next period, chaser axes, into pulses."""
    owed, turns = g.memory + IN.owed + FORCE, g.memory + IN.owed + TORQUE
    pulse = g.memory + IN.pulse
    store3(mem, owed, add_scaled(load3(mem, owed), g.period, force))
    store3(mem, turns, add_scaled(load3(mem, turns), g.period, torque))
    table = ROW.near if mem[g.memory + IN.near] > 0.0 else ROW.far
    _forgive(g, mem, table)
    most, largest, fits = g.thrust * g.period, 0.0, 1.0
    for j in range(g.thruster_count):
        largest = max(largest, _share(g, mem, j, table, TORQUE))
    turn = most / largest if largest > most else 1.0
    for j in range(g.thruster_count):
        push, room = _share(g, mem, j, table, FORCE), most - turn * _share(g, mem, j, table, TORQUE)
        if push > room:
            fits = min(fits, max(room, 0.0) / push)
    along, about = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(g.thruster_count):
        fired = turn * _share(g, mem, j, table, TORQUE) + fits * _share(g, mem, j, table, FORCE)
        if fired >= g.least and fired > 0.0:
            mem[pulse + j] += fired
            d = load3(g.numbers, _row(g, j) + ROW.direction)
            along = add_scaled(along, fired, d)
            about = add_scaled(about, fired, cross(load3(g.numbers, _row(g, j) + ROW.place), d))
    if turn < 1.0 or fits < 1.0:
        store3(mem, owed, (0.0, 0.0, 0.0))
        store3(mem, turns, (0.0, 0.0, 0.0))
    else:
        store3(mem, owed, subtract(load3(mem, owed), along))
        store3(mem, turns, subtract(load3(mem, turns), about))


@noinline
def fire(g, mem, T):
    """Force and torque of all thrusters over this cycle, chaser axes."""
    force, torque, spent = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    near = mem[g.memory + IN.near] > 0.0
    for j in range(g.thruster_count):
        at, row = g.memory + IN.pulse + j, _row(g, j)
        if near and g.numbers[row + ROW.off] > 0.0:
            mem[at] = 0.0  # the valve closes
        wanted = min(mem[at] / T, g.thrust)
        mem[at] -= wanted * T
        level = wanted + (mem[g.memory + IN.level + j] - wanted) * g.keep
        if level < FAINT * g.thrust:
            level = 0.0  # a fall has no end, and numbers this small are slow
        mem[g.memory + IN.level + j] = level
        spent += level * T
        f = scale(level, load3(g.numbers, row + ROW.direction))
        force = add_scaled(force, 1.0, f)
        torque = add_scaled(torque, 1.0, cross(load3(g.numbers, row + ROW.place), f))
    store3(mem, g.memory + IN.force, force)
    store3(mem, g.memory + IN.torque, torque)
    mem[g.memory + IN.impulse] += spent
    return force, torque
