"""One judged phase as it was saved: scenario, series of the loop and of the reference, metrics.

Positions, velocities, forces and torques in world axes; angular rates in body axes."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet

BODIES = ("chaser", "target")
Table = dict[str, np.ndarray]


@dataclass
class Body:
    fixed: bool
    mass: np.ndarray  # kg, per world axis
    inertia: np.ndarray  # kg m^2, body axes


@dataclass
class Phase:
    scenario: dict[str, Any]
    loop: Table
    reference: Table
    metrics: dict[str, Any]

    @property
    def T(self) -> float:
        return 1e-3 * float(self.scenario["time"]["cycle_ms"])

    @property
    def time(self) -> np.ndarray:
        return self.loop["time"]

    def body(self, name: str) -> Body:
        given = self.scenario[name]
        mass = np.broadcast_to(np.asarray(given["mass_kg"], dtype=float), 3)
        inertia = np.asarray(given["inertia_kg_m2"], dtype=float)
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
        return Body(bool(given.get("fixed", False)), mass, inertia)

    @property
    def rewinds(self) -> bool:
        """Whether a method computes the satellites' contact itself, and its past anew."""
        return "corrected.chaser.force.x" in self.loop


def read_phase(folder: Path) -> Phase:
    return Phase(
        tomllib.loads((folder / "scenario.toml").read_text(encoding="utf-8")),
        _columns(folder / "series.parquet"),
        _columns(folder / "reference.parquet"),
        json.loads((folder / "metrics.json").read_text(encoding="utf-8")),
    )


def _columns(path: Path) -> Table:
    table = pyarrow.parquet.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}


def vector(table: Table, stem: str) -> np.ndarray:
    """x, y, z (or w, x, y, z) of a channel, a row an instant."""
    parts = "wxyz" if stem.endswith("attitude") else "xyz"
    return np.stack([table[f"{stem}.{part}"] for part in parts], axis=1)


def corrected(table: Table, stem: str) -> np.ndarray:
    """The same, with the past corrected by a method that rewinds. A force on the target has no
    channel of its own: it is the opposite."""
    name = f"corrected.{stem.removeprefix('satellite.')}"
    if f"{name}.x" in table:
        return vector(table, name)
    if stem == "satellite.target.force" and "corrected.chaser.force.x" in table:
        return -vector(table, "corrected.chaser.force")
    return vector(table, stem)


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices, world from body, of quaternions w, x, y, z."""
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


@dataclass
class Motion:
    """A satellite over time."""

    p: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray  # rad/s, world axes
    L: np.ndarray  # kg m^2/s about the centre of mass, world axes


def motion(phase: Phase, table: Table, name: str) -> Motion:
    body, read = phase.body(name), corrected
    R = matrices(read(table, f"{name}.attitude"))
    rate = read(table, f"{name}.rate")
    w = np.einsum("kij,kj->ki", R, rate)
    L = np.einsum("kij,kj->ki", R, rate @ body.inertia.T)
    p, v = (read(table, f"{name}.{what}") for what in ("position", "velocity"))
    return Motion(p=p, R=R, v=v, w=w, L=L)


def kinetic(phase: Phase, table: Table) -> np.ndarray:
    """J, in the pair's barycentric frame; in the world frame if a body is fixed."""
    bodies = {name: phase.body(name) for name in BODIES}
    free = [name for name in BODIES if not bodies[name].fixed]
    moves = {name: motion(phase, table, name) for name in free}
    mean = np.zeros(3)
    if len(free) == 2:
        mean = sum(bodies[n].mass * moves[n].v for n in free) / sum(bodies[n].mass for n in free)
    found = np.zeros(len(table["time"]))
    for name in free:
        v = moves[name].v - mean
        found += 0.5 * np.sum(bodies[name].mass * v * v, axis=1)
        found += 0.5 * np.sum(moves[name].w * moves[name].L, axis=1)
    return found


def scheduled(phase: Phase, kind: str, name: str, at: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Force and torque (6 numbers a row) of a schedule at some instants; world axes."""
    given = phase.scenario.get(kind, {}).get(name, {})
    rows = np.asarray(given.get("rows", []), dtype=float)
    found = np.zeros((len(at), 6))
    if rows.size == 0:
        return found
    inside = (at >= rows[0, 0]) & (at <= rows[-1, 0])
    for i in range(6):
        found[:, i] = np.where(inside, np.interp(at, rows[:, 0], rows[:, 1 + i]), 0.0)
    if given.get("frame", "world") == "body":
        found[:, :3] = np.einsum("kij,kj->ki", R, found[:, :3])
        found[:, 3:] = np.einsum("kij,kj->ki", R, found[:, 3:])
    return found


def hands(phase: Phase, at: np.ndarray) -> dict[str, np.ndarray]:
    """What hands on the mock-ups do to both satellites, through the sensor, at some instants."""
    moves = {name: motion(phase, phase.loop, name) for name in BODIES}
    felt = {n: scheduled(phase, "hand", n, at, moves[n].R[: len(at)]) for n in BODIES}
    arm = (moves["chaser"].p - moves["target"].p)[: len(at)]
    on = phase.scenario.get("sensor", {}).get("on", "chaser")
    direct = felt["chaser"]
    returned = _opposite(felt["target"], -arm)
    share = {"chaser": (1.0, 0.0), "target": (0.0, 1.0), "both": (0.5, 0.5)}[on]
    chaser = share[0] * direct + share[1] * returned
    return {"chaser": chaser, "target": _opposite(chaser, arm)}


def _opposite(wrench: np.ndarray, arm: np.ndarray) -> np.ndarray:
    torque = -(wrench[:, 3:] + np.cross(arm, wrench[:, :3]))
    return np.hstack([-wrench[:, :3], torque])
