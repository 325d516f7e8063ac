"""Do CPU and GPU agree? Random runs of several kinds, compared relative to approach speed, peak
force and initial energy.

A run whose contacts differ in number (a graze that one rounding calls a touch and the other does
not), and a run that amplifies a change of the last bit by itself, on the CPU alone, beyond what the
tolerance allows, are counted apart: few are allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.scenarios import cone, epos_1d
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOME_COLUMNS
from softdock.loop.satellites import INTEGRATORS
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT
from softdock.scenario.build import build
from softdock.scenario.files import load_scenario
from softdock.studies.campaign.batch import Batch, run_cpu
from softdock.studies.campaign.columns import Columns, make_columns

Draw = Callable[[np.random.Generator, int], dict[str, Any]]

TOLERANCE = (
    1e-9  # GPU = CPU: fused multiply-add rounds differently, and up to four contacts amplify it
)
NUDGE = 1e-15  # relative change of the start that stands for a difference in rounding
AMPLIFYING = 1e-10  # a run that the nudge alone changes by this much is no test of the GPU
APART_ALLOWED = 0.01  # of the runs may be split or amplifying
TOUCHED_NEEDED = 0.9  # of the runs must have a contact


def random_batches(per_kind: int, seed: int = 607) -> list[tuple[str, Columns]]:
    """Each row drawn at random. Kernels are compiled for what a batch has in common, so there are
    batches that mix kinds (integrators, noise, delays) and batches of one kind, for which most is a
    constant."""
    rng = np.random.default_rng(seed)
    names, n = [i.name for i in INTEGRATORS], per_kind
    wall = [
        _drawn(rng, n, epos_1d(), _random_wall, i, noisy, 4.0 * rng.integers(0, 7, n))
        for i in names
        for noisy in (False, True)
    ]
    mixed = [
        _drawn(rng, n, cone(12.0), _random_cone, i, noisy, rng.uniform(0.0, 24.0, n))
        for i in names
        for noisy in (False, True)
    ]
    plain = _drawn(
        rng, 8 * n, cone(12.0), _random_starts, "exact_hold", False, np.full(8 * n, 16.0)
    )
    masses = {
        "chaser.mass_kg": rng.uniform(400.0, 600.0, 4 * n),
        "target.mass_kg": rng.uniform(400.0, 600.0, 4 * n),
    }
    petals = {
        "chaser.position_m.1": rng.uniform(0.01, 0.03, 4 * n),
        "chaser.position_m.2": rng.uniform(-0.015, 0.015, 4 * n),
    }
    return [
        ("wall, every integrator, with and without noise, whole delays", _joined(wall)),
        ("cone, every integrator, with and without noise, fractional delays", _joined(mixed)),
        ("cone, exact hold, no noise, 16 ms", plain),
        ("EPOS 3-D, 1 kHz sensor with noise", make_columns(load_scenario("epos_3d"), masses)),
        (
            "three petals with friction, two plant steps a cycle",
            make_columns(load_scenario("three_petals"), petals),
        ),
    ]


def _drawn(
    rng: np.random.Generator,
    n: int,
    tables: dict[str, Any],
    draw: Draw,
    integrator: str,
    noisy: bool,
    delays: np.ndarray,
) -> Columns:
    tables["satellites"] = {"integrator": integrator}
    if noisy:
        tables["sensor"] = {"noise_N": 0.02, "noise_Nm": 0.002}
    delays[0] = (
        24.0 if delays[0] != 16.0 else 16.0
    )  # the same longest delay in every part of a batch: one memory map
    keys = {
        "robots.chaser.delay_ms": delays,
        "robots.target.delay_ms": delays,
        "random.seed": int(rng.integers(2**32)),
    }
    return make_columns(build(tables), draw(rng, n) | keys)


def _joined(parts: list[Columns]) -> Columns:
    if len({part.mem_floats for part in parts}) != 1:
        raise RuntimeError("batches with different memory maps cannot be joined")
    return Columns(
        np.concatenate([part.vectors for part in parts]), parts[0].markers, parts[0].mem_floats
    )


def _random_wall(rng: np.random.Generator, n: int) -> dict[str, Any]:
    return {
        "chaser.mass_kg": rng.uniform(30.0, 120.0, n),
        "chaser.velocity_m_per_s.0": -rng.uniform(0.01, 0.05, n),
        "chaser.position_m.0": rng.uniform(0.008, 0.012, n),
        "contact.0.real.stiffness_N_per_m": rng.uniform(500.0, 3000.0, n),
        "contact.0.real.damping_Ns_per_m": rng.uniform(0.0, 40.0, n),
    }


def _random_cone(rng: np.random.Generator, n: int) -> dict[str, Any]:
    return {
        "chaser.mass_kg": rng.uniform(40.0, 90.0, n),
        "target.mass_kg": rng.uniform(60.0, 150.0, n),
        "chaser.position_m.0": rng.uniform(0.028, 0.038, n),
        "chaser.position_m.1": rng.uniform(-0.01, 0.01, n),
        "chaser.velocity_m_per_s.2": -rng.uniform(0.012, 0.02, n),
        "chaser.rate_rad_per_s": rng.uniform(-1e-3, 1e-3, (n, 3)),
        "contact.0.real.stiffness_N_per_m": rng.uniform(1000.0, 5000.0, n),
        "contact.0.real.damping_Ns_per_m": rng.uniform(0.0, 40.0, n),
    }


def _random_starts(rng: np.random.Generator, n: int) -> dict[str, Any]:
    swept = _random_cone(rng, n)
    return {key: values for key, values in swept.items() if not key.startswith("contact.")}


def differences(vectors: np.ndarray, a: Batch, b: Batch) -> dict[str, np.ndarray]:
    """Of every run: twists per approach speed (rates at an arm of 1 m), energies per initial
    energy, forces per peak force."""
    at = CHASER_AT + BODY.at.velocity
    speed = np.linalg.norm(vectors[:, at : at + 3], axis=1)
    force = np.maximum(a.column("peak_force_real_N"), 1e-6)
    twists = [
        f"{body}.{c}" for body in ("chaser", "target") for c in ("vx", "vy", "vz", "wx", "wy", "wz")
    ]
    energies = [name for name in OUTCOME_COLUMNS if name.endswith("_J")]
    logged = [
        i
        for i, name in enumerate(LOG_COLUMNS)
        if name.endswith("force_real_N") or name.endswith("satellite_N")
    ]
    return {
        "twist": np.max([np.abs(a.column(c) - b.column(c)) for c in twists], axis=0) / speed,
        "energy": np.max([np.abs(a.column(c) - b.column(c)) for c in energies], axis=0)
        / a.column("kinetic_start_J"),
        "force": np.abs(a.logs - b.logs)[:, :, logged].max(axis=(1, 2)) / force,
    }


def compare(part: Columns, cpu: Batch, gpu: Batch) -> dict[str, Any]:
    """The worst differences of one batch, and the runs counted apart."""
    split = np.zeros(len(cpu), bool)
    for name in ("status", "cycles", "contacts"):
        split |= cpu.column(name) != gpu.column(name)
    found = differences(part.vectors, cpu, gpu)
    amplifying = ~split & (np.max(list(found.values()), axis=0) > TOLERANCE)
    if amplifying.any():
        nudged = part.vectors[amplifying].copy()
        nudged[:, CHASER_AT + BODY.at.position : CHASER_AT + BODY.at.position + 3] *= 1.0 + NUDGE
        alone = run_cpu(nudged, part.markers, part.mem_floats)
        same = Batch(cpu.outcomes[amplifying], cpu.logs[amplifying])
        amplifying[amplifying] = (
            np.max(list(differences(nudged, same, alone).values()), axis=0) > AMPLIFYING
        )
    fair = ~(split | amplifying)
    return {
        "runs": len(cpu),
        "touched": int((cpu.column("contacts") > 0).sum()),
        "most_contacts": int(cpu.column("contacts").max()),
        "split": int(split.sum()),
        "amplifying": int(amplifying.sum()),
        "worst": {name: float(np.max(gaps[fair], initial=0.0)) for name, gaps in found.items()},
    }
