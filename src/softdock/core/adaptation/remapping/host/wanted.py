"""The contact that the re-mapping's own keys want, in the words of a scenario's contact."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.core.adaptation.remapping.host.durations import matrix_of


def wanted(values: dict[str, Any]) -> dict[str, Any] | None:
    """The contact that its own keys want, as keys of contact.wanted; None: the scenario's. Of a
    stiffness that differs by direction the scenario's is taken."""
    law = values["wanted.law"]
    if law == "scenario":
        return None
    found: dict[str, Any] = {"law": values["wanted.by"] if law == "restitution" else law}
    chaser, target = (
        _alike(values.get(f"wanted.{whose}stiffness_N_per_m", 0.0)) for whose in ("", "target_")
    )
    if chaser > 0.0:
        found["stiffness_N_per_m"] = chaser * target / (chaser + target) if target > 0.0 else chaser
    keys = {
        "restitution": ("restitution",),
        "spring_damper": ("damping_Ns_per_m",),
        "hunt_crossley": ("exponent", "lambda_s_per_m"),
    }[law]
    return found | {key: float(values[f"wanted.{key}"]) for key in keys}


def _alike(stiffness: Any) -> float:
    """A stiffness that is the same in all directions [N/m]; 0: it is not, or none is given."""
    K = matrix_of(stiffness)
    return float(K[0, 0]) if np.array_equal(K, K[0, 0] * np.eye(3)) else 0.0
