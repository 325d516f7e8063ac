"""Random passive contacts, drawn: masses, delays, stiffnesses, dampings and shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

T, DURATION = 0.004, 6.0  # s


LEAD_TIME = 0.15  # s of free approach


RADIUS = 0.3  # m, of each ball in the family `balls`


CONE = {
    "mouth_radius_m": 0.05,
    "bottom_radius_m": 0.02,
    "half_angle_deg": 20.0,
    "closed_bottom": True,
    "tip_radius_m": 0.01,
}


def _log_uniform(random: np.random.Generator, low: float, high: float, runs: int) -> np.ndarray:
    return np.exp(random.uniform(math.log(low), math.log(high), runs))


def draw(
    name: str, runs: int, random: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    """Swept keys, tables, KE_0, mobility at the contact (1/kg) and approach speed."""
    chaser, target = (_log_uniform(random, 10.0, 5000.0, runs) for _ in range(2))
    speed = (
        _log_uniform(random, 0.02, 0.1, runs)
        if name == "cone"
        else _log_uniform(random, 0.005, 0.2, runs)
    )
    inertias = [m[:, None] * random.uniform(0.15, 0.25, (runs, 3)) for m in (chaser, target)]
    arm = {"wall": 0.0, "balls": 0.15, "cone": 1.0}[name]
    mobility = sum(
        1.0 / m + arm**2 / inertia.min(axis=1)
        for m, inertia in zip((chaser, target), inertias, strict=True)
    )
    reduced = chaser * target / (chaser + target)
    if name == "wall":
        mobility, reduced = 1.0 / chaser, chaser
    quarter = _log_uniform(random, 8.0 * T, 0.4, runs)
    stiffness = (0.5 * math.pi / quarter) ** 2 / mobility
    damping = np.where(random.random(runs) < 0.5, 0.0, random.uniform(0.0, 1.0, runs)) * np.sqrt(
        stiffness / mobility
    )
    delay = random.uniform(0.0, 50.0, runs)
    swept = {
        "chaser.mass_kg": chaser,
        "target.mass_kg": target,
        "chaser.inertia_kg_m2": inertias[0],
        "target.inertia_kg_m2": inertias[1],
        "contact.0.real.stiffness_N_per_m": stiffness,
        "contact.0.real.damping_Ns_per_m": damping,
        "robots.chaser.delay_ms": delay,
        "robots.target.delay_ms": np.where(
            random.random(runs) < 0.5, delay, random.uniform(0.0, 50.0, runs)
        ),
        "pose.delay_ms": np.where(
            random.random(runs) < 2.0 / 3.0, 0.0, random.uniform(0.0, 30.0, runs)
        ),
    }
    gap = speed * (LEAD_TIME + random.uniform(0.0, T, runs))
    contact, swept["chaser.position_m"] = _contact(name, gap, random)
    zero = np.zeros(runs)
    swept["chaser.velocity_m_per_s"] = np.stack([-speed, zero, zero], axis=1)
    return (
        swept,
        _tables(contact, name == "wall"),
        0.5 * reduced * speed**2,
        np.asarray(mobility),
        speed,
    )


def _tables(contact: dict[str, Any], is_fixed: bool) -> dict[str, Any]:
    """What all runs share; masses, inertias and places are swept."""
    return {
        "time": {"cycle_ms": 1e3 * T, "duration_s": DURATION, "plant_steps": 4},
        "chaser": {
            "mass_kg": 10.0,
            "inertia_kg_m2": [2.0, 2.0, 2.0],
            "position_m": [3.0, 0.0, 0.0],
        },
        "target": {"mass_kg": 10.0, "inertia_kg_m2": [2.0, 2.0, 2.0], "fixed": is_fixed},
        "sensor": {"noise_N": 1.0},
        "pose": {"delay_ms": 1.0},
        "contact": [contact | {"real": {"stiffness_N_per_m": 1.0}}],
    }


def _contact(
    name: str, gap: np.ndarray, random: np.random.Generator
) -> tuple[dict[str, Any], np.ndarray]:
    """The pair without its law, and where the chaser starts: one row per run, `gap` away [m]."""
    runs, zero = len(gap), np.zeros(len(gap))
    if name == "wall":
        wall: dict[str, Any] = {"geometry": "wall", "axis": [1.0, 0.0, 0.0]}
        return wall, np.stack([gap, zero, zero], axis=1)
    if name == "balls":
        ball = {
            "geometry": "sphere",
            "tip_m": [-0.1, 0.1, 0.05],
            "tip_radius_m": RADIUS,
            "origin_m": [0.1, 0.05, -0.1],
            "sphere_radius_m": RADIUS,
        }
        across = random.uniform(-0.5 * RADIUS, 0.5 * RADIUS, (runs, 2))
        along = np.sqrt((2.0 * RADIUS) ** 2 - np.sum(across**2, axis=1))
        start = (0.2 + along + gap)[:, None]
        return ball, np.concatenate([start, across + np.array([-0.05, -0.15])], axis=1)
    cone = {
        "geometry": "cone",
        "tip_m": [-1.0, 0.0, 0.0],
        "origin_m": [1.0, 0.0, 0.0],
        "axis": [1.0, 0.0, 0.0],
        **CONE,
    }
    angle, off = random.uniform(0.0, 2.0 * math.pi, runs), random.uniform(0.0, 0.035, runs)
    return cone, np.stack([2.01 + gap, off * np.cos(angle), off * np.sin(angle)], axis=1)
