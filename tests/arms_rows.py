"""What the tests of arms share: arms, random configurations, the entry points with their arrays."""

from __future__ import annotations

import math

import numpy as np

from softdock.loop.arms import entry_points, load_arm
from softdock.loop.arms.layout import AXES, WORK
from softdock.loop.arms.table import arm_from_table

PRESETS = ("kr16", "kr120", "ur10e")
RAIL = {
    "kind": "rail",
    "direction": [0.6, 0.8, 0.0],
    "range_m": [-12.5, 12.5],
    "speed_m_per_s": 1.0,
    "mass_kg": 300.0,
    "rotor_kg": 12.0,
    "stiffness_N_per_m": 5.0e6,
    "centre_m": [0.1, 0.0, 0.2],
    "offset_m": [0.2, -0.1, 0.05],
}
TURNTABLE = {
    "kind": "turntable",
    "direction": [0.0, 0.0, 1.0],
    "range_deg": [-170.0, 170.0],
    "speed_deg_per_s": 40.0,
    "mass_kg": 500.0,
    "stiffness_Nm_per_rad": 2.0e6,
    "inertia_kg_m2": [20.0, 20.0, 35.0],
    "centre_m": [0.3, 0.1, 0.1],
    "offset_m": [0.5, 0.2, 0.1],
}


def preset_tables(name):
    """The tables of a preset, to change."""
    import tomllib

    from softdock.loop.arms.sources import preset_text

    return tomllib.loads(preset_text(name))


def skewed():
    """A spherical-wrist arm with offsets in every direction and axes the other way round."""
    tables = preset_tables("kr16")
    tables["joints"][1] |= {"offset_m": [0.26, 0.07, 0.05], "direction": [0, -1, 0]}
    tables["joints"][2]["offset_m"] = [0.68, -0.09, 0.03]
    tables["joints"][3]["offset_m"] = [0.5, 0.04, -0.035]
    tables["joints"][4]["offset_m"] = [0.1, 0.0, 0.0]
    tables["joints"][0]["direction"] = [0.1, 0.05, 1.0]
    return arm_from_table(tables)


def on_base_axis(name, base):
    """A preset on a rail or a turntable."""
    return arm_from_table(preset_tables(name) | {"base_axis": base})


def all_arms():
    """Presets, an arm with skewed offsets, and two on a base axis, all with a load."""
    arms = [load_arm(name) for name in PRESETS]
    arms += [skewed(), on_base_axis("kr16", RAIL), on_base_axis("ur10e", TURNTABLE)]
    load = (8.0, (0.05, 0.1, 0.2), (0.3, 0.4, 0.5, 0.02, -0.03, 0.01))
    return [arm.carrying(*load) for arm in arms]


def configurations(arm, count, seed):
    """Random joints over whole turns; slot 0 within 2 m or rad where there is a base axis."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-math.pi, math.pi, (count, AXES))
    q[:, 0] *= 0.6 if arm.first == 0 else 0.0
    return q


def work():
    return np.zeros(WORK.size)


def poses_of(arm, q):
    poses = np.zeros((len(q), 7))
    entry_points.flange_rows(arm.vector, q, poses)
    return poses


def jacobians_of(arm, q):
    into = np.zeros((len(q), 6 * AXES))
    entry_points.jacobian_rows(arm.vector, q, work(), into)
    return into.reshape(-1, 6, AXES)


def torques_of(arm, q, speed, acceleration, gravity=(0.0, 0.0, -9.81), pushed=None):
    into = np.zeros((len(q), AXES))
    pushed = np.zeros((len(q), 6)) if pushed is None else pushed
    arguments = (q, speed, acceleration, np.array(gravity), pushed, work(), into)
    entry_points.torque_rows(arm.vector, *arguments)
    return into


def masses_of(arm, q):
    into = np.zeros((len(q), AXES * AXES))
    entry_points.mass_rows(arm.vector, q, work(), into)
    return into.reshape(-1, AXES, AXES)


def solutions_of(arm, poses, base):
    joints, refused = np.zeros((len(poses), 8, AXES)), np.zeros((len(poses), 8), np.int64)
    entry_points.inverse_rows(arm.vector, poses, base, joints, refused)
    return joints, refused


def pose_difference(a, b):
    """Largest difference of rows of poses [m, and quaternion up to its sign]."""
    sign = np.copysign(1.0, (a[:, 3:] * b[:, 3:]).sum(1))[:, None]
    return np.abs(np.hstack([a[:, :3] - b[:, :3], a[:, 3:] - sign * b[:, 3:]])).max(axis=1)


def wrapped(angle):
    return (angle + math.pi) % (2.0 * math.pi) - math.pi
