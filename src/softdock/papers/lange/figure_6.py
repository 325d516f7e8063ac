"""Fig. 6: the central impact. Forces, positions, momentum and energy of satellites and robots, for
three families of robots; the naive loop beside."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit
from softdock.papers.lange.figure_6_charts import figure_6_charts
from softdock.papers.lange.figure_6_words import figure_6_said
from softdock.papers.lange.impact import (
    FAMILIES,
    LOOP_WORDS,
    LOOPS,
    MASS,
    SEEN_AT,
    SPEED,
    STIFFNESS,
    both_robots,
    docking_row,
    energy_ratio,
    impact,
    momentum_error,
    peaks,
    restitution,
    shares,
)
from softdock.runs.run import Run

CYCLES_MS = (12.0, 4.0)
PHASES = 12
INDEPENDENT_JERK = 10.0  # m/s^3
INDEPENDENT_ROBOT_N = (333.0, 393.0)  # over all phases, by an independent calculation


@functools.cache
def run_of(family: str, loop: str, cycle_ms: float = 12.0) -> Run:
    """A run on the paper's time axis."""
    return impact(family, loop, cycle_ms, seen_at=SEEN_AT)


@functools.cache
def over_the_phase(family: str, cycle_ms: float, number: int = PHASES) -> list[dict[str, float]]:
    """Both peaks and the restitution as published, over the sampling phase."""
    found = []
    for share in shares(number):
        run = impact(family, "published", cycle_ms, float(share))
        satellite, robot = peaks(run)
        found.append(
            {
                "share": float(share),
                "satellite_N": satellite,
                "robot_N": robot,
                "restitution": restitution(run),
            }
        )
    return found


def _row(family: str, loop: str, cycle_ms: float) -> dict[str, Any]:
    run = run_of(family, loop, cycle_ms)
    return {
        "robots": family,
        "cycle_ms": cycle_ms,
        "loop": loop,
        **docking_row(run, loop != "naive"),
        "momentum_error": momentum_error(run),
        "servicer_m_per_s": float(run.series["chaser.velocity.x"][-1]),
        "client_m_per_s": float(run.series["target.velocity.x"][-1]),
    }


def make_figure_6() -> Exhibit:
    rows = [
        _row(family, loop, cycle_ms)
        for cycle_ms in CYCLES_MS
        for family in FAMILIES
        for loop in LOOPS
    ]
    phases = {cycle_ms: over_the_phase("jerk", cycle_ms) for cycle_ms in CYCLES_MS}
    low, high = _span(phases[12.0], "satellite_N")
    least, most = _span(phases[12.0], "robot_N")
    explicit = energy_ratio(
        impact("jerk", "published", scenario={"satellites.integrator": "forward_euler"})
    )
    return Exhibit(
        key="figure_6",
        title="Fig. 6: a direct central impact",
        says=figure_6_said,
        columns=(
            Column("robots", "robots"),
            Column("cycle_ms", "T [ms]"),
            Column("loop", "loop"),
            Column("satellite_N", "satellites, peak (published: 157) [N]"),
            Column("robot_N", "robots, peak (published: 364) [N]"),
            Column("restitution", "restitution"),
            Column("energy_ratio", "energy, after over before"),
            Column("momentum_error", "momentum error"),
            Column("client_m_per_s", "client after [m/s]"),
        ),
        rows=rows,
        numbers={
            "ideal_peak_N": _ideal_peak(),
            "at_12_ms_least_at_the_satellites_N": low,
            "at_12_ms_most_at_the_satellites_N": high,
            "at_12_ms_least_at_the_robots_N": least,
            "at_12_ms_most_at_the_robots_N": most,
            "at_12_ms_least_restitution": _span(phases[12.0], "restitution")[0],
            "at_12_ms_most_restitution": _span(phases[12.0], "restitution")[1],
            "at_4_ms_least_restitution": _span(phases[4.0], "restitution")[0],
            "at_4_ms_most_restitution": _span(phases[4.0], "restitution")[1],
            "explicit_euler_energy_ratio": explicit,
            "robot_width_expected_N": STIFFNESS * SPEED * 0.012,
            "independent_least_at_the_robots_N": INDEPENDENT_ROBOT_N[0],
            "independent_most_at_the_robots_N": INDEPENDENT_ROBOT_N[1],
            "as_independent_most_at_the_robots_N": as_independent_most(),
            "over_the_phase": {f"{cycle_ms:g}_ms": found for cycle_ms, found in phases.items()},
        },
        assumptions=(
            "Published: 100 kg each, 100 N/mm on each side, contact at 8.04 s, 364 and 157 "
            "N. The cycle, the approach speed (0.1 m/s), the robots' limits (2.3 m/s² too) and "
            "when in a cycle the touch falls are assumed; T = 12 ms (RSI's slow cycle), "
            "symplectic Euler, the first sample in contact 0.43 of a cycle after "
            "the touch.",
            "The robots follow the set-points by the fastest motion within their limits. "
            + "; ".join(f"{family}: {robots.words}" for family, robots in FAMILIES.items())
            + ". At 4 ms the presets' limits, 8.86 m/s³ and 0.362 m/s².",
            "Loops. " + "; ".join(f"{loop}: {words}" for loop, words in LOOP_WORDS.items()) + ".",
        ),
        remarks=(),
        charts=figure_6_charts(run_of, phases),
        by_construction="the sampling phase was chosen for 157 N, and the limits of each family of "
        "robots for 364 N",
    )


def as_independent_most() -> float:
    """The robots' largest force over the phase with a jerk of 10 m/s^3, read at the 12 ms samples,
    as the independent calculation of design/physics.md did [N]."""
    keys = both_robots({"max_jerk_m_per_s3": INDEPENDENT_JERK})
    runs = [impact("jerk", "published", 12.0, float(x), scenario=keys) for x in shares(PHASES)]
    return float(max(np.abs(run.series["measured.chaser.force.x"]).max() for run in runs))


def _span(found: list[dict[str, float]], key: str) -> tuple[float, float]:
    return min(row[key] for row in found), max(row[key] for row in found)


def _ideal_peak() -> float:
    """v sqrt(k mu) [N]."""
    return float(SPEED * (STIFFNESS * 0.5 * MASS) ** 0.5)
