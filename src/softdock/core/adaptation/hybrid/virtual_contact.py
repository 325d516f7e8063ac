"""Mechanics of a virtual contact: springs and dampers between the satellites, from the relative
motion since the touch (Zebenay eq. 121).

In: measured motions, gains per axis, the frame of the gains. Out: wrenches on both satellites
(world axes, equal and opposite at one point), stored energy [J] and dissipated power [W]. method.py
calls it cycle by cycle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.interface import Wrenches
from softdock.core.adaptation.measured.frame import (
    NORMAL,
    at_tip,
    axes_of,
    components,
    from_components,
    relative_pose,
    relative_rates,
)
from softdock.core.adaptation.measured.line_of_action import (
    parting_rate,
    plus_wrenches,
    work_between,
)
from softdock.core.adaptation.measured.motions import load_both
from softdock.core.adaptation.memory import recorded
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import MOTION_FLOATS, Wrench
from softdock.core.spatial.rotations import exponential, inverse, logarithm, product, rotate
from softdock.core.spatial.vectors import (
    add,
    dot,
    load3,
    load4,
    multiply,
    negate,
    scale,
    store3,
    store4,
    subtract,
)

ONE_SIDED, PULL = 0, 1

GAIN_CELLS = Cells(
    "gains",
    Cell("k", 3, "N/m"),
    Cell("b", 3, "Ns/m"),
    Cell("k_turn", 3, "Nm/rad"),
    Cell("b_turn", 3, "Nms/rad"),
)
GAIN, GAIN_FLOATS = GAIN_CELLS.at, GAIN_CELLS.size
CELLS = Cells(
    "hybrid",
    recorded("acts", "-", "1: the virtual contact acts", channel="contact"),
    recorded("depth", "m", "normal frame: depth of the virtual contact"),
    recorded(
        "chaser_wrench", "N", "virtual force on the chaser", "world", parts="xyz", channel="force"
    ),
    recorded(
        "chaser_torque",
        "Nm",
        "virtual torque on the chaser",
        "world, about the centre of mass",
        parts="xyz",
        channel="torque",
    ),
    recorded("absorbed", "J", "absorbed by the virtual contact at its port"),
    recorded("stored", "J", "stored in the virtual springs"),
    recorded(
        "dissipated", "J", "dissipated by dampers, by the clamp, and left in springs at separation"
    ),
    recorded(
        "offset_work", "J", "part of the absorbed energy that offsets after changes of gains took"
    ),
    Cell("target_wrench", 6, "N, Nm", "virtual wrench on the target"),
    Cell("port", 2 * MOTION_FLOATS, "m, -, m/s, rad/s", "motions at its port in the last cycle"),
    Cell("seen", 2 * MOTION_FLOATS, "m, -, m/s, rad/s", "mock-ups of the last force sample"),
    Cell("point", 3, "m", "tip seen from the target where the contact began"),
    Cell("turned", 4, "-", "attitude seen from the target where the contact began"),
    Cell("power", 1, "W", "dissipated in the last cycle"),
    Cell("offset_power", 1, "W", "taken by offsets in the last cycle"),
    Cell("next_row", 1, "-", "next row of gains"),
    Cell("offset", 3, "N", "fading offset after a change of gains, frame axes"),
    Cell("offset_turn", 3, "Nm", "the same of the torque"),
    Cell("gains", GAIN_FLOATS, "N/m, Ns/m, ...", "asked for: stiffness, damping, and of rotation"),
    Cell("in_use", GAIN_FLOATS, "N/m, Ns/m, ...", "in use"),
)
CELL = CELLS.at


class Gains(NamedTuple):
    k: tuple  # N/m
    b: tuple  # Ns/m
    k_turn: tuple  # Nm/rad
    b_turn: tuple  # Nms/rad


@compiled
def load_gains(mem, at):
    return Gains(
        load3(mem, at + GAIN.k),
        load3(mem, at + GAIN.b),
        load3(mem, at + GAIN.k_turn),
        load3(mem, at + GAIN.b_turn),
    )


class Strain(NamedTuple):
    """Deformation of the virtual contact and its rate: translation and rotation of the chaser seen
    from the target, frame axes."""

    x: tuple  # m
    x_rate: tuple
    turn: tuple  # rad
    turn_rate: tuple


@compiled
def _answer(gains, strain):
    """Force and torque on the chaser, frame axes: the virtual part of Zebenay eq. 121, per axis."""
    force = add(multiply(gains.k, strain.x), multiply(gains.b, strain.x_rate))  # Zebenay eq. 121
    torque = add(multiply(gains.k_turn, strain.turn), multiply(gains.b_turn, strain.turn_rate))
    return negate(force), negate(torque)


@compiled
def _are_same(mem, a, b):
    same = True
    for i in range(GAIN_FLOATS):
        same = same and mem[a + i] == mem[b + i]
    return same


@compiled
def _fading_offset(method, mem, T, strain):
    """What is added so that a change of gains makes no jump: the difference of the forces,
    fading."""
    m = method.memory
    left = math.exp(-T / method.blend)
    push, turn = (
        scale(left, load3(mem, m + CELL.offset)),
        scale(left, load3(mem, m + CELL.offset_turn)),
    )
    if not _are_same(mem, m + CELL.gains, m + CELL.in_use):
        was, was_turn = _answer(load_gains(mem, m + CELL.in_use), strain)
        now, now_turn = _answer(load_gains(mem, m + CELL.gains), strain)
        push, turn = add(push, subtract(was, now)), add(turn, subtract(was_turn, now_turn))
        for i in range(GAIN_FLOATS):
            mem[m + CELL.in_use + i] = mem[m + CELL.gains + i]
    store3(mem, m + CELL.offset, push)
    store3(mem, m + CELL.offset_turn, turn)
    return push, turn


@compiled
def _onset(method, mem, measured, last, felt, port, force):
    """A new contact. It began halfway between the last measured poses and these; deformation is
    counted from there."""
    m = method.memory
    point, turned = relative_pose(felt, method.tip)
    was, was_turned = relative_pose(last, method.tip)
    store3(mem, m + CELL.point, scale(0.5, add(point, was)))
    half = scale(0.5, logarithm(product(turned, inverse(was_turned))))
    store4(mem, m + CELL.turned, product(exponential(half), was_turned))
    parted = 0.5 * work_between(measured.wrenches, last, felt) + work_between(
        measured.wrenches, felt, port
    )
    mem[m + CELL.depth] = -parted / force
    for i in range(6):
        mem[m + CELL.offset + i] = 0.0
    for i in range(GAIN_FLOATS):
        mem[m + CELL.in_use + i] = mem[m + CELL.gains + i]


@compiled
def _strain(method, mem, measured, axes, last, port, force, is_new):
    """In the normal frame x is the way the bodies have parted along the line of action; in others
    that of the tip, axis by axis."""
    m = method.memory
    point, turned = relative_pose(port, method.tip)
    velocity, spin = relative_rates(port, method.tip)
    turn = rotate(port.target.q, logarithm(product(turned, inverse(load4(mem, m + CELL.turned)))))
    turn, turn_rate = components(axes, turn), components(axes, spin)
    if method.frame == NORMAL:
        if not is_new:
            mem[m + CELL.depth] -= work_between(measured.wrenches, last, port) / force
        return Strain(
            (-mem[m + CELL.depth], 0.0, 0.0),
            (parting_rate(measured.wrenches, force, port), 0.0, 0.0),
            turn,
            turn_rate,
        )
    x = rotate(port.target.q, subtract(point, load3(mem, m + CELL.point)))
    return Strain(components(axes, x), components(axes, velocity), turn, turn_rate)


@compiled
def _on_bodies(method, measured, satellites, axes, port, force, push, turn):
    """Force and torque in frame axes as wrenches on both satellites, equal and opposite at one
    point."""
    between, torque = (
        subtract(satellites.chaser.p, satellites.target.p),
        from_components(axes, turn),
    )
    if method.frame == NORMAL:  # along the line of the measured force
        couple = Wrenches(Wrench((0.0, 0.0, 0.0), torque), Wrench((0.0, 0.0, 0.0), negate(torque)))
        return plus_wrenches(couple, push[0] / force, measured.wrenches)
    return at_tip(rotate(port.chaser.q, method.tip), between, from_components(axes, push), torque)


@compiled
def _unpulled(measured, wrenches, virtual, force):
    """The virtual wrenches, less what would make the sum pull along the measured force."""
    n = scale(1.0 / force, measured.wrenches.chaser.force)
    total = dot(n, add(wrenches.chaser.force, virtual.chaser.force))
    if total >= 0.0:
        return virtual
    return plus_wrenches(virtual, -total / force, measured.wrenches)


@compiled
def virtual_contact(method, mem, T, measured, satellites, wrenches, last, felt, port, force):
    """The virtual wrenches of a contact under way, what its springs store [J], what it dissipates
    and what the offset takes [W]."""
    m = method.memory
    axes = axes_of(method.frame, port, scale(1.0 / force, measured.wrenches.chaser.force))
    is_new = mem[m + CELL.acts] == 0.0
    if is_new:
        _onset(method, mem, measured, load_both(mem, m + CELL.seen), felt, port, force)
    strain = _strain(method, mem, measured, axes, last, port, force, is_new=is_new)
    offset, offset_turn = _fading_offset(method, mem, T, strain)
    gains = load_gains(mem, m + CELL.in_use)
    push, turn = _answer(gains, strain)
    virtual = _on_bodies(
        method,
        measured,
        satellites,
        axes,
        port,
        force,
        push=add(push, offset),
        turn=add(turn, offset_turn),
    )
    if method.contact == ONE_SIDED:
        virtual = _unpulled(measured, wrenches, virtual, force)
    spring, spring_turn = multiply(gains.k, strain.x), multiply(gains.k_turn, strain.turn)
    stored = 0.5 * (dot(spring, strain.x) + dot(spring_turn, strain.turn))
    power = (
        -parting_rate(virtual, 1.0, port)
        - dot(spring, strain.x_rate)
        - dot(spring_turn, strain.turn_rate)
    )
    return virtual, stored, power, -dot(offset, strain.x_rate) - dot(offset_turn, strain.turn_rate)
