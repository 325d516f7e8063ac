"""Set-points become joints: once a cycle, by the closed-form inverse on a followed branch.

In: the set-point stamped t_{k+1} (orbit frame). Out: a row of the ring of joint set-points: seven
coordinates and their rates (the rates that move the satellite at the set-point's twist, Lange
eq. 22 and its derivative). A set-point that cannot be followed leaves a status with its axis and
its stamp, which ends the run after this cycle; until then the joints before are kept where there
are no others.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.features import Arms
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.arms.follow import REACHED, UNREACHABLE, follow
from softdock.loop.arms.forward import jacobian_column, link_frames
from softdock.loop.arms.layout import AXES, JOINTS, on_base
from softdock.loop.arms.rail import follow_with_base_axis
from softdock.loop.arms.robot_layout import (
    FIRST_JOINT,
    JOINT_ROW,
    RING_AT,
    ROW_FLOATS,
    arm_state,
    is_arm,
    placed_arm,
)
from softdock.loop.arms.tip import find_flange, locate_centre, turn_twist_to_base
from softdock.loop.instants import ON_STAMP
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion_between import HOLD, LINEAR
from softdock.loop.spatial.vectors import add_scaled

if TYPE_CHECKING:
    from softdock.loop.robots.prepare import Carrier
    from softdock.loop.spatial.motion import Motion, Pose

# Six equations with six unknowns, in flat arrays: joint rates from a twist.
#
# `eliminate`: Gauss with a pivot in each column, matrix and right-hand side row-major 6 x 7 in
# place. Symmetric ones, of elastic joints: loop/spatial/cholesky.py.

SIZE, WIDTH = JOINTS, AXES  # equations; and a right-hand side behind them
SMALLEST = 1e-12  # of a Jacobian's pivot: below it the arm is singular to rounding


@compiled
def _swap(a, i, j):
    for k in range(WIDTH):
        x = a[WIDTH * i + k]
        a[WIDTH * i + k] = a[WIDTH * j + k]
        a[WIDTH * j + k] = x


@compiled
def eliminate(a):
    """The unknowns into the last column. False, and nothing to be used: singular."""
    for i in range(SIZE):
        best = i
        for j in range(i + 1, SIZE):
            if abs(a[WIDTH * j + i]) > abs(a[WIDTH * best + i]):
                best = j
        if not abs(a[WIDTH * best + i]) > SMALLEST:
            return False
        if best != i:
            _swap(a, i, best)
        for j in range(i + 1, SIZE):
            factor = a[WIDTH * j + i] / a[WIDTH * i + i]
            for k in range(i, WIDTH):
                a[WIDTH * j + k] -= factor * a[WIDTH * i + k]
    for back in range(SIZE):
        i = SIZE - 1 - back
        x = a[WIDTH * i + SIZE]
        for k in range(i + 1, SIZE):
            x -= a[WIDTH * i + k] * a[WIDTH * k + SIZE]
        a[WIDTH * i + SIZE] = x / a[WIDTH * i + i]
    return True


ONE = FIRST_JOINT
BEHIND = JOINTS  # where the right-hand side stands in a row of the equations


@compiled
def joint_row(carrier: Carrier, mem, stamp):
    """The joint set-point of a stamp."""
    return JOINT_ROW(mem, row_of(Ring(carrier.state + RING_AT, carrier.slots, ROW_FLOATS), stamp))


@compiled
def _store_rates(placed, s, row, set_point: Motion, base_rate):
    """Rates of the joints that give the satellite the set-point's twist; zero where singular."""
    arm, work, equations = placed.arm, s.work, s.jacobian
    link_frames(arm, row.q, work)
    point = locate_centre(placed, set_point)
    v, w = turn_twist_to_base(placed, set_point)
    along, about = jacobian_column(arm, work, 0, point)
    v, w = add_scaled(v, -base_rate, along), add_scaled(w, -base_rate, about)
    for i in range(JOINTS):
        along, about = jacobian_column(arm, work, i + ONE, point)
        for k in range(3):
            equations[AXES * k + i] = along[k]
            equations[AXES * (k + 3) + i] = about[k]
    for k in range(3):
        equations[AXES * k + BEHIND] = v[k]
        equations[AXES * (k + 3) + BEHIND] = w[k]
    solved = eliminate(equations)
    row.rate[0] = base_rate
    for i in range(JOINTS):
        row.rate[ONE + i] = equations[AXES * i + BEHIND] if solved else 0.0


