"""One touch of a log in the axes of the surface: forces at their instants, the tip's way.

The surface is that of the body without the sensor; it stands still in that body's axes. The tip is
where the measured torque says the force acts. Its motion is the commanded one, delayed as its robot
delays it; what that leaves of the measured positions is added, smoothed, where it is more than
noise (a robot that lags).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import cross_matrix
from softdock.studies.identify.delays import Following, is_structured, smooth
from softdock.studies.identify.estimate import Estimate
from softdock.studies.identify.log import BODIES, Log
from softdock.studies.identify.tool import Tool

# What accelerates the tool behind a sensor, taken out of its force, and the doubt that remains.
#
#     f_contact = f + m a_c      a_c = a + alpha x c + w x (w x c): the tool's centre of mass
#
# The acceleration is the mock-up's: that of the set-points, delayed as the robot delays them, and
# the second derivative of what this leaves of the measured positions, where the robot departs from
# it.

TOOL_KG = "tool_kg."  # and the body, in the table `run` of an imported log: the map's own mass
CLEAR = 3.0  # standard uncertainties: a mass beyond is one
HALF = 12  # cycles on each side, of the parabola through measured positions
TRIAL_KG = 1.0  # for what a mass would change
TELLS = 0.1  # of the stiffness's uncertainty: less for each kilogram is not worth telling


@dataclass(frozen=True)
class CarriedMass:
    """A mass behind a sensor."""

    mass: float  # kg
    centre: np.ndarray  # m, from the satellite's centre of mass, body axes


def find_carried_mass(tool: Tool, stated_kg: float | None) -> tuple[CarriedMass | None, float]:
    """The mass that is stated, or that the readings show by its weight; and its standard
    uncertainty [kg]. None: not known."""
    centre = np.zeros(3) if tool.centre is None else np.array(tool.centre.value)
    if stated_kg is not None:
        return CarriedMass(stated_kg, centre), 0.0
    if tool.mass is None or tool.mass.value <= CLEAR * tool.mass.uncertainty:
        return None, 0.0
    return CarriedMass(tool.mass.value, centre), float(tool.mass.uncertainty)


def compute_inertia_wrench(
    carried: CarriedMass,
    log: Log,
    body: str,
    following: Following | None,
    t: np.ndarray,
    R: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """m a_c and its torque about the satellite's centre of mass, world axes. `R`: world from body
    at these times."""
    path, half = log.command[body], 0.5 * log.cycle
    at = t - (0.0 if following is None else following.delay.value)
    a = (path.velocity_at(at + half) - path.velocity_at(at - half)) / log.cycle
    if following is not None and is_structured(following.residual):
        bent = compute_second_derivative(following.times, following.residual)
        a = a + np.stack([np.interp(t, following.times, column) for column in bent.T], axis=1)
    alpha = (path.rate_at(at + half) - path.rate_at(at - half)) / log.cycle
    w, c = path.rate_at(at), carried.centre
    a = a + np.einsum("nij,nj->ni", R, np.cross(alpha, c) + np.cross(w, np.cross(w, c)))
    force = carried.mass * a
    return force, np.cross(np.einsum("nij,j->ni", R, c), force)


def _make_weights(half: int, step: float) -> np.ndarray:
    k = np.arange(-half, half + 1.0)
    parabola = np.linalg.pinv(np.stack([np.ones_like(k), k, k * k], axis=1))[2]
    return np.asarray(2.0 * parabola / step**2)


def compute_second_derivative(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of rows at even times, by the parabola through the neighbours."""
    if len(times) < 2 * HALF + 1:
        return np.zeros_like(values)
    weights = _make_weights(HALF, float(np.median(np.diff(times))))
    padded = np.pad(values, ((HALF, HALF), (0, 0)), mode="edge")
    return np.stack(
        [np.convolve(padded[:, i], weights[::-1], "valid") for i in range(values.shape[1])], axis=1
    )


def compute_acceleration_noise(following: Following | None) -> float:
    """Standard deviation of the acceleration [m/s^2] by the noise of the measured positions; zero
    where the set-points alone give it."""
    if following is None or not is_structured(following.residual):
        return 0.0
    steps = np.diff(following.residual, axis=0)
    noise = float(np.max(1.4826 * np.median(np.abs(steps), axis=0))) / math.sqrt(2.0)
    step = float(np.median(np.diff(following.times)))
    return noise * float(np.linalg.norm(_make_weights(HALF, step)))


def compute_stiffness_change(contacts: Sequence[Any], others: Sequence[Any]) -> float | None:
    """By how much the stiffness [N/m] of the same contacts is another in another fit."""
    pairs = [
        (own.stiffness, other.stiffness)
        for own in contacts
        for other in others
        if other.start_s < own.end_s and own.start_s < other.end_s
    ]
    if not pairs:
        return None
    weights = np.array([1.0 / max(own.uncertainty, 1e-9 * own.value) ** 2 for own, _ in pairs])
    return float(weights @ [other.value - own.value for own, other in pairs] / weights.sum())


