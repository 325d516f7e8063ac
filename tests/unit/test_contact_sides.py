"""Pairs of bodies in touch: the side of a thin wall is remembered, wrenches balance, and the
gap changes as its rate says."""

from __future__ import annotations

import numpy as np
import pytest
from cone_geometry import (
    AXIS,
    BOTTOM,
    COSINE,
    DEPTH,
    LENGTH,
    MOUTH,
    SINE,
    THICK,
    at,
    in_half_plane,
    on_wall,
)
from turned import quaternion

from softdock.compile.features import Every
from softdock.compile.jit import entry_point
from softdock.loop import contact
from softdock.loop.contact.law import LAW_CELLS
from softdock.loop.contact.pair import IN_PAIR
from softdock.loop.contact.pairs import CONE, LATCH, PAIR_FLOATS, Pairs
from softdock.loop.contact.touch import INSIDE, OUTSIDE
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import exponential, product
from softdock.loop.spatial.vectors import add_scaled, scale

touch_bodies, gap_rate = entry_point(contact.touch_bodies), entry_point(contact.gap_rate)
NO_TABLE = np.zeros(0)  # where a tabulated law would stand


def cone_pair(radius, closed=True):
    """A cone pair in `mem`, as pairs.store_pair lays it out: tip at the chaser's centre, mouth at
    the target's."""
    mem = np.zeros(PAIR_FLOATS)
    mem[0], mem[4], mem[8:11] = CONE + (closed << 5), radius, AXIS
    mem[11:18] = MOUTH, BOTTOM, SINE, COSINE, LENGTH, DEPTH, THICK
    law = IN_PAIR.law
    mem[law + LAW_CELLS.at.stiffness], mem[law + LAW_CELLS.at.exponent] = 4000.0, 1.0
    return mem


def pairs_in(mem):
    return Pairs(1, int(mem[0]), Every(0))


def still(p):
    return Motion(tuple(p), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


ORIGIN = still((0.0, 0.0, 0.0))


@pytest.mark.parametrize("radius", [0.0, 5e-5, 0.004])
@pytest.mark.parametrize("face", ["wall", "bottom"])
def test_a_tip_that_enters_the_material_from_inside_is_pushed_back_inside(face, radius):
    """Step by step (0.2 mm, a cycle at 50 mm/s) into wall or bottom: the depth grows from zero with
    the way, for a point tip too, whose centre is in the material at its first touch."""
    mem = cone_pair(radius)
    for i in range(-5, 20):
        way = 0.0002 * i + 0.0001  # m into the material
        p = (
            at(*on_wall(-0.04, radius - way))
            if face == "wall"
            else at(0.003, -DEPTH + radius - way)
        )
        touch = touch_bodies(NO_TABLE, mem, 0, pairs_in(mem), still(p), ORIGIN, True)
        if way > 0.0:
            assert touch.depth == pytest.approx(way, abs=1e-12), (
                f"{1e3 * way:.1f} mm into the {face}, side {mem[LATCH]}"
            )
            out = (-COSINE, SINE) if face == "wall" else (0.0, 1.0)
            assert in_half_plane(np.array(touch.force)) == pytest.approx(
                4000.0 * way * np.array(out), abs=1e-9
            )
        else:
            assert touch.force == (0.0, 0.0, 0.0)


def test_the_latch_opens_on_separation():
    """A tip that was inside, leaves and comes back from outside touches the outer face."""
    mem = cone_pair(0.004)
    touch_bodies(NO_TABLE, mem, 0, pairs_in(mem), still(at(*on_wall(-0.04, 0.003))), ORIGIN, True)
    assert mem[LATCH] == INSIDE
    touch_bodies(NO_TABLE, mem, 0, pairs_in(mem), still(at(0.0, 0.1)), ORIGIN, True)
    assert mem[LATCH] == -INSIDE  # apart, and remembered where the tip was
    touch_bodies(
        NO_TABLE, mem, 0, pairs_in(mem), still(at(*on_wall(-0.04, -THICK - 0.003))), ORIGIN, True
    )
    assert mem[LATCH] == OUTSIDE


def test_wrenches_balance_about_any_point():
    """Forces are opposite, and the torques with their arms cancel: a contact exerts nothing on the
    pair. With turned, turning bodies."""
    mem = cone_pair(0.01)
    mem[1:4], mem[5:8] = (-0.3, 0.1, 0.2), (0.2, -0.1, 0.4)
    target = Motion(
        (0.5, -0.2, 0.1), tuple(quaternion([0.3, 0.9, -0.5])), (0.01, 0.02, 0.0), (0.1, -0.2, 0.05)
    )
    chaser_q = tuple(quaternion([-1.0, 0.2, 0.4]))
    rotate = entry_point(contact.rotate)
    tip = np.add(target.p, rotate(target.q, tuple(np.add(mem[5:8], at(*on_wall(-0.04, 0.007))))))
    chaser = Motion(
        tuple(tip - rotate(chaser_q, tuple(mem[1:4]))),
        chaser_q,
        (-0.1, 0.03, 0.02),
        (0.3, 0.1, -0.2),
    )
    touch = touch_bodies(NO_TABLE, mem, 0, pairs_in(mem), chaser, target, True)
    assert touch.depth == pytest.approx(0.003, abs=1e-12)
    arm = np.cross(np.subtract(chaser.p, target.p), touch.force)
    assert np.add(touch.torque_chaser, touch.torque_target) + arm == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(touch.force) == pytest.approx(12.0, rel=1e-9)


@entry_point
def advance(motion, dt):
    """A body moving on for dt with its present twist."""
    return Motion(
        add_scaled(motion.p, dt, motion.v),
        product(motion.q, exponential(scale(dt, motion.w))),
        motion.v,
        motion.w,
    )


def test_gap_rate_is_the_derivative_of_the_gap():
    """Both bodies translating and turning: minus the change of depth over a short time, by central
    differences. 1e-7: their error at 1e-5 s."""
    mem = cone_pair(0.01)
    mem[1:4] = (-0.3, 0.1, 0.2)
    target = Motion(
        (0.0, 0.0, 0.0), tuple(quaternion([0.3, 0.9, -0.5])), (0.01, 0.02, 0.0), (0.1, -0.2, 0.05)
    )
    q = tuple(quaternion([-1.0, 0.2, 0.4]))
    rotate = entry_point(contact.rotate)
    tip = np.array(rotate(target.q, at(*on_wall(-0.04, 0.012))))
    chaser = Motion(
        tuple(tip - rotate(q, tuple(mem[1:4]))), q, (-0.1, 0.03, 0.02), (0.3, 0.1, -0.2)
    )
    h = 1e-5
    depths = [
        touch_bodies(
            NO_TABLE, mem, 0, pairs_in(mem), advance(chaser, s * h), advance(target, s * h), True
        ).depth
        for s in (1.0, -1.0)
    ]
    assert gap_rate(pairs_in(mem), mem, 0, 0, chaser, target) == pytest.approx(
        -(depths[0] - depths[1]) / (2 * h), abs=1e-7
    )
