"""What a rig's log holds for identification: set-points, measured poses and wrenches with their
ages. Nothing of the scenario, nothing a rig cannot measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.spatial.arrays import matrices_by_entry

FEWEST_ROWS = 50  # fewer say nothing at any noise worth the name
BODIES = ("chaser", "target")

NEEDED = (  # first columns of the series that it takes; a sensor's and measured poses beside them
    "time",
    "force_age",
    *(
        f"command.{body}.{part}.x"
        for body in BODIES
        for part in ("position", "velocity", "attitude", "rate")
    ),
)


@dataclass(frozen=True)
class Path:
    """A body's set-points, one row per cycle, and the curve through them."""

    time: np.ndarray  # s, stamps
    position: np.ndarray  # m
    velocity: np.ndarray  # m/s
    attitude: np.ndarray  # wxyz, world from body, neighbours of one sign
    rate: np.ndarray  # rad/s, body axes

    def position_at(self, t: np.ndarray) -> np.ndarray:
        """Cubic Hermite through stamped positions and velocities, as the robots move."""
        i, s, T = self._place(t)
        a, b = self.position[i], self.position[i + 1]
        slopes = s * (1.0 - s) ** 2 * self.velocity[i] + s * s * (s - 1.0) * self.velocity[i + 1]
        return a + s * s * (3.0 - 2.0 * s) * (b - a) + T * slopes

    def velocity_at(self, t: np.ndarray) -> np.ndarray:
        i, s, _ = self._place(t)
        return (1.0 - s) * self.velocity[i] + s * self.velocity[i + 1]

    def rate_at(self, t: np.ndarray) -> np.ndarray:
        i, s, _ = self._place(t)
        return (1.0 - s) * self.rate[i] + s * self.rate[i + 1]

    def rotation_at(self, t: np.ndarray) -> np.ndarray:
        """Matrices, world from body: the chord between stamped attitudes, which turn little in a
        cycle."""
        i, s, _ = self._place(t)
        q = (1.0 - s) * self.attitude[i] + s * self.attitude[i + 1]
        return matrices_by_entry(q / np.linalg.norm(q, axis=1, keepdims=True))

    def _place(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        T = float(self.time[1] - self.time[0])
        at = np.clip((np.asarray(t) - self.time[0]) / T, 0.0, len(self.time) - 1.0)
        i = np.minimum(at.astype(int), len(self.time) - 2)
        return i, (at - i)[:, None], T


@dataclass(frozen=True)
class Log:
    """A recorded run as a rig would have it."""

    time: np.ndarray  # s
    cycle: float  # s
    command: dict[str, Path]
    seen: dict[str, np.ndarray]  # m, measured positions; of each body that has any
    pose_age: dict[str, np.ndarray]  # s, of each
    force: dict[str, np.ndarray]  # N, world axes; of each body that has a sensor
    torque: dict[str, np.ndarray]  # Nm, world axes, about that body's centre of mass
    force_age: np.ndarray  # s; of a mean, that of its samples on average
    notes: tuple[str, ...] = ()

    @property
    def unseen(self) -> tuple[str, ...]:
        """Bodies that moved and were not measured."""
        return tuple(
            body
            for body in BODIES
            if body not in self.seen and np.ptp(self.command[body].position, axis=0).max() > 0.0
        )


def read_log(series: Mapping[str, np.ndarray]) -> Log:
    """The log of a run's time series; refused if it is too short or if a series is absent."""
    absent = [name for name in NEEDED if name not in series]
    if absent:
        raise BadInput(Problem("series", f"no {absent[0]}", f"a log with {', '.join(absent)}"))
    time = np.asarray(series["time"])
    if len(time) < FEWEST_ROWS:
        raise BadInput(
            Problem(
                "series",
                f"{len(time)} rows",
                f"a log of at least {FEWEST_ROWS} cycles; this one is too short",
            )
        )
    command = {}
    for body in BODIES:
        q = np.array(series[f"command.{body}.attitude"])
        flips = np.cumprod(np.where(np.sum(q[1:] * q[:-1], axis=1) < 0.0, -1.0, 1.0))
        q[1:] *= flips[:, None]
        kinds = (series[f"command.{body}.{kind}"] for kind in ("position", "velocity", "rate"))
        position, velocity, rate = (np.asarray(kind) for kind in kinds)
        command[body] = Path(time=time, position=position, velocity=velocity, attitude=q, rate=rate)
    with_sensor = [
        b
        for b in BODIES
        if f"measured.{b}.force.x" in series and np.any(series[f"measured.{b}.force"] != 0.0)
    ]
    measured = [b for b in BODIES if f"seen.{b}.position.x" in series]
    torques = {
        b: np.asarray(series[f"measured.{b}.torque"])
        if f"measured.{b}.torque.x" in series
        else np.zeros((len(time), 3))
        for b in with_sensor
    }
    notes = tuple(
        f"the log has no torque of the {b}'s sensor: its force is taken to act on the centre of "
        "mass"
        for b in with_sensor
        if f"measured.{b}.torque.x" not in series
    )
    return Log(
        time=time,
        cycle=float(time[1] - time[0]),
        command=command,
        seen={b: np.asarray(series[f"seen.{b}.position"]) for b in measured},
        pose_age={b: _read_pose_age(series, b) for b in measured},
        force={b: np.asarray(series[f"measured.{b}.force"]) for b in with_sensor},
        torque=torques,
        force_age=np.asarray(series["force_age"]),
        notes=notes,
    )


def _read_pose_age(series: Mapping[str, np.ndarray], body: str) -> np.ndarray:
    """Its own, where the log has one for each body."""
    own = f"pose_age.{body}"
    name = own if own in series else "pose_age"
    if name not in series:
        raise BadInput(Problem("series", "no pose_age", "a log with the age of measured poses"))
    return np.asarray(series[name])
