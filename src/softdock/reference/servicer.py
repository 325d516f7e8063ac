"""A servicer with an arm in orbit (loop/satellites/servicer.py), by the same Runge-Kutta stages as
the bodies (step.py): its links and base pull at the hand, which is the body that orbit moves.

An orbit without one is compiled without any of this: `setup.servicer` is a `NoServicer` then, and
each function below does nothing.

In `mem`: angles, rates and the energy lost in the joints, at the start of the step under way
(kept), as far as its sub-steps have come (trial), at the present stage, their slope, and the step's
weighted slope; the energy of all parts (kept, trial); then room.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.keys import MEMORY
from softdock.loop.satellites.servicer import (
    FRAME,
    HAND,
    Servicer,
    accelerate,
    count_work,
    fastest_rate,
    joint_at,
    momentum_of,
    row_of,
    servicer_work,
    spring_energy,
)
from softdock.loop.spatial.cholesky import solve_factored
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rigid_body import kinetic_energy, motion_of
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    multiply,
    norm,
    store3,
    symmetric_times,
)
from softdock.loop.tables import IN_KEY
from softdock.loop.vector import MEMORY_AT
from softdock.methods.servicer_arm import AT, SERVICER_ARM, find_servicer
from softdock.reference.closing import TINY
from softdock.reference.external_wrenches import Outside

# how much finer turning is resolved than springs: large turns of joints are less smooth, and free
# joints have nothing else that shortens a step
TURNING = 12.0
EDGE = 2.0  # its pull within such a step is less than this times what it is now


class NoServicer(NamedTuple):
    no_arm: int


class InOrbitServicer(NamedTuple):
    """One, on which satellite, and where its memory is."""

    servicer: Servicer
    on_target: bool
    kept: int
    trial: int
    stage: int
    slope: int
    total: int
    energy: int  # two floats: kept, trial
    work: int


class SomeServicer(NamedTuple):
    """The marker: a scenario has one."""

    an_arm: int


def servicer_marker(vector: np.ndarray) -> NoServicer | SomeServicer:
    """Whether a scenario has one, as a type."""
    return SomeServicer(0) if MEMORY(vector, MEMORY_AT).orbit_servicer > 0.0 else NoServicer(0)


def servicer_floats(vector: np.ndarray) -> int:
    """Floats of `mem` that it needs in orbit."""
    base = int(MEMORY(vector, MEMORY_AT).orbit_servicer)
    if base == 0:
        return 0
    n = int(vector[base + AT.joints + IN_KEY.rows])
    return 5 * (2 * n + 1) + 2 + count_work(n)


@noinline
def _find(marker, vector, memory):
    base = int(MEMORY(vector, MEMORY_AT).orbit_servicer)
    s = find_servicer(vector, base)
    size = 2 * s.n + 1
    return InOrbitServicer(
        servicer=s,
        on_target=SERVICER_ARM(vector, base).satellite != 0.0,
        kept=memory,
        trial=memory + size,
        stage=memory + 2 * size,
        slope=memory + 3 * size,
        total=memory + 4 * size,
        energy=memory + 5 * size,
        work=memory + 5 * size + 2,
    )


@compiled
def _find_none(marker, vector, memory):
    return marker


@by_type(lambda cls: _find if cls is SomeServicer else _find_none)
def find_servicer_in_orbit(marker, vector, memory):
    """The servicer of a scenario, its memory at `memory`."""


@compiled
def _floats(own):
    return own.work - own.kept + servicer_work(own.servicer.n)


@compiled
def _floats_none(own):
    return 0


@by_type(lambda cls: _floats if cls is InOrbitServicer else _floats_none)
def memory_of_servicer(own):
    """Floats of its memory."""


@noinline
def _energy(own, mem, params, body, state):
    """Energy of all its parts [J] at a motion of the hand, and what its joints have lost."""
    s, n = own.servicer, own.servicer.n
    motion = motion_of(params, body)
    v = rotate_back(motion.q, motion.v)
    found = momentum_of(s, mem, state, state + n, own.work, v, motion.w)
    return found.kinetic + spring_energy(s, mem, state) + mem[state + 2 * n]


@noinline
def _start(own, setup, mem, both):
    params = setup.target if own.on_target else setup.chaser
    body = both.target if own.on_target else both.chaser
    mem[own.energy] = _energy(own, mem, params, body, own.kept)
    return 0.0


@compiled
def _start_none(own, setup, mem, both):
    return 0.0


@by_type(lambda cls: _start if cls is InOrbitServicer else _start_none)
def start_servicer(own, setup, mem, both):
    """At rest in its joints, as the arm is set."""


@noinline
def _copy(own, mem, back):
    to, source = (own.trial, own.kept) if back else (own.kept, own.trial)
    for i in range(2 * own.servicer.n + 1):
        mem[to + i] = mem[source + i]
    if back:
        mem[own.energy + 1] = mem[own.energy]
    else:
        mem[own.energy] = mem[own.energy + 1]
    return 0.0


@compiled
def _copy_none(own, mem, back):
    return 0.0


@by_type(lambda cls: _copy if cls is InOrbitServicer else _copy_none)
def copy_servicer(own, mem, back):
    """`back`: to the start of the step under way, to try it again; else keep what was tried."""


@noinline
def _pull(own, setup, mem, ahead, weight, chaser, target, on_chaser, on_target):
    s, n = own.servicer, own.servicer.n
    for i in range(2 * n + 1):
        mem[own.stage + i] = mem[own.trial + i] + ahead * mem[own.slope + i]
    params = setup.target if own.on_target else setup.chaser
    hand = target if own.on_target else chaser
    given = on_target if own.on_target else on_chaser
    a, alpha = accelerate(
        s,
        mem,
        own.stage,
        own.stage + n,
        own.work,
        hand.w,
        rotate_back(hand.q, given.force),
        rotate_back(hand.q, given.torque),
    )
    lost, joints = 0.0, joint_at(s, own.work)
    for i in range(n):
        rate = mem[own.stage + n + i]
        mem[own.slope + i] = rate
        mem[own.slope + n + i] = mem[joints + i]
        lost += row_of(s, i).damping * rate * rate
    mem[own.slope + 2 * n] = lost
    for i in range(2 * n + 1):
        mem[own.total + i] += weight * mem[own.slope + i]
    spin = symmetric_times(params.inertia, hand.w)
    felt = Wrench(  # with which a rigid body of the whole's mass would move as the hand does
        multiply(params.mass, rotate(hand.q, a)),
        rotate(hand.q, add(symmetric_times(params.inertia, alpha), cross(hand.w, spin))),
    )
    return (on_chaser, felt) if own.on_target else (felt, on_target)


@compiled
def _pull_none(own, setup, mem, ahead, weight, chaser, target, on_chaser, on_target):
    return on_chaser, on_target


@by_type(lambda cls: _pull if cls is InOrbitServicer else _pull_none)
def pull_of_servicer(own, setup, mem, ahead, weight, chaser, target, on_chaser, on_target):
    """Wrenches on both satellites with the pull of links and base, at a stage `ahead` [s] along the
    last slopes. `weight`: of the stage, times the step [s]."""


@noinline
def _end_step(own, setup, mem, after, before):
    params = setup.target if own.on_target else setup.chaser
    now, was = after.chaser, before.chaser
    if own.on_target:
        now, was = after.target, before.target
    for i in range(2 * own.servicer.n + 1):
        mem[own.trial + i] += mem[own.total + i]
        mem[own.total + i] = 0.0
    energy = _energy(own, mem, params, now, own.trial)
    gained = energy - mem[own.energy + 1]
    mem[own.energy + 1] = energy
    return gained - kinetic_energy(params, now) + kinetic_energy(params, was)


@compiled
def _end_step_none(own, setup, mem, after, before):
    return 0.0


@by_type(lambda cls: _end_step if cls is InOrbitServicer else _end_step_none)
def end_servicer_step(own, setup, mem, after, before):
    """What it has taken up beyond the rigid body's kinetic energy in this step [J]. `before`: both
    bodies at its start."""


@noinline
def _bounds(own, setup, mem, outside, both):
    params = setup.target if own.on_target else setup.chaser
    motion = motion_of(params, both.target if own.on_target else both.chaser)
    nothing = no_wrench()
    on_chaser, on_target = _pull(own, setup, mem, 0.0, 0.0, motion, motion, nothing, nothing)
    felt = on_target if own.on_target else on_chaser
    pull, twist = EDGE * norm(felt.force), EDGE * norm(felt.torque)
    chaser, target = (0.0, 1.0) if own.on_target else (1.0, 0.0)
    return Outside(
        until=outside.until,
        acts=outside.acts,
        chaser_force=outside.chaser_force + chaser * pull,
        chaser_torque=outside.chaser_torque + chaser * twist,
        target_force=outside.target_force + target * pull,
        target_torque=outside.target_torque + target * twist,
        held=outside.held,
    )


@compiled
def _bounds_none(own, setup, mem, outside, both):
    return outside


@by_type(lambda cls: _bounds if cls is InOrbitServicer else _bounds_none)
def bounds_with_servicer(own, setup, mem, outside, both):
    """What acts from outside, with the pull of links and base; leaves the factor of the mass matrix
    for `mobility_with_servicer`."""


@noinline
def _mobility(own, mem, on_target, q, arm, normal, rigid):
    if on_target != own.on_target:
        return rigid
    s = own.servicer
    size, M = HAND + s.n, own.work + FRAME.size * s.n
    right = M + size * size
    along = rotate_back(q, normal)
    about = rotate_back(q, cross(arm, normal))
    store3(mem, right, along)
    store3(mem, right + 3, about)
    for i in range(s.n):
        mem[right + HAND + i] = 0.0
    solve_factored(mem, M, size, mem, right)
    return dot(along, load3(mem, right)) + dot(about, load3(mem, right + 3))


@compiled
def _mobility_none(own, mem, on_target, q, arm, normal, rigid):
    return rigid


@by_type(lambda cls: _mobility if cls is InOrbitServicer else _mobility_none)
def mobility_with_servicer(own, mem, on_target, q, arm, normal, rigid):
    """Inverse of the effective mass at a point of a satellite along a world direction [1/kg], its
    joints free to give way: they do before their springs act. `rigid`: that of the rigid body."""


@noinline
def _longest(own, setup, mem, both):
    params = setup.target if own.on_target else setup.chaser
    motion = motion_of(params, both.target if own.on_target else both.chaser)
    s, n = own.servicer, own.servicer.n
    accelerate(s, mem, own.kept, own.kept + n, own.work, motion.w, ZERO, ZERO)
    fastest = fastest_rate(s, mem, own.kept + n, own.work, motion.w)
    turning = norm(motion.w)
    for i in range(n):
        turning += abs(mem[own.kept + n + i])
    return setup.fine / (fastest + TURNING * turning + TINY)


@compiled
def _longest_none(own, setup, mem, both):
    return math.inf


@by_type(lambda cls: _longest if cls is InOrbitServicer else _longest_none)
def longest_servicer_step(own, setup, mem, both):
    """Longest step of orbit for its joints [s]."""
