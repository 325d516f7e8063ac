"""An arm back as a table of axes: what `arm_from_table` reads. Whatever it was read from, a preset,
a table or a URDF file, the table gives the same vector."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.loop.arms.arm import Arm
from softdock.loop.arms.layout import AT, AXES

RAD = 180.0 / math.pi
# key of a table: quantity of the layout, scale; left out where it is not known
TURNING = {
    "speed_deg_per_s": ("speed", RAD),
    "acceleration_deg_per_s2": ("acceleration", RAD),
    "torque_Nm": ("torque", 1.0),
    "stiffness_Nm_per_rad": ("stiffness", 1.0),
    "damping_Nms_per_rad": ("damping", 1.0),
    "rotor_kg_m2": ("rotor", 1.0),
    "mass_kg": ("mass", 1.0),
}
SLIDING = {
    "speed_m_per_s": ("speed", 1.0),
    "acceleration_m_per_s2": ("acceleration", 1.0),
    "force_N": ("torque", 1.0),
    "stiffness_N_per_m": ("stiffness", 1.0),
    "damping_Ns_per_m": ("damping", 1.0),
    "rotor_kg": ("rotor", 1.0),
    "mass_kg": ("mass", 1.0),
}


def arm_table(arm: Arm) -> dict[str, Any]:
    """An arm as plain tables."""
    offsets = arm.vector[AT.offsets : AT.offsets + 3 * (AXES + 1)].reshape(-1, 3)
    table: dict[str, Any] = {
        "name": arm.name,
        "source": arm.source,
        "published": sorted(arm.published),
        "joints": [_axis(arm, i, offsets) for i in range(1, AXES)],
        "flange": {
            "offset_m": offsets[AXES].tolist(),
            "wxyz": arm.vector[AT.flange : AT.flange + 4].tolist(),
        },
    }
    if arm.first == 0:
        table["base_axis"] = {"kind": arm.base_axis, **_axis(arm, 0, offsets)}
    else:  # an arm without a base axis has its column in front of joint 1
        first = table["joints"][0]
        first["offset_m"] = (np.array(first["offset_m"]) + offsets[0]).tolist()
    volumes = [c for c in arm.capsules if c.slot > 0]
    for volume in volumes:
        table["joints"][volume.slot - 1]["radius_m"] = volume.radius
    column = [c for c in arm.capsules if c.slot == 0]
    return table | ({"base_radius_m": column[0].radius} if column else {})


def _axis(arm: Arm, i: int, offsets: np.ndarray) -> dict[str, Any]:
    rail = i == 0 and arm.base_axis == "rail"
    scale = 1.0 if rail else RAD
    ends = [scale * float(arm.vector[at + i]) for at in (AT.low, AT.high)]
    row: dict[str, Any] = {
        "name": arm.axis_names[i],
        "direction": arm.of_axes("directions", 3)[i].tolist(),
        "offset_m": offsets[i].tolist(),
        "range_m" if rail else "range_deg": ends,
        "centre_m": arm.of_axes("centre", 3)[i].tolist(),
    }
    inertia = arm.of_axes("inertia", 6)[i]
    if inertia.any():
        row["inertia_kg_m2"] = inertia.tolist()
    for key, (name, factor) in (SLIDING if rail else TURNING).items():
        value = factor * float(arm.of_axes(name)[i])
        if math.isfinite(value) and (value or name in ("mass", "speed")):
            row[key] = value
    return row
