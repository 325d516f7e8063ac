"""The bar in the cone of Fig. 7 as softdock runs: robots, loops, momentum, and positions of bar and
cone."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.spatial.arrays import matrices_by_entry
from softdock.papers.lange.impact import HELD as HELD_FORCE
from softdock.papers.lange.impact import NAIVE, both_robots
from softdock.results.run import Run
from softdock.results.simulation import run_loop
from softdock.scenario.build import Scenario
from softdock.scenario.files import load_scenario

DELAY_MS = 20.0
ROBOT = {  # assumed; the paper names only that the acceleration is limited
    "model": "limited",
    "max_acceleration_m_per_s2": 2.3,
    "max_jerk_m_per_s3": 125.0,
    "max_angular_acceleration_rad_per_s2": 4.6,
    "max_angular_jerk_rad_per_s3": 250.0,
    "delay_ms": DELAY_MS,
}


def _remapping(lead: bool, rewind: bool) -> dict[str, Any]:
    return {
        "name": "remapping",
        "lead_ms": DELAY_MS if lead else 0.0,
        "rewind_ms": 100.0 if rewind else 0.0,
    }


LOOPS = {
    "naive": NAIVE,
    "neither": _remapping(False, False),
    "lead": _remapping(True, False),
    "rewind": _remapping(False, True),
    "both": _remapping(True, True),
    "both, held": _remapping(True, True) | HELD_FORCE,
}
NEITHER, OURS, HELD = "neither", "both", "both, held"


@functools.cache
def run_cone(loop: str, later: float = 0.0) -> Run:
    """Run one loop. `later`: delay of the whole motion, in cycles."""
    preset = load_scenario("lange_cone")
    start = delayed_start(preset, later)
    return run_loop(
        preset.replace(both_robots(ROBOT) | {"chaser.position_m": start, "methods": [LOOPS[loop]]})
    )


def delayed_start(preset: Scenario, later: float) -> list[float]:
    """Start position of the chaser [m] with which the motion is later by this part of a cycle."""
    x, y, z = preset.tables["chaser"]["position_m"]
    cycle = 1e-3 * preset.tables["time"]["cycle_ms"]
    return [x - later * cycle * preset.tables["chaser"]["velocity_m_per_s"][0], y, z]


class ToolTracks(NamedTuple):
    """Bar and cone in the plane of the motion, at every recorded instant: (N, points, 2) [m]."""

    bar: np.ndarray  # from the servicer's centre of mass to its tip
    cone: np.ndarray  # mouth, apex, mouth
    servicer: np.ndarray  # (N, 2), centres of mass
    client: np.ndarray


def track_tools(run: Run, of: str = "") -> ToolTracks:
    """Bar and cone of a run. `of`: empty for the satellites, `mock_up.` for the robots."""
    s, pair = run.series, run.scenario.tables["contact"][0]
    mouth, radius = np.asarray(pair["origin_m"]), pair["mouth_radius_m"]
    depth = radius / np.tan(np.radians(pair["half_angle_deg"]))
    side = np.array([0.0, radius, 0.0])
    bar = _place_points(s, f"{of}chaser", np.array([np.zeros(3), pair["tip_m"]]))
    cone = _place_points(
        s,
        f"{of}target",
        np.array([mouth + side, mouth - depth * np.asarray(pair["axis"]), mouth - side]),
    )
    return ToolTracks(
        bar,
        cone,
        np.asarray(s[f"{of}chaser.position"])[:, :2],
        np.asarray(s[f"{of}target.position"])[:, :2],
    )


def _place_points(series: Any, body: str, points: np.ndarray) -> np.ndarray:
    """World coordinates x and y of a body's points."""
    R = matrices_by_entry(np.asarray(series[f"{body}.attitude"]))
    return np.asarray(series[f"{body}.position"][:, None, :] + np.einsum("nij,pj->npi", R, points))[
        :, :, :2
    ]


def tip_in_cone(run: Run, of: str = "") -> np.ndarray:
    """Position of the bar's tip from the middle of the mouth, in the cone's axes: into it, across
    [m]."""
    s, pair = run.series, run.scenario.tables["contact"][0]
    C, T = (
        matrices_by_entry(np.asarray(s[f"{of}{body}.attitude"])) for body in ("chaser", "target")
    )
    tip = s[f"{of}chaser.position"] + C @ np.asarray(pair["tip_m"]) - s[f"{of}target.position"]
    return np.asarray(np.einsum("nji,nj->ni", T, tip) - np.asarray(pair["origin_m"]))[:, :2]


def turn_angle(run: Run, body: str) -> np.ndarray:
    """Angle about the normal of the plane [deg]; `body` may be a mock-up."""
    q = np.asarray(run.series[f"{body}.attitude"])
    return np.asarray(np.degrees(2.0 * np.arctan2(q[:, 3], q[:, 0])))


def linear_momentum(run: Run) -> np.ndarray:
    tables = run.scenario.tables
    return np.asarray(
        sum(
            tables[body]["mass_kg"] * run.series[f"{body}.velocity"]
            for body in ("chaser", "target")
        )
    )


def angular_momentum(run: Run) -> np.ndarray:
    """Angular momentum about the world's origin [Nms]."""
    tables, s, total = run.scenario.tables, run.series, 0.0
    for body in ("chaser", "target"):
        R = matrices_by_entry(np.asarray(s[f"{body}.attitude"]))
        spin = np.einsum(
            "nij,nj->ni", R, np.asarray(tables[body]["inertia_kg_m2"]) * s[f"{body}.rate"]
        )  # principal
        total = (
            total
            + tables[body]["mass_kg"] * np.cross(s[f"{body}.position"], s[f"{body}.velocity"])
            + spin
        )
    return np.asarray(total)


def relative_change(series: np.ndarray) -> float:
    """Largest deviation of a vector from its first value, relative to that value."""
    return float(np.abs(series - series[0]).max() / np.linalg.norm(series[0]))


def contact_instants(run: Run) -> list[int]:
    """Row of the largest force on the satellites in each contact."""
    t, force = run.series["time"], np.linalg.norm(run.series["satellite.chaser.force"], axis=1)
    instants = []
    for contact in run.contacts:
        during = np.flatnonzero((t >= contact["start_s"]) & (t <= contact["end_s"]))
        instants.append(int(during[np.argmax(force[during])]))
    return instants
