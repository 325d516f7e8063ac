"""Cases by hand, each for one thing that may go wrong, and random ones from a seed."""

from __future__ import annotations

import copy
import math
import random
import tomllib
from importlib import resources
from typing import Any

Tables = dict[str, Any]
TOOL = {"mass_kg": 10.0, "believed": {"mass_kg": 9.7, "acceleration": "commanded"}}


def axis(**given: float) -> Tables:
    """One axis: 63 kg on a wall, as EPOS."""
    d = {"m": 63.0, "k": 1000.0, "c": 0.0, "v": 0.02, "T": 4.0, "delay": 16.0, "s": 2.5} | given
    return {
        "name": "axis",
        "time": {"cycle_ms": d["T"], "duration_s": d["s"]},
        "chaser": {
            "mass_kg": d["m"],
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "position_m": [0.01, 0.0, 0.0],
            "velocity_m_per_s": [-d["v"], 0.0, 0.0],
        },
        "target": {"fixed": True, "mass_kg": 1000.0, "inertia_kg_m2": [100.0, 100.0, 100.0]},
        "robots": {body: {"delay_ms": d["delay"]} for body in ("chaser", "target")},
        "contact": [
            {
                "geometry": "wall",
                "axis": [1.0, 0.0, 0.0],
                "real": {
                    "law": "spring_damper",
                    "stiffness_N_per_m": d["k"],
                    "damping_Ns_per_m": d["c"],
                },
            }
        ],
    }


def balls(friction: float = 0.0, c: float = 0.0, delay: float = 16.0, **given: Any) -> Tables:
    """Two free bodies that hit off centre, turning and sliding."""
    tables = axis(m=100.0, k=20000.0, c=c, delay=delay, s=2.0)
    tables["chaser"] |= {
        "inertia_kg_m2": [12.0, 15.0, 18.0],
        "position_m": [0.545, 0.04, 0.02],
        "velocity_m_per_s": [-0.05, 0.01, 0.005],
        "rate_rad_per_s": [0.02, -0.03, 0.05],
    }
    tables["target"] = {
        "mass_kg": 300.0,
        "inertia_kg_m2": [40.0, 50.0, 60.0],
        "rate_rad_per_s": [0.0, 0.01, 0.02],
    }
    tables["contact"][0] |= {
        "geometry": "sphere",
        "sphere_radius_m": 0.1,
        "tip_m": [-0.3, 0.02, -0.03],
        "tip_radius_m": 0.05,
        "origin_m": [0.05, 0.0, 0.0],
    }
    tables["contact"][0]["real"] |= {"friction": friction}
    return changed(tables, **given)


def creeping() -> Tables:
    """Two balls in a long contact behind a low-pass: sliding stops in its first third, and what is
    left of it tells mu / v_0 alone."""
    tables = axis(m=107.0, k=2050.0, v=0.07, T=2.0, delay=7.5, s=2.9)
    tables["chaser"] |= {
        "inertia_kg_m2": [24.2, 16.4, 16.3],
        "position_m": [0.6765, -0.0932, -0.1841],
        "velocity_m_per_s": [-0.071, 0.03, 0.0],
    }
    tables["target"] = {"mass_kg": 1730.0, "inertia_kg_m2": [303.0, 363.0, 284.0]}
    tables["contact"][0] |= {
        "geometry": "sphere",
        "tip_m": [-0.05, 0.0, 0.0],
        "tip_radius_m": 0.25,
        "origin_m": [0.1, 0.0, 0.0],
        "sphere_radius_m": 0.25,
    }
    tables["contact"][0]["real"] |= {"friction": 0.3}
    return tables | {"sensor": {"lowpass_Hz": 51.0}}


def changed(tables: Tables, **keys: Any) -> Tables:
    """With keys by their path, two underscores for a dot."""
    tables = copy.deepcopy(tables)
    for key, value in keys.items():
        *path, last = key.split("__")
        here: Any = tables
        for part in path:
            here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
        here[last] = value
    return tables


def preset(name: str, folder: str = "presets", **keys: Any) -> Tables:
    file = resources.files("softdock.scenario") / folder / f"{name}.toml"
    return changed(tomllib.loads(file.read_text(encoding="utf-8")) | {"methods": []}, **keys)


def _hunt(k: float, n: float, factor: float) -> dict[str, Any]:
    return {
        "law": "hunt_crossley",
        "stiffness_N_per_m": k,
        "exponent": n,
        "lambda_s_per_m": factor,
    }


