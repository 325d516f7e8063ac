"""The runs of Zebenay's 3-D docking test: cases, limits, and the tip in the nozzle."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.analysis.simulation import simulate
from softdock.core.spatial.arrays import matrices_by_entry
from softdock.papers.zebenay.loops import CYCLE, DELAY
from softdock.runs.run import Run
from softdock.scenario.files import load_scenario
from softdock.stability import FreeBody, critical_damping, effective_mass, predicted_restitution

DAMPING = 40.0  # published, in Ns/m, of a torque about z


THRESHOLD_N = 1.0  # the virtual damper acts above: eight times the noise of a mean of four


MEAN_AGE = 0.0015  # s, of the mean of four samples at 1 ms


def about_z() -> dict[str, Any]:
    """The paper's damper as assumed: a torque about z, the axis normal to the plane of the first
    contact, 40 Nms/rad."""
    return {
        "name": "hybrid",
        "frame": "chaser",
        "tip_m": [1.0, 0.0, 0.0],
        "contact_N": THRESHOLD_N,
        "rotation_damping_Nms_per_rad": [0.0, 0.0, DAMPING],
    }


def along_normal(damping: float) -> dict[str, Any]:
    """A damper along the normal [Ns/m]."""
    return {
        "name": "hybrid",
        "frame": "normal",
        "contact_N": THRESHOLD_N,
        "damping_Ns_per_m": [damping, 0.0, 0.0],
    }


@functools.cache
def limits(place: str) -> tuple[float, float]:
    """Critical damping, and the damping with which a contact that cannot pull gives back what it
    took [Ns/m]; at the `wall` or at the `bottom`."""
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


def cases() -> dict[str, dict[str, Any]]:
    """The runs by name."""
    return {
        "no damping": along_normal(0.0),
        "40 about z": about_z(),
        "40 along the normal": along_normal(DAMPING),
        "neutral along the normal": along_normal(limits("wall")[1]),
    }


@functools.cache
def run_of(name: str) -> Run:
    return simulate(
        load_scenario("epos_3d").with_keys(
            {"methods": [cases()[name], {"name": "monitor", "frame": "chaser"}]}
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
