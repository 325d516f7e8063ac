"""Random walls that are tilted against the scenario by up to 2 degrees: error of the relative
velocity after the contact, of the approach speed, with and without the search for a tilt, and how
often a miss above 1 % or a hit carries a doubt."""

from __future__ import annotations

import math

import numpy as np

from softdock import SimulatedFacility, drive, load_scenario, run_reference
from softdock.methods.model_mediated.notes import list_doubts

CLASSES = {  # friction coefficient, largest sliding of the approach speed, noise of the peak force
    "no friction, straight": (0.0, 0.0, 0.0),
    "no friction, straight, noise": (0.0, 0.0, 0.005),
    "no friction, sliding": (0.0, 0.4, 0.0),
    "friction 0.2, straight": (0.2, 0.0, 0.0),
    "friction 0.2, straight, noise": (0.2, 0.0, 0.005),
    "friction 0.2, sliding": (0.2, 0.4, 0.0),
    "friction 0.2, sliding, noise": (0.2, 0.4, 0.005),
}


def draw(rng: np.random.Generator, friction: float, sliding: float, noise: float) -> dict:
    """Two free bodies, a lossless or damped contact of 0.1 to 0.6 s, robots 4 to 32 ms late, a wall
    tilted in any direction."""
    m_c, m_t = np.exp(rng.uniform(np.log(20.0), np.log(2000.0), 2))
    reduced, contact_s = m_c * m_t / (m_c + m_t), rng.uniform(0.1, 0.6)
    k, v = reduced * (math.pi / contact_s) ** 2, rng.uniform(0.01, 0.1)
    damping = rng.choice([0.0, rng.uniform(0.0, 0.3)])
    tilt, around = math.radians(rng.uniform(0.0, 2.0)), rng.uniform(0.0, 2.0 * math.pi)
    delay, across = rng.uniform(4.0, 32.0), rng.uniform(0.0, 1.0) * sliding * v
    side = math.sin(tilt)
    return {
        "axis": [math.cos(tilt), side * math.cos(around), side * math.sin(around)],
        "speed": math.hypot(v, across),
        "keys": {
            "chaser.mass_kg": m_c,
            "target.mass_kg": m_t,
            "target.fixed": False,
            "chaser.velocity_m_per_s": [-v, across, 0.0],
            "robots.chaser.delay_ms": delay,
            "robots.target.delay_ms": delay,
            "contact.0.real.stiffness_N_per_m": k,
            "contact.0.real.damping_Ns_per_m": 2.0 * damping * math.sqrt(k * reduced),
            "contact.0.real.friction": friction,
            "sensor.noise_N": noise * v * math.sqrt(k * reduced),
            "time.duration_s": 0.01 / v + 2.0 * contact_s + 1.0,
        },
    }


def measure(case: dict, surface: bool) -> tuple[float, bool]:
    """Error of one rig, and whether the method doubts it."""
    method = {"name": "model_mediated", "surface": surface}
    true = load_scenario("epos_1d", case["keys"] | {"contact.0.axis": case["axis"]})
    run = drive(
        load_scenario("epos_1d", case["keys"] | {"methods": [method]}), SimulatedFacility(true)
    )
    parted = [
        one.series["chaser.velocity"][-1] - one.series["target.velocity"][-1]
        for one in (run, run_reference(true))
    ]
    error = float(np.linalg.norm(parted[0] - parted[1])) / case["speed"]
    return error, bool(list_doubts(run.method_books["model_mediated"]))


def tilted(count: int, seed: int) -> None:
    """A row for each class of rigs."""
    print(
        f"\n| seed {seed}, {count} rigs a row | without the search, median [%] | median [%] | "
        "90 % [%] | within 1 % | misses doubted | hits doubted |\n"
        "|---|---:|---:|---:|---:|---:|---:|"
    )
    for number, (name, kind) in enumerate(CLASSES.items()):
        rng = np.random.default_rng([seed, number])
        cases = [draw(rng, *kind) for _ in range(count)]
        plain = 100.0 * np.median([measure(case, False)[0] for case in cases])
        found = [measure(case, True) for case in cases]
        errors = 100.0 * np.array([error for error, _ in found])
        misses = [doubted for error, doubted in found if error > 0.01]
        hits = [doubted for error, doubted in found if error <= 0.01]
        print(
            f"| {name} | {plain:.2g} | {np.median(errors):.2g} | "
            f"{np.percentile(errors, 90.0):.2g} | {len(hits)} of {count} | "
            f"{sum(misses)} of {len(misses)} | {sum(hits)} of {len(hits)} |",
            flush=True,
        )
