"""The mock-up between set-points: Hermite, linear, hold; whole and fractional delays; delays that
change."""

from __future__ import annotations

import math

import numpy as np
import pytest
from turned import hamilton, matrix, quaternion

from softdock.compile.jit import entry_point
from softdock.loop.robots import delay, history
from softdock.loop.robots.history import HERMITE, HOLD, LINEAR
from softdock.loop.robots.keys import DELAY
from softdock.loop.robots.prepare import Carrier, Chance, Follower, RobotParams
from softdock.loop.spatial.motion import MOTION_FLOATS, Motion
from softdock.loop.spatial.rotations import logarithm

between, push, motion_at = (
    entry_point(history.between),
    entry_point(history.push),
    entry_point(history.motion_at),
)
delay_set_point, delay_entry_point, log = (
    entry_point(delay.delay_set_point),
    entry_point(delay.delay_at),
    entry_point(logarithm),
)

T, SLOTS, CHANCE = 0.004, 16, Chance(0, 0)
FOLLOWER = Follower(
    which=0,
    at=0,
    delay=0.0,
    interpolation=HERMITE,
    steady=False,
    whole=False,
    cycles=0,
    coordinated=False,
)
CARRIER = Carrier(
    follower=FOLLOWER, history=3, slots=SLOTS, state=0, heavy=False, chance=CHANCE, T=T
)


def cubic(t):
    """A cubic path [m], its velocity, and a turn that is no constant rate; everything in closed
    form. Fast: 30 rad/s shows errors of order."""
    p = np.array([0.1 + 2.0 * t - 30.0 * t**2 + 900.0 * t**3, -0.3 * t + 500.0 * t**3, 0.02])
    v = np.array([2.0 - 60.0 * t + 2700.0 * t**2, -0.3 + 1500.0 * t**2, 0.0])
    return p, v


START = quaternion([0.4, -0.8, 0.3])


def turning(t):
    """exp(angle a) about a fixed axis after a fixed attitude: angle is cubic in time, so the
    Hermite curve must be exact."""
    axis = np.array([0.48, -0.6, 0.64])
    angle, rate = 5.0 * t - 400.0 * t**2 + 9000.0 * t**3, 5.0 - 800.0 * t + 27000.0 * t**2
    return hamilton(START, quaternion(angle * axis)), rate * axis


def set_point(t):
    (p, v), (q, w) = cubic(t), turning(t)
    return Motion(*(tuple(float(x) for x in part) for part in (p, q, v, w)))


def filled(first=-5, last=4):
    mem = np.zeros(3 + SLOTS * MOTION_FLOATS)
    for stamp in range(first, last + 1):
        push(mem, 3, SLOTS, stamp, set_point(stamp * T))
    return mem


def robot(delay_s=0.0, ramp=0.0, wobble=0.0, wobble_rate=0.0, interpolation=HERMITE):
    return RobotParams(
        which=0,
        model=DELAY,
        delay=delay_s,
        ramp=ramp,
        wobble=wobble,
        wobble_rate=wobble_rate,
        jitter=0.0,
        dropout=0.0,
        on_dropout=0,
        interpolation=interpolation,
        w=0.0,
        zeta=1.0,
        limits=(math.inf,) * 6,
    )


def delay_at(robot, t):
    return delay_entry_point(robot, CHANCE, t, T)


def mock_up(robot, mem, t):
    return delay_set_point(robot, CARRIER, mem, t)


@pytest.mark.parametrize("s", [0.0, 0.125, 0.5, 0.9, 1.0])
def test_hermite_reproduces_cubic_motion(s):
    """Position, velocity, attitude and rate of a motion cubic in time come out to rounding: so does
    the exact hold's parabola."""
    found, expected = (
        between(HERMITE, T, set_point(0.004), set_point(0.008), s),
        set_point(0.004 + s * T),
    )
    assert found.p == pytest.approx(expected.p, abs=1e-15)
    assert matrix(found.q) == pytest.approx(matrix(expected.q), abs=1e-14)
    assert found.v == pytest.approx(expected.v, abs=1e-12)
    assert found.w == pytest.approx(expected.w, abs=1e-11)


@pytest.mark.parametrize("mode", [HERMITE, LINEAR])
def test_the_twist_is_the_derivative_of_the_pose(mode):
    """Between any two set-points, also ones whose rates are not along the turn between them: v =
    p', w = body rate of q, by central differences. 1e-6 of the rates: their error at 1e-5 of a
    cycle."""
    a = set_point(0.0)
    b = Motion(
        (0.11, 0.0, 0.03),
        tuple(hamilton(a.q, quaternion([0.2, -0.3, 0.25]))),
        (1.0, -2.0, 3.0),
        (40.0, 60.0, -50.0),
    )
    for s in (0.05, 0.37, 0.5, 0.81):
        h = 1e-5
        early, here, late = (between(mode, T, a, b, s + d) for d in (-h, 0.0, h))
        velocity = np.subtract(late.p, early.p) / (2 * h * T)
        inverse = np.array(early.q) * [1, -1, -1, -1]
        rate = np.array(log(tuple(hamilton(inverse, late.q)))) / (2 * h * T)
        assert here.v == pytest.approx(velocity, abs=1e-6 * 25.0)
        assert here.w == pytest.approx(rate, abs=1e-6 * 110.0)


