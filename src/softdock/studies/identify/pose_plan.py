"""Attitudes in which a sensor's load and bias show best, within what a robot may turn.

Only the direction of gravity in the sensor's axes matters, so an attitude is a tilt by some angle
about a horizontal axis. Chosen one after the other, each the one that makes the determinant of the
information about mass and bias largest (D-optimal, greedy).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from softdock._arguments import check_arguments, finite_array, finite_number, whole_number
from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import matrices, product
from softdock.studies.identify.calibration import GRAVITY, make_force_rows, make_torque_rows

MOST = 200  # attitudes
MOST_READINGS = 10**12
LARGEST = 1e6  # kg, N, Nm
AROUND, TILTS = 24, 12  # candidates: axes, and tilts up to the largest


@dataclass(frozen=True)
class PosePlan:
    """Attitudes (wxyz, world from body), and how well they will tell."""

    attitudes: np.ndarray
    mass_kg: float  # standard uncertainties, for readings of the stated noise
    bias_N: float
    centre_m: float  # for a tool of the stated mass
    bias_Nm: float


@check_arguments(
    count=whole_number(3, MOST),
    most_deg=finite_number(1.0),
    start=finite_array(4),
    mass_kg=finite_number(0.0),
    noise_N=finite_number(0.0),
    noise_Nm=finite_number(0.0),
    readings=whole_number(1),
)
def plan_poses(
    count: int = 9,
    most_deg: float = 60.0,
    start: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0),
    mass_kg: float = 2.0,
    noise_N: float = 0.2,
    noise_Nm: float = 0.02,
    readings: int = 1000,
) -> PosePlan:
    """`most_deg`: largest turn from `start`. `noise`: of a reading; `readings`: in an attitude."""
    if most_deg > 180.0:
        raise BadInput(Problem("most_deg", most_deg, "1 to 180 degrees"))
    if not 1 <= readings <= MOST_READINGS:
        raise BadInput(Problem("readings", readings, f"1 to {MOST_READINGS}"))
    for key, value in (("mass", mass_kg), ("noise", noise_N), ("noise_torque", noise_Nm)):
        if not 0.0 <= value <= LARGEST:
            raise BadInput(Problem(key, value, f"a number >= 0 and <= {LARGEST:g}"))
    if not any(start):
        raise BadInput(Problem("start", start, "a quaternion that is not zero"))
    tried = _list_candidates(math.radians(most_deg), start)
    down = np.einsum("nji,j->ni", matrices(tried), np.array(GRAVITY))
    parts = [make_force_rows(one[None]) for one in down]
    information = 1e-6 * np.eye(4) + parts[0].T @ parts[0]
    chosen = [0]
    while len(chosen) < count:
        gains = [np.linalg.slogdet(information + A.T @ A)[1] for A in parts]
        for i in chosen:
            gains[i] -= 1e-3  # among equals, one that is new
        best = int(np.argmax(gains))
        chosen.append(best)
        information += parts[best].T @ parts[best]
    order = [0, *sorted(chosen[1:])]  # neighbours follow each other
    at = down[order]
    A, B = make_force_rows(at), make_torque_rows(at)
    one = noise_N / math.sqrt(readings), noise_Nm / math.sqrt(readings)
    force = one[0] * np.sqrt(np.diag(np.linalg.pinv(A.T @ A)))
    torque = one[1] * np.sqrt(np.diag(np.linalg.pinv(B.T @ B)))
    centre = float(torque[:3].max()) / mass_kg if mass_kg > 0.0 else math.inf
    return PosePlan(
        attitudes=tried[order],
        mass_kg=float(force[0]),
        bias_N=float(force[1:].max()),
        centre_m=centre,
        bias_Nm=float(torque[3:].max()),
    )


def _list_candidates(most: float, start: tuple[float, ...]) -> np.ndarray:
    """The start, and tilts of it about horizontal axes."""
    made = [np.array([1.0, 0.0, 0.0, 0.0])]
    for tilt in np.linspace(most / TILTS, most, TILTS):
        for around in np.arange(AROUND) * 2.0 * math.pi / AROUND:
            axis = (math.cos(around), math.sin(around), 0.0)
            made.append(np.array([math.cos(tilt / 2), *(math.sin(tilt / 2) * a for a in axis)]))
    tilts = np.stack(made)
    first = np.asarray(start, float) / np.linalg.norm(start)
    return product(tilts, np.broadcast_to(first, tilts.shape))
