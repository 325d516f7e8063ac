"""The wrench that a sensor delivers in free flight: what its tool's compensation misses, and its
bias.

In: the tables of a scenario. Out: force on the chaser, torques on both bodies about their centres
of mass [N, Nm, world axes, attitudes of the start], in parts by cause. The other body gets the
opposite wrench, moved to its own centre of mass. The drift as it is half way through the run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.core.spatial.arrays import matrix

ENDS = ("chaser", "target")
PARTS = ("weight", "bias", "drift")
Tables = dict[str, Any]


class Acting(NamedTuple):
    """A wrench on both satellites."""

    body: str  # whose sensor it is; the chaser's where both have one
    force: np.ndarray  # on the chaser
    torques: dict[str, np.ndarray]  # on each body, about its centre of mass
    parts: dict[str, np.ndarray]  # of the force
    turning: dict[str, np.ndarray]  # of the torque on `body`

    @staticmethod
    def of(t: Tables, body: str, force: np.ndarray, torque: np.ndarray) -> Acting:
        """A force and a torque on one body, and what the other gets of them."""
        sign = 1.0 if body == "chaser" else -1.0
        return Acting(
            body=body,
            force=sign * force,
            torques=_on_both(t, body, force, torque),
            parts={},
            turning={},
        )


def acting(t: Tables) -> Acting:
    """All that acts in free flight."""
    on = t["sensor"]["on"]
    sensors = {"chaser": 1.0} if on == "chaser" else {"target": 1.0}
    sensors = dict.fromkeys(ENDS, 0.5) if on == "both" else sensors
    parts, turning = ({name: np.zeros(3) for name in PARTS} for _ in range(2))
    torques = {name: np.zeros(3) for name in ENDS}
    first = next(iter(sensors))
    for body, share in sensors.items():
        for name, (force, torque) in _read(t, body).items():
            one = Acting.of(t, body, share * force, share * torque)
            parts[name] = parts[name] + one.force
            turning[name] = turning[name] + one.torques[first]
            torques = {end: torques[end] + one.torques[end] for end in ENDS}
    return Acting(
        body=first,
        force=sum(parts.values(), np.zeros(3)),
        torques=torques,
        parts=parts,
        turning=turning,
    )


def _read(t: Tables, body: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By cause: force and torque on a body, from its own sensor."""
    tool, sensor = t["mock_up"][body], t["sensor"]
    turn, place = matrix(t[body]["attitude_wxyz"]), np.asarray(tool["sensor_m"], float)
    down = turn.T @ gravity_of(t)
    true, believed = (_weight(one, down) for one in (tool, tool["believed"]))
    half = 0.5 * float(t["time"]["duration_s"])
    bias = _moved(place, sensor["bias_N"], sensor["bias_Nm"])
    drift = _moved(place, sensor["drift_N_per_s"], sensor["drift_Nm_per_s"])
    inside = {
        "weight": (true[0] - believed[0], true[1] - believed[1]),
        "bias": bias,
        "drift": (half * drift[0], half * drift[1]),
    }
    return {name: (turn @ force, turn @ torque) for name, (force, torque) in inside.items()}


def _weight(load: Tables, down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    force = float(load["mass_kg"]) * down
    return force, np.cross(np.asarray(load["centre_m"], float), force)


def _moved(place: np.ndarray, force: Any, torque: Any) -> tuple[np.ndarray, np.ndarray]:
    """A wrench about the sensor, about the centre of mass."""
    f = np.asarray(force, float)
    return f, np.asarray(torque, float) + np.cross(place, f)


def _on_both(t: Tables, body: str, force: np.ndarray, torque: np.ndarray) -> dict[str, np.ndarray]:
    other = ENDS[1 - ENDS.index(body)]
    arm = np.subtract(t[body]["position_m"], t[other]["position_m"])
    return {body: torque, other: -(torque + np.cross(arm, force))}


def gravity_of(t: Tables) -> np.ndarray:
    """World axes [m/s^2]."""
    laboratory = t["laboratory"]
    return matrix(laboratory["attitude_wxyz"]).T @ np.asarray(laboratory["gravity_m_per_s2"], float)
