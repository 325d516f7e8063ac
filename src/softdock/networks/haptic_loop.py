"""A haptic device at a virtual wall, compiled: device, hand, encoder, and one of several ways to
render the wall.

Between samples the device moves under a held force: m v' = F - b v - friction + hand, the hand a
spring and damper to a point that moves. Walls lie at q < 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.networks import linear_step as better
from softdock.networks import published as published_algorithm
from softdock.networks.published import published_sample
from softdock.networks.wall_step import wall_sample

RENDERINGS = (
    "euler",
    "colgate_limit",
    "energy_bounding",
    "passivity_observer",
    "published",
    "published_controller",
    "better_step",
)
EULER, LIMITED, BOUNDED, OBSERVED, PUBLISHED, CONTROLLED, BETTER = range(len(RENDERINGS))
STILL_SPEED = 1e-4  # m/s; below it dry friction grows in proportion

BENCH_ROW = Cells(  # at t = k T
    "bench_row",
    Cell("position", 1, "m", "of the device"),
    Cell("velocity", 1, "m/s", "of the device"),
    Cell("force", 1, "N", "that is held from then on"),
    Cell("fed", 1, "J", "into the wall so far, by the true motion"),
    Cell("hand", 1, "N", "force of the hand"),
)
IN_ROW = BENCH_ROW.at


class Bench(NamedTuple):
    mass: float  # kg
    damping: float  # Ns/m
    friction: float  # N, dry
    resolution: float  # m of the encoder; 0: exact
    T: float  # s
    hand_stiffness: float
    hand_damping: float
    start: float  # m, where hand and device begin
    end: float  # m, where the hand goes
    approach: float  # s, that it takes (minimum jerk)
    stiffness: float  # N/m of the wall
    believed_damping: float  # Ns/m of the device, as the bounding methods are told
    damping_max: float  # Ns/m of the passivity controllers
    rendering: int
    substeps: int


@compiled
def hand_point(bench, t):
    s = min(max(t / bench.approach, 0.0), 1.0)
    shape = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    slope = 30.0 * s * s * (1.0 - s) * (1.0 - s) / bench.approach
    return bench.start + (bench.end - bench.start) * shape, (bench.end - bench.start) * slope


@compiled
def acceleration(bench, t, x, v, force):
    point, speed = hand_point(bench, t)
    pull = bench.hand_stiffness * (point - x) + bench.hand_damping * (speed - v)
    dry = bench.friction * math.tanh(v / STILL_SPEED) if bench.friction > 0.0 else 0.0
    return (force + pull - bench.damping * v - dry) / bench.mass


@compiled
def move_device(bench, t, x, v, force):
    """One sample under a held force, midpoint steps."""
    h = bench.T / bench.substeps
    for s in range(bench.substeps):
        now = t + s * h
        a = acceleration(bench, now, x, v, force)
        xm, vm = x + 0.5 * h * v, v + 0.5 * h * a
        am = acceleration(bench, now + 0.5 * h, xm, vm, force)
        x, v = x + h * vm, v + h * am
    return x, v


@compiled
def measured(bench, x):
    return (
        math.floor(x / bench.resolution + 0.5) * bench.resolution if bench.resolution > 0.0 else x
    )


@compiled
def bounded_force(bench, wanted, last, deeper):
    """Energy bounding after Kim, from its principle: a force F stands for F^2 / 2c of stored
    energy, which may grow by no more than what came in and what the device's friction dissipates, b
    deeper^2 / T. Here c = 2 b / T, the largest that keeps every step passive: |F| grows by c deeper
    at most."""
    c = 2.0 * bench.believed_damping / bench.T
    most = last * last + 2.0 * c * (
        last * deeper + bench.believed_damping * deeper * deeper / bench.T
    )
    return min(wanted, math.sqrt(most)) if most > 0.0 else 0.0


@compiled
def rendered_force(bench, published, better_net, mem, q, dq, last, fed):
    """The force to hold from now on, for a measured position. `fed`: energy that has flown into the
    wall so far, as seen by the encoder [J]."""
    kind = bench.rendering
    wanted = max(-bench.stiffness * q, 0.0)
    if kind in (PUBLISHED, CONTROLLED):
        published_sample(published, mem, q)
        return mem[published_algorithm.FORCE]
    if kind == BETTER:
        wall_sample(better_net, mem, q)
        return -mem[better.places(better_net.n, 1).y]
    if kind == LIMITED:
        return max(-min(bench.stiffness, 2.0 * bench.believed_damping / bench.T) * q, 0.0)
    if kind == BOUNDED:
        return bounded_force(bench, wanted, last, -dq) if q < 0.0 else 0.0
    if kind == OBSERVED and q < 0.0 and fed < 0.0 and dq != 0.0:
        speed = dq / bench.T  # Ryu: a damper that would pay the debt back within one sample
        return wanted - min(-fed / (bench.T * speed * speed), bench.damping_max) * speed
    return wanted


@entry_point
def run_bench(bench, published, better_net, mem, rows):
    """A touch: `rows[k]` as `BENCH_ROW`."""
    x, v, force, true_fed, seen_fed = bench.start, 0.0, 0.0, 0.0, 0.0
    last = measured(bench, x)
    for k in range(rows.shape[0]):
        t = k * bench.T
        q = measured(bench, x)
        seen_fed -= force * (q - last)
        force = rendered_force(
            bench, published, better_net, mem, q, dq=q - last, last=force, fed=seen_fed
        )
        last = q
        point, speed = hand_point(bench, t)
        row = rows[k]
        row[IN_ROW.position], row[IN_ROW.velocity] = x, v
        row[IN_ROW.force], row[IN_ROW.fed] = force, true_fed
        row[IN_ROW.hand] = bench.hand_stiffness * (point - x) + bench.hand_damping * (speed - v)
        before = x
        x, v = move_device(bench, t, x, v, force)
        true_fed -= force * (x - before)


@entry_point
def render_sample(bench, published, better_net, mem, q, dq, last, fed):
    """`rendered_force`, a sample at a time."""
    return rendered_force(bench, published, better_net, mem, q, dq=dq, last=last, fed=fed)


@entry_point
def move_for(bench, t, x, v, force):
    """`move_device`: position and velocity after bench.T."""
    return move_device(bench, t, x, v, force)
