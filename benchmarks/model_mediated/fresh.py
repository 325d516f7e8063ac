"""Random cases drawn from what issue and docs promise, and not from the benchmark's generator
(softdock/studies/benchmark/draws.py): other shapes, other laws of each pair, other sensors.

In: a seed and a number. Out: a scenario's tables. Up to four touches at once with laws that differ,
friction of any size up to 0.3 and of any regularisation speed, dampers, Hunt and Crossley,
pre-loads, delays of 4 to 40 ms, cycles of 2 to 12 ms, masses up to 100 times unequal, tumbling,
a 1 kHz sensor with means, a tool that weighs 3 % more, bias, noise. A draw is kept if orbit touches
after half a second, touches for at least eight cycles, and parts for good.
"""

from __future__ import annotations

import math
import random
from typing import Any

from softdock.errors import BadInput
from softdock.reference import run_reference
from softdock.scenario.build import build

Tables = dict[str, Any]
LOOKED_AT, AFTER = 12.0, 1.2  # s
LEAST_FLIGHT = 0.5  # s
TOUCH_CYCLES, MOST_CONTACTS = 8.0, 12
ATTEMPTS = 400


def fresh(seed: int, number: int) -> Tables:
    """Case `number` of a seed."""
    for attempt in range(ATTEMPTS):
        tables = _kept(_draw(random.Random(f"{seed}/{number}/{attempt}")))
        if tables is not None:
            return tables | {"name": f"fresh_{seed}_{number:04d}"}
    raise AssertionError("no draw in so many attempts: the generator is wrong")


def _kept(tables: Tables) -> Tables | None:
    try:
        flown = run_reference(build(tables))
    except BadInput:
        return None
    contacts = flown.contacts
    if flown.status != "completed" or not 1 <= len(contacts) <= MOST_CONTACTS:
        return None
    T = 1e-3 * tables["time"]["cycle_ms"]
    longest = max(c["end_s"] - c["start_s"] for c in contacts)
    if contacts[0]["start_s"] < LEAST_FLIGHT or longest < TOUCH_CYCLES * T or longest > 1.5:
        return None
    if not math.isfinite(contacts[-1]["restitution"]):
        return None
    end = contacts[-1]["end_s"] + AFTER
    if end > LOOKED_AT:
        return None
    return tables | {"time": tables["time"] | {"duration_s": math.ceil(20.0 * end) / 20.0}}


def _draw(r: random.Random) -> Tables:
    T = r.choice([2.0, 3.0, 4.0, 4.0, 5.0, 8.0, 12.0])
    m = math.exp(r.uniform(math.log(30.0), math.log(3000.0)))
    other = m * math.exp(r.uniform(-math.log(100.0), math.log(100.0)) * r.random())
    v = r.uniform(0.01, 0.1)
    pairs, place, lever = r.choice([_leaning, _ball, _nozzle, _corner, _feet])(
        r, v * r.uniform(0.7, 1.3)
    )
    ease = 1.0 / m + 1.0 / other + lever * lever * (1.0 / (0.1 * m) + 1.0 / (0.1 * other))
    touch = 1e-3 * T * r.uniform(12.0, 25.0) * r.choice([1.0, 2.0, 4.0])
    k = (math.pi / touch) ** 2 / ease
    friction = r.choice([0.0, r.uniform(0.02, 0.3)])
    slip = r.choice([1e-3, 1e-3, math.exp(r.uniform(math.log(3e-4), math.log(1e-2)))])
    kind = r.choice(["spring", "spring", "damped", "damped", "hunt", "preload"])
    for pair in pairs:
        pair["real"] = _law(r, kind, k * r.uniform(0.7, 1.4), ease, v)
        pair["real"] |= {"friction": friction, "friction_speed_m_per_s": slip}
    sideways = [v * r.uniform(-0.4, 0.4) if r.random() < 0.7 else 0.0 for _ in range(2)]
    flight = 1.0
    place = [place[0], *(p - flight * s for p, s in zip(place[1:], sideways, strict=True))]
    tumbles = r.choice([0.0, 0.0, 0.06])
    late = r.uniform(4.0, 40.0)
    return {
        "name": "fresh",
        "time": {"cycle_ms": T, "duration_s": LOOKED_AT, "plant_steps": 4},
        "chaser": _body(r, m, tumbles) | {"position_m": place, "velocity_m_per_s": [-v, *sideways]},
        "target": _body(r, other, tumbles) | {"fixed": r.random() < 0.15},
        "robots": {
            "chaser": {"delay_ms": late},
            "target": {"delay_ms": late if r.random() < 0.6 else r.uniform(4.0, 40.0)},
        },
        "contact": pairs,
    } | _sensed(r, v * math.sqrt(k / ease))


def _sensed(r: random.Random, peak: float) -> Tables:
    """Sensor and tool."""
    sensor: Tables = {}
    mock_up: Tables = {}
    kind = r.choice(["quiet", "quiet", "quiet", "mean", "tool", "bias", "noise"])
    if kind in ("mean", "noise") and (kind == "mean" or r.random() < 0.5):
        sensor |= {"period_ms": 1.0, "handover": "mean"}
        if r.random() < 0.3:
            sensor["delay_ms"] = r.uniform(0.0, 6.0)
    if kind == "tool":
        mass = r.uniform(2.0, 20.0)
        wrong = mass * r.choice([0.97, 1.03])
        mock_up = {"chaser": {"mass_kg": mass, "believed": {"mass_kg": wrong}}}
    if kind == "bias":
        sensor["bias_N"] = [peak * r.uniform(-0.1, 0.1) for _ in range(3)]
        sensor["bias_Nm"] = [0.1 * peak * r.uniform(-0.1, 0.1) for _ in range(3)]
    if kind == "noise":
        sensor |= {"noise_N": peak * r.uniform(0.002, 0.03)}
        sensor |= {"noise_Nm": sensor["noise_N"] * r.choice([0.0, 0.1])}
    return {"sensor": sensor, "mock_up": mock_up, "description": kind}


