"""The turning axes of an orbit (LVLH): where they point, states stated in them, and states shown in
them.

    x   along-track (V-bar)
    y   against the orbit's normal (H-bar)
    z   towards the planet (R-bar)

World axes do not turn (loop/tide.py). With the default directions of `[orbit]` both are the same at
t = 0, and then turn apart by the mean motion. In: tables of a scenario. Positions [m], velocities
[m/s] as seen from the turning axes, attitudes wxyz (axes from body), rates [rad/s] against them in
body axes.

`[orbit] stated_in = "lvlh"` is a word (words.py): the initial states of both bodies are turned into
world axes, and the word is gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import matrix
from softdock.loop.tide import EARTH_GM, EARTH_RADIUS, FASTEST_MEAN_MOTION
from softdock.scenario.approach import PATH as APPROACH
from softdock.scenario.approach import quaternion

PATH, WORD = "orbit", "stated_in"
RADIAL, NORMAL = (0.0, 0.0, -1.0), (0.0, -1.0, 0.0)  # as in loop/tide.py
OFF, OFF_IN_AN_ORBIT = 0.1, 0.5  # m; errors of the linear law that are warned about
NOT_LOOKED_AT = 0.01  # m; an error that is smaller by a bound is taken for none
LONGEST_STEP = 0.05  # rad of the orbit, of Runge and Kutta's rule
SQUARE = 1e-6  # cosine between radial and normal that is no right angle
Refuse = Callable[..., None]


class TurningAxes(NamedTuple):
    """Of an orbit at t = 0."""

    n: float  # rad/s
    radial: np.ndarray  # unit vectors, world axes
    along: np.ndarray
    normal: np.ndarray

    def world_from_lvlh(self, t: float | np.ndarray) -> np.ndarray:
        """Rotation at time t [s]; of many times, one a row."""
        c, s = np.cos(self.n * np.asarray(t))[..., None], np.sin(self.n * np.asarray(t))[..., None]
        up = c * self.radial + s * self.along
        along = c * self.along - s * self.radial
        return np.stack([along, np.broadcast_to(-self.normal, up.shape), -up], axis=-1)


def has_reference(tables: Mapping[str, Any]) -> bool:
    """Whether the satellites are on an orbit, of resolved tables."""
    orbit = tables.get(PATH, {})
    return orbit.get("altitude_km", 0.0) > 0.0 or orbit.get("mean_motion_rad_per_s", 0.0) > 0.0


def turning_axes(orbit: Mapping[str, Any]) -> TurningAxes:
    """Of the table `[orbit]`, with an orbit in it."""
    n = float(orbit.get("mean_motion_rad_per_s", 0.0))
    if n == 0.0:
        n = math.sqrt(EARTH_GM / (EARTH_RADIUS + 1e3 * float(orbit["altitude_km"])) ** 3)
    radial = np.asarray(orbit.get("radial", RADIAL), dtype=float)
    radial = radial / np.linalg.norm(radial)
    normal = np.asarray(orbit.get("normal", NORMAL), dtype=float)
    along = np.cross(normal, radial)
    along = along / np.linalg.norm(along)
    return TurningAxes(n, radial, along, np.cross(radial, along))


def radial_at(tables: Mapping[str, Any], t: float) -> np.ndarray:
    """Away from the planet at time t [s], world axes."""
    return np.asarray(-turning_axes(tables[PATH]).world_from_lvlh(t)[:, 2])


def in_lvlh(
    axes: TurningAxes, time: np.ndarray, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities of a body, a row an instant, as seen from the turning axes."""
    R = axes.world_from_lvlh(time)
    seen = velocity - axes.n * np.cross(axes.normal, position)
    return np.einsum("kji,kj->ki", R, position), np.einsum("kji,kj->ki", R, seen)


def check_orbit(tables: Mapping[str, Any], refuse: Refuse) -> None:
    """What single values cannot show: two sizes of one orbit, below the ground, a plane askew."""
    orbit = tables[PATH]
    n, altitude = orbit["mean_motion_rad_per_s"], orbit["altitude_km"]
    if n > 0.0 and altitude > 0.0:
        refuse(f"{PATH}.mean_motion_rad_per_s", n, "either altitude_km or mean_motion_rad_per_s")
    if n > FASTEST_MEAN_MOTION:
        refuse(
            f"{PATH}.mean_motion_rad_per_s",
            n,
            f"at most {FASTEST_MEAN_MOTION:.4g} [rad/s]: faster, the orbit is below the ground",
        )
    if not has_reference(tables):
        return
    radial, normal = (np.asarray(orbit[key], dtype=float) for key in ("radial", "normal"))
    cosine = radial @ normal / (np.linalg.norm(radial) * np.linalg.norm(normal))
    if abs(cosine) > SQUARE:
        refuse(
            f"{PATH}.normal",
            orbit["normal"],
            "a direction at right angles to radial; these are "
            f"{math.degrees(math.acos(cosine)):.4g} deg apart",
        )


def far_start(tables: Mapping[str, Any]) -> list[str]:
    """A warning where the linear law of relative orbit is off by more than OFF at the end of a run
    that coasts from its start, or by more than OFF_IN_AN_ORBIT for a chaser that rests there in the
    turning axes for one orbit."""
    duration = float(tables["time"]["duration_s"])
    if not has_reference(tables) or any(tables[body]["fixed"] for body in ("chaser", "target")):
        return []
    axes = turning_axes(tables[PATH])
    p, v = (
        np.array([tables[body][key] for body in ("chaser", "target")], dtype=float)
        for key in ("position_m", "velocity_m_per_s")
    )
    off = linear_law_error(axes, p, v, duration)
    period = 2.0 * math.pi / axes.n
    resting = linear_law_error(axes, p, axes.n * np.cross(axes.normal, p), period)
    if not (off > OFF or resting > OFF_IN_AN_ORBIT):
        return []
    return [
        f"chaser.position_m: {math.dist(*p):.4g} m from the target the linear law of relative "
        f"orbit is off by {_size(off)} after the {duration:g} s of this run if nothing pushes, and "
        f"by {_size(resting)} after one orbit for a chaser at rest there (docs/relative_orbit.md)"
    ]


