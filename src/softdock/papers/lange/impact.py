"""The central impact of Fig. 6 as softdock scenarios: families of robots, loops, and the phase of
the contact in a cycle.

Time is the paper's: the first sample that shows the contact is at 8.04 s. `share`: age of the
contact at that sample, in cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.method.method import BY_TYPE
from softdock.methods.registry import METHODS
from softdock.results.run import Run
from softdock.results.simulation import run_loop
from softdock.scenario.files import load_scenario
from softdock.scenario.method_file import load_method_file

SPEED, MASS = 0.1, 100.0  # m/s, assumed; kg, published
STIFFNESS = 50_000.0  # N/m: 100 N/mm on each side, in series
SEEN_AT = 8.04  # s, published; 670 cycles of 12 ms, 2010 of 4 ms
SHARE = 0.43  # with which 12 ms give 157.0 N
PUBLISHED_SATELLITE_N, PUBLISHED_ROBOT_N = 157.0, 364.0


class Robots(NamedTuple):
    """A family of robots that gives both published forces."""

    words: str
    preset: str
    limits: dict[
        float, dict[str, float]
    ]  # cycle [ms] -> keys of both robots that the preset has otherwise
    lead_ms: float = 0.0


FAMILIES = {
    "jerk": Robots(
        "2.3 m/s², jerk 9.63 m/s³, no delay",
        "lange_impact_jerk",
        {12.0: {"max_jerk_m_per_s3": 9.63}},
    ),
    "acceleration": Robots(
        "0.370 m/s², no delay",
        "lange_impact_acceleration",
        {12.0: {"max_acceleration_m_per_s2": 0.370}},
    ),
    "delay": Robots(
        "2.3 m/s², jerk 116 m/s³, 48 ms of delay, led by 48 ms", "lange_impact_delay", {}, 48.0
    ),
}

NAIVE: dict[str, Any] = {"name": "direct"}
HELD = {"substeps": 1}  # as published: the force at the cycle's start, over the cycle
OURS: dict[str, Any] = {"name": "remapping"}  # rewind, in the sub-steps it has by default
PUBLISHED = OURS | HELD | {"rewind_ms": 0.0}
LOOPS = {"naive": NAIVE, "published": PUBLISHED, "softdock": OURS}
LOOP_WORDS = {
    "naive": "the measured force straight to the satellites",
    "published": "re-mapped, the force of (27) held over a cycle",
    "softdock": "re-mapped, the satellites' contact in sub-steps, with rewind",
}


def both_robots(keys: dict[str, Any]) -> dict[str, Any]:
    """Keys of one robot as keys of both."""
    return {
        f"robots.{body}.{key}": value
        for body in ("chaser", "target")
        for key, value in keys.items()
    }


def start_position(share: float, cycle_ms: float, seen_at: float) -> dict[str, Any]:
    """Start position of the servicer with which the first sample in contact, at about `seen_at`
    [s], is `share` of a cycle old."""
    T = 1e-3 * cycle_ms
    return {
        "chaser.position_m": [-SPEED * T * (round(seen_at / T) - share), 0.0, 0.0],
        "time.cycle_ms": cycle_ms,
    }


def run_impact(
    family: str,
    loop: str,
    cycle_ms: float = 12.0,
    share: float = SHARE,
    seen_at: float = 0.3,
    after: float = 1.0,
    scenario: dict[str, Any] | None = None,
) -> Run:
    """One run of a family of robots. `after`: duration after the impact [s]; `scenario`: further
    keys."""
    robots = FAMILIES[family]
    keys = LOOPS[loop] | ({"lead_ms": robots.lead_ms} if robots.lead_ms and loop != "naive" else {})
    changes = (
        start_position(share, cycle_ms, seen_at)
        | both_robots(robots.limits.get(cycle_ms, {}))
        | {"time.duration_s": seen_at + after, "methods": [keys]}
    )
    return run_loop(load_scenario(robots.preset).replace(changes | (scenario or {})))


def run_plain_impact(
    robot: dict[str, Any],
    method: dict[str, Any],
    cycle_ms: float,
    share: float,
    stiffness: float = STIFFNESS,
    **changes: Any,
) -> Run:
    """The same impact with any robots and contact."""
    chosen = {"model": "delay", "delay_ms": 0.0} | robot
    other = {
        "robots": {body: chosen for body in ("chaser", "target")},
        "time.duration_s": 0.8,
        "contact.0.real.stiffness_N_per_m": stiffness,
    }
    given = (
        start_position(share, cycle_ms, 0.2)
        | other
        | {"methods": [method], "allow_unresolved": True}
        | changes
    )
    return run_loop(load_scenario("lange_impact_jerk").replace(given))


@contextmanager
def load_method(file: Path) -> Iterator[str]:
    """Load the method of one file; unregister it afterwards."""
    (name,) = load_method_file(file)
    try:
        yield name
    finally:
        BY_TYPE.pop(type(METHODS.pop(name).marker))


def spread_shares(number: int) -> np.ndarray:
    """Shares evenly spread over a cycle; 1: seen a whole cycle late."""
    return np.arange(1, number + 1) / number


def restitution(run: Run) -> float:
    """Speed of parting over speed of approach, at the end of the run."""
    return float(run.series["target.velocity.x"][-1] - run.series["chaser.velocity.x"][-1]) / SPEED


def momentum_error(run: Run) -> float:
    """Largest change of the pair's momentum, relative to the servicer's initial momentum."""
    total = MASS * (run.series["chaser.velocity"] + run.series["target.velocity"])
    return float(np.abs(total - total[0]).max() / (MASS * SPEED))


def energy_ratio(run: Run) -> float:
    return run.ledger["kinetic"] / run.ledger["kinetic_start"]


def tabulate_run(run: Run, remapped: bool) -> dict[str, Any]:
    """One row of the tables of Fig. 6, with the published forces if the loop re-maps."""
    satellite, robot = peak_forces(run)
    return {
        "satellite_N": satellite,
        "published_satellite_N": PUBLISHED_SATELLITE_N if remapped else None,
        "robot_N": robot,
        "published_robot_N": PUBLISHED_ROBOT_N if remapped else None,
        "restitution": restitution(run),
        "energy_ratio": energy_ratio(run),
    }


def peak_forces(run: Run) -> tuple[float, float]:
    """Largest force on a satellite and on a robot [N]."""
    return max(c["peak_force_satellite_N"] for c in run.contacts), max(
        c["peak_force_real_N"] for c in run.contacts
    )
