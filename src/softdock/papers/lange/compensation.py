"""Full compensation (Lange IV-C): the restitution that is wanted against the one the satellites
get, behind elastic joints, with noise and an unknown gap.

    python -m softdock.papers.lange.compensation [seeds]

Numbers of design/physics.md 5: series contact 50 N/mm, joints 500 N/mm with 50 kg behind each, both
with a damping ratio of 0.1, robots of 2.3 m/s^2, 125 m/s^3 and 20 ms with an equal lead, T = 4 ms,
force noise 0.5 N, motor noise 2 um, threshold 2 N, rewind. Four ways to find the environment:
`ignored` takes force over stiffness, as if there were neither joints nor damping (18); `exact`
knows the contact's damping, with the motors' rate (24); `replaced` has the joints in series with
the stiffness (16); `filter` is the Kalman filter. Each seed has its own sampling phase.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.campaign.columns import columns
from softdock.campaign.cpu import run_cpu
from softdock.scenario.build import build
from softdock.scenario.restitution import damping_of_restitution, restitution_of_lambda

SPEED, T = 0.1, 0.004  # m/s, s
MASS, STIFFNESS, RATIO = 50.0, 5e4, 0.1  # kg effective, N/m, damping ratio of the contact on it
DAMPING = 2.0 * RATIO * float(np.sqrt(STIFFNESS * MASS))  # Ns/m
GAP = 1e-3  # m, still open where the motors' poses say that the parts touch
LAMBDA = 6.35  # s/m
GOLDEN = 0.6180339887498949  # phases spread evenly, however many
ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "ignored": {"environment": "exact", "stiffness_N_per_m": STIFFNESS},
    "exact": {"environment": "exact"},
    "replaced": {"environment": "replaced_stiffness", "stiffness_N_per_m": STIFFNESS},
    "filter": {"environment": "filter"},
}


class Wanted(NamedTuple):
    restitution: float
    law: str
    contact: dict[str, Any]  # the scenario's wanted contact


class Row(NamedTuple):
    """Of all seeds."""

    law: str
    wanted: float
    environment: str
    seeds: int
    mean: float
    bias: float
    deviation: float
    median: float
    least: float
    most: float


def wanted_contacts() -> list[Wanted]:
    """Three restitutions by a damper whose force is cut off at zero, one by Hunt and Crossley's
    law."""
    found = []
    for e in (1.0, 0.7, 0.3):
        damping = damping_of_restitution(STIFFNESS, e, MASS)
        found.append(
            Wanted(
                e,
                "damper",
                {
                    "law": "spring_damper",
                    "stiffness_N_per_m": STIFFNESS,
                    "damping_Ns_per_m": damping,
                },
            )
        )
    hunt = {
        "law": "hunt_crossley",
        "stiffness_N_per_m": 1e6,
        "exponent": 1.5,
        "lambda_s_per_m": LAMBDA,
    }
    return [*found, Wanted(restitution_of_lambda(LAMBDA, SPEED), "hunt_crossley", hunt)]


def start_of(seed: Any) -> Any:
    """Where the chaser starts [m]: its own sampling phase for each seed."""
    return 0.32 + SPEED * T * np.mod(seed * GOLDEN, 1.0)


def scenario_tables(wanted: dict[str, Any], gap_m: float = GAP, **method: Any) -> dict[str, Any]:
    """The rig, as a user would write it; `method`: keys of the re-mapping."""
    robot = {
        "model": "limited",
        "delay_ms": 20.0,
        "max_acceleration_m_per_s2": 2.3,
        "max_jerk_m_per_s3": 125.0,
        "joint_stiffness_N_per_m": 5e5,
        "joint_damping_ratio": 0.1,
        "moving_mass_kg": 50.0,
    }
    body = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]}
    return {
        "time": {"cycle_ms": 1e3 * T, "duration_s": 0.6, "plant_steps": 8},
        "chaser": body | {"position_m": [0.32, 0.0, 0.0], "velocity_m_per_s": [-SPEED, 0.0, 0.0]},
        "target": dict(body),
        "robots": {"chaser": dict(robot), "target": dict(robot)},
        "sensor": {"noise_N": 0.5},
        "pose": {"noise_m": 2e-6, "chaser_offset_m": [-gap_m, 0.0, 0.0]},
        "contact": [
            {
                "geometry": "wall",
                "tip_m": [-0.3, 0.0, 0.0],
                "real": {"stiffness_N_per_m": STIFFNESS, "damping_Ns_per_m": DAMPING},
                "wanted": wanted,
            }
        ],
        "methods": [{"name": "remapping", "threshold_N": 2.0, "lead_ms": 20.0, **method}],
    }


def restitutions(
    wanted: Wanted, environment: str, seeds: int, first: int = 1, gap_m: float = GAP
) -> np.ndarray:
    """One of each seed, seeds from `first` on; the sampling phase with it."""
    scenario = build(scenario_tables(wanted.contact, gap_m, **ENVIRONMENTS[environment]))
    number = np.arange(first, first + seeds)
    swept = {
        "random.seed": number,
        "random.run": np.zeros(seeds),
        "chaser.position_m.0": start_of(number),
    }  # as single runs of these seeds
    return run_cpu(*columns(scenario, swept)).column("restitution")


def restitution_table(
    seeds: int = 50,
    environments: Sequence[str] = tuple(ENVIRONMENTS),
    progress: Callable[[str], None] = lambda what: None,
) -> list[Row]:
    """A row for each wanted restitution and each way to find the environment."""
    rows = []
    for wanted in wanted_contacts():
        for name in environments:
            progress(f"{wanted.law} {wanted.restitution:.2f}, {name}")
            e = restitutions(wanted, name, seeds)
            mean, deviation = float(e.mean()), float(e.std(ddof=1))
            rows.append(
                Row(
                    law=wanted.law,
                    wanted=wanted.restitution,
                    environment=name,
                    seeds=seeds,
                    mean=mean,
                    bias=mean - wanted.restitution,
                    deviation=deviation,
                    median=float(np.median(e)),
                    least=float(e.min()),
                    most=float(e.max()),
                )
            )
    return rows


def printed(rows: Sequence[Row]) -> str:
    """The table as text."""
    lines = [
        f"{'law':14} {'wanted':>7} {'environment':12} {'mean':>8} {'bias':>8} {'sd':>7} "
        f"{'median':>8} {'least':>8} {'most':>8}"
    ]
    for r in rows:
        numbers = (
            f"{r.mean:8.4f} {r.bias:+8.4f} {r.deviation:7.4f} {r.median:8.4f} {r.least:8.4f} "
            f"{r.most:8.4f}"
        )
        lines.append(f"{r.law:14} {r.wanted:7.4f} {r.environment:12} {numbers}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(printed(restitution_table(int(sys.argv[1]) if len(sys.argv) > 1 else 50)))