def feet(friction: float = 0.12) -> Tables:
    """Four feet of different stiffness on one plate, all down at once: a wrench has fewer equations
    than they have forces."""
    tables = axis(m=150.0, s=2.0)
    tables["chaser"] |= {
        "inertia_kg_m2": [18.0, 22.0, 20.0],
        "position_m": [0.55, 0.0, 0.0],
        "velocity_m_per_s": [-0.05, 0.01, 0.005],
        "rate_rad_per_s": [0.0, 0.01, -0.02],
    }
    tables["target"] = {"mass_kg": 400.0, "inertia_kg_m2": [50.0, 60.0, 70.0]}
    tables["contact"] = [
        {
            "geometry": "wall",
            "tip_m": [-0.3, y, z],
            "tip_radius_m": 0.01,
            "origin_m": [0.2, 0.0, 0.0],
            "axis": [1.0, 0.005, -0.004],
            "real": {"stiffness_N_per_m": k, "friction": friction},
        }
        for y, z, k in (
            (0.2, 0.2, 4000.0),
            (-0.2, 0.2, 5500.0),
            (-0.2, -0.2, 4600.0),
            (0.2, -0.2, 6000.0),
        )
    ]
    return tables


def _smooth_petals() -> Tables:
    tables = preset("three_petals")
    for pair in tables["contact"]:
        pair["real"]["friction"] = 0.0
    return tables


PUSH = [[0.2, 0, 0, 0, 0, 0, 0], [0.3, -1.0, 0, 0, 0, 0, 0], [1.4, -1.0, 0, 0, 0, 0, 0]]
CASES: dict[str, Tables] = {
    "lossless": axis(),
    "lossless, 32 ms": axis(delay=32.0),
    "lossless, 18.3 ms": axis(delay=18.3),
    "lossless, 12 ms cycle": axis(T=12.0, delay=24.0),
    "40 kN/m": axis(k=40000.0, v=0.05),
    "damped": axis(c=60.0),
    "damped, 30 ms": axis(c=60.0, delay=30.0),
    "damped, pulls": changed(axis(c=60.0), contact__0__real__law="spring_damper_pull"),
    "power 1.5": changed(axis(), contact__0__real=_hunt(30000.0, 1.5, 0.0)),
    "Hunt and Crossley": changed(axis(), contact__0__real=_hunt(30000.0, 1.5, 8.0)),
    "preloaded table": changed(
        axis(),
        contact__0__real={"law": "table", "table_m_N": [[0.0, 0.0], [1e-4, 1.0], [1e-2, 11.0]]},
    ),
    "robot lags": changed(axis(), robots__chaser={"model": "lag", "delay_ms": 8.0, "lag_Hz": 8.0}),
    "robot limited": changed(
        axis(k=5e4, v=0.05),
        robots__chaser={"model": "limited", "max_acceleration_m_per_s2": 0.3, "delay_ms": 8.0},
    ),
    "delay varies": changed(axis(), robots__chaser={"delay_ms": 16.0, "delay_jitter_ms": 3.0}),
    "set-points lost": changed(
        axis(), robots__chaser={"delay_ms": 16.0, "dropout_probability": 0.05}
    ),
    "poses 16 ms late": changed(axis(), pose__delay_ms=16.0),
    "low-pass 20 Hz": changed(axis(), sensor__lowpass_Hz=20.0),
    "low-pass 15 Hz, damped": changed(axis(c=60.0, T=8.0), sensor__lowpass_Hz=15.0),
    "mean of 1 kHz, damped": changed(axis(c=60.0), sensor__period_ms=1.0, sensor__handover="mean"),
    "low-pass, delay varies": changed(
        axis(c=100.0, T=2.0),
        sensor__lowpass_Hz=20.0,
        robots__chaser={"delay_ms": 16.0, "delay_jitter_ms": 1.5},
    ),
    "bias 1 N": changed(axis(), sensor__bias_N=[1.0, 0.3, 0.0]),
    "bias under a threshold": changed(
        axis(), sensor__bias_N=[1.0, 0.0, 0.0], sensor__threshold_N=1.2
    ),
    "tool 3 % wrong": changed(axis(), mock_up__chaser=TOOL),
    "sensor at its range": changed(axis(), sensor__range_N=3.0),
    "resolution 0.1 N": changed(axis(), sensor__resolution_N=0.1),
    "thruster": changed(
        axis(), external={"chaser": {"frame": "world", "rows": [*PUSH, [1.5, 0, 0, 0, 0, 0, 0]]}}
    ),
    "flight too short": changed(axis(), chaser__position_m=[0.0003, 0.0, 0.0]),
    "off centre": balls(),
    "off centre, damped, 32 ms": balls(c=100.0, delay=32.0),
    "friction 0.1": balls(0.1),
    "friction 0.3": balls(0.3),
    "friction 0.3, nearly sticking": balls(0.3, chaser__velocity_m_per_s=[-0.05, 0.002, 0.001]),
    "friction 0.2, damped": balls(0.2, c=100.0),
    "friction 0.3, mean of 1 kHz": balls(0.3, sensor__period_ms=1.0, sensor__handover="mean"),
    "friction 0.3, long, low-pass 50 Hz": creeping(),
    "tool 3 % wrong, turning": balls(
        chaser__rate_rad_per_s=[0.02, -0.1, 0.05], mock_up__chaser=TOOL
    ),
    "both sensors": balls(sensor__on="both"),
    "epos_3d, quiet": preset("epos_3d", sensor__noise_N=0.0),
    "lange_cone": preset("lange_cone"),
    "petals": preset("three_petals"),
    "petals without friction": _smooth_petals(),
    "four feet": feet(0.0),
    "four feet, friction 0.12": feet(),
}
NOISY: dict[str, Tables] = {
    "noise 0.1 N": changed(axis(), sensor__noise_N=0.1),
    "noise 0.2 N, damped": changed(axis(c=30.0), sensor__noise_N=0.2),
    "noise 1 N, friction 0.2": balls(0.2, sensor__noise_N=1.0, sensor__noise_Nm=0.3),
}


