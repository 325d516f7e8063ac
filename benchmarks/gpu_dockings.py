"""Do CPU and GPU agree on latches, which engage, pull in and go hard, on arms, on the published
compensators, on mechanisms, and on `model_mediated`, whose past does not fit into a thread's local
memory?"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from softdock.methods.registry import METHODS
from softdock.scenario.build import Scenario, build
from softdock.scenario.files import load_scenario
from softdock.studies.campaign.columns import Columns, make_columns

ROBOTS = ("chaser", "target")
ARMS: dict[str, dict[str, Any]] = {
    "lag": {"joints": "lag"},
    "stiff": {"joints": "stiff"},
    "limited": {"joints": "limited", "joint_max_jerk_rad_per_s3": 200.0},
    "elastic": {"joints": "stiff", "elastic_joints": True},
}
MODEL_MEDIATED = [{"name": "model_mediated"}]


def model_mediated_batches(n: int, seed: int = 710) -> list[tuple[str, Columns]]:
    """One axis, and the nozzle in space with several contacts."""
    rng = np.random.default_rng(seed)
    masses = {"chaser.mass_kg": rng.uniform(50.0, 80.0, n)}
    offsets = {"chaser.position_m.1": rng.uniform(0.002, 0.02, n)}
    return [
        (
            "model_mediated, one axis",
            make_columns(load_scenario("epos_1d", {"methods": MODEL_MEDIATED}), masses),
        ),
        (
            "model_mediated, nozzle",
            make_columns(load_scenario("epos_3d", {"methods": MODEL_MEDIATED}), offsets),
        ),
    ]


COMPENSATORS = (
    "phase_lead",
    "smith_predictor",
    "normalized_passivity",
    "active_compliance",
    "time_domain_passivity",
)


def compensator_batches(n: int, seed: int = 713) -> list[tuple[str, Columns]]:
    """The published compensators (docs/compensators.md), as each suggests itself, on one axis."""
    rng = np.random.default_rng(seed)
    masses, plain = {"chaser.mass_kg": rng.uniform(50.0, 80.0, n)}, load_scenario("epos_1d")
    found = []
    for name in COMPENSATORS:
        listed = {"name": name, **METHODS[name].suggest(plain)}
        found.append((name, make_columns(plain.replace({"methods": [listed]}), masses)))
    return found


MECHANISMS = ("probe_drogue", "launch_ring", "idss_ring")


def mechanism_batches(n: int, seed: int = 714) -> list[tuple[str, Columns]]:
    """Rings, sets of tips and captures at a place: the presets, from beside the axis; and a mesh,
    if trimesh is installed."""
    from benchmarks.mechanisms import cone_dockings

    rng = np.random.default_rng(seed)
    aside = rng.uniform(0.9, 1.1, n)
    bases = {name: load_scenario(name) for name in MECHANISMS}
    if find_spec("trimesh") is not None:
        with tempfile.TemporaryDirectory() as folder:
            tables = cone_dockings(Path(folder))[1]
            tables["contact"][0]["resolution_m"] = 0.004
            bases["mesh of a cone"] = build(tables)
    found = []
    for name, base in bases.items():
        own = base.tables["chaser"]["position_m"][1]
        found.append((name, make_columns(base, {"chaser.position_m.1": own * aside})))
    return found


def latch_batches(n: int, seed: int = 711) -> list[tuple[str, Columns]]:
    """A soft dock by latches, raw and with the ledger."""
    rng = np.random.default_rng(seed)
    speeds = {"chaser.velocity_m_per_s.0": rng.uniform(0.9, 1.1, n)}
    found = []
    for name, methods in (("raw", []), ("with the ledger", [{"name": "energy_ledger"}])):
        base = load_scenario("soft_dock", {"methods": methods})
        own = base.tables["chaser"]["velocity_m_per_s"][0]
        found.append(
            (f"latches, {name}", make_columns(base, {key: own * v for key, v in speeds.items()}))
        )
    return found


def with_arms(joints: str, **own: Any) -> Scenario:
    """The preset with arms, its joints following in another way."""
    tables = load_scenario("epos_3d_arms").tables
    for robot in ROBOTS:
        row = tables["robots"][robot]
        if joints != "lag":
            row.pop("joint_lag_Hz"), row.pop("joint_lag_damping_ratio")
        row |= {"joints": joints, **own}
    return build(tables)


def arm_batches(n: int, seed: int = 712) -> list[tuple[str, Columns]]:
    """Two arms whose joints are stiff, lag, keep limits, or are elastic; they touch the nozzle's
    side within five seconds."""
    rng = np.random.default_rng(seed)
    offsets = {"chaser.position_m.1": rng.uniform(0.033, 0.037, n)}
    return [
        (
            f"arms, {name}",
            make_columns(with_arms(**keys).replace({"time.duration_s": 5.0}), offsets),
        )
        for name, keys in ARMS.items()
    ]


def guided_batches(n: int, seed: int = 713) -> list[tuple[str, Columns]]:
    """A guided docking to hard dock, over navigation errors."""
    rng = np.random.default_rng(seed)
    base = load_scenario("vbar_docking", {"time.duration_s": 260.0})
    errors = {f"navigation.bias_m.{i}": rng.uniform(-0.03, 0.03, n) for i in (1, 2)}
    return [("guided docking", make_columns(base, errors))]
