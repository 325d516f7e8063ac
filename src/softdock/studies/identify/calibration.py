"""What a force sensor carries and how it is biased, from readings at rest in several attitudes.

    force  = m R^T g + bias           torque = c x (m R^T g) + bias of the torque

R turns body into world axes, g is gravity in world axes; readings in body axes about one point,
from which the centre c is told. Mass and bias of the force are one linear problem, m c and the
torque's bias another. In: a row an attitude (means of its readings). A tool that turns all the
time, and every reading of a log, are tool.py's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock._arguments import check_arguments, finite_array, finite_number, instance_of, one_of
from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import matrices, rotate_back, turns
from softdock.results.free_flight import compute_allowed_force
from softdock.scenario.build import Scenario
from softdock.studies.identify.estimate import Estimate, compute_correlation_factor

GRAVITY = (0.0, 0.0, -9.81)  # m/s^2, world axes
FEWEST = 3  # attitudes: fewer leave nothing to check the answer with
LARGEST = 1e6  # N, Nm, of a reading
FLAT = 1e-4  # of the largest: a direction in which the readings say nothing
TILT = 0.3  # degrees of the vertical that are worth a note


@dataclass(frozen=True)
class Calibration:
    """Load and bias of a sensor, with uncertainties (one sigma)."""

    mass: Estimate  # kg
    centre: Estimate | None  # m; None: no weight beyond its uncertainty
    bias_force: Estimate  # N
    bias_torque: Estimate  # Nm
    covariance: np.ndarray  # of mass and bias of the force, 4 x 4
    noise_N: float  # scatter of an attitude's mean about the fit
    noise_Nm: float
    attitudes: int
    gravity: tuple[float, ...]
    notes: list[str] = field(default_factory=list)

    def left_N(self, attitude_wxyz: Any) -> float:
        """Force that may be left in free flight in this attitude when all of it is taken out [N]:
        standard uncertainty of its size."""
        R = matrices(np.asarray(attitude_wxyz, float)[None])[0]
        J = np.hstack([(R.T @ np.array(self.gravity))[:, None], np.eye(3)])
        return math.sqrt(float(np.trace(J @ self.covariance @ J.T)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "mass_kg": self.mass.to_dict(),
            "centre_m": None if self.centre is None else self.centre.to_dict(),
            "bias_N": self.bias_force.to_dict(),
            "bias_Nm": self.bias_torque.to_dict(),
            "noise_N": self.noise_N,
            "noise_Nm": self.noise_Nm,
            "attitudes": self.attitudes,
            "notes": list(self.notes),
        }


@check_arguments(
    attitudes=finite_array(None, 4),
    force=finite_array(None, 3),
    torque=finite_array(None, 3),
    gravity=finite_array(3),
    least_N=finite_number(0.0),
    least_Nm=finite_number(0.0),
)
def calibrate(
    attitudes: np.ndarray,
    force: np.ndarray,
    torque: np.ndarray,
    gravity: tuple[float, ...] = GRAVITY,
    least_N: float = 0.0,
    least_Nm: float = 0.0,
) -> Calibration:
    """`attitudes`: wxyz, world from body, a row each; `force`, `torque`: mean readings there, body
    axes. `least_N`, `least_Nm`: known standard uncertainty of such a mean, which a lucky scatter
    does not make smaller. Raises `BadInput` where mass and bias cannot be separated."""
    q = np.asarray(attitudes, float)
    if len(q) < FEWEST:
        raise BadInput(Problem("poses", len(q), f"at least {FEWEST} attitudes"))
    check_gravity(gravity)
    for key, readings in (("force", force), ("torque", torque)):
        size = np.abs(np.asarray(readings, float))
        if not np.all(size <= LARGEST):  # NaN is not
            row = int(np.argmax(~(size <= LARGEST).all(axis=1)))
            given = f"{size[row].max():.4g} in attitude {row + 1}"
            raise BadInput(Problem(key, given, f"finite readings of at most {LARGEST:g} N or Nm"))
    wrong = [
        Problem(name, len(rows), f"as many as attitudes: {len(q)}")
        for name, rows in (("force", force), ("torque", torque))
        if len(rows) != len(q)
    ]
    if not all(np.any(q != 0.0, axis=1)):
        wrong.append(Problem("attitudes", 0.0, "quaternions, not zero"))
    if float(np.abs(q).max()) > 1e6:
        wrong.append(Problem("attitudes", float(np.abs(q).max()), "quaternions"))
    if wrong:
        raise BadInput(wrong)
    R = matrices(q / np.linalg.norm(q, axis=1, keepdims=True))
    down = np.einsum("nji,j->ni", R, np.array(gravity))
    A = make_force_rows(down)
    spread = np.linalg.svd(A / np.linalg.norm(A, axis=0), compute_uv=False)
    if spread[-1] < FLAT * spread[0]:
        given = f"attitudes that turn the weight by {math.degrees(_measure_turn(down)):.2g} degrees"
        allowed = "attitudes that turn it: mass and bias cannot be separated otherwise"
        raise BadInput(Problem("poses", given, allowed))
    x, covariance, noise = _solve(A, np.asarray(force, float), least_N)
    mass, bias = float(x[0]), x[1:]
    sigma = np.sqrt(np.diag(covariance))
    turning = make_torque_rows(down)  # torque of m c
    y, spread_y, noise_torque = _solve(turning, np.asarray(torque, float), least_Nm)
    found = Calibration(
        mass=Estimate(mass, float(sigma[0])),
        centre=_compute_centre(mass, float(sigma[0]), y[:3], spread_y[:3, :3]),
        bias_force=Estimate(tuple(bias), tuple(sigma[1:])),
        bias_torque=Estimate(tuple(y[3:]), tuple(np.sqrt(np.diag(spread_y))[3:])),
        covariance=covariance,
        noise_N=noise,
        noise_Nm=noise_torque,
        attitudes=len(q),
        gravity=tuple(float(v) for v in gravity),
        notes=_note_tilt(R, np.asarray(force, float), np.array(gravity)),
    )
    if found.centre is None:
        found.notes.append("no weight beyond its uncertainty: a centre of mass has no meaning")
    return found


def check_gravity(gravity: tuple[float, ...]) -> None:
    """Raises `BadInput` where a weight would have no direction, or no size that is one."""
    size = math.sqrt(sum(value * value for value in gravity))
    if not 1e-3 <= size <= 1e3:
        given = ", ".join(f"{value:g}" for value in gravity)
        raise BadInput(Problem("gravity", given, "0.001 to 1000 m/s^2, in world axes"))


def make_force_rows(down: np.ndarray) -> np.ndarray:
    """Rows of force on mass and bias."""
    eye = np.broadcast_to(np.eye(3), (len(down), 3, 3))
    return np.concatenate([down[:, :, None], eye], axis=2).reshape(-1, 4)


def make_torque_rows(down: np.ndarray) -> np.ndarray:
    """Rows of torque on m c and bias: (m c) x g."""
    zero = np.zeros(len(down))
    x, y, z = down.T
    matrix = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]]).transpose(2, 0, 1)
    eye = np.broadcast_to(np.eye(3), matrix.shape)
    return np.concatenate([matrix, eye], axis=2).reshape(-1, 6)


def _solve(A: np.ndarray, values: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Least squares with the scatter of the means as their noise. Few attitudes give a scatter that
    is itself uncertain: the variance is raised by (f + 2) / f, f degrees of freedom."""
    x = np.linalg.lstsq(A, values.ravel(), rcond=None)[0]
    left = values.ravel() - A @ x
    freedom = max(len(left) - A.shape[1], 1)
    variance = max(float(left @ left) / freedom * (freedom + 2.0) / freedom, least * least)
    return x, variance * np.linalg.pinv(A.T @ A), math.sqrt(variance)


