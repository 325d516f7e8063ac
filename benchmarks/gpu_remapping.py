"""Do CPU and GPU agree on the re-mapping? Whole runs with lead and rewind: Lange's impact on robots
with limits, and his cone with its four contacts."""

from __future__ import annotations

import numpy as np

from softdock.scenario.files import load_scenario
from softdock.studies.campaign.columns import Columns, make_columns

LEAD_AND_REWIND = [
    {"name": "remapping", "lead_ms": 16.0, "rewind_ms": 60.0}
]  # of 20 ms: the rest is rewound


def batches(n: int, seed: int = 610) -> list[tuple[str, Columns]]:
    rng = np.random.default_rng(seed)
    late = {f"robots.{body}.delay_ms": 20.0 for body in ("chaser", "target")}
    starts = {
        "chaser.position_m.0": -rng.uniform(0.05, 0.0504, n),
        "chaser.velocity_m_per_s.0": rng.uniform(0.05, 0.1, n),
    }
    offsets = {
        "chaser.position_m.1": rng.uniform(0.09, 0.11, n),
        "chaser.rate_rad_per_s": rng.uniform(-1e-3, 1e-3, (n, 3)),
    }
    impact = load_scenario("lange_impact_jerk", {**late, "methods": LEAD_AND_REWIND})
    return [
        ("impact, robots with limits", make_columns(impact, starts)),
        (
            "cone, late robots",
            make_columns(
                load_scenario("lange_cone", {**late, "methods": LEAD_AND_REWIND}), offsets
            ),
        ),
    ]