def test_hermite_meets_its_set_points():
    """Pose and twist at both ends are the set-points': the mock-up's velocity has no steps at the
    stamps, in rotation too."""
    a = set_point(0.0)
    b = Motion(
        (0.11, 0.0, 0.03),
        tuple(hamilton(a.q, quaternion([0.2, -0.3, 0.25]))),
        (1.0, -2.0, 3.0),
        (40.0, 60.0, -50.0),
    )
    for s, end in ((0.0, a), (1.0, b)):
        found = between(HERMITE, T, a, b, s)
        for got, want in zip(found, end, strict=True):
            assert got == pytest.approx(want, abs=1e-12)


def test_linear_keeps_the_chord():
    """Half way the position is the mean, the turn is half, and the twist is the constant one of the
    chord."""
    a, b = set_point(0.0), set_point(T)
    found = between(LINEAR, T, a, b, 0.5)
    assert found.p == pytest.approx(0.5 * np.add(a.p, b.p), abs=1e-15)
    assert found.v == pytest.approx(np.subtract(b.p, a.p) / T, abs=1e-12)
    half = hamilton(np.array(a.q) * [1, -1, -1, -1], found.q)
    assert 2 * np.array(log(tuple(half))) == pytest.approx(np.array(found.w) * T, abs=1e-14)


def test_hold_is_a_staircase():
    """Up to the next stamp the earlier pose, at rest."""
    a, b = set_point(0.0), set_point(T)
    found = between(HOLD, T, a, b, 0.999)
    assert (found.p, found.q) == (a.p, a.q)
    assert found.v == found.w == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("mode", [HERMITE, LINEAR, HOLD])
def test_on_a_stamp_the_set_point_itself(mode):
    """A whole number of cycles returns the stored bits, negative stamps included, whatever the
    interpolation."""
    mem = filled()
    for stamp in range(-5, 5):
        assert motion_at(mode, T, mem, 3, SLOTS, float(stamp)) == set_point(stamp * T)


def test_fractional_times_find_their_interval():
    """Any time within the history, before zero too, lies on the cubic. 1e-9 of a cycle around a
    stamp counts as on it."""
    mem = filled()
    for cycles in (-4.7, -1.5, -0.001, 0.25, 3.999):
        assert motion_at(HERMITE, T, mem, 3, SLOTS, cycles).p == pytest.approx(
            cubic(cycles * T)[0], abs=1e-14
        )
    assert motion_at(HERMITE, T, mem, 3, SLOTS, 2.0 + 5e-10) == set_point(2 * T)


def test_a_ring_forgets_only_what_is_old():
    """Stamps that share a slot replace each other; the newest `slots` stay readable."""
    mem = filled(-5, 4)
    push(mem, 3, SLOTS, -5 + SLOTS, set_point(0.1))
    assert motion_at(HERMITE, T, mem, 3, SLOTS, float(-5 + SLOTS)) == set_point(0.1)
    assert motion_at(HERMITE, T, mem, 3, SLOTS, -4.0) == set_point(-4 * T)
    assert (mem[:3] == 0.0).all()  # the ring keeps to its own slice


@pytest.mark.parametrize("delay_ms", [0.0, 4.0, 6.5, 18.0])
def test_a_delayed_robot_is_where_its_set_points_were(delay_ms):
    """Whole and fractional delays: pose and twist of t - h."""
    found = mock_up(robot(1e-3 * delay_ms), filled(), 2 * T)
    expected = set_point(2 * T - 1e-3 * delay_ms)
    assert found.p == pytest.approx(expected.p, abs=1e-14)
    assert found.v == pytest.approx(expected.v, abs=1e-11)
    assert found.w == pytest.approx(expected.w, abs=1e-10)


@pytest.mark.parametrize(
    "changing",
    [
        robot(0.006, ramp=0.3),
        robot(0.008, wobble=0.003, wobble_rate=150.0),
        robot(0.008, -0.2, 0.002, 90.0),
    ],
)
def test_a_changing_delay_changes_the_velocity(changing):
    """The mock-up moves at X'(t - h)(1 - h'): its twist is the derivative of its pose, by central
    differences."""
    mem, t, h = filled(), 0.0067, 1e-8
    early, here, late = (mock_up(changing, mem, t + d) for d in (-h, 0.0, h))
    assert here.v == pytest.approx(np.subtract(late.p, early.p) / (2 * h), abs=1e-5)
    inverse = np.array(early.q) * [1, -1, -1, -1]
    assert here.w == pytest.approx(
        np.array(log(tuple(hamilton(inverse, late.q)))) / (2 * h), abs=1e-5
    )
    assert delay_at(changing, t)[1] == pytest.approx(
        (delay_at(changing, t + h)[0] - delay_at(changing, t - h)[0]) / (2 * h), abs=1e-6
    )


def test_the_delay_by_hand():
    """delay + ramp t + wobble sin(2 pi f t), never below zero."""
    assert delay_at(robot(0.016, 0.01, 0.002, 2 * math.pi * 5), 0.05) == pytest.approx(
        (0.016 + 0.0005 + 0.002, 0.01), abs=1e-15
    )
    assert delay_at(robot(0.001, -0.1), 1.0) == (0.0, 0.0)
