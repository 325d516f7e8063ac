"""What a force sensor carries and how it is biased, from readings in free motion.

    force  (body axes) = R^T G - m (R^T a + alpha x c + w x (w x c)) + bias
    torque (body axes) = c x (weight and inertia force) - I alpha - w x I w + its bias

G = m g is the weight in world axes; the torque is about the satellite's centre of mass.

G and the bias can be told apart only if the tool turns. What is found is what the readings still
hold: the whole tool where the rig does not compensate it, what the compensation missed where it
does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from softdock.loop.spatial.arrays import cross_matrix
from softdock.studies.identify.estimate import Estimate, Fit, solve_least_squares
from softdock.studies.identify.log import Log, Path

ROUNDS = 6  # mass and centre enter the small inertia terms: found by repetition
OUTLIERS = 6.0  # sigma; readings further off (a touch, a hand) are left out
LONGEST = 0.1  # s, of the delays tried where the positions do not show one
CUT = 0.05  # of the readings: so many exact zeros are a threshold's, not a sensor's
SEPARABLE = (
    0.5  # of the weight: an uncertainty above this means weight and bias were not told apart
)


@dataclass(frozen=True)
class Tool:
    """A sensor's load and bias. None where the log cannot tell."""

    mass: Estimate | None = None  # kg
    centre: Estimate | None = None  # m, from the satellite's centre of mass, body axes
    bias_force: Estimate | None = None  # N, body axes
    bias_torque: Estimate | None = None  # Nm, body axes, about the satellite's centre of mass
    # N, body axes: mean force in free motion, bias and whatever weight is left
    reading: Estimate | None = None
    turned_rad: float = 0.0  # how far the tool turned
    noise_N: float | None = None
    note: str = ""


def identify_tool(
    log: Log, body: str, delay: float | None, gravity: float, free: np.ndarray
) -> Tool:
    """`free`: rows in free motion. `delay`: of the robot [s]; None: the one that fits the readings
    best."""
    command = log.command[body]
    taken = log.time - log.force_age
    free = free & (taken >= command.time[0] + (LONGEST if delay is None else delay))
    if free.sum() < 20:
        return Tool(note="too few readings in free motion")
    t, force, torque = taken[free], log.force[body][free], log.torque[body][free]
    cut = float(np.mean(np.all(force == 0.0, axis=1)))
    if cut > CUT:
        least = _find_smallest_force(log.force[body])
        note = (
            f"{100.0 * cut:.0f} % of the readings in free motion are exactly zero: a threshold "
            f"hides weight and bias below {least:.3g} N"
        )
        return Tool(note=note)
    if delay is None:
        tried = np.arange(0.0, LONGEST, log.cycle / 4.0)
        delay = float(
            tried[
                np.argmin(
                    [np.sum(_fit_weight(command, t - h, force)[0].residual ** 2) for h in tried]
                )
            ]
        )
    return _fit_tool(command, t - delay, force, torque, gravity)


def _find_smallest_force(force: np.ndarray) -> float:
    """The smallest force that came through [N]."""
    size = np.linalg.norm(force, axis=1)
    return float(size[size > 0.0].min(initial=np.inf))


def _fit_weight(
    command: Path,
    t: np.ndarray,
    force_W: np.ndarray,
    mass: float = 0.0,
    centre: np.ndarray | None = None,
) -> tuple[Fit, np.ndarray]:
    """Weight (world axes) and bias (body axes) by least squares, and the rotations used."""
    R = command.rotation_at(t)
    force = np.einsum("nji,nj->ni", R, force_W)
    if mass != 0.0 and centre is not None:
        force = force + mass * _compute_acceleration(command, t, R, centre)
    A = np.concatenate([R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape)], axis=2).reshape(
        -1, 6
    )
    return solve_least_squares(A, force.ravel()), R


def _compute_acceleration(
    command: Path, t: np.ndarray, R: np.ndarray, centre: np.ndarray
) -> np.ndarray:
    """Of the tool's centre, body axes, from the set-points [m/s^2]."""
    half = 0.5 * (command.time[1] - command.time[0])
    a = (command.velocity_at(t + half) - command.velocity_at(t - half)) / (2.0 * half)
    alpha = (command.rate_at(t + half) - command.rate_at(t - half)) / (2.0 * half)
    w = command.rate_at(t)
    return (
        np.einsum("nji,nj->ni", R, a) + np.cross(alpha, centre) + np.cross(w, np.cross(w, centre))
    )


