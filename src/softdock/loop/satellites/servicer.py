"""A servicer with an arm: bodies that joints hold together, free in space. Forces in, accelerations
out.

The first body is the hand, which carries the probe and is the satellite that the loop knows; joint
i holds body i + 1 behind body i; the last body is the base. Coordinates: pose of the hand and the
angles of the joints, zero as the arm is set. Velocities u: of the satellite's reference point and
turn of the hand (hand's axes), and of the joints.

    M(angles) u' + c(angles, u) = (force; torque; -K angle - D rate)

M by composite bodies, c by the recursive Newton-Euler method (as of robots' arms, loop/arms). The
base is what the hand and the links leave of the satellite's mass, centre and inertia, which are
those of the whole as the arm is set: with rigid joints it is the rigid body of the scenario.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.dynamics import NO_INERTIA, join_inertias, turn_inertia
from softdock.loop.spatial.cholesky import factorise, solve_factored
from softdock.loop.spatial.rotations import IDENTITY, exponential, product, rotate
from softdock.loop.spatial.vectors import (
    ZERO,
    SymmetricMatrix,
    Vector,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    scale,
    store3,
    subtract,
    symmetric_times,
)

MOST_JOINTS = 7
HAND = 6  # velocities of the hand
ROW = Cells(  # a joint, and the body in front of it; hand's axes as the arm is set
    "servicer_row",
    Cell("place", Vector, "m", "of the joint, from the satellite's reference point"),
    Cell("axis", Vector, "-", "unit vector about which it turns what is behind it"),
    Cell("stiffness", float, "Nm/rad", "that holds it at its set angle"),
    Cell("damping", float, "Nms/rad", "of the joint"),
    Cell("mass", float, "kg", "of the body in front of it"),
    Cell("centre", Vector, "m", "of that body's mass, from the satellite's reference point"),
    Cell("inertia", SymmetricMatrix, "kg m^2", "about it"),
)
FRAME = Cells(  # of a joint and the body behind it, hand's axes
    "servicer_frame",
    Cell("origin", Vector, "m", "of the joint, from the satellite's reference point"),
    Cell("axis", Vector, "-", "unit vector"),
    Cell("turn", 4, "-", "attitude of the body behind it"),
    Cell("force", Vector, "N", "that its motion needs at no acceleration"),
    Cell("moment", Vector, "Nm", "the same about the reference point"),
)


class Link(NamedTuple):
    """A body; hand's axes."""

    mass: float
    centre: Vector
    inertia: SymmetricMatrix


class Servicer(NamedTuple):
    n: int  # joints
    numbers: Any  # the array in which their rows stand
    rows: int  # first float of them
    base: Link  # as the arm is set


class Momentum(NamedTuple):
    """Of all bodies; hand's axes."""

    kinetic: float  # J
    linear: Vector  # Ns
    angular: Vector  # Nms, about the satellite's reference point


def count_work(n: int) -> int:
    """Floats of room that `accelerate` needs: frames, mass matrix, right side."""
    return n * FRAME.size + (HAND + n) * (HAND + n) + HAND + n


servicer_work = compiled(count_work)


@compiled
def row_of(s: Servicer, i):
    return ROW(s.numbers, s.rows + ROW.size * i)


@compiled
def join(a: Link, b: Link):
    """Two bodies as one."""
    mass = a.mass + b.mass
    apart = subtract(b.centre, a.centre)
    return Link(
        mass,
        add_scaled(a.centre, b.mass / mass, apart),
        join_inertias(a.inertia, b.inertia, a.mass * b.mass / mass, apart),
    )


@noinline
def prepare_servicer(numbers, rows, n, mass, inertia):
    """`mass`, `inertia`: of the whole, about the satellite's reference point; the base is what the
    rows leave of it."""
    row = ROW(numbers, rows)
    others = Link(row.mass, row.centre, row.inertia)
    for i in range(1, n):
        row = ROW(numbers, rows + ROW.size * i)
        others = join(others, Link(row.mass, row.centre, row.inertia))
    left = mass - others.mass
    centre = scale(-others.mass / left, others.centre)
    both = join_inertias(
        others.inertia, NO_INERTIA, others.mass * left / mass, subtract(centre, others.centre)
    )
    own = (
        inertia[0] - both[0],
        inertia[1] - both[1],
        inertia[2] - both[2],
        inertia[3] - both[3],
        inertia[4] - both[4],
        inertia[5] - both[5],
    )
    return Servicer(n, numbers, rows, Link(left, centre, own))


