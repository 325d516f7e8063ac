"""Mechanics of a virtual contact: springs and dampers between the satellites, from the relative
motion since the touch (Zebenay eq. 121).

In: measured motions, gains per axis, the frame of the gains. Out: wrenches on both satellites
(world axes, equal and opposite at one point), stored energy [J] and dissipated power [W]. method.py
calls it cycle by cycle.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Measured, Output, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rotations import exponential, inverse, logarithm, product, rotate
from softdock.loop.spatial.vectors import (
    ZERO,
    Vector,
    add,
    dot,
    multiply,
    negate,
    scale,
    subtract,
)
from softdock.methods.measured.frame import (
    NORMAL,
    act_at_tip,
    components,
    compose,
    compute_axes,
    relative_pose,
    relative_rates,
)
from softdock.methods.measured.line_of_action import (
    parting_rate,
    plus_wrenches,
    work_between,
)

ONE_SIDED, PULL = 0, 1


class Gains(NamedTuple):
    """Of the virtual springs and dampers, frame axes; a force's and a torque's."""

    k: Annotated[Vector, "N/m"]
    b: Annotated[Vector, "Ns/m"]
    k_turn: Annotated[Vector, "Nm/rad"]
    b_turn: Annotated[Vector, "Nms/rad"]


STATE = Cells(
    "hybrid",
    recorded("acts", "-", "1: the virtual contact acts", channel="contact", kind=bool),
    recorded("depth", "m", "normal frame: depth of the virtual contact"),
    recorded(
        "chaser_force", "N", "virtual force on the chaser", "world", parts="xyz", channel="force"
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
    Cell("target_wrench", Wrench, "N, Nm", "virtual wrench on the target"),
    Cell("port", Output, "m, -, m/s, rad/s", "motions at its port in the last cycle"),
    Cell("seen", Output, "m, -, m/s, rad/s", "mock-ups of the last force sample"),
    Cell("point", 3, "m", "tip seen from the target where the contact began"),
    Cell("turned", 4, "-", "attitude seen from the target where the contact began"),
    Cell("power", float, "W", "dissipated in the last cycle"),
    Cell("offset_power", float, "W", "taken by offsets in the last cycle"),
    Cell("next_row", int, "-", "next row of gains"),
    Cell("offset", 3, "N", "fading offset after a change of gains, frame axes"),
    Cell("offset_turn", 3, "Nm", "the same of the torque"),
    Cell("gains", Gains, "N/m, Ns/m, ...", "asked for: stiffness, damping, and of rotation"),
    Cell("in_use", Gains, "N/m, Ns/m, ...", "in use"),
)


class Strain(NamedTuple):
    """Deformation of the virtual contact and its rate: translation and rotation of the chaser seen
    from the target, frame axes."""

    x: tuple  # m
    x_rate: tuple
    turn: tuple  # rad
    turn_rate: tuple


@compiled
def _compute_answer(gains: Gains, strain: Strain):
    """Force and torque on the chaser, frame axes: the virtual part of Zebenay eq. 121, per axis."""
    force = add(multiply(gains.k, strain.x), multiply(gains.b, strain.x_rate))  # Zebenay eq. 121
    torque = add(multiply(gains.k_turn, strain.turn), multiply(gains.b_turn, strain.turn_rate))
    return negate(force), negate(torque)


@compiled
def _fade_offset(method, s, T, strain: Strain):
    """What is added so that a change of gains makes no jump: the difference of the forces,
    fading."""
    left = math.exp(-T / method.blend)
    push, turn = scale(left, s.offset), scale(left, s.offset_turn)
    if s.gains != s.in_use:
        was, was_turn = _compute_answer(s.in_use, strain)
        now, now_turn = _compute_answer(s.gains, strain)
        push, turn = add(push, subtract(was, now)), add(turn, subtract(was_turn, now_turn))
        s.in_use = s.gains
    s.offset, s.offset_turn = push, turn
    return push, turn


@compiled
def _begin_contact(method, s, measured: Measured, last: Output, felt: Output, port: Output, force):
    """A new contact. It began halfway between the last measured poses and these; deformation is
    counted from there."""
    point, turned = relative_pose(felt, method.tip)
    was, was_turned = relative_pose(last, method.tip)
    s.point = scale(0.5, add(point, was))
    half = scale(0.5, logarithm(product(turned, inverse(was_turned))))
    s.turned = product(exponential(half), was_turned)
    parted = 0.5 * work_between(measured.wrenches, last, felt) + work_between(
        measured.wrenches, felt, port
    )
    s.depth = -parted / force
    s.offset, s.offset_turn = ZERO, ZERO
    s.in_use = s.gains


@compiled
def _compute_strain(method, s, measured: Measured, axes, last: Output, port: Output, force, is_new):
    """In the normal frame x is the way the bodies have parted along the line of action; in others
    that of the tip, axis by axis."""
    point, turned = relative_pose(port, method.tip)
    velocity, spin = relative_rates(port, method.tip)
    turn = rotate(port.target.q, logarithm(product(turned, inverse(s.turned))))
    turn, turn_rate = components(axes, turn), components(axes, spin)
    if method.frame == NORMAL:
        if not is_new:
            s.depth -= work_between(measured.wrenches, last, port) / force
        return Strain(
            (-s.depth, 0.0, 0.0),
            (parting_rate(measured.wrenches, force, port), 0.0, 0.0),
            turn,
            turn_rate,
        )
    x = rotate(port.target.q, subtract(point, s.point))
    return Strain(components(axes, x), components(axes, velocity), turn, turn_rate)


@compiled
def _act_on_bodies(
    method, measured: Measured, satellites: Satellites, axes, port: Output, force, push, turn
):
    """Force and torque in frame axes as wrenches on both satellites, equal and opposite at one
    point."""
    between, torque = (
        subtract(satellites.chaser.p, satellites.target.p),
        compose(axes, turn),
    )
    if method.frame == NORMAL:  # along the line of the measured force
        couple = Wrenches(Wrench((0.0, 0.0, 0.0), torque), Wrench((0.0, 0.0, 0.0), negate(torque)))
        return plus_wrenches(couple, push[0] / force, measured.wrenches)
    return act_at_tip(rotate(port.chaser.q, method.tip), between, compose(axes, push), torque)


@compiled
def _remove_pull(measured: Measured, wrenches: Wrenches, virtual: Wrenches, force):
    """The virtual wrenches, less what would make the sum pull along the measured force."""
    n = scale(1.0 / force, measured.wrenches.chaser.force)
    total = dot(n, add(wrenches.chaser.force, virtual.chaser.force))
    if total >= 0.0:
        return virtual
    return plus_wrenches(virtual, -total / force, measured.wrenches)


@compiled
def compute_virtual_contact(
    method,
    s,
    T,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
    last: Output,
    felt: Output,
    port: Output,
    force,
):
    """The virtual wrenches of a contact under way, what its springs store [J], what it dissipates
    and what the offset takes [W]. `s`: the method's state."""
    axes = compute_axes(method.frame, port, scale(1.0 / force, measured.wrenches.chaser.force))
    is_new = not s.acts
    if is_new:
        _begin_contact(method, s, measured, s.seen, felt, port, force)
    strain = _compute_strain(method, s, measured, axes, last, port, force, is_new=is_new)
    offset, offset_turn = _fade_offset(method, s, T, strain)
    gains = s.in_use
    push, turn = _compute_answer(gains, strain)
    virtual = _act_on_bodies(
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
        virtual = _remove_pull(measured, wrenches, virtual, force)
    spring, spring_turn = multiply(gains.k, strain.x), multiply(gains.k_turn, strain.turn)
    stored = 0.5 * (dot(spring, strain.x) + dot(spring_turn, strain.turn))
    power = (
        -parting_rate(virtual, 1.0, port)
        - dot(spring, strain.x_rate)
        - dot(spring_turn, strain.turn_rate)
    )
    return virtual, stored, power, -dot(offset, strain.x_rate) - dot(offset_turn, strain.turn_rate)
