"""Section IV-B on two robots, without IV-D: each robot takes what it touches for a wall of its own.

From its own force, pose and stiffness each finds the place of its wall (18), and its satellite
feels the desired stiffness there (20, 21). Nothing makes the two forces equal and opposite. No
method of softdock: written as a user's own method is (docs/your_own_method.md), and loaded by
own_walls.py for its runs.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.methods import (
    Group,
    Method,
    Motion,
    Output,
    Parameter,
    Wrench,
    Wrenches,
    add,
    add_scaled,
    compiled,
    cross,
    dot,
    norm,
    rotate,
    rotate_back,
    scale,
    subtract,
)

NAME = "own_walls"
GROUP = Group(
    NAME,
    "Each robot re-maps its own measured force (Lange IV-B).",
    Parameter("stiffness", "stiffness_N_per_m", "K_e = K_d of each side", 1e5, "N/m", 0.0, 1e9),
    Parameter("lead", "lead_ms", "how far ahead", 0.0, "ms", 0.0, 2000.0, scale=1e-3),
)
AT = GROUP.at


class OwnWalls(NamedTuple):
    memory: int
    stiffness: float  # N/m
    lead: float  # s


@compiled
def prepare(marker, vector, base, memory):
    return OwnWalls(memory, vector[base + AT.stiffness], vector[base + AT.lead])


@compiled
def remap(stiffness, measured, mock_up, body):
    """Wrench on one satellite from that measured on its mock-up, each about its own centre."""
    f, m = measured.force, measured.torque
    size = norm(f)
    if not size > 0.0:
        return Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    n = scale(1.0 / size, f)  # Lange eq. 17
    lever = scale(1.0 / (size * size), cross(f, m))  # x_c - x: the line's point nearest to x
    desired = rotate(body.q, rotate_back(mock_up.q, lever))  # x_dc - x_d
    off = subtract(add(body.p, desired), add(mock_up.p, lever))  # x_dc - x_c
    f_d = scale(max(size - stiffness * dot(n, off), 0.0), n)  # Lange eqs. 18, 20
    return Wrench(f_d, subtract(add(m, cross(desired, f_d)), cross(lever, f)))  # Lange eq. 21


@compiled
def exchange(given, measured, own):
    """Another wrench in place of the measured one."""
    return Wrench(
        add(subtract(given.force, measured.force), own.force),
        add(subtract(given.torque, measured.torque), own.torque),
    )


@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    real, at = measured.wrenches, measured.mock_ups
    chaser = remap(method.stiffness, real.chaser, at.chaser, satellites.chaser)
    target = remap(method.stiffness, real.target, at.target, satellites.target)
    return Wrenches(
        exchange(wrenches.chaser, real.chaser, chaser),
        exchange(wrenches.target, real.target, target),
    )


@compiled
def ahead(motion, lead):
    """A set-point after `lead` [s] without force; a central impact turns nothing."""
    return Motion(add_scaled(motion.p, lead, motion.v), motion.q, motion.v, motion.w)


@compiled
def correct(method, mem, rig, measured, before, after, output):
    return after, Output(ahead(output.chaser, method.lead), ahead(output.target, method.lead))


METHOD = Method(
    name=NAME,
    summary="each robot takes what it touches for a wall of its own",
    knows="the mock-ups' stiffness and the delay",
    group=GROUP,
    marker=OwnWalls(0, 0.0, 0.0),
    prepare=prepare,
    wrench=wrench,
    correct=correct,
)