@compiled
def frame_of(mem, work, i):
    return FRAME(mem, work + FRAME.size * i)


@noinline
def place_joints(s: Servicer, mem, angles, work):
    """Frames of all joints, for angles that stand at mem[angles]."""
    origin, turn, before = ZERO, IDENTITY, ZERO
    for i in range(s.n):
        row, frame = row_of(s, i), frame_of(mem, work, i)
        origin = add(origin, rotate(turn, subtract(row.place, before)))
        before = row.place
        frame.origin = origin
        frame.axis = rotate(turn, row.axis)
        turn = product(turn, exponential(scale(mem[angles + i], row.axis)))
        frame.turn = turn


@noinline
def link_at(s: Servicer, mem, work, i):
    """Body i where it is, after `place_joints`; 0 is the hand, n the base."""
    if i == 0:
        row = row_of(s, 0)
        return Link(row.mass, row.centre, row.inertia)
    own = s.base
    if i < s.n:
        row = row_of(s, i)
        own = Link(row.mass, row.centre, row.inertia)
    frame = frame_of(mem, work, i - 1)
    lever = rotate(frame.turn, subtract(own.centre, row_of(s, i - 1).place))
    return Link(own.mass, add(frame.origin, lever), turn_inertia(frame.turn, own.inertia))


@noinline
def fill_mass_matrix(s: Servicer, mem, work):
    """Its lower triangle, row-major behind the frames, after `place_joints`."""
    size, M = HAND + s.n, work + FRAME.size * s.n
    behind = link_at(s, mem, work, s.n)
    for back in range(s.n):
        i = s.n - 1 - back
        frame = frame_of(mem, work, i)
        z = frame.axis
        linear = scale(behind.mass, cross(z, subtract(behind.centre, frame.origin)))
        angular = add(symmetric_times(behind.inertia, z), cross(behind.centre, linear))
        at = M + size * (HAND + i)
        store3(mem, at, linear)
        store3(mem, at + 3, angular)
        for j in range(i + 1):
            nearer = frame_of(mem, work, j)
            about = subtract(angular, cross(nearer.origin, linear))
            mem[at + HAND + j] = dot(nearer.axis, about)
        behind = join(behind, link_at(s, mem, work, i))
    m, c = behind.mass, behind.centre
    about = join_inertias(behind.inertia, NO_INERTIA, m, c)
    for k in range(3):
        store3(mem, M + size * k, ZERO)
        mem[M + (size + 1) * k] = m
    at = M + 3 * size
    store3(mem, at, (0.0, -m * c[2], m * c[1]))
    store3(mem, at + size, (m * c[2], 0.0, -m * c[0]))
    store3(mem, at + 2 * size, (-m * c[1], m * c[0], 0.0))
    store3(mem, at + 3, (about[0], about[3], about[4]))
    store3(mem, at + size + 3, (about[3], about[1], about[5]))
    store3(mem, at + 2 * size + 3, (about[4], about[5], about[2]))


@noinline
def _need(s: Servicer, mem, rates, work, w):
    """Force and moment about the reference point that the motion needs at no acceleration u'; for
    each body behind a joint into its frame."""
    hand = link_at(s, mem, work, 0)
    spun = cross(w, symmetric_times(hand.inertia, w))
    force = scale(hand.mass, cross(w, cross(w, hand.centre)))
    moment = add(spun, cross(hand.centre, force))
    alpha, a, before = ZERO, ZERO, ZERO  # of turn and joint, the hand's frame at rest in space
    for i in range(s.n):
        frame, link = frame_of(mem, work, i), link_at(s, mem, work, i + 1)
        arm = subtract(frame.origin, before)
        a = add(a, add(cross(alpha, arm), cross(w, cross(w, arm))))
        before = frame.origin
        turning = scale(mem[rates + i], frame.axis)
        alpha = add(alpha, cross(w, turning))
        w = add(w, turning)
        arm = subtract(link.centre, frame.origin)
        along = add(a, add(cross(alpha, arm), cross(w, cross(w, arm))))
        push = scale(link.mass, along)
        spun = symmetric_times(link.inertia, alpha)
        spun = add(spun, cross(w, symmetric_times(link.inertia, w)))
        frame.force = push
        frame.moment = add(spun, cross(link.centre, push))
    return force, moment


