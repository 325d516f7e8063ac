"""What an arm's flange carries: the load that its mount states, or else the scenario's mock-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.arms.arm import Arm, six, symmetric
from softdock.loop.arms.facility import Load, Mount
from softdock.loop.spatial.arrays import unit_matrix


def loaded(arm: Arm, mount: Mount, scenario_load: Load | None = None) -> Arm:
    """The arm with what its flange carries: the mount's load, or else the scenario's mock-up.

    A mount's load is in the mock-up's frame, a scenario's from the satellite's centre of mass.
    """
    if carries_nothing(mount, scenario_load):
        return arm
    if mount.load is not None:
        load, frame = mount.load, mount.mock_up
    else:
        assert scenario_load is not None
        load, frame = scenario_load, mount.satellite
    R = unit_matrix(frame.q)
    centre = np.add(frame.p, frame.turned(load.centre))
    return arm.carrying(load.mass, centre, six(R @ symmetric(load.inertia) @ R.T))


def carries_nothing(mount: Mount, scenario_load: Load | None) -> bool:
    """Whether the flange is empty, as far as the mount and the scenario say."""
    load = mount.load if mount.load is not None else scenario_load
    return load is None or load.mass <= 0.0


def mock_up_load(tables: Mapping[str, Any], robot: str) -> Load | None:
    """What a scenario's `[mock_up]` puts behind the sensor of a robot."""
    row = tables.get("mock_up", {}).get(robot, {})
    mass = float(row.get("mass_kg", 0.0))
    if mass <= 0.0:
        return None
    given = np.array(row.get("inertia_kg_m2", (0.0,) * 3), float)
    matrix = np.diag(given) if given.ndim == 1 else given
    moments = [matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]]
    return Load(mass, tuple(row.get("centre_m", (0.0,) * 3)), tuple(float(v) for v in moments))
