"""Coordinated axes: limits hold for lengths of vectors, all six axes arrive together, and a turned
set-point gives the turned motion. One compiled follower serves all tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from turned import hamilton, matrix, quaternion

from softdock import BadInput, load_scenario
from softdock.compile.jit import entry_point
from softdock.loop.robots import limited
from softdock.loop.robots.memory import ROBOT_FLOATS
from softdock.loop.spatial.motion import Motion
from softdock.results.why import list_causes

follow_together, follow_within_limits = (
    entry_point(limited.follow_together),
    entry_point(limited.follow_within_limits),
)
LIMITS = (0.5, 2.0, 30.0, 0.6, 3.0, 50.0)
NO_JERK = (0.5, 2.0, math.inf, 0.6, 3.0, math.inf)
REST = Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
DT = 0.004  # s
TURN = quaternion([0.4, -0.9, 0.3])


def moving(p, v, phi=(0.0, 0.0, 0.0), rate=0.0):
    """A set-point from p and phi on, turning about phi; as a function of time."""
    p, v, phi = np.asarray(p), np.asarray(v), np.asarray(phi)
    spin = rate * phi / max(np.linalg.norm(phi), 1e-300)
    return lambda t: Motion(
        tuple(p + t * v), tuple(quaternion(phi + t * spin)), tuple(v), tuple(spin)
    )


def turned_round(early, late, when):
    """A set-point that jumps to another motion."""
    return lambda t: early(t) if t < when else late(t)


AWAY = moving([0.2, -0.1, 0.15], [0.05, 0.08, 0.0], [0.1, 0.3, -0.1], 0.1)
BACK = moving([0.25, 0.0, 0.1], [-0.08, 0.02, 0.05], [0.2, 0.2, 0.1], -0.05)
JUMPING = turned_round(AWAY, BACK, 0.25)


def followed(set_point, limits=LIMITS, steps=500, start=REST, follow=follow_together):
    """Motions, accelerations (N, 6) and distances from the set-point (N, 2) [m, rad]."""
    mem, robot = np.zeros(2 + ROBOT_FLOATS + 2), start
    motions, accelerations, off = [], [], []
    for n in range(1, steps + 1):
        target = set_point(n * DT)
        robot = follow(limits, DT, mem, 2, robot, target)
        motions.append(robot)
        accelerations.append(mem[2:8].copy())
        away = 2.0 * min(
            np.linalg.norm(np.subtract(robot.q, target.q)),
            np.linalg.norm(np.add(robot.q, target.q)),
        )
        off.append((np.linalg.norm(np.subtract(robot.p, target.p)), away))
    assert not mem[:2].any()
    assert not mem[-2:].any()
    return motions, np.array(accelerations), np.array(off)


@pytest.mark.parametrize("limits", [LIMITS, NO_JERK], ids=["jerk", "no jerk"])
@pytest.mark.parametrize("set_point", [AWAY, JUMPING], ids=["away", "jumping"])
def test_lengths_stay_within_limits_and_all_axes_arrive_together(limits, set_point):
    """Also when the set-point jumps on the way. Rotation and translation are on the set-point from
    the same step on and stay there. 1 %, and 5 % of the time: rotation is planned in the rotation
    vector, whose rate is the body's only for small turns."""
    motions, accelerations, off = followed(set_point, limits)
    speeds = (
        np.linalg.norm([m.v for m in motions], axis=1),
        np.linalg.norm([m.w for m in motions], axis=1),
    )
    for k, slack in ((0, 1e-9), (1, 0.01)):
        a = accelerations[:, 3 * k : 3 * k + 3]
        assert speeds[k].max() <= limits[3 * k] * (1.0 + slack)
        assert np.linalg.norm(a, axis=1).max() <= limits[3 * k + 1] * (1.0 + slack)
        change = np.linalg.norm(np.diff(a, axis=0, prepend=0.0), axis=1).max() / DT
        assert change <= limits[3 * k + 2] * (1.0 + 1e-6 + 10.0 * slack)
    there = [int(np.flatnonzero(row > 1e-9)[-1]) + 1 for row in off.T]
    assert there[0] < 450
    assert abs(there[0] - there[1]) <= 1 + 0.05 * there[0]
    assert off[max(there) :].max() < 1e-12


