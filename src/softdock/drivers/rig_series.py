"""A conversation as the time series that `identify` reads: the same code for a rig and for a log.

In: the rows of one robot (rig_conversation.py), where its base and its sensor are. Out: series with
the names of a run's: set-points and measured positions of the mock-up in orbit axes, and, of the
robot that carries the sensor, force and torque about the satellite's centre of mass, in orbit axes,
the tool still in them. A telegram that was lost leaves the robot on its last correction; its pose
and force are taken between the neighbours.
"""

from __future__ import annotations

import numpy as np

from softdock.arms.facility import Frame
from softdock.core.wire import doors
from softdock.drivers.rig_conversation import Row
from softdock.drivers.rig_moves import corrected
from softdock.drivers.rig_scenario import OnRig
from softdock.errors import BadInput, Problem

BODIES = ("chaser", "target")
FEWEST = 50  # rows


def _even(rows: list[Row], cycle_ms: float) -> tuple[np.ndarray, np.ndarray]:
    """Every cycle from the first row to the last, and for each the last row not after it."""
    numbers = np.array([r.ipoc - rows[0].ipoc for r in rows]) / cycle_ms
    every = np.arange(round(numbers[-1]) + 1)
    return every, np.searchsorted(numbers, every + 0.5) - 1


def _path(T: float, p: np.ndarray, q: np.ndarray) -> dict[str, np.ndarray]:
    """Position, velocity, attitude and rate (body axes) of set-points, one a cycle."""
    for i in range(1, len(q)):
        q[i] *= 1.0 if q[i] @ q[i - 1] >= 0.0 else -1.0
    slope = np.gradient(q, T, axis=0)
    conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
    w, v = conjugate[:, :1], conjugate[:, 1:]
    rate = 2.0 * (w * slope[:, 1:] + slope[:, :1] * v + np.cross(v, slope[:, 1:]))
    return {"position": p, "velocity": np.gradient(p, T, axis=0), "attitude": q, "rate": rate}


def _named(series: dict[str, np.ndarray], name: str, values: np.ndarray) -> None:
    """A vector as a whole and by its columns, as a run's series has it."""
    series[name] = values
    axes = "wxyz" if values.shape[1] == 4 else "xyz"
    for i, axis in enumerate(axes):
        series[f"{name}.{axis}"] = values[:, i]


def series_of(on: OnRig, which: str, rows: list[Row]) -> dict[str, np.ndarray]:
    """One robot's rows as series; the other mock-up stands."""
    if len(rows) < FEWEST:
        raise BadInput(Problem(f"robots.{which}", f"{len(rows)} telegrams", f"{FEWEST} at least"))
    T = on.rig.cycle_s
    every, row_of = _even(rows, on.rig.clock.cycle_ms)
    start = [float(v) for v in np.median([r.measured for r in rows[:10]], axis=0)]
    base, centre = (
        Frame(*doors.load_frame(np.array(six), 0))
        for six in (on.base_in_orbit(which), on.centre_from_flange(which))
    )
    flanges = [base.then(Frame(*corrected(start, rows[i].wanted))) for i in row_of]
    wanted = [flange.then(centre) for flange in flanges]
    measured = [base.then(Frame(*doors.load_frame(r.measured, 0))) for r in rows]
    seen = np.array([m.then(centre).p for m in measured])
    numbers = np.array([r.ipoc - rows[0].ipoc for r in rows]) / on.rig.clock.cycle_ms

    def between(values: np.ndarray) -> np.ndarray:
        return np.stack([np.interp(every, numbers, column) for column in values.T], axis=1)

    age = 1e-3 * (on.rig.robots[which].pose_age_ms or 0.0)
    ages = np.array([[r.age_s if r.wrench is not None else 0.0] for r in rows])
    series: dict[str, np.ndarray] = {
        "time": T * every,
        "pose_age": np.full(len(every), age),
        "force_age": between(ages)[:, 0],
    }
    paths = {which: _path(T, np.array([w.p for w in wanted]), np.array([w.q for w in wanted]))}
    for body in BODIES:
        still = {"position": 3, "velocity": 3, "rate": 3}
        path = paths.get(body) or {k: np.zeros((len(every), n)) for k, n in still.items()}
        path.setdefault("attitude", np.tile([1.0, 0.0, 0.0, 0.0], (len(every), 1)))
        for part, values in path.items():
            _named(series, f"command.{body}.{part}", values)
        _named(
            series,
            f"seen.{body}.position",
            between(seen) if body == which else 0.0 * path["position"],
        )
    if which in on.rig.sensors:
        wrench = np.array([_about_centre(on, which, r, m) for r, m in zip(rows, measured)])
        _named(series, f"measured.{which}.force", between(wrench[:, :3]))
        _named(series, f"measured.{which}.torque", between(wrench[:, 3:]))
    return series


def _about_centre(on: OnRig, which: str, row: Row, flange: Frame) -> np.ndarray:
    """Raw wrench in sensor axes to orbit axes, about the satellite's centre of mass."""
    if row.wrench is None:
        return np.zeros(6)
    sensor = on.rig.sensors[which]
    placed = flange.then(Frame(sensor.in_flange_m, sensor.in_flange_wxyz))
    force, torque = (np.array(placed.turned(row.wrench[i : i + 3])) for i in (0, 3))
    mount = on.facility.robots().get(which)
    centre = flange.then(mount.satellite if mount is not None else Frame())
    return np.concatenate([force, torque + np.cross(np.subtract(placed.p, centre.p), force)])
