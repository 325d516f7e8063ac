"""Small networks for the unit tests of ports."""

from __future__ import annotations

from softdock.networks import (
    Network,
)

SLS = {
    "name": "tissue",
    "bonds": ["hand -> together", "together -> S1, in_series", "in_series -> S2, B1"],
    "ports": {"hand": {"causality": "position"}},
    "springs": {"S1": {"stiffness_N_per_m": 500.0}, "S2": {"stiffness_N_per_m": 50.0}},
    "dampers": {"B1": {"damping_Ns_per_m": 100.0}},
    "junctions": {"together": 1, "in_series": 0},
}


def one_junction() -> Network:
    return Network("net").port("hand", "position").one("together").connect("hand", "together")
