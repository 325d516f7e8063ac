"""A compliance device of four springs, as the unit tests have it."""

from __future__ import annotations

STAR = [
    [0.0, 1.0, 0.0],
    [0.0, -0.5, 3**0.5 / 2],
    [0.0, -0.5, -(3**0.5) / 2],
    [1.0, 0.0, 0.0],
]  # three across, one along the probe
SPRINGS = [1000.0, 1500.0, 2500.0, 4000.0]  # N/m


def device(stiffness=SPRINGS, directions=STAR, **keys):
    return {
        "model": "four_springs",
        "stiffness_N_per_m": list(stiffness),
        **{f"direction_{i + 1}": list(d) for i, d in enumerate(directions)},
        **keys,
    }