def _compute_centre(
    mass: float, sigma: float, first: np.ndarray, covariance: np.ndarray
) -> Estimate | None:
    """c from m c; None if the mass is not above twice its uncertainty."""
    if not mass > 2.0 * sigma:
        return None
    centre = first / mass
    spread = np.diag(covariance) / mass**2 + (centre * sigma / mass) ** 2
    return Estimate(tuple(centre), tuple(np.sqrt(spread)))


def _measure_turn(down: np.ndarray) -> float:
    unit = down / np.linalg.norm(down, axis=1, keepdims=True)
    return float(np.arccos(np.clip(unit @ unit.T, -1.0, 1.0)).max())


def _note_tilt(R: np.ndarray, force: np.ndarray, gravity: np.ndarray) -> list[str]:
    """A note where the weight's own direction is not the stated vertical: a robot that is not
    level, or attitudes of other axes."""
    A = np.concatenate([R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape)], axis=2)
    A = A.reshape(-1, 6)
    if np.linalg.matrix_rank(A, tol=1e-3 * np.linalg.norm(A)) < 6:
        return []
    x, covariance, _ = _solve(A, force, 0.0)
    weight, size = x[:3], float(np.linalg.norm(x[:3]))
    if not size > 5.0 * math.sqrt(float(np.trace(covariance[:3, :3]))):
        return []
    cosine = float(weight @ gravity) / (size * float(np.linalg.norm(gravity)))
    angle = math.degrees(math.acos(min(max(cosine, -1.0), 1.0)))
    sure = math.degrees(3.0 * math.sqrt(float(np.trace(covariance[:3, :3]))) / size)
    if angle <= max(TILT, sure):
        return []
    return [
        f"the weight points {angle:.2g} degrees away from the stated gravity: is the base level, "
        "and are the attitudes those of these axes?"
    ]