def _body(r: random.Random, mass: float, tumbles: float) -> Tables:
    about = mass * r.uniform(0.06, 0.2)
    return {
        "mass_kg": mass,
        "inertia_kg_m2": [about * r.uniform(0.8, 1.2) for _ in range(3)],
        "rate_rad_per_s": [r.uniform(-tumbles, tumbles) for _ in range(3)],
    }


def _law(r: random.Random, kind: str, k: float, ease: float, v: float) -> Tables:
    depth = v / math.sqrt(k * ease)
    if kind == "hunt":
        n = r.uniform(1.1, 2.2)
        return {
            "law": "hunt_crossley",
            "stiffness_N_per_m": k * depth ** (1.0 - n),
            "exponent": n,
            "lambda_s_per_m": r.uniform(0.0, 0.5) / v,
        }
    if kind == "preload":
        rise, first = depth * r.uniform(0.01, 0.05), k * depth * r.uniform(0.1, 0.5)
        far = 100.0 * depth
        return {"law": "table", "table_m_N": [[0.0, 0.0], [rise, first], [far, first + k * far]]}
    c = 0.0 if kind == "spring" else 2.0 * r.uniform(0.01, 0.35) * math.sqrt(k / ease)
    return {"law": "spring_damper", "stiffness_N_per_m": k, "damping_Ns_per_m": c}


Placed = tuple[list[Tables], list[float], float]  # pairs, the chaser's place, the lever [m]


def _leaning(r: random.Random, gap: float) -> Placed:
    """A ball on a leaning wall, beside the centre of mass."""
    y, z = r.uniform(-0.15, 0.15), r.uniform(-0.15, 0.15)
    axis = [1.0, r.uniform(-0.4, 0.4), r.uniform(-0.4, 0.4)]
    pair = {"geometry": "wall", "tip_m": [-0.3, y, z], "tip_radius_m": 0.04, "axis": axis}
    pair |= {"origin_m": [0.2, 0.0, 0.0]}
    reach = math.sqrt(1.0 + axis[1] ** 2 + axis[2] ** 2) * 0.04
    return [pair], [0.5 + reach + gap, -y, -z], math.hypot(y, z)


def _ball(r: random.Random, gap: float) -> Placed:
    """Two balls off centre."""
    a, b = r.uniform(-0.06, 0.06), r.uniform(-0.06, 0.06)
    pair = {"geometry": "sphere", "tip_m": [-0.2, 0.0, 0.0], "tip_radius_m": 0.06}
    pair |= {"origin_m": [0.2, 0.0, 0.0], "sphere_radius_m": 0.09}
    return [pair], [0.4 + math.sqrt(0.15**2 - a * a - b * b) + gap, a, b], 0.1


def _nozzle(r: random.Random, gap: float) -> Placed:
    """A tip in a cone, open or closed."""
    off, turn = r.uniform(0.0, 0.07), r.uniform(0.0, 2.0 * math.pi)
    pair = {"geometry": "cone", "tip_m": [-0.5, 0.0, 0.0], "tip_radius_m": 0.005}
    pair |= {"origin_m": [0.5, 0.0, 0.0], "mouth_radius_m": 0.09, "bottom_radius_m": 0.03}
    pair |= {"half_angle_deg": r.uniform(20.0, 45.0), "closed_bottom": True}
    return [pair], [1.0 + gap, off * math.cos(turn), off * math.sin(turn)], 0.3


def _corner(r: random.Random, gap: float) -> Placed:
    """One ball between two to four leaning walls: several touches at one place."""
    count, turn = r.choice([2, 3, 4]), r.uniform(0.0, 2.0 * math.pi)
    lean = r.uniform(0.5, 1.0)
    pairs: list[Tables] = []
    for i in range(count):
        a = turn + 2.0 * math.pi * i / count
        axis = [math.cos(lean), math.sin(lean) * math.cos(a), math.sin(lean) * math.sin(a)]
        pair: Tables = {"geometry": "wall", "tip_m": [-0.4, 0.0, 0.0], "tip_radius_m": 0.03}
        pairs.append(pair | {"origin_m": [0.3, 0.0, 0.0], "axis": axis})
    y, z = r.uniform(-0.02, 0.02), r.uniform(-0.02, 0.02)
    nearest = max((0.03 - p["axis"][1] * y - p["axis"][2] * z) / p["axis"][0] for p in pairs)
    return pairs, [0.7 + nearest + gap, y, z], 0.2


def _feet(r: random.Random, gap: float) -> Placed:
    """Two to four feet on one plate: several touches at several places."""
    count, turn = r.choice([2, 3, 4]), r.uniform(0.0, 2.0 * math.pi)
    arm, lean = r.uniform(0.1, 0.3), [r.uniform(-0.01, 0.01) for _ in range(2)]
    pairs = []
    for i in range(count):
        a = turn + 2.0 * math.pi * i / count
        tip = [-0.3, arm * math.cos(a), arm * math.sin(a)]
        pair = {"geometry": "wall", "tip_m": tip, "tip_radius_m": 0.01, "axis": [1.0, *lean]}
        pairs.append(pair | {"origin_m": [0.2, 0.0, 0.0]})
    return pairs, [0.52 + gap, 0.0, 0.0], 0.5 * arm
