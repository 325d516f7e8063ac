"""Set-points become joints: once a cycle, by the closed-form inverse on a followed branch.

In: the set-point stamped t_{k+1} (orbit frame). Out: a row of the ring of joint set-points: seven
coordinates and their rates (the rates that move the satellite at the set-point's twist, Lange
eq. 22 and its derivative). A set-point that cannot be followed leaves a status with its axis and
its stamp, which ends the run after this cycle; until then the joints before are kept where there
are no others.
"""

from __future__ import annotations

import math

from softdock.compile.features import Arms
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.arms.follow import REACHED, UNREACHABLE, follow
from softdock.loop.arms.forward import jacobian_column, link_frames
from softdock.loop.arms.layout import AXES, JOINTS, load7, on_base
from softdock.loop.arms.rail import base_axis_of
from softdock.loop.arms.robot_layout import (
    FIRST_JOINT,
    PLACED_FLOATS,
    RING_AT,
    ROW,
    ROW_FLOATS,
    STATE_AT,
    WORK_FLOATS,
    S,
    arm_at,
    is_arm,
    work_at,
)
from softdock.loop.arms.tip import centre_in_base, flange_wanted, twist_in_base
from softdock.loop.instants import ON_STAMP
from softdock.loop.rings import Ring, row_of
from softdock.loop.spatial.motion_between import HOLD, LINEAR
from softdock.loop.spatial.vectors import add_scaled

# Six equations with six unknowns, in flat arrays: joint rates from a twist.
#
# `eliminate`: Gauss with a pivot in each column, matrix and right-hand side row-major 6 x 7 in place.
# Symmetric ones, of elastic joints: loop/spatial/cholesky.py.

SIZE, WIDTH = JOINTS, AXES  # equations; and a right-hand side behind them
SMALLEST = 1e-12  # of a Jacobian's pivot: below it the arm is singular to rounding


@compiled
def _swap(a, at, i, j):
    for k in range(WIDTH):
        x = a[at + WIDTH * i + k]
        a[at + WIDTH * i + k] = a[at + WIDTH * j + k]
        a[at + WIDTH * j + k] = x


@compiled
def eliminate(a, at):
    """The unknowns into the last column. False, and nothing to be used: singular."""
    for i in range(SIZE):
        best = i
        for j in range(i + 1, SIZE):
            if abs(a[at + WIDTH * j + i]) > abs(a[at + WIDTH * best + i]):
                best = j
        if not abs(a[at + WIDTH * best + i]) > SMALLEST:
            return False
        if best != i:
            _swap(a, at, i, best)
        for j in range(i + 1, SIZE):
            factor = a[at + WIDTH * j + i] / a[at + WIDTH * i + i]
            for k in range(i, WIDTH):
                a[at + WIDTH * j + k] -= factor * a[at + WIDTH * i + k]
    for back in range(SIZE):
        i = SIZE - 1 - back
        x = a[at + WIDTH * i + SIZE]
        for k in range(i + 1, SIZE):
            x -= a[at + WIDTH * i + k] * a[at + WIDTH * k + SIZE]
        a[at + WIDTH * i + SIZE] = x / a[at + WIDTH * i + i]
    return True


ONE = FIRST_JOINT
BEHIND = JOINTS  # where the right-hand side stands in a row of the equations


@compiled
def joint_row(carrier, stamp):
    """Where the joint set-point of a stamp stands in `mem`."""
    return row_of(Ring(carrier.state + RING_AT, carrier.slots, ROW_FLOATS), stamp)