@check_arguments(
    calibration=lambda value: "" if isinstance(value, Calibration) else "a Calibration",
    scenario=instance_of("a Scenario", Scenario),
    body=one_of("chaser", "target"),
)
def warn_if_uncertain(calibration: Calibration, scenario: Scenario, body: str = "chaser") -> str:
    """A warning if the uncertainty of this calibration may push the satellites, in free flight, by
    more than the verdict allows; empty: it is good enough."""
    allowed = compute_allowed_force(scenario)
    left = 2.0 * calibration.left_N(scenario.tables[body]["attitude_wxyz"])
    if left <= allowed:
        return ""
    more = math.ceil(calibration.attitudes * (left / allowed) ** 2)
    return (
        f"not good enough for {scenario.name}: {left:.2g} N (two sigma) may be left in flight, "
        f"where the verdict allows {allowed:.2g} N; {more} attitudes like these, "
        "longer means, or a shorter approach"
    )


# Attitudes in which a logged tool stood still, with the mean readings of each.
#
# In: the series of a recording or a run. Out: for every stretch of rest an attitude and mean force
# and torque in body axes. A log that turns all the time is for `identify --tool-only`.

STILL = 1e-3  # rad/s; slower is at rest
LEAST_S = 0.2  # of a stretch of rest
SETTLE = 0.2  # of a stretch left out at its beginning: the tool rings after


@dataclass(frozen=True)
class Rests:
    """A row a stretch of rest; `least_N`, `least_Nm`: standard uncertainty of their means."""

    attitudes: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    least_N: float
    least_Nm: float
    seconds: float  # of rest, all together


def calibrate_from_rests(
    series: Mapping[str, np.ndarray],
    body: str,
    gravity: tuple[float, ...],
    settle_s: float = 0.0,
) -> Calibration:
    """Load and bias from the rests of a log or of a live rig: one code for `softdock calibrate` and
    `softdock rig tare`. `gravity`: world axes [m/s^2]."""
    found = find_rests(series, body, settle_s)
    return calibrate(
        found.attitudes, found.force, found.torque, gravity, found.least_N, found.least_Nm
    )


def find_rests(series: Mapping[str, np.ndarray], body: str, settle_s: float = 0.0) -> Rests:
    """Raises `BadInput` if the log never rests, or has no force or attitude. `settle_s`: left out
    of each rest at least, where attitudes are those that were sent and the robot is late."""
    key = next(
        (k for k in (f"seen.{body}.attitude", f"command.{body}.attitude") if f"{k}.w" in series), ""
    )
    if not key or f"measured.{body}.torque.x" not in series:
        allowed = f"a log with attitude, force and torque of the {body}"
        raise BadInput(Problem("series", "not there", allowed))
    time, q = np.asarray(series["time"]), np.asarray(series[key])
    step = float(time[1] - time[0])
    half = max(int(0.05 / step), 1)
    angle = np.concatenate([np.zeros((1, 3)), np.cumsum(turns(q), axis=0)])
    ahead = np.minimum(np.arange(len(time)) + half, len(time) - 1)
    behind = np.maximum(np.arange(len(time)) - half, 0)
    rate = np.linalg.norm(angle[ahead] - angle[behind], axis=1) / (time[ahead] - time[behind])
    at = np.flatnonzero(rate < STILL)
    groups = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1) if len(at) else []
    found, noise = [], []
    for group in groups:
        kept = group[max(int(SETTLE * len(group)), round(settle_s / step)) :]
        if len(kept) * step < LEAST_S:
            continue
        f = rotate_back(q[kept], np.asarray(series[f"measured.{body}.force"])[kept])
        t = rotate_back(q[kept], np.asarray(series[f"measured.{body}.torque"])[kept])
        found.append((q[kept].mean(axis=0), f.mean(axis=0), t.mean(axis=0), len(kept)))
        noise.append((_compute_mean_uncertainty(f), _compute_mean_uncertainty(t)))
    if not found:
        allowed = f"rests of at least {LEAST_S} s in several attitudes (softdock calibrate plan)"
        raise BadInput(Problem("series", "a tool that never rests", allowed))
    least = np.sqrt(np.mean(np.square(noise), axis=0))
    return Rests(
        attitudes=np.stack([one[0] for one in found]),
        force=np.stack([one[1] for one in found]),
        torque=np.stack([one[2] for one in found]),
        least_N=float(least[0]),
        least_Nm=float(least[1]),
        seconds=step * sum(one[3] for one in found),
    )


def _compute_mean_uncertainty(rows: np.ndarray) -> float:
    """Standard uncertainty of a mean, a component; neighbours may be alike."""
    left = rows - rows.mean(axis=0)
    alike = max(compute_correlation_factor(left[:, i]) for i in range(3))
    return float(np.sqrt(np.mean(left * left) * alike / len(rows)))
