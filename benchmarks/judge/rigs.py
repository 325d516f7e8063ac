"""Random rigs on which the verdict is checked: scenarios as tables, from a seed and a number.

One axis and three dimensions; a ball on a wall, on a ball, in a cone; elastic, damped and Hunt and
Crossley's contact; one robot with a bolted client, or two; late and lagging robots, filters, noise,
bias of both signs, a tool that weighs something else, poses that are off, spin, a pre-loaded
start, captures that stay in contact, latches, hands and thrusters; with and without methods."""

from __future__ import annotations

import math
import random
from typing import Any

SEED = 20261118
METHODS: tuple[dict[str, Any] | None, ...] = (
    None,
    {"name": "energy_ledger"},
    {"name": "delay_passivity"},
    {"name": "model_mediated"},
    {"name": "adaptive_damping"},
)
Tables = dict[str, Any]


def rig(number: int, seed: int = SEED) -> Tables:
    """Rig `number` of a seed."""
    r = random.Random(f"{seed}/{number}")
    method = METHODS[number % len(METHODS)]
    flat = r.random() < 0.4
    latched = method is None and r.random() < 0.25
    tables = _bodies(r, flat, latched)
    stays = not latched and r.random() < 0.15
    _contact(r, tables, flat, latched, stays)
    _rig(r, tables, flat)
    _pushes(r, tables, stays)
    if method is not None:
        tables["methods"] = [_told(method, tables)]
    tables["name"] = f"rig_{seed}_{number:04d}"
    return tables


def _told(method: dict[str, Any], tables: Tables) -> dict[str, Any]:
    """The method with what it must be told."""
    if method["name"] != "adaptive_damping":
        return dict(method)
    law = tables["contact"][0]["real"]
    k = law["stiffness_N_per_m"]
    if law["law"] == "hunt_crossley":  # at half a millimetre
        k *= 1.5 * math.sqrt(5e-4)
    late = tables["robots"]["chaser"]["delay_ms"] + tables.get("sensor", {}).get("delay_ms", 0.0)
    return method | {"stiffness_N_per_m": k, "delay_ms": late}


def _log(r: random.Random, low: float, high: float) -> float:
    return math.exp(r.uniform(math.log(low), math.log(high)))


def _bodies(r: random.Random, flat: bool, latched: bool) -> Tables:
    m = _log(r, 40.0, 1500.0)
    other = m * _log(r, 0.5, 4.0)
    bolted = r.random() < 0.4
    v = r.choice([0.01, 0.02, 0.03, 0.05]) * r.uniform(0.7, 1.3)
    J = [m * r.uniform(0.08, 0.16) for _ in range(3)]
    chaser: Tables = {"mass_kg": m, "inertia_kg_m2": J, "velocity_m_per_s": [-v, 0.0, 0.0]}
    target: Tables = {"mass_kg": other, "inertia_kg_m2": [other * r.uniform(0.08, 0.16)] * 3}
    if bolted:
        target["fixed"] = True
    if not flat and not latched:
        spin = r.choice([0.0, 0.02, 0.1, 0.5])
        chaser["rate_rad_per_s"] = [r.uniform(-spin, spin), 0.05 * r.uniform(-spin, spin), 0.0]
        chaser["velocity_m_per_s"][1:] = [0.2 * v * r.uniform(-1, 1), 0.2 * v * r.uniform(-1, 1)]
        if not bolted and r.random() < 0.5:
            target["rate_rad_per_s"] = [r.uniform(-spin, spin), 0.0, 0.01 * r.uniform(-1, 1)]
    return {"chaser": chaser, "target": target}


def _effective(tables: Tables) -> float:
    m, other = tables["chaser"]["mass_kg"], tables["target"]["mass_kg"]
    return m if tables["target"].get("fixed") else m * other / (m + other)


def _contact(r: random.Random, tables: Tables, flat: bool, latched: bool, stays: bool) -> None:
    m, v = _effective(tables), -tables["chaser"]["velocity_m_per_s"][0]
    half = r.uniform(0.1, 0.9) if not latched else r.uniform(0.6, 1.0)  # s, of the contact
    k = m * (math.pi / half) ** 2
    gap = r.choice([0.002, 0.01, 0.03]) * r.uniform(0.8, 1.2)
    shape = "wall" if flat or latched else r.choice(["wall", "sphere", "cone"])
    radius, reach = 0.03, 0.0 if flat or latched else r.uniform(0.2, 0.6)
    pair: Tables = {"geometry": shape, "tip_m": [-reach, 0.0, 0.0], "tip_radius_m": radius}
    start = [reach + radius + gap, 0.0, 0.0]
    if shape == "sphere":
        pair |= {"sphere_radius_m": 0.2, "origin_m": [-0.2, 0.0, 0.0]}
        start[1] += r.uniform(-0.06, 0.06)
    elif shape == "cone":
        pair |= {"mouth_radius_m": 0.12, "bottom_radius_m": 0.04, "half_angle_deg": 35.0}
        pair |= {"closed_bottom": True, "axis": [1.0, 0.0, 0.0]}
        start[0] -= 0.05
        start[1] += r.uniform(-0.06, 0.06)
    elif reach:
        pair["axis"] = [1.0, r.uniform(-0.2, 0.2), 0.0]
        start[0] += 0.005
        gap += 0.005
    tables["chaser"]["position_m"] = start
    law = r.choice(["elastic", "damped", "hunt"]) if not stays else "damped"
    real: Tables = {"law": "spring_damper", "stiffness_N_per_m": k}
    if law == "damped" or latched:
        ratio = r.uniform(0.02, 0.3) if not stays else r.uniform(0.6, 1.2)
        real["damping_Ns_per_m"] = 2.0 * ratio * math.sqrt(k * m)
    elif law == "hunt":
        x = v * math.sqrt(m / k)
        real = {"law": "hunt_crossley", "exponent": 1.5, "stiffness_N_per_m": k / math.sqrt(x)}
        real["lambda_s_per_m"] = r.uniform(0.0, 0.5) / v
    pair["real"] = real
    tables["contact"] = [pair]
    time = 1.2 * gap / v + half
    tables["time"] = {"cycle_ms": r.choice([2.0, 4.0, 8.0, 12.0])}
    tail = 10.0 * half if stays else r.choice([0.05, 0.3, 1.2, 3.0, 6.0])
    if latched:
        tail = _latch(r, tables, k, m, half)
    tables["time"]["duration_s"] = round(time + tail, 2)