@compiled
def _store_rates(arm, mem, state, row, set_point, base_rate):
    """Rates of the joints that give the satellite the set-point's twist; zero where singular."""
    room, at = work_at(state), state + STATE_AT + S.jacobian
    work = mem[room : room + WORK_FLOATS]
    link_frames(arm, load7(mem, row + ROW.q), work)
    point = centre_in_base(arm, set_point)
    v, w = twist_in_base(arm, set_point)
    along, about = jacobian_column(arm, work, 0, point)
    v, w = add_scaled(v, -base_rate, along), add_scaled(w, -base_rate, about)
    for i in range(JOINTS):
        along, about = jacobian_column(arm, work, i + ONE, point)
        for k in range(3):
            mem[at + AXES * k + i] = along[k]
            mem[at + AXES * (k + 3) + i] = about[k]
    for k in range(3):
        mem[at + AXES * k + BEHIND] = v[k]
        mem[at + AXES * (k + 3) + BEHIND] = w[k]
    solved = eliminate(mem, at)
    mem[row + ROW.rate] = base_rate
    for i in range(JOINTS):
        mem[row + ROW.rate + ONE + i] = mem[at + AXES * i + BEHIND] if solved else 0.0


@noinline
def followed(arm, pose, before, branch):
    """`arms.follow.follow`, compiled once: closed forms of both families are long."""
    return follow(arm, pose, before, branch)


@noinline
def store_joints(arm, carrier, mem, stamp, set_point):
    """One set-point into the ring of joints, continued from the one that was stored before."""
    state, at = carrier.state, carrier.state + STATE_AT
    b = load7(mem, at + S.commanded)
    base, base_rate = base_axis_of(arm, mem, at, set_point, b[0], stamp <= 0)
    before = on_base(base, b)
    found = followed(arm, flange_wanted(arm, set_point), before, int(mem[at + S.branch]))
    row, kept = joint_row(carrier, stamp), found.status == UNREACHABLE
    for i in range(AXES):
        mem[row + ROW.q + i] = before[i] if kept else found.q[i]
        mem[row + ROW.rate + i] = 0.0
        mem[at + S.commanded + i] = mem[row + ROW.q + i]
    least = min(found.clearance[0], min(found.clearance[1], found.clearance[2]))
    mem[at + S.clearance] = 0.0 if kept else least
    if found.status != REACHED and mem[at + S.status] == REACHED:
        mem[at + S.status] = float(found.status)
        mem[at + S.slot] = float(found.joint)
        mem[at + S.missing] = found.missing
        mem[at + S.stamp] = float(stamp)
    if not kept:
        _store_rates(arm, mem, state, row, set_point, base_rate)


@compiled
def _no_joints(features, vector, carrier, mem, stamp, set_point):
    return


@noinline
def _joints(features, vector, carrier, mem, stamp, set_point):
    if is_arm(vector, carrier.follower.at):
        at = arm_at(vector, carrier.follower.at)
        store_joints(vector[at : at + PLACED_FLOATS], carrier, mem, stamp, set_point)


@by_type(lambda cls: _joints if cls is Arms else _no_joints)
def take_joints(features, vector, carrier, mem, stamp, set_point):
    """A set-point of an arm as joints."""


@compiled
def _blended(mode, T, mem, a, b, s, i):
    """One axis between two rows, one cycle T apart, and its rate (loop/spatial/motion_between.py)."""
    x0, x1 = mem[a + ROW.q + i], mem[b + ROW.q + i]
    v0, v1 = mem[a + ROW.rate + i], mem[b + ROW.rate + i]
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
def joints_at(mode, carrier, mem, cycles, q_at, rate_at):
    """The joint set-points at the time `cycles` T, whole or fractional, into `mem`."""
    nearest = math.floor(cycles + 0.5)
    earlier, share = math.floor(cycles), cycles - math.floor(cycles)
    if abs(cycles - nearest) < ON_STAMP:
        row = joint_row(carrier, int(nearest))
        for i in range(AXES):
            mem[q_at + i] = mem[row + ROW.q + i]
            mem[rate_at + i] = mem[row + ROW.rate + i]
        return
    a, b = joint_row(carrier, int(earlier)), joint_row(carrier, int(earlier) + 1)
    for i in range(AXES):
        x, v = _blended(mode, carrier.T, mem, a, b, share, i)
        mem[q_at + i] = x
        mem[rate_at + i] = v
