"""Conservative advancement: a lower bound of the time [s] in which a tip crosses a gap, or a body
turns by an angle, whatever pushes it from outside within the stated bounds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.spatial.vectors import norm, subtract

TINY = 1e-300  # added to divisors: a rest takes for ever


class Closing(NamedTuple):
    """Upper bounds for one tip, now and how fast they may grow."""

    speed: float  # m/s, of the tip seen from the target's centre of mass, world axes
    gain: float  # m/s^2
    far: float  # m, from the target's centre of mass
    turning: float  # rad/s, of the target
    turning_gain: float  # rad/s^2


@compiled
def _steady(gap, speed, far, turning):
    """Time to cross a gap at a steady speed, the surface turning about a centre `far` away, and
    farther by the tip's own way."""
    fastest = speed + turning * far
    return 2.0 * gap / (fastest + math.sqrt(fastest * fastest + 2.0 * turning * speed * gap) + TINY)


@compiled
def closing_speed(c):
    """Fastest that a gap can shrink now [m/s]."""
    return c.speed + c.turning * c.far


@compiled
def closing_gain(c):
    """Fastest that this speed can grow by what acts from outside [m/s^2]."""
    return c.gain + c.turning_gain * c.far


@compiled
def time_to_cross(c, gap):
    """A time [s] in which a tip surely does not cross a gap [m]."""
    gain = closing_gain(c)
    if gain == 0.0:
        return _steady(gap, c.speed, c.far, c.turning)
    fastest = closing_speed(c)
    horizon = (
        2.0
        * gap
        / (fastest + math.sqrt(fastest * fastest + 2.0 * (c.turning * c.speed + gain) * gap) + TINY)
    )
    return min(
        horizon,
        _steady(gap, c.speed + c.gain * horizon, c.far, c.turning + c.turning_gain * horizon),
    )


@compiled
def arrival_speed(c, gap):
    """Fastest that a tip can be once it has crossed a gap [m/s]."""
    fastest = closing_speed(c)
    return math.sqrt(fastest * fastest + 2.0 * closing_gain(c) * gap)


@compiled
def time_to_turn(angle, rate, gain):
    """A time [s] in which a body surely turns by no more than an angle [rad]; `rate` [rad/s] may
    grow by `gain` [rad/s^2]."""
    return 2.0 * angle / (rate + math.sqrt(rate * rate + 4.0 * gain * angle) + TINY)


@compiled
def _quickest(params):
    """Largest inverse mass [1/kg]; 0 if fixed."""
    if params.fixed:
        return 0.0
    return max(params.inverse_mass[0], max(params.inverse_mass[1], params.inverse_mass[2]))


@compiled
def compute_closing(setup, outside, both, lever, far):
    """Bounds for a tip that is `lever` away from the chaser's centre of mass and `far` from the
    target's [m]."""
    speed = (
        norm(subtract(both.chaser.v, both.target.v))
        + setup.nimble_chaser * norm(both.chaser.L) * lever
    )
    gain = outside.chaser_force * _quickest(setup.chaser) + outside.target_force * _quickest(
        setup.target
    )
    gain += setup.nimble_chaser * outside.chaser_torque * lever
    return Closing(
        speed=speed,
        gain=gain,
        far=far,
        turning=setup.nimble_target * norm(both.target.L),
        turning_gain=setup.nimble_target * outside.target_torque,
    )


@compiled
def largest_mobility(setup, lever, far):
    """Upper bound of the inverse effective mass at a touch, over all directions [1/kg]."""
    chaser = _quickest(setup.chaser) + setup.nimble_chaser * lever * lever
    return chaser + _quickest(setup.target) + setup.nimble_target * far * far
