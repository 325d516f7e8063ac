"""One touch of a log in the axes of the surface: forces at their instants, the tip's way.

The surface is that of the body without the sensor; it stands still in that body's axes. The tip is
where the measured torque says the force acts. Its motion is the commanded one, delayed as its robot
delays it; what that leaves of the measured positions is added, smoothed, where it is more than
noise (a robot that lags).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softdock.loop.spatial.arrays import cross_matrix
from softdock.studies.identify.carried import CarriedMass, compute_inertia_wrench
from softdock.studies.identify.delays import Following, is_structured, smooth
from softdock.studies.identify.log import BODIES, Log

MERGE = 10  # cycles; touches closer than this are one contact
FEWEST_READINGS = 8  # of one contact
Followings = dict[str, Following | None]


@dataclass(frozen=True)
class Touch:
    """Readings of one touch and some before and after."""

    taken: np.ndarray  # s, when each force was measured
    force: np.ndarray  # N, axes of the body without the sensor
    inside: np.ndarray  # which of them are of the touch
    lever: np.ndarray  # m, from the sensor body's centre of mass to the force, its axes
    log: Log
    body: str
    following: Followings

    @property
    def other(self) -> str:
        return next(b for b in BODIES if b != self.body)

    def tip(self, t: np.ndarray) -> np.ndarray:
        """The tip in the axes of the body without the sensor [m]."""
        log, body, following = self.log, self.body, self.following
        R = interpolate_rotations(log, body, following, t)
        tip = interpolate_positions(log, body, following, t) + np.einsum("nij,j->ni", R, self.lever)
        from_other = tip - interpolate_positions(log, self.other, following, t)
        S = interpolate_rotations(log, self.other, following, t)
        return np.asarray(np.einsum("nji,nj->ni", S, from_other))

    def turned(self, t: np.ndarray) -> np.ndarray:
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
    taken, first = np.unique((log.time - log.force_age)[wide], return_index=True)
    force_W = (log.force[body] - zero)[wide][first]
    torque_W = log.torque[body][wide][first]
    inside = (taken >= log.time[rows.start]) & (taken <= log.time[rows.stop - 1])
    if inside.sum() < FEWEST_READINGS:
        return None
    other = next(b for b in BODIES if b != body)
    R, S = (
        interpolate_rotations(log, body, following, taken),
        interpolate_rotations(log, other, following, taken),
    )
    if carried is not None:
        force, torque = compute_inertia_wrench(carried, log, body, following[body], taken, R)
        force_W, torque_W = force_W + force, torque_W + torque
    lever = _compute_lever(
        np.einsum("nji,nj->ni", R, force_W)[inside], np.einsum("nji,nj->ni", R, torque_W)[inside]
    )
    force_O = np.einsum("nji,nj->ni", S, force_W)
    return Touch(
        taken=taken,
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
    if own is not None and is_structured(own.left):
        left = smooth(own.left)
        position = position + np.stack(
            [np.interp(t, own.times, left[:, i]) for i in range(3)], axis=1
        )
    return position


def interpolate_rotations(log: Log, body: str, following: Followings, t: np.ndarray) -> np.ndarray:
    """Of a mock-up: matrices, world from body."""
    return log.command[body].rotation_at(t - _get_delay(following, body))