@noinline
def accelerate(s: Servicer, mem, angles, rates, work, w, force, torque):
    """Acceleration of the reference point and of the hand's turn [hand's axes] under a force and a
    torque about that point (hand's axes). Those of the joints stand at mem[`joint_at`]."""
    size, M = HAND + s.n, work + FRAME.size * s.n
    right = M + size * size
    place_joints(s, mem, angles, work)
    fill_mass_matrix(s, mem, work)
    needed, moment = _need(s, mem, rates, work, w)
    carried, turned = ZERO, ZERO
    for back in range(s.n):
        i = s.n - 1 - back
        row, frame = row_of(s, i), frame_of(mem, work, i)
        carried, turned = add(carried, frame.force), add(turned, frame.moment)
        about = dot(frame.axis, subtract(turned, cross(frame.origin, carried)))
        held = row.stiffness * mem[angles + i] + row.damping * mem[rates + i]
        mem[right + HAND + i] = -held - about
    store3(mem, right, subtract(force, add(needed, carried)))
    store3(mem, right + 3, subtract(torque, add(moment, turned)))
    factorise(mem, M, size)
    solve_factored(mem, M, size, mem, right)
    return load3(mem, right), load3(mem, right + 3)


@compiled
def joint_at(s: Servicer, work):
    """Where `accelerate` leaves the accelerations of the joints."""
    return work + FRAME.size * s.n + (HAND + s.n) * (HAND + s.n) + HAND


@noinline
def fastest_rate(s: Servicer, mem, rates, work, w):
    """Not below the largest natural frequency, decay rate and turning rate, added up [1/s]: from
    the factor that `accelerate` left. Spends the accelerations."""
    size, M = HAND + s.n, work + FRAME.size * s.n
    right = M + size * size
    squared, decay, turning = 0.0, 0.0, dot(w, w) ** 0.5
    for i in range(s.n):
        row = row_of(s, i)
        turning += abs(mem[rates + i])
        if row.stiffness == 0.0 and row.damping == 0.0:
            continue
        for k in range(size):
            mem[right + k] = 0.0
        mem[right + HAND + i] = 1.0
        solve_factored(mem, M, size, mem, right)
        squared += row.stiffness * mem[right + HAND + i]
        decay += row.damping * mem[right + HAND + i]
    return squared**0.5 + decay + turning


@noinline
def momentum_of(s: Servicer, mem, angles, rates, work, v, w):
    """Kinetic energy and momenta for the hand's twist (hand's axes)."""
    place_joints(s, mem, angles, work)
    kinetic, linear, angular = 0.0, ZERO, ZERO
    origin = ZERO
    for i in range(s.n + 1):
        if i > 0:
            frame = frame_of(mem, work, i - 1)
            v = add(v, cross(w, subtract(frame.origin, origin)))
            origin = frame.origin
            w = add_scaled(w, mem[rates + i - 1], frame.axis)
        link = link_at(s, mem, work, i)
        moving = add(v, cross(w, subtract(link.centre, origin)))
        P, L = scale(link.mass, moving), symmetric_times(link.inertia, w)
        kinetic += 0.5 * (dot(P, moving) + dot(L, w))
        linear = add(linear, P)
        angular = add(angular, add(L, cross(link.centre, P)))
    return Momentum(kinetic, linear, angular)


@compiled
def spring_energy(s: Servicer, mem, angles):
    """Energy in the joints' springs [J]."""
    total = 0.0
    for i in range(s.n):
        total += 0.5 * row_of(s, i).stiffness * mem[angles + i] * mem[angles + i]
    return total
