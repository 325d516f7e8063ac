"""Flights in orbit that the golden tests of the reference share."""

from __future__ import annotations

import math

import numpy as np
from scenarios import cone_docking, epos_wall, sphere_on_sphere
from turned import moved, quaternion

from softdock import build
from softdock.reference import run_reference
from softdock.results.momenta import read_mass_properties


def flown(tables, **options):
    """Orbit of a scenario, with its mass properties and the motions at the start and at the end."""
    scenario = build(tables)
    result = run_reference(scenario, **options)
    assert result.status == "completed"
    begun = run_reference(
        scenario.replace({"time.duration_s": tables["time"].get("cycle_ms", 4.0) * 1e-3})
    )
    start = np.stack(
        [
            np.concatenate(
                [begun.series[f"{b}.{n}"][0] for n in ("position", "attitude", "velocity", "rate")]
            )
            for b in ("chaser", "target")
        ]
    )
    return (
        result,
        read_mass_properties(scenario.vector),
        start,
        np.stack([result.chaser, result.target]),
    )


def bounce(stiffness=1000.0, mass=63.0, speed=0.02, **law):
    """One mass against a fixed wall."""
    tables = epos_wall(mass_kg=mass, speed=speed, stiffness=stiffness)
    tables["contact"][0]["real"] |= law
    tables["time"]["duration_s"] = 0.5 * 0.02 / speed * 3.0 + 10.0 * math.sqrt(mass / stiffness)
    return tables


def random_docking(seed):
    """A cone or a sphere met by a turning body with full inertia, somewhere in space."""
    rng = np.random.default_rng(seed)
    tables = cone_docking() if seed % 2 else sphere_on_sphere()
    for name in ("chaser", "target"):
        tables[name]["velocity_m_per_s"] = (
            np.array(tables[name]["velocity_m_per_s"]) + 0.002 * rng.normal(size=3)
        ).tolist()
        tables[name]["rate_rad_per_s"] = (
            np.array(tables[name]["rate_rad_per_s"]) + 0.003 * rng.normal(size=3)
        ).tolist()
    return moved(tables, quaternion(rng.normal(size=3)), rng.normal(size=3))


# dead, soft, hard, yielding, hard again: every kind of kink
TABLE = [
    [0.0, 0.0],
    [0.001, 0.0],
    [0.002, 5.0],
    [0.004, 60.0],
    [0.006, 40.0],
    [0.02, 400.0],
]  # m, N


def balance(result):
    """How far orbit is from kinetic + stored + dissipated - external = kinetic at the start,
    relative [1]."""
    return (
        result.kinetic + result.stored + result.dissipated - result.external
    ) / result.kinetic_start - 1.0
