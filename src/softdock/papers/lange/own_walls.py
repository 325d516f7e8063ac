"""Section IV-B alone, each robot against a wall of its own, beside IV-D, where both know of each
other: momentum and energy after the central impact."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.impact import (
    MASS,
    PUBLISHED,
    SPEED,
    energy_ratio,
    load_method,
    run_plain_impact,
)
from softdock.results.run import Run

CYCLE_MS, SHARE = 4.0, 0.75
MASSES = (100.0, 1000.0)  # kg, of the client
SECONDS = 1.6
JERK = {"model": "limited", "max_acceleration_m_per_s2": 2.3, "max_jerk_m_per_s3": 9.63}
ROBOTS: dict[str, tuple[dict[str, Any], float]] = {  # keys of both, and the lead [ms]
    "in time": ({"delay_ms": 0.0}, 0.0),
    "20 ms of delay, led": ({"delay_ms": 20.0}, 20.0),
    "20 ms of delay": ({"delay_ms": 20.0}, 0.0),
    "of Fig. 6 (jerk)": (JERK, 0.0),
}
SECTIONS = ("IV-B", "IV-D")
METHOD_FILE = Path(__file__).with_name("own_wall_method.py")


@functools.cache
def run_walls(section: str, robots: str, client_kg: float) -> Run:
    """One impact with a held force."""
    keys, lead = ROBOTS[robots]
    with load_method(METHOD_FILE) as name:
        method: dict[str, Any] = {"name": name} if section == "IV-B" else dict(PUBLISHED)
        changes = {"target.mass_kg": client_kg, "time.duration_s": SECONDS}
        method["lead_ms"] = lead
        return run_plain_impact(keys, method, CYCLE_MS, SHARE, **changes)


def momentum_gain(run: Run, client_kg: float) -> float:
    """Momentum of the pair after the impact over that before."""
    after = [run.series[f"{body}.velocity.x"][-1] for body in ("chaser", "target")]
    return float((MASS * after[0] + client_kg * after[1]) / (MASS * SPEED))


def _row(section: str, robots: str, client_kg: float) -> dict[str, Any]:
    run = run_walls(section, robots, client_kg)
    return {
        "section": section,
        "robots": robots,
        "client_kg": client_kg,
        "momentum": momentum_gain(run, client_kg),
        "energy": energy_ratio(run),
    }


def make_own_walls() -> Exhibit:
    rows = [_row(s, robots, kg) for kg in MASSES for robots in ROBOTS for s in SECTIONS]
    return Exhibit(
        key="own_walls",
        title="IV-B without IV-D: each robot against its own wall",
        says=_summarise,
        columns=(
            Column("client_kg", "client [kg]"),
            Column("robots", "robots"),
            Column("section", "section"),
            Column("momentum", "momentum, after over before"),
            Column("energy", "energy, after over before"),
        ),
        rows=rows,
        numbers={
            "largest_momentum_iv_b": max(r["momentum"] for r in rows if r["section"] == "IV-B"),
            "largest_momentum_error_iv_d": max(
                abs(r["momentum"] - 1.0) for r in rows if r["section"] == "IV-D"
            ),
        },
        assumptions=(
            "The central impact of Fig. 6, lossless, T = 4 ms, the force held over a cycle, no "
            "rewind. IV-B: each robot finds the place of its wall from "
            "its own force, pose and 100 N/mm (18), and its satellite feels 100 N/mm there (20, "
            "21) as long as a force is measured; IV-D: (32) with both robots' poses.",
        ),
        remarks=(
            "IV-B takes the environment for a wall. With two robots the place of the surface is "
            "right for robots that are where their satellites are; where they lag, the forces on "
            "the satellites are no longer equal and opposite.",
        ),
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = {(r["section"], r["robots"], r["client_kg"]): r for r in rows}
    said = []
    for kg in MASSES:
        parts = [
            f"{robots} x {at['IV-B', robots, kg]['momentum']:.3g} and x "
            f"{at['IV-B', robots, kg]['energy']:.3g}"
            for robots in ROBOTS
        ]
        said.append(f"client of {kg:g} kg: {'; '.join(parts)}")
    error = numbers["largest_momentum_error_iv_d"]
    return Findings(
        f"Momentum and energy of the pair by IV-B. {'. '.join(said).capitalize()}.",
        [
            f"With IV-D momentum is kept to {error:.0e} in all of these"
            + ("." if error < 1e-9 else ", which is NOT to rounding.")
        ],
    )