def _size(off: float) -> str:
    return f"{off:.2g} m" if off > 0.0 else f"less than {1e3 * NOT_LOOKED_AT:g} mm"


def linear_law_error(axes: TurningAxes, p: np.ndarray, v: np.ndarray, duration: float) -> float:
    """Way from target to chaser after `duration` [s] of free flight by the linear law, less that by
    the gravity of a round planet: its length [m]. p, v: of both bodies at t = 0, a row each, world
    axes. The radius of an orbit that is stated by its mean motion is taken for one about the
    Earth."""
    n, radius = axes.n, (EARTH_GM / axes.n**2) ** (1.0 / 3.0)
    # how far the bodies get by the linear law, at most; and what its second order does over that
    reach = (np.abs(p).max() * (4.0 + 6.0 * n * duration)) + np.abs(v).max() * 3.0 * duration
    if 3.0 * n * n * reach * reach / radius * duration * duration < NOT_LOOKED_AT:
        return 0.0
    steps = max(round(duration * n / LONGEST_STEP), 20)
    h = duration / steps
    linear, full = (p, v), (p, v)
    for i in range(steps):
        ups = [axes.world_from_lvlh((i + part) * h)[:, 2] * -1.0 for part in (0.0, 0.5, 1.0)]
        linear = _runge_kutta(linear, ups, h, lambda x, u: n * n * (3.0 * np.outer(x @ u, u) - x))
        full = _runge_kutta(full, ups, h, lambda x, u: _tide(x, u, n, radius))
    gap = [state[0][0] - state[0][1] for state in (linear, full)]
    return float(np.linalg.norm(gap[0] - gap[1]))


def _tide(x: np.ndarray, u: np.ndarray, n: float, radius: float) -> np.ndarray:
    """Gravity at x less gravity at the origin, without rounding where x is small: with r the
    radius, q = (2 r u . x + x^2) / r^2, and (1 + q)^-1.5 - 1 without cancellation."""
    q = (2.0 * radius * (x @ u) + np.sum(x * x, axis=1)) / radius**2
    less = np.expm1(-1.5 * np.log1p(q))[:, None]
    return -n * n * (x + less * (radius * u + x))


def _runge_kutta(
    state: tuple[np.ndarray, np.ndarray], ups: list[np.ndarray], h: float, pull: Any
) -> tuple[np.ndarray, np.ndarray]:
    """One step of order 4; `ups`: away from the planet at its begin, middle and end."""
    p, v = state
    a = pull(p, ups[0])
    b = pull(p + 0.5 * h * v, ups[1])
    c = pull(p + 0.5 * h * v + 0.25 * h * h * a, ups[1])
    d = pull(p + h * v + 0.5 * h * h * b, ups[2])
    return p + h * v + h * h / 6.0 * (a + b + c), v + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)


def is_stated(tables: Mapping[str, Any]) -> bool:
    """Whether the word is there."""
    return isinstance(tables.get(PATH), Mapping) and WORD in tables[PATH]


def resolve_stated(tables: dict[str, Any], refuse: Refuse) -> None:
    """Take the word out, and turn the states of both bodies into world axes."""
    orbit = tables[PATH] = dict(tables[PATH])
    word = orbit.pop(WORD)
    if word not in ("world", "lvlh"):
        refuse(f"{PATH}.{WORD}", word, "world or lvlh")
    if word != "lvlh":
        return
    if APPROACH in tables:
        refuse(f"{PATH}.{WORD}", word, "world, beside [approach], which states where the chaser is")
        return
    try:
        axes = turning_axes(orbit)
        states = {body: _to_world(axes, tables[body]) for body in ("chaser", "target")}
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        if not any(orbit.get(key) for key in ("altitude_km", "mean_motion_rad_per_s")):
            refuse(f"{PATH}.{WORD}", word, "world, without altitude_km or mean_motion_rad_per_s")
        return  # else refused by who checks the numbers
    for body, state in states.items():
        tables[body] = {**tables[body], **state}


def _to_world(axes: TurningAxes, body: Mapping[str, Any]) -> dict[str, Any]:
    R = axes.world_from_lvlh(0.0)

    def three(key: str) -> np.ndarray:
        return np.asarray(body.get(key, [0.0, 0.0, 0.0]), dtype=float).reshape(3)

    position = R @ three("position_m")
    velocity = R @ three("velocity_m_per_s") + axes.n * np.cross(axes.normal, position)
    q = body.get("attitude_wxyz", [1.0, 0.0, 0.0, 0.0])
    attitude = R @ matrix(q)
    rate = three("rate_rad_per_s") + axes.n * (attitude.T @ axes.normal)
    numbers = np.concatenate([position, velocity, attitude.ravel(), rate])
    if not np.isfinite(numbers).all() or not axes.n > 0.0:
        raise ValueError
    return {
        "position_m": [float(x) for x in position],
        "velocity_m_per_s": [float(x) for x in velocity],
        "attitude_wxyz": quaternion(attitude),
        "rate_rad_per_s": [float(x) for x in rate],
    }
