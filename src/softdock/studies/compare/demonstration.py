"""The demo's runs: EPOS on one axis, the reference beside the raw loop at several delays, what
theory predicts beside each, and the other methods.

Theory: `stability.predicted_restitution` (the sampled loop's one impact, at the run's own sampling
phase; none of the loop's compiled code), and the closed form exp(pi w h / 2) of a lossless spring,
with h the delay and the integrator's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from softdock.loop.satellites import INTEGRATORS
from softdock.methods.registry import METHODS, RAW
from softdock.reference import Reference, run_reference
from softdock.results.run import Run
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import Candidate, candidates
from softdock.scenario.files import load_scenario
from softdock.studies.compare.outcomes import run_against
from softdock.studies.stability import predicted_restitution

PRESET = "epos_1d"
DELAYS_MS = (0.0, 8.0, 16.0, 32.0)  # of the raw loop; other methods run at the preset's own delay

Progress = Callable[[str], None]


def demonstrate(progress: Progress | None = None) -> tuple[list[dict[str, Any]], list[Run]]:
    """Rows of the demo's table (the reference first), and the runs of the others, in the same
    order."""
    base = load_scenario(PRESET)
    reference = run_reference(base)
    rows, runs = [_make_reference_row(base, reference)], []
    for candidate, delay_ms in _list_candidates(base):
        if progress is not None:
            progress(f"{candidate.method} at {delay_ms:g} ms")
        run = run_against(candidate.scenario, reference)
        rows.append(_make_row(candidate, delay_ms, run))
        runs.append(run)
    return rows, runs


def _list_candidates(base: Scenario) -> list[tuple[Candidate, float]]:
    """The raw loop at every delay, then the other methods that the demo shows, at the preset's
    own."""
    integrator = base.tables["satellites"]["integrator"]
    found = []
    for delay_ms in DELAYS_MS:
        delayed = base.replace(
            {"robots.chaser.delay_ms": delay_ms, "robots.target.delay_ms": delay_ms}
        )
        found += [
            (candidate, delay_ms) for candidate in candidates(delayed, [RAW], [integrator])[0]
        ]
    others = [
        name
        for name, method in METHODS.items()
        if name != RAW and method.in_demo and not method.is_plug_in
    ]
    own = base.tables["robots"]["chaser"]["delay_ms"]
    return found + [
        (candidate, own)
        for candidate in (candidates(base, others, [integrator])[0] if others else [])
    ]


def _make_reference_row(base: Scenario, reference: Reference) -> dict[str, Any]:
    gained = reference.kinetic + reference.dissipated - reference.kinetic_start
    k = base.tables["contact"][0]["real"]
    predicted = predicted_restitution(
        base.tables["chaser"]["mass_kg"], k["stiffness_N_per_m"], k["damping_Ns_per_m"], 0.0
    )
    return {
        "label": "orbit",
        "method": None,
        "delay_ms": None,
        "restitution": reference.restitution,
        "predicted_restitution": predicted,
        "closed_form_restitution": 1.0,
        "energy_added_J": gained
        if abs(gained) > 1e-9 * reference.kinetic_start
        else 0.0,  # the reference is integrated to 1e-9
        "energy_added_share": gained / reference.kinetic_start
        if abs(gained) > 1e-9 * reference.kinetic_start
        else 0.0,
        "error_against_orbit": 0.0,
    }


def _make_row(candidate: Candidate, delay_ms: float, run: Run) -> dict[str, Any]:
    metrics = run.metrics
    predicted = predict(run.scenario) if candidate.methods == (RAW,) else (None, None)
    label = (
        f"{delay_ms:g} ms"
        if candidate.methods == (RAW,)
        else f"{delay_ms:g} ms, {candidate.method}"
    )
    return {
        "label": label,
        "method": candidate.method,
        "delay_ms": delay_ms,
        "restitution": metrics["restitution"],
        "predicted_restitution": predicted[0],
        "closed_form_restitution": predicted[1],
        "energy_added_J": metrics["energy_added_J"],
        "energy_added_share": metrics["energy_added_J"] / metrics["ledger"]["kinetic_start_J"],
        "error_against_orbit": metrics["error_against_orbit"],
    }


def predict(scenario: Scenario) -> tuple[float, float]:
    """Restitution of the raw loop on one axis against a fixed wall: of the sampled loop at the
    scenario's own phase, and in closed form."""
    t = scenario.tables
    law, T = t["contact"][0]["real"], 1e-3 * t["time"]["cycle_ms"]
    mass, k, b, delay = (
        t["chaser"]["mass_kg"],
        law["stiffness_N_per_m"],
        law["damping_Ns_per_m"],
        1e-3 * t["robots"]["chaser"]["delay_ms"],
    )
    integrator = t["satellites"]["integrator"]
    touch = (
        -t["chaser"]["position_m"][0] / t["chaser"]["velocity_m_per_s"][0] + delay
    )  # s; the wall is at x = 0
    sampled = predicted_restitution(mass, k, b, delay, T, integrator, phase=touch / T % 1.0)
    hold = next(i.effective_delay for i in INTEGRATORS if i.name == integrator) * T
    return sampled, math.exp(math.pi * (k * (delay + hold) - b) / (2.0 * math.sqrt(k * mass)))