def add_mass_uncertainty(
    stiffness: Estimate, more: float, carried: CarriedMass | None, sigma_kg: float
) -> tuple[Estimate, str]:
    """The stiffness with the uncertainty of the mass, and what to say. `more`: what the stiffness
    changes by without the mass that is known; with a trial mass where none is [N/m]."""
    if carried is None:
        each = more / TRIAL_KG
        if abs(each) < TELLS * stiffness.uncertainty:
            return stiffness, ""
        size, way = abs(each), "low" if each > 0.0 else "high"
        return stiffness, (
            "the log does not show the mass behind the sensor: unless what accelerates it has been "
            f"taken out of the readings, the stiffness is {size:.3g} N/m "
            f"({100.0 * size / stiffness.value:.2g} %) too {way} for each kilogram; --tool-mass "
            "states it"
        )
    if carried.mass == 0.0:
        return stiffness, ""
    whole = math.hypot(stiffness.uncertainty, more / carried.mass * sigma_kg)
    return Estimate(stiffness.value, whole), (
        f"{carried.mass:.4g} kg behind the sensor: what accelerates it has been taken out of the "
        f"force; with it the stiffness would read {stiffness.value + more:.5g} N/m"
    )


MERGE = 10  # cycles; touches closer than this are one contact
FEWEST_READINGS = 8  # of one contact
Followings = dict[str, Following | None]


@dataclass(frozen=True)
class Touch:
    """Readings of one touch and some before and after."""

    times: np.ndarray  # s, when each force was measured
    force: np.ndarray  # N, axes of the body without the sensor
    inside: np.ndarray  # which of them are of the touch
    lever: np.ndarray  # m, from the sensor body's centre of mass to the force, its axes
    log: Log
    body: str
    following: Followings

    @property
    def other(self) -> str:
        return next(b for b in BODIES if b != self.body)

    def interpolate_tip(self, t: np.ndarray) -> np.ndarray:
        """The tip in the axes of the body without the sensor [m]."""
        log, body, following = self.log, self.body, self.following
        R = interpolate_rotations(log, body, following, t)
        tip = interpolate_positions(log, body, following, t) + np.einsum("nij,j->ni", R, self.lever)
        from_other = tip - interpolate_positions(log, self.other, following, t)
        S = interpolate_rotations(log, self.other, following, t)
        return np.asarray(np.einsum("nji,nj->ni", S, from_other))

    def interpolate_rotation(self, t: np.ndarray) -> np.ndarray:
        """Matrices, world from the axes of the body without the sensor."""
        return interpolate_rotations(self.log, self.other, self.following, t)


def read_touch(
    log: Log,
    body: str,
    rows: slice,
    following: Followings,
    zero: np.ndarray,
    carried: CarriedMass | None = None,
) -> Touch | None:
    """A touch by its rows; None if it has too few readings. `zero`: force of free flight [N], one
    or a row a cycle; `carried`: what accelerates it is taken out."""
    wide = slice(max(rows.start - 2 * MERGE, 0), min(rows.stop + 2 * MERGE, len(log.time)))
    times, first = np.unique((log.time - log.force_age)[wide], return_index=True)
    force_W = (log.force[body] - zero)[wide][first]
    torque_W = log.torque[body][wide][first]
    inside = (times >= log.time[rows.start]) & (times <= log.time[rows.stop - 1])
    if inside.sum() < FEWEST_READINGS:
        return None
    other = next(b for b in BODIES if b != body)
    R, S = (
        interpolate_rotations(log, body, following, times),
        interpolate_rotations(log, other, following, times),
    )
    if carried is not None:
        force, torque = compute_inertia_wrench(carried, log, body, following[body], times, R)
        force_W, torque_W = force_W + force, torque_W + torque
    lever = _compute_lever(
        np.einsum("nji,nj->ni", R, force_W)[inside], np.einsum("nji,nj->ni", R, torque_W)[inside]
    )
    force_O = np.einsum("nji,nj->ni", S, force_W)
    return Touch(
        times=times,
        force=force_O,
        inside=inside,
        lever=lever,
        log=log,
        body=body,
        following=following,
    )


def _compute_lever(force: np.ndarray, torque: np.ndarray) -> np.ndarray:
    """From the centre of mass to the line of the force, body axes [m]: the shortest r with r x f =
    torque. What lies along the force does not matter."""
    rows = np.concatenate([cross_matrix(f).T for f in force])
    return np.asarray(np.linalg.lstsq(rows, torque.ravel(), rcond=1e-6)[0])


def _get_delay(following: Followings, body: str) -> float:
    """A robot that does not move shows no delay, and none is needed."""
    own = following[body]
    return own.delay.value if own is not None else 0.0


def interpolate_positions(log: Log, body: str, following: Followings, t: np.ndarray) -> np.ndarray:
    """Of a mock-up, world axes [m]."""
    position = log.command[body].position_at(t - _get_delay(following, body))
    own = following[body]
    if own is not None and is_structured(own.residual):
        left = smooth(own.residual)
        position = position + np.stack(
            [np.interp(t, own.times, left[:, i]) for i in range(3)], axis=1
        )
    return position


def interpolate_rotations(log: Log, body: str, following: Followings, t: np.ndarray) -> np.ndarray:
    """Of a mock-up: matrices, world from body."""
    return log.command[body].rotation_at(t - _get_delay(following, body))
