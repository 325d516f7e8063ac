"""What numbers are shares of: the energy that the contact can reach, and the approach speed.

E_0 = 1/2 v^T L v at the first touch of the reference: v the relative velocity there, L the
pair's effective mass there (3 x 3). Without approach: the external work of the first contact."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from benchmarks.judge.phase import BODIES, Phase, matrices, scheduled, vector

LEAST_SHARE = 1e-3  # of the external work: with less, nothing approaches


class Scale(NamedTuple):
    energy: float  # J
    speed: float  # m/s
    touch_s: float  # of the reference, or the loop's own where that never touches


class State(NamedTuple):
    p: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray  # rad/s, world axes


def first_touch(contacts: list[dict[str, Any]], latched: float | None) -> float | None:
    times = [c["start_s"] for c in contacts] + ([] if latched is None else [latched])
    return min(times) if times else None


def scale_of(phase: Phase, external_work: float) -> Scale | None:
    """`external_work`: J, up to the end of the first contact."""
    latch = phase.metrics.get("latch") or {}
    touch = first_touch(
        phase.metrics["reference"]["contacts"],
        (latch.get("orbit") or {}).get("soft_docked_at_s"),
    )
    table = phase.reference
    if touch is None:
        touch = first_touch(phase.metrics["contacts"], latch.get("soft_docked_at_s"))
        table = phase.loop
    if touch is None:
        return None
    states = {name: _coast(phase, table, name, touch) for name in BODIES}
    point = _contact_point(phase, states)
    inverse, rates = np.zeros((3, 3)), {}
    for name in BODIES:
        s, body = states[name], phase.body(name)
        r = point - s.p
        rates[name] = s.v + np.cross(s.w, r)
        if not body.fixed:
            arm = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
            turned = s.R @ np.linalg.inv(body.inertia) @ s.R.T
            inverse += np.diag(1.0 / body.mass) - arm @ turned @ arm
    v = rates["chaser"] - rates["target"]
    energy, speed = float(0.5 * v @ np.linalg.solve(inverse, v)), float(np.linalg.norm(v))
    if energy < LEAST_SHARE * external_work:
        energy = external_work
    return Scale(energy, speed, touch)


def _coast(phase: Phase, table: dict[str, np.ndarray], name: str, until: float) -> State:
    """A body at an instant between two rows: from the row before, schedules included."""
    k = int(np.floor(until / phase.T + 1e-9))
    k = min(k, len(table["time"]) - 1)
    body, dt = phase.body(name), until - table["time"][k]
    R = matrices(vector(table, f"{name}.attitude")[k])
    p, v = vector(table, f"{name}.position")[k], vector(table, f"{name}.velocity")[k]
    rate = vector(table, f"{name}.rate")[k]
    if body.fixed:
        return State(p, R, np.zeros(3), np.zeros(3))
    at = np.array([table["time"][k] + 0.5 * dt])
    push = sum(scheduled(phase, kind, name, at, R[None])[0] for kind in ("external", "hand"))
    spin = body.inertia @ rate
    turn = np.linalg.solve(body.inertia, R.T @ push[3:] - np.cross(rate, spin))
    middle = rate + 0.5 * dt * turn
    R = R @ _turned(middle * dt)
    a = push[:3] / body.mass
    return State(p + v * dt + 0.5 * a * dt * dt, R, v + a * dt, R @ (rate + dt * turn))


def _turned(phi: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(phi))
    half = 0.5 * angle
    q = np.concatenate([[np.cos(half)], 0.5 * np.sinc(half / np.pi) * phi])
    return matrices(q)


def _contact_point(phase: Phase, states: dict[str, State]) -> np.ndarray:
    """World axes: the middle of tip surface and target surface, of the pair whose gap is least."""
    chaser, target = states["chaser"], states["target"]
    best, found = np.inf, None
    for pair in phase.scenario["contact"]:
        tip = chaser.p + chaser.R @ np.asarray(pair.get("tip_m", [0, 0, 0]), dtype=float)
        origin = np.asarray(pair.get("origin_m", [0, 0, 0]), dtype=float)
        seen = target.R.T @ (tip - target.p) - origin
        near = nearest(pair, seen)
        away = (
            float(np.linalg.norm(seen - near))
            if pair["geometry"] != "wall"
            else _height(pair, seen)
        )
        gap = away - float(pair.get("tip_radius_m", 0.0))
        if gap < best:
            best, found = gap, target.p + target.R @ (near + origin)
    assert found is not None
    return found


def _height(pair: dict[str, Any], seen: np.ndarray) -> float:
    axis = np.asarray(pair.get("axis", [1, 0, 0]), dtype=float)
    return float(seen @ axis / np.linalg.norm(axis))


def nearest(pair: dict[str, Any], seen: np.ndarray) -> np.ndarray:
    """Point of the target's surface nearest to the tip's centre; both from the shape's origin."""
    if pair["geometry"] == "sphere":
        away = float(np.linalg.norm(seen))
        return seen * (float(pair["sphere_radius_m"]) / max(away, 1e-12))
    axis = np.asarray(pair.get("axis", [1, 0, 0]), dtype=float)
    axis = axis / np.linalg.norm(axis)
    z = float(seen @ axis)
    if pair["geometry"] == "wall":
        return seen - z * axis
    across = seen - z * axis
    rho = float(np.linalg.norm(across))
    radial = across / rho if rho > 1e-9 else np.zeros(3)
    point = min(
        (_on_segment(np.array([rho, z]), a, b) for a, b in _outline(pair)),
        key=lambda q: float(np.hypot(q[0] - rho, q[1] - z)),
    )
    return point[0] * radial + point[1] * axis


def _outline(pair: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The cone's section in the half-plane (distance from the axis, height over the mouth)."""
    mouth, bottom = float(pair["mouth_radius_m"]), float(pair["bottom_radius_m"])
    half, thick = (
        np.radians(float(pair["half_angle_deg"])),
        float(pair.get("wall_thickness_m", 0.005)),
    )
    depth = (mouth - bottom) / np.tan(half)
    out = thick * np.array([np.cos(half), -np.sin(half)])
    a, b = np.array([mouth, 0.0]), np.array([bottom, -depth])
    lines = [(a, b), (a, a + out), (a + out, b + out), (b, b + out)]
    if pair.get("closed_bottom", False):
        lines.append((np.array([0.0, -depth]), b))
    return lines


def _on_segment(q: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    along = float(np.clip((q - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0))
    return a + along * (b - a)
