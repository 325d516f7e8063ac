"""Scenarios with networks, and the books that are read of their runs."""

from __future__ import annotations

import numpy as np
from scenarios import epos_wall

SPRING = {"model": "single_spring", "arguments": {"stiffness": 1000.0}}
BALL = {
    "model": "hunt_crossley",
    "arguments": {"stiffness": 20000.0, "exponent": 1.5, "per_speed": 2.0},
}
NORMAL, ACROSS = (1000.0, 500.0, 100.0), (400.0, 100.0, 20.0)  # k1, k2, b1
THREE_AXES = {
    "model": "three_axis_wall",
    "arguments": {"normal": list(NORMAL), "tangential": list(ACROSS)},
}


def tables(network, cycle_ms=4.0, name="network_contact", mass=63.0, wall=False, **keys):
    """At 0.02 m/s; the network in its way, or a real spring of 1000 N/m."""
    found = epos_wall(delay_ms=0.0, mass_kg=mass)
    if not wall:
        found["contact"] = []
    found["time"] = {"cycle_ms": cycle_ms, "duration_s": 3.0}
    found["methods"] = [{"name": name, "network": network, **keys}]
    return found


def books(run, method="network_contact"):
    """What became of the energy that a network absorbed, at every cycle."""
    return {
        name: np.asarray(run.series[f"{method}.{name}"])
        for name in ("absorbed", "stored", "dissipated")
    }