@noinline
def follow_branch(arm, pose: Pose, before, branch):
    """`arms.follow.follow`, compiled once: closed forms of both families are long."""
    return follow(arm, pose, before, branch)


@noinline
def store_joints(placed, carrier: Carrier, mem, stamp, set_point: Motion):
    """One set-point into the ring of joints, continued from the one that was stored before."""
    s, row = arm_state(mem, carrier.state), joint_row(carrier, mem, stamp)
    base, base_rate = follow_with_base_axis(placed, s, set_point, s.commanded[0], stamp <= 0)
    before = on_base(base, s.commanded)
    found = follow_branch(placed.arm, find_flange(placed, set_point), before, s.branch)
    kept = found.status == UNREACHABLE
    for i in range(AXES):
        row.q[i] = before[i] if kept else found.q[i]
        row.rate[i] = 0.0
        s.commanded[i] = row.q[i]
    least = min(found.clearance[0], min(found.clearance[1], found.clearance[2]))
    s.clearance = 0.0 if kept else least
    if found.status != REACHED and s.status == REACHED:
        s.status = found.status
        s.slot = found.joint
        s.missing = found.missing
        s.stamp = stamp
    if not kept:
        _store_rates(placed, s, row, set_point, base_rate)


@compiled
def _no_joints(features, vector, carrier: Carrier, mem, stamp, set_point: Motion):
    return


@noinline
def _joints(features, vector, carrier: Carrier, mem, stamp, set_point: Motion):
    if is_arm(vector, carrier.follower.at):
        store_joints(placed_arm(vector, carrier.follower.at), carrier, mem, stamp, set_point)


@by_type(lambda cls: _joints if cls is Arms else _no_joints)
def store_arm_joints(features, vector, carrier, mem, stamp, set_point):
    """A set-point of an arm as joints, into their ring."""


@compiled
def _interpolate_axis(mode, T, a, b, s, i):
    """One axis between two rows, one cycle T apart, and its rate
    (loop/spatial/motion_between.py)."""
    x0, x1 = a.q[i], b.q[i]
    v0, v1 = a.rate[i], b.rate[i]
    if mode == HOLD:
        return x0, 0.0
    step = x1 - x0
    if mode == LINEAR:
        return x0 + s * step, step / T
    r = 1.0 - s
    x = x0 + s * s * (3.0 - 2.0 * s) * step + T * (s * r * r * v0 - s * s * r * v1)
    v = 6.0 * s * r * step / T + r * (1.0 - 3.0 * s) * v0 + s * (3.0 * s - 2.0) * v1
    return x, v


@noinline
def interpolate_joints(mode, carrier: Carrier, mem, cycles, q, rate):
    """The joint set-points at the time `cycles` T, whole or fractional, into `q` and `rate`."""
    nearest = math.floor(cycles + 0.5)
    earlier, share = math.floor(cycles), cycles - math.floor(cycles)
    if abs(cycles - nearest) < ON_STAMP:
        row = joint_row(carrier, mem, int(nearest))
        for i in range(AXES):
            q[i] = row.q[i]
            rate[i] = row.rate[i]
        return
    a, b = joint_row(carrier, mem, int(earlier)), joint_row(carrier, mem, int(earlier) + 1)
    for i in range(AXES):
        q[i], rate[i] = _interpolate_axis(mode, carrier.T, a, b, share, i)