def _fit_tool(
    command: Path, t: np.ndarray, force_W: np.ndarray, torque_W: np.ndarray, gravity: float
) -> Tool:
    mass, centre, rounds = 0.0, np.zeros(3), 0
    while rounds < ROUNDS:
        fit, R = _fit_weight(command, t, force_W, mass, centre)
        left = fit.residual.reshape(-1, 3)
        noise = float(np.std(left))
        good = np.max(np.abs(left), axis=1) <= OUTLIERS * max(noise, 1e-12)
        if not good.all() and good.sum() >= 20:
            t, force_W, torque_W = t[good], force_W[good], torque_W[good]
            continue  # at least one reading fewer
        rounds += 1
        weight, bias = fit.x[:3], fit.x[3:]
        mass = float(np.linalg.norm(weight)) / gravity
        read = (
            np.einsum("nji,j->ni", R, weight)
            - mass * _compute_acceleration(command, t, R, centre)
            + bias
        )  # the reading without its noise
        torques = _fit_centre(command, t, read, np.einsum("nji,nj->ni", R, torque_W))
        centre = torques.x[:3]
    turned = _measure_turn(R)
    reading = _estimate_mean(np.einsum("nji,nj->ni", R, force_W))
    direction = weight / max(np.linalg.norm(weight), 1e-300)
    uncertain = float(np.sqrt(direction @ fit.covariance[:3, :3] @ direction))
    if fit.condition > 1e6 or turned < 0.02:
        note = (
            "the tool did not turn: its weight and the sensor's bias cannot be separated; the "
            "log shows their sum only"
        )
        return Tool(reading=reading, turned_rad=turned, noise_N=noise, note=note)
    cross = cross_matrix(
        centre
    )  # of centre x bias, which the torque's constant part holds beside its own bias
    spread = cross @ fit.covariance[3:, 3:] @ cross.T + torques.covariance[3:6, 3:6]
    bias_torque = Estimate(tuple(torques.x[3:6] + cross @ bias), tuple(np.sqrt(np.diag(spread))))
    bias_force = Estimate(tuple(bias), tuple(np.sqrt(np.diag(fit.covariance)[3:])))
    found = Estimate(mass, uncertain / gravity)
    if uncertain > SEPARABLE * np.linalg.norm(weight):
        torque = _estimate_mean(np.einsum("nji,nj->ni", R, torque_W))
        return Tool(
            mass=found,
            bias_force=bias_force,
            bias_torque=torque,
            reading=reading,
            turned_rad=turned,
            noise_N=noise,
            note="no weight beyond its uncertainty: a centre of mass has no meaning",
        )
    return Tool(
        mass=found,
        centre=Estimate(tuple(centre), tuple(np.sqrt(np.diag(torques.covariance)[:3]))),
        bias_force=bias_force,
        bias_torque=bias_torque,
        reading=reading,
        turned_rad=turned,
        noise_N=noise,
    )


def _fit_centre(command: Path, t: np.ndarray, read: np.ndarray, torque: np.ndarray) -> Fit:
    """Centre, constant part, and the tool's own inertia (xx, yy, zz, xy, xz, yz) where it shows:
    torque = centre x force + constant - I alpha - w x I w."""
    half = 0.5 * (command.time[1] - command.time[0])
    alpha = (command.rate_at(t + half) - command.rate_at(t - half)) / (2.0 * half)
    w = command.rate_at(t)
    crosses = -np.stack([cross_matrix(f) for f in read])
    spin = -(
        _make_inertia_rows(alpha) + np.stack([cross_matrix(v) for v in w]) @ _make_inertia_rows(w)
    )
    A = np.concatenate([crosses, np.broadcast_to(np.eye(3), crosses.shape), spin], axis=2).reshape(
        -1, 12
    )
    return solve_least_squares(A, torque.ravel())


def _estimate_mean(rows: np.ndarray) -> Estimate:
    return Estimate(tuple(rows.mean(axis=0)), tuple(rows.std(axis=0) / math.sqrt(len(rows))))


def _make_inertia_rows(v: np.ndarray) -> np.ndarray:
    """I v as a matrix on the six moments and products of I, one a row of v."""
    x, y, z = v.T
    zero = np.zeros_like(x)
    rows = [[x, zero, zero, y, z, zero], [zero, y, zero, x, zero, z], [zero, zero, z, zero, x, y]]
    return np.array(rows).transpose(2, 0, 1)


def _measure_turn(R: np.ndarray) -> float:
    """Largest angle from the first attitude [rad]."""
    traces = np.einsum("ji,nji->n", R[0], R)
    return float(np.max(np.arccos(np.clip(0.5 * (traces - 1.0), -1.0, 1.0))))
