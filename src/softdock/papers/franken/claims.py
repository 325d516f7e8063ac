"""What the paper states, held against numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.core.ports.walls import render_published
from softdock.papers.frame import Column, Exhibit
from softdock.papers.franken.figure_5 import energies
from softdock.papers.franken.parameters import SIMULATION, sine, solid


def make_claims() -> Exhibit:
    slow, usual, fast = energies(100), energies(1000), energies(10000)
    controlled = render_published(
        solid(SIMULATION), 0.01, sine(np.arange(201) * 0.01), controller_Ns_per_m=20.0
    )
    rows: list[dict[str, Any]] = [
        _row(
            "the Euler model is not passive (Fig. 5, 1 kHz)",
            "confirmed",
            usual["euler_mJ"],
            "mJ exchanged",
        ),
        _row(
            "the passive model is dissipative (Fig. 5, 1 kHz)",
            "confirmed",
            usual["published_mJ"],
            "mJ exchanged",
        ),
        _row(
            "the framework guarantees passivity (conclusions)",
            "only with its controller, and not within each contact",
            slow["published_mJ"],
            "mJ exchanged at 100 Hz without it",
        ),
        _row(
            "the same, controller of 20 Ns/m",
            "not within one contact",
            1e3 * float(controlled.exchanged[-1]),
            "mJ exchanged at 100 Hz with it",
        ),
        _row(
            "both models converge as T goes to 0",
            "confirmed, somewhat slower than first order",
            usual["published_error"] / fast["published_error"],
            "times smaller force error from 1 to 10 kHz",
        ),
        _row(
            "the difference is due to the fixed-time dissipation (23)",
            "corrected: x_S1 lags q",
            usual["published_error"],
            "force error; the better step's is below 0.0003",
        ),
    ]
    columns = (
        Column("claim", "the paper says"),
        Column("found", "found"),
        Column("value", "value"),
        Column("meaning", "of what"),
    )
    return Exhibit(
        "claims",
        "What the paper states",
        "Three statements hold as printed, three need a condition or a correction.",
        columns,
        rows,
    )


def _row(claim: str, found: str, value: float, meaning: str) -> dict[str, Any]:
    return {"claim": claim, "found": found, "value": float(value), "meaning": meaning}
