"""The runs of Zebenay's 3-D docking test: cases, limits, and the tip in the nozzle."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import matrices_by_entry
from softdock.papers.zebenay.loops import CYCLE, DELAY
from softdock.results.run import Run
from softdock.results.simulation import simulate
from softdock.scenario.files import load_scenario
from softdock.studies.stability import (
    FreeBody,
    critical_damping,
    effective_mass,
    predicted_restitution,
)

DAMPING = 40.0  # published, in Ns/m, of a torque about z
THRESHOLD_N = 1.0  # the virtual damper acts above: eight times the noise of a mean of four
MEAN_AGE = 0.0015  # s, of the mean of four samples at 1 ms


BARE = "no damping"
NEUTRAL = "neutral along the normal"
# The paper: "a virtual torque was added with a damping coefficient of 40 Ns/m along the z-axis of
# the chaser body frame". Its unit is a force's, its quantity a torque, and its z axis is along the
# probe in 2-D and not told in 3-D. Here x is along the probe, z normal to the plane of contact.
READINGS: dict[str, dict[str, Any]] = {
    "40 Nms/rad about z": {"rotation_damping_Nms_per_rad": [0.0, 0.0, DAMPING]},
    "40 Nms/rad about all axes": {"rotation_damping_Nms_per_rad": [DAMPING] * 3},
    "40 Ns/m along the probe": {"damping_Ns_per_m": [DAMPING, 0.0, 0.0]},
    "40 Ns/m across it, in the plane": {"damping_Ns_per_m": [0.0, DAMPING, 0.0]},
    "40 Ns/m along z": {"damping_Ns_per_m": [0.0, 0.0, DAMPING]},
    "40 Ns/m on all tip axes": {"damping_Ns_per_m": [DAMPING] * 3},
    "40 Ns/m along the normal": {"frame": "normal", "damping_Ns_per_m": [DAMPING, 0.0, 0.0]},
}
AT_THE_TIP = {"frame": "chaser", "tip_m": [1.0, 0.0, 0.0]}


def virtual_damper(name: str) -> dict[str, Any]:
    """The virtual damper of one reading of "40", by default at the chaser's tip."""
    keys = READINGS[name]
    return {"name": "hybrid", "contact_N": THRESHOLD_N} | (
        keys if "frame" in keys else AT_THE_TIP | keys
    )


def normal_damper(damping: float) -> dict[str, Any]:
    """A damper along the normal [Ns/m]."""
    return {
        "name": "hybrid",
        "frame": "normal",
        "contact_N": THRESHOLD_N,
        "damping_Ns_per_m": [damping, 0.0, 0.0],
    }


@functools.cache
def critical_dampings(place: str) -> tuple[float, float]:
    """Critical damping, and the damping with which a contact that cannot pull is neutral [Ns/m]; at
    the `wall` or at the `bottom`."""
    tables = load_scenario("epos_3d").tables
    pair = tables["contact"][0]
    k, half_angle = pair["real"]["stiffness_N_per_m"], np.radians(pair["half_angle_deg"])
    normal = (
        (-1.0, 0.0, 0.0) if place == "bottom" else (-np.sin(half_angle), -np.cos(half_angle), 0.0)
    )
    arms = {"chaser": pair["tip_m"], "target": pair["origin_m"]}
    mass = effective_mass(
        normal,
        *(
            FreeBody(tables[b]["mass_kg"], tables[b]["inertia_kg_m2"], arm)
            for b, arm in arms.items()
        ),
    )
    low, high = 0.0, 4.0 * k * DELAY
    while high - low > 0.1:
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high)
            if predicted_restitution(mass, k, middle, DELAY + MEAN_AGE, CYCLE, phases=8) > 1.0
            else (low, middle)
        )
    return float(critical_damping(mass, k, DELAY + MEAN_AGE, CYCLE)), high


def run_cases() -> dict[str, dict[str, Any]]:
    """The runs by name."""
    return {
        BARE: normal_damper(0.0),
        **{name: virtual_damper(name) for name in READINGS},
        NEUTRAL: normal_damper(critical_dampings("wall")[1]),
    }


@functools.cache
def run_case(name: str) -> Run:
    return simulate(
        load_scenario("epos_3d").replace(
            {"methods": [run_cases()[name], {"name": "monitor", "frame": "chaser"}]}
        )
    )


def tip_in_nozzle(run: Run) -> np.ndarray:
    """The satellites' probe tip in the nozzle's axes, from the middle of its mouth [m]: into the
    nozzle, across, across."""
    s = run.series
    pair = run.scenario.tables["contact"][0]
    C, T = (matrices_by_entry(np.asarray(s[f"{body}.attitude"])) for body in ("chaser", "target"))
    tip = s["chaser.position"] + C @ np.asarray(pair["tip_m"]) - s["target.position"]
    return np.asarray(np.einsum("nji,nj->ni", T, tip) - np.asarray(pair["origin_m"]))


def nozzle_depth(run: Run) -> float:
    """From the mouth to the bottom [m]."""
    pair = run.scenario.tables["contact"][0]
    wide = pair["mouth_radius_m"] - pair["bottom_radius_m"]
    return float(wide / np.tan(np.radians(pair["half_angle_deg"])))


def locate_contacts(run: Run) -> list[str]:
    """`wall` or `bottom` for each contact: position of the tip in its middle."""
    tip, time, depth = tip_in_nozzle(run)[:, 0], run.series["time"], nozzle_depth(run)
    middles = [0.5 * (c["start_s"] + c["end_s"]) for c in run.contacts]
    return ["bottom" if tip[np.searchsorted(time, t)] > depth else "wall" for t in middles]


def has_left(run: Run) -> bool:
    """Whether the probe's tip moves out of the nozzle when the run ends."""
    tip = tip_in_nozzle(run)[:, 0]
    return bool(tip[-1] < tip[-2])
