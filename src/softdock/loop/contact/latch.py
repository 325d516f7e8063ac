"""A latch: holds the tip of a contact pair at its place on the target by springs and dampers along
and about three axes. The same functions serve the facility (mock-ups, real numbers) and orbit
(satellites, wanted numbers).

With x the tip's way from its docked place, Q the chaser's attitude seen from the target (target
axes) and the rest pose x_r(t), Q_r(t) that the drive moves from where the latch engaged to the
docked pose,

    f   = -K (x - x_r) - B (x' - x_r')              on the chaser, at the tip
    tau = -J_r^-1(phi) K_r phi - B_r (w - w_r)      phi = log(Q Q_r^-1), w the relative rate

J_r^-1 makes the torque the exact gradient of the stored energy K |x - x_r|^2 / 2 + K_r |phi|^2 / 2
for any stiffness. The drive moves the rest pose along s = u^2 (3 - 2 u), u = (t - t_engaged) /
pull_in, and its power is f . x_r' and the same about the axes: energy that neither the springs
stored nor the dampers lost, booked in `driven`. When the latch goes hard, its stiffness rises by
1 / soft_share at the pose it has; the energy that this stores is the drive's too. A latch that
breaks loses what it has stored (`lost`).

In: motions of both bodies (pose, velocity in world axes, rate in body axes). Out: wrenches about
their centres of mass, world axes. All state is in `mem`, a `latch` each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.latch_keys import LATCH
from softdock.loop.contact.models import default_latch_range
from softdock.loop.contact.pair import Pair
from softdock.loop.contact.seat import CAPTURES, at_seat
from softdock.loop.contact.tip import tip_in_target, tip_velocity
from softdock.loop.instants import SAME_TIME
from softdock.loop.spatial.rotations import (
    exponential,
    inverse,
    logarithm,
    normalise,
    product,
    right_jacobian_inverse,
    rotate,
    rotate_back,
)
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load4,
    multiply,
    negate,
    scale,
    store3,
    subtract,
)

OPEN, SOFT, HARD, BROKEN = 0, 1, 2, 3
STATES = ("open", "soft", "hard", "broken")
LATCH_CELLS = Cells(
    "latch_state",
    Cell("state", 1, "-", "0 open, 1 soft, 2 hard, 3 broken"),
    Cell("seated", 1, "-", "1: the tip is at its seat"),
    Cell("since", 1, "s", "since when it is"),
    Cell("engaged_at", 1, "s", "soft dock"),
    Cell("hard_at", 1, "s", "hard dock"),
    Cell("broken_at", 1, "s", "when it broke"),
    Cell("offset", 3, "m", "tip from its docked place when it engaged, target axes"),
    Cell("turn", 3, "rad", "the chaser's turn from its docked attitude then, target axes"),
    Cell("peak_force", 1, "N^2", "largest force through it, squared"),
    Cell("peak_torque", 1, "(Nm)^2", "largest torque at its place, squared"),
    Cell("driven", 1, "J", "work of its drive"),
    Cell("driving", 1, "W", "power of its drive now"),
    Cell("lost", 1, "J", "stored when it broke"),
)
LATCH_FLOATS, IN_LATCH = LATCH_CELLS.size, LATCH_CELLS.at
AT = LATCH.at
OWN = AT.wanted_along - AT.real_along  # from a real number to the wanted one


class Latch(NamedTuple):
    """One latch: where it stands, and what it holds."""

    base: int  # its keys in the vector
    wanted: int  # 0 for the real numbers, `wanted_numbers` for those in orbit
    at: int  # its state in `mem`
    pair: Pair
    hold: float  # s, at the seat on end before it engages


class Load(NamedTuple):
    """What one latch does at one instant."""

    force: tuple  # N on the chaser, world axes
    torque_chaser: tuple  # Nm about each centre of mass, world axes
    torque_target: tuple
    stored: float  # J
    dissipated: float  # W
    driving: float  # W, of the drive
    power: float  # W, into the bodies
    force_squared: float  # N^2
    torque_squared: float  # (Nm)^2, at its place


class Related(NamedTuple):
    """The tip's place and the chaser's attitude seen from the target, target axes."""

    arm: tuple  # tip from the chaser's centre of mass, world axes
    from_target: tuple  # and from the target's
    x: tuple  # m, from the docked place
    v: tuple
    Q: tuple  # target from chaser
    w: tuple  # rad/s


@compiled
def _related(vector, base, pair, chaser, target):
    arm, from_target, _ = tip_in_target(pair, chaser, target)
    return Related(
        arm=arm,
        from_target=from_target,
        x=subtract(rotate_back(target.q, from_target), load3(vector, base + AT.place)),
        v=tip_velocity(chaser, target, arm, from_target),
        Q=product(inverse(target.q), chaser.q),
        w=subtract(rotate_back(target.q, rotate(chaser.q, chaser.w)), target.w),
    )


@compiled
def wanted_numbers(vector, base):
    """Offset from the real numbers of a latch to those in orbit."""
    return OWN if vector[base + AT.wanted_law] != 0.0 else 0


@compiled
def is_holding(state):
    return OPEN < state < BROKEN


@noinline
def latch_load(vector, mem, latch, t, chaser, target):
    """Of a latch that holds."""
    base, at = latch.base, latch.at
    here = _related(vector, base, latch.pair, chaser, target)
    share = vector[base + AT.soft_share] if mem[at + IN_LATCH.state] == SOFT else 1.0
    pull_in, left, pace = vector[base + AT.pull_in], 1.0, 0.0
    if pull_in > 0.0:
        u = min(max((t - mem[at + IN_LATCH.engaged_at]) / pull_in, 0.0), 1.0)
        left, pace = 1.0 - u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / pull_in
    offset, turn = load3(mem, at + IN_LATCH.offset), load3(mem, at + IN_LATCH.turn)
    v_rest, w_rest = scale(-pace, offset), scale(-pace, turn)
    docked = normalise(load4(vector, base + AT.attitude))
    Q_rest = product(exponential(scale(left, turn)), docked)

    law = base + latch.wanted
    x = add_scaled(here.x, -left, offset)
    v, w = subtract(here.v, v_rest), subtract(here.w, w_rest)
    phi = logarithm(product(here.Q, inverse(Q_rest)))
    pull = scale(share, multiply(load3(vector, law + AT.real_along), x))
    drag = scale(share, multiply(load3(vector, law + AT.real_along_damping), v))
    twist = scale(share, multiply(load3(vector, law + AT.real_about), phi))
    rub = scale(share, multiply(load3(vector, law + AT.real_about_damping), w))
    f = negate(add(pull, drag))
    tau = negate(add(right_jacobian_inverse(phi, twist), rub))
    driving = dot(f, v_rest) - dot(rub, w_rest) - dot(twist, right_jacobian_inverse(phi, w_rest))

    f_W, tau_W = rotate(target.q, f), rotate(target.q, tau)
    return Load(
        force=f_W,
        torque_chaser=add(cross(here.arm, f_W), tau_W),
        torque_target=negate(add(cross(here.from_target, f_W), tau_W)),
        stored=0.5 * (dot(pull, x) + dot(twist, phi)),
        dissipated=dot(drag, v) + dot(rub, w),
        driving=driving,
        power=dot(f, here.v) + dot(tau, here.w),
        force_squared=dot(f, f),
        torque_squared=dot(tau, tau),
    )


@compiled
def is_overloaded(vector, base, load):
    force, torque = vector[base + AT.break_force], vector[base + AT.break_torque]
    return (force > 0.0 and load.force_squared > force * force) or (
        torque > 0.0 and load.torque_squared > torque * torque
    )


@compiled
def _engage(vector, mem, latch, t, chaser, target):
    base, at = latch.base, latch.at
    here = _related(vector, base, latch.pair, chaser, target)
    docked = normalise(load4(vector, base + AT.attitude))
    store3(mem, at + IN_LATCH.offset, here.x)
    store3(mem, at + IN_LATCH.turn, logarithm(product(here.Q, inverse(docked))))
    mem[at + IN_LATCH.engaged_at] = t
    mem[at + IN_LATCH.state] = float(SOFT)
    if vector[base + AT.pull_in] == 0.0:
        mem[at + IN_LATCH.state] = float(HARD)
        mem[at + IN_LATCH.hard_at] = t


@compiled
def _is_in_range(vector, capture, latch, chaser, target):
    """Whether the tip is near enough to its docked place, and the chaser to its docked
    attitude."""
    base = latch.base
    far, tilt = default_latch_range(latch.pair, vector[capture + CAPTURES.within])
    far = vector[base + AT.range] if vector[base + AT.range] > 0.0 else far
    tilt = vector[base + AT.tilt] if vector[base + AT.tilt] > 0.0 else tilt
    here = _related(vector, base, latch.pair, chaser, target)
    docked = normalise(load4(vector, base + AT.attitude))
    turn = logarithm(product(here.Q, inverse(docked)))
    return dot(here.x, here.x) <= far * far and dot(turn, turn) <= tilt * tilt


@noinline
def may_engage(vector, capture, latch, chaser, target):
    """Whether the tip is at its seat, slow, and within the latch's range. `capture`: of the
    numbers of [capture] in the vector."""
    if not at_seat(vector, capture, latch.pair, chaser, target):
        return False
    return _is_in_range(vector, capture, latch, chaser, target)


@noinline
def follow_latch(vector, mem, latch, is_seated, t, chaser, target):
    """The latch's state at time t [s]: engaged after its `hold` at the seat on end, hard after its
    pull-in. Returns when it changes next if nothing else happens [s]; inf: never."""
    base, at = latch.base, latch.at
    state, next_time = int(mem[at + IN_LATCH.state]), 1e300
    if state == OPEN:
        if not is_seated:
            mem[at + IN_LATCH.seated] = 0.0
            return next_time
        if mem[at + IN_LATCH.seated] == 0.0:
            mem[at + IN_LATCH.seated] = 1.0
            mem[at + IN_LATCH.since] = t
        due = mem[at + IN_LATCH.since] + latch.hold
        if t < due - SAME_TIME:
            return due
        _engage(vector, mem, latch, t, chaser, target)
        state = int(mem[at + IN_LATCH.state])
    if state == SOFT:
        due = mem[at + IN_LATCH.engaged_at] + vector[base + AT.pull_in]
        if t < due - SAME_TIME:
            return due
        before = latch_load(vector, mem, latch, t, chaser, target).stored
        mem[at + IN_LATCH.state] = float(HARD)
        mem[at + IN_LATCH.hard_at] = t
        after = latch_load(vector, mem, latch, t, chaser, target).stored
        mem[at + IN_LATCH.driven] += after - before
    return next_time


@compiled
def break_open(mem, at, t, load):
    """Break a latch for good; what it has stored is lost."""
    mem[at + IN_LATCH.state] = float(BROKEN)
    mem[at + IN_LATCH.broken_at] = t
    mem[at + IN_LATCH.lost] += load.stored
    mem[at + IN_LATCH.driving] = 0.0


@compiled
def keep_peaks(mem, at, load):
    mem[at + IN_LATCH.peak_force] = max(mem[at + IN_LATCH.peak_force], load.force_squared)
    mem[at + IN_LATCH.peak_torque] = max(mem[at + IN_LATCH.peak_torque], load.torque_squared)


@noinline
def summed_latches(mem, at, number):
    """Sums over all latches: when the last went hard [s], NaN if one is not; the largest force [N]
    and torque [Nm], NaN without latches."""
    if number == 0:
        return math.nan, math.nan, math.nan
    latched_at, force, torque = 0.0, 0.0, 0.0
    for i in range(number):
        here = at + i * LATCH_FLOATS
        if mem[here + IN_LATCH.state] != HARD:
            latched_at = math.nan
        latched_at = (
            max(latched_at, mem[here + IN_LATCH.hard_at]) if latched_at == latched_at else math.nan
        )
        force = max(force, mem[here + IN_LATCH.peak_force])
        torque = max(torque, mem[here + IN_LATCH.peak_torque])
    return latched_at, math.sqrt(force), math.sqrt(torque)