@pytest.mark.parametrize("limits", [LIMITS, NO_JERK], ids=["jerk", "no jerk"])
def test_a_turned_set_point_gives_the_turned_motion(limits):
    """World and body axes turned alike: places, velocities and attitudes are those before, turned.
    Independent axes are elsewhere by centimetres."""
    R = matrix(TURN)

    def turned(set_point):
        m = set_point
        return Motion(
            tuple(R @ m.p),
            tuple(hamilton(hamilton(TURN, m.q), TURN * [1, -1, -1, -1])),
            tuple(R @ m.v),
            tuple(R @ m.w),
        )

    def away(follow):
        plain, _, _ = followed(JUMPING, limits, 300, follow=follow)
        other, _, _ = followed(lambda t: turned(JUMPING(t)), limits, 300, follow=follow)
        return max(
            np.linalg.norm(R @ a.p - b.p) + np.linalg.norm(R @ a.w - b.w)
            for a, b in zip(plain, other, strict=True)
        )

    assert away(follow_together) < 1e-9
    assert away(follow_within_limits) > 0.01


def test_on_a_line_it_is_the_fastest_axis():
    """Along any direction: as the independent axis along x, to 1e-9; off the line by rounding,
    where independent axes leave it by millimetres."""
    n = np.array([0.6, 0.64, 0.48])
    along_x = moving([0.3, 0.0, 0.0], [0.05, 0.0, 0.0])
    _, _, off_x = followed(along_x, follow=follow_within_limits)
    oblique, _, off = followed(moving(0.3 * n, 0.05 * n))
    assert off[:, 0] == pytest.approx(off_x[:, 0], abs=1e-9)
    assert max(np.linalg.norm(np.cross(m.p, n)) for m in oblique) < 1e-12
    jumping = turned_round(moving(0.3 * n, 0.05 * n), moving(0.2 * n, -0.2 * n), 0.3)
    straight, _, _ = followed(jumping)
    assert max(np.linalg.norm(np.cross(m.p, n)) for m in straight) < 1e-12
    bent = np.array([0.3, 0.1, 0.0])
    independent, _, _ = followed(moving(bent, [0.0, 0.0, 0.0]), follow=follow_within_limits)
    together, _, _ = followed(moving(bent, [0.0, 0.0, 0.0]))
    unit = bent / np.linalg.norm(bent)
    assert max(np.linalg.norm(np.cross(m.p, unit)) for m in independent) > 5e-3
    assert max(np.linalg.norm(np.cross(m.p, unit)) for m in together) < 1e-12


def test_what_never_arrives_holds_nothing_back():
    """Behind a set-point that is faster than the limit of speed, the attitude is reached as soon as
    it can be; the speed is held at the limit."""
    motions, _, off = followed(moving([0.2, 0.0, 0.0], [0.7, 0.0, 0.0], [0.0, 0.3, 0.0]))
    assert off[-1, 0] > 0.1
    assert off[-1, 1] < 1e-12
    assert np.linalg.norm(motions[-1].v) == pytest.approx(0.5, rel=1e-6)


def test_the_key_belongs_to_limited_robots_and_why_takes_it_off():
    """Another model refuses it, by its name; `softdock why` switches it off with the limits."""
    keys = {"model": "limited", "max_acceleration_m_per_s2": 1.0, "coordinated": True}
    found = load_scenario("epos_1d", {f"robots.chaser.{k}": v for k, v in keys.items()})
    limits = next(c for c in list_causes(found) if "limits" in c.name)
    assert limits.off["robots.chaser.coordinated"] is None
    with pytest.raises(BadInput, match="coordinated"):
        load_scenario("epos_1d", {"robots.chaser.coordinated": True})
    with pytest.raises(BadInput, match="true or false"):
        load_scenario(
            "epos_1d", {f"robots.chaser.{k}": v for k, v in (keys | {"coordinated": 3}).items()}
        )