def _latch(r: random.Random, tables: Tables, k: float, m: float, half: float) -> float:
    tables["capture"] = {"for_s": 0.02, "within_m": 0.004, "below_m_per_s": 0.2}
    stiff = [k * r.uniform(0.5, 2.0)] + [k] * 2
    ratio = r.choice([0.005, 0.02, 0.1, 0.4])
    damping = [2.0 * ratio * math.sqrt(s * m) for s in stiff]
    turn = [tables["chaser"]["inertia_kg_m2"][0] * 9.0] * 3
    pull = r.choice([0.0, 2.0])
    latch: Tables = {"place_m": [0.03, 0.0, 0.0], "pull_in_s": pull}
    latch["real"] = {
        "stiffness_N_per_m": stiff,
        "damping_Ns_per_m": damping,
        "stiffness_Nm_per_rad": turn,
        "damping_Nms_per_rad": [0.3 * t for t in turn],
    }
    tables["capture"]["latch"] = [latch]
    return pull + r.choice([4.0, 12.0, 24.0]) * half


def _rig(r: random.Random, tables: Tables, flat: bool) -> None:
    force = math.pi * 0.5 * _effective(tables) * -tables["chaser"]["velocity_m_per_s"][0]
    late = r.choice([0.0, 2.0, 8.0, 16.0, 40.0]) * r.uniform(0.5, 1.0)
    robot: Tables = {"delay_ms": round(late, 1)}
    if r.random() < 0.15:
        robot |= {"model": "lag", "lag_Hz": r.uniform(8.0, 30.0)}
    tables["robots"] = {"chaser": dict(robot), "target": dict(robot)}
    sensor: Tables = {}
    if r.random() < 0.3:
        sensor["lowpass_Hz"] = r.choice([10.0, 20.0, 60.0])
    if r.random() < 0.3:
        sensor["delay_ms"] = r.choice([1.0, 4.0, 10.0])
    if r.random() < 0.3:
        sensor["noise_N"] = 0.02 * force * r.random()
    if r.random() < 0.35:
        sensor["bias_N"] = [r.choice([-1.0, 1.0]) * 0.05 * force * r.random(), 0.0, 0.0]
    if r.random() < 0.1:
        sensor["range_N"] = force * r.uniform(1.0, 8.0)
    if r.random() < 0.15:
        sensor["on"] = r.choice(["target", "both"])
    if sensor:
        tables["sensor"] = sensor
    if r.random() < 0.2:
        tool = r.uniform(1.0, 4.0)
        wrong = r.choice([0.9, 0.99, 1.01, 1.1])
        tables["mock_up"] = {"chaser": {"mass_kg": tool, "believed": {"mass_kg": tool * wrong}}}
        tables["laboratory"] = {"gravity_m_per_s2": [0.0, 0.0, -9.81]}
    if r.random() < 0.2:
        tables["pose"] = {"chaser_offset_m": [r.uniform(-0.001, 0.001), 0.0, 0.0]}
    if r.random() < 0.2:
        tables.setdefault("pose", {})["delay_ms"] = late
    tables["random"] = {"seed": r.randrange(10**6)}


def _pushes(r: random.Random, tables: Tables, stays: bool) -> None:
    """Thrusters on the chaser, a hand on a mock-up; what stays in contact is pressed or stops."""
    v, end = -tables["chaser"]["velocity_m_per_s"][0], tables["time"]["duration_s"]
    m = _effective(tables)
    if r.random() < 0.2 or (stays and r.random() < 0.5):
        size = m * v / end * r.uniform(0.5, 3.0)
        begin = 0.0 if stays else r.uniform(0.0, 0.5 * end)
        until = end + 1.0 if stays else begin + 0.3 * end
        rows = [[begin, -size, 0, 0, 0, 0, 0], [until, -size, 0, 0, 0, 0, 0]]
        tables["external"] = {"chaser": {"rows": rows}}
        if stays and r.random() < 0.5:  # pre-loaded: at the surface, at rest
            pair = tables["contact"][0]
            if pair["geometry"] == "wall" and pair["tip_m"][0] == 0.0:
                tables["chaser"]["velocity_m_per_s"] = [0.0, 0.0, 0.0]
                tables["chaser"]["position_m"][0] = pair["tip_radius_m"] + 1e-4
    if r.random() < 0.1 and "methods" not in tables:
        begin = r.uniform(0.0, 0.6 * end)
        rows = [[begin, m * v, 0, 0, 0, 0, 0], [begin + 0.2, -m * v, 0, 0, 0, 0, 0]]
        on = tables.get("sensor", {}).get("on", "chaser")
        tables["hand"] = {"chaser" if on == "both" else on: {"rows": rows}}