def drawn(seed: int) -> Tables:
    """A random case: 20 to 3000 kg, contacts of 10 to 120 cycles, delays up to 32 ms, wall, sphere
    or cone, every second with friction of 0.1 to 0.3, every third damped or of a power."""
    r = random.Random(seed)
    T = r.choice([2.0, 4.0, 4.0, 8.0])
    m, mt = 10 ** r.uniform(1.3, 3.5), 10 ** r.uniform(1.3, 3.5)
    mass, cycles, v = m * mt / (m + mt), r.uniform(10.0, 120.0), r.uniform(0.01, 0.1)
    k = mass * (math.pi / (cycles * T * 1e-3)) ** 2
    c = 2.0 * r.choice([0.0, 0.0, r.uniform(0.01, 0.3)]) * math.sqrt(k * mass)
    friction = r.choice([0.0, 0.0, 0.0, 0.1, 0.2, 0.3])
    real: dict[str, Any] = {
        "law": "spring_damper",
        "stiffness_N_per_m": k,
        "damping_Ns_per_m": c,
        "friction": friction,
    }
    if r.random() < 0.25:
        n, depth = r.choice([1.3, 1.5, 2.0]), v * math.sqrt(mass / k)
        factor = r.choice([0.0, 0.3 / v * r.random()])
        real = _hunt(k * depth / depth**n, n, factor) | {"friction": friction}
    tumbles = 0.05 if r.random() < 0.4 else 0.0
    late = r.uniform(0.0, 32.0)
    other = late if r.random() < 0.7 else r.uniform(0.0, 32.0)
    shape, gap = r.choice(["wall", "sphere", "cone"]), r.uniform(0.4, 0.8) * v + 0.02
    tip = [-0.4, r.uniform(-0.05, 0.05), r.uniform(-0.05, 0.05)]
    sideways = [r.uniform(-0.3, 0.3) * v for _ in range(2)]
    pair: dict[str, Any] = {
        "geometry": shape,
        "tip_m": tip,
        "tip_radius_m": 0.03,
        "origin_m": [0.5, 0.0, 0.0],
        "axis": [1.0, 0.0, 0.0],
        "real": real,
    }
    x = 0.93 + gap
    if shape == "wall":
        pair["axis"] = [1.0, r.uniform(-0.2, 0.2), r.uniform(-0.2, 0.2)]
    elif shape == "sphere":
        pair["sphere_radius_m"] = 0.1
        x += 0.08
    else:
        pair |= {
            "mouth_radius_m": 0.12,
            "bottom_radius_m": 0.03,
            "half_angle_deg": 30.0,
            "closed_bottom": True,
        }
    place = [-tip[i] - sideways[i - 1] * (gap / v + 0.2) + r.uniform(-0.04, 0.04) for i in (1, 2)]
    duration = (8.0 if shape == "cone" else 2.5) + 2e-3 * cycles * T

    def body(mass_kg: float) -> dict[str, Any]:
        about = mass_kg * r.uniform(0.05, 0.2)
        return {
            "mass_kg": mass_kg,
            "inertia_kg_m2": [about, about * r.uniform(0.8, 1.2), about * r.uniform(0.8, 1.2)],
            "rate_rad_per_s": [r.uniform(-tumbles, tumbles) for _ in range(3)],
        }

    return {
        "name": f"drawn_{seed}",
        "time": {"cycle_ms": T, "duration_s": round(duration, 2)},
        "chaser": body(m) | {"position_m": [x, *place], "velocity_m_per_s": [-v, *sideways]},
        "target": body(mt),
        "robots": {"chaser": {"delay_ms": late}, "target": {"delay_ms": other}},
        "contact": [pair],
    }
