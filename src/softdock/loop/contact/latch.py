"""A latch: holds the tip of a contact pair at its place on the target by springs and dampers along
and about three axes. The same functions serve the facility (mock-ups, real numbers) and the
reference (satellites, wanted numbers).

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
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.latch_keys import LATCH
from softdock.loop.contact.models import default_latch_range
from softdock.loop.contact.pair import Pair
from softdock.loop.contact.seat import CAPTURE, at_seat
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
    multiply,
    negate,
    scale,
    subtract,
)

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Motion

OPEN, SOFT, HARD, BROKEN = 0, 1, 2, 3
STATES = ("open", "soft", "hard", "broken")
LATCH_CELLS = Cells(
    "latch_state",
    Cell("state", int, "-", "0 open, 1 soft, 2 hard, 3 broken"),
    Cell("seated", bool, "-", "1: the tip is at its seat"),
    Cell("since", float, "s", "since when it is"),
    Cell("engaged_at", float, "s", "soft dock"),
    Cell("hard_at", float, "s", "hard dock"),
    Cell("broken_at", float, "s", "when it broke"),
    Cell("offset", 3, "m", "tip from its docked place when it engaged, target axes"),
    Cell("turn", 3, "rad", "the chaser's turn from its docked attitude then, target axes"),
    Cell("peak_force", float, "N^2", "largest force through it, squared"),
    Cell("peak_torque", float, "(Nm)^2", "largest torque at its place, squared"),
    Cell("driven", float, "J", "work of its drive"),
    Cell("driving", float, "W", "power of its drive now"),
    Cell("lost", float, "J", "stored when it broke"),
)
LATCH_FLOATS = LATCH_CELLS.size
AT = LATCH.at
LATCH_LAW = Cells(  # as its keys stand in the vector, the real ones and the wanted ones
    "latch_law",
    Cell("along", 3, "N/m", "stiffness along target axes, once it is hard"),
    Cell("along_damping", 3, "Ns/m", "damping along them"),
    Cell("about", 3, "Nm/rad", "stiffness about them"),
    Cell("about_damping", 3, "Nms/rad", "damping about them"),
)
for _side in ("real", "wanted"):
    _first = getattr(AT, f"{_side}_along")
    _places = [getattr(AT, f"{_side}_{cell.name}") - _first for cell in LATCH_LAW]
    if _places != list(LATCH_LAW.at):
        raise ValueError(f"the {_side} keys of a latch must stand in the order of `latch_law`")


class Latch(NamedTuple):
    """One latch: where it stands, and what it holds."""

    base: int  # its keys in the vector
    law: int  # its stiffness and damping in the vector: AT.real_along, or `wanted_law`
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
def _relate(vector, base, pair: Pair, chaser: Motion, target: Motion):
    arm, from_target, _ = tip_in_target(pair, chaser, target)
    return Related(
        arm=arm,
        from_target=from_target,
        x=subtract(rotate_back(target.q, from_target), LATCH(vector, base).place),
        v=tip_velocity(chaser, target, arm, from_target),
        Q=product(inverse(target.q), chaser.q),
        w=subtract(rotate_back(target.q, rotate(chaser.q, chaser.w)), target.w),
    )


@compiled
def wanted_law(vector, base):
    """Where the stiffness and damping that are wanted in orbit stand in the vector."""
    return base + (AT.wanted_along if LATCH(vector, base).wanted_law != 0.0 else AT.real_along)


@compiled
def is_holding(state):
    return OPEN < state < BROKEN


@noinline
def latch_load(vector, mem, latch: Latch, t, chaser: Motion, target: Motion):
    """Of a latch that holds."""
    keys, law, s = (
        LATCH(vector, latch.base),
        LATCH_LAW(vector, latch.law),
        LATCH_CELLS(mem, latch.at),
    )
    here = _relate(vector, latch.base, latch.pair, chaser, target)
    share = keys.soft_share if s.state == SOFT else 1.0
    left, pace = 1.0, 0.0
    if keys.pull_in > 0.0:
        u = min(max((t - s.engaged_at) / keys.pull_in, 0.0), 1.0)
        left, pace = 1.0 - u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / keys.pull_in
    v_rest, w_rest = scale(-pace, s.offset), scale(-pace, s.turn)
    docked = normalise(keys.attitude)
    Q_rest = product(exponential(scale(left, s.turn)), docked)

    x = add_scaled(here.x, -left, s.offset)
    v, w = subtract(here.v, v_rest), subtract(here.w, w_rest)
    phi = logarithm(product(here.Q, inverse(Q_rest)))
    pull = scale(share, multiply(law.along, x))
    drag = scale(share, multiply(law.along_damping, v))
    twist = scale(share, multiply(law.about, phi))
    rub = scale(share, multiply(law.about_damping, w))
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
def is_overloaded(vector, base, load: Load):
    keys = LATCH(vector, base)
    force, torque = keys.break_force, keys.break_torque
    return (force > 0.0 and load.force_squared > force * force) or (
        torque > 0.0 and load.torque_squared > torque * torque
    )


@compiled
def _engage(vector, mem, latch: Latch, t, chaser: Motion, target: Motion):
    keys, s = LATCH(vector, latch.base), LATCH_CELLS(mem, latch.at)
    here = _relate(vector, latch.base, latch.pair, chaser, target)
    docked = normalise(keys.attitude)
    s.offset = here.x
    s.turn = logarithm(product(here.Q, inverse(docked)))
    s.engaged_at = t
    s.state = SOFT
    if keys.pull_in == 0.0:
        s.state = HARD
        s.hard_at = t


@compiled
def _is_in_range(vector, capture, latch: Latch, chaser: Motion, target: Motion):
    """Whether the tip is near enough to its docked place, and the chaser to its docked
    attitude."""
    keys = LATCH(vector, latch.base)
    far, tilt = default_latch_range(latch.pair, CAPTURE(vector, capture).within)
    far = keys.range if keys.range > 0.0 else far
    tilt = keys.tilt if keys.tilt > 0.0 else tilt
    here = _relate(vector, latch.base, latch.pair, chaser, target)
    docked = normalise(keys.attitude)
    turn = logarithm(product(here.Q, inverse(docked)))
    return dot(here.x, here.x) <= far * far and dot(turn, turn) <= tilt * tilt


@noinline
def may_engage(vector, capture, latch: Latch, chaser: Motion, target: Motion):
    """Whether the tip is at its seat, slow, and within the latch's range. `capture`: of the
    numbers of [capture] in the vector."""
    if not at_seat(vector, capture, latch.pair, chaser, target):
        return False
    return _is_in_range(vector, capture, latch, chaser, target)


@noinline
def follow_latch(vector, mem, latch: Latch, is_seated, t, chaser: Motion, target: Motion):
    """The latch's state at time t [s]: engaged after its `hold` at the seat on end, hard after its
    pull-in. Returns when it changes next if nothing else happens [s]; inf: never."""
    s, next_time = LATCH_CELLS(mem, latch.at), 1e300
    if s.state == OPEN:
        if not is_seated:
            s.seated = False
            return next_time
        if not s.seated:
            s.seated = True
            s.since = t
        due = s.since + latch.hold
        if t < due - SAME_TIME:
            return due
        _engage(vector, mem, latch, t, chaser, target)
    if s.state == SOFT:
        due = s.engaged_at + LATCH(vector, latch.base).pull_in
        if t < due - SAME_TIME:
            return due
        before = latch_load(vector, mem, latch, t, chaser, target).stored
        s.state = HARD
        s.hard_at = t
        after = latch_load(vector, mem, latch, t, chaser, target).stored
        s.driven += after - before
    return next_time


@compiled
def break_latch(s, t, load: Load):
    """Break a latch for good; what it has stored is lost. `s`: its state."""
    s.state = BROKEN
    s.broken_at = t
    s.lost += load.stored
    s.driving = 0.0


@compiled
def update_peaks(s, load: Load):
    """The largest force and torque of a latch; `s`: its state."""
    s.peak_force = max(s.peak_force, load.force_squared)
    s.peak_torque = max(s.peak_torque, load.torque_squared)


@noinline
def sum_up_latches(mem, at, number):
    """Over all latches: when the last went hard [s], NaN if one is not; the largest force [N] and
    torque [Nm], NaN without latches."""
    if number == 0:
        return math.nan, math.nan, math.nan
    latched_at, force, torque = 0.0, 0.0, 0.0
    for i in range(number):
        s = LATCH_CELLS(mem, at + i * LATCH_FLOATS)
        if s.state != HARD:
            latched_at = math.nan
        latched_at = max(latched_at, s.hard_at) if latched_at == latched_at else math.nan
        force = max(force, s.peak_force)
        torque = max(torque, s.peak_torque)
    return latched_at, math.sqrt(force), math.sqrt(torque)
