"""What a metric of a run is: one declaration from which `run.metrics`, the page and the terminal
take what they need. The metrics themselves: `metrics.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softdock.reference import Reference
from softdock.results.criteria import find_reference_capture_s
from softdock.results.latches import summarise_times
from softdock.results.momenta import (
    MassProperties,
    compute_angular_momentum,
    compute_kinetic_energy,
    compute_linear_momentum,
)
from softdock.results.run import Run


@dataclass(frozen=True)
class JudgedRun:
    """What metrics are computed from: a run, the reference beside it, and how far they are
    apart."""

    run: Run
    orbit: Reference
    cycle: float  # s
    bodies: MassProperties
    against: Mapping[str, float]  # fidelity.compare
    contacts: Sequence[Mapping[str, Any]]
    orbit_contacts: Sequence[Mapping[str, Any]]

    @property
    def tables(self) -> dict[str, Any]:
        """The scenario's, every default written out."""
        return self.run.scenario.tables


class Row(NamedTuple):
    """A row of the table in the terminal."""

    words: str
    unit: str = ""
    in_orbit: float | None = None  # what the reference has by definition; None: `reference` says
    if_none: str = "-"
    only_if: str = ""  # key that is None where the row would say nothing


@dataclass(frozen=True)
class Metric:
    """One key at the top level of `run.metrics`. `name`, `meaning` and `value` are needed; the rest
    says where it is shown."""

    name: str  # ends in its unit
    meaning: str
    value: Callable[[JudgedRun], Any]
    label: str = ""  # on a page; empty: spelled out from the name
    row: Row | None = None  # in the terminal
    tile: str = ""  # on the page, among the first numbers: what is said below it; empty: none
    over_phases: bool = False  # one of the numbers whose spread is shown first


METRICS: dict[str, Metric] = {}  # by name, in the order of `run.metrics`


def declare(*metrics: Metric) -> None:
    """Make metrics part of every run from now on."""
    for metric in metrics:
        if metric.name in METRICS:
            raise ValueError(f"a metric '{metric.name}' exists")
        METRICS[metric.name] = metric


def list_phase_metrics() -> list[str]:
    """Numbers whose mean and spread over the sampling phase are shown first."""
    return [metric.name for metric in METRICS.values() if metric.over_phases]


# The parts of a run's metrics that are tables of their own: contacts, the ledger, a state.


def are_states_corrected(run: Run) -> bool:
    """Whether a method moved energy by correcting the satellites' states: what is counted at the
    ports of wrench and motion does not see that."""
    return bool(np.any(run.series["energy.correction"]))


def tabulate_contact(contact: Mapping[str, Any], T: float, corrected: bool) -> dict[str, Any]:
    """One contact of the log. `parted`: false if it was still under way at the end."""
    parted = not math.isnan(contact["restitution"])
    energetic = (
        contact["restitution_energetic"] if parted and not corrected else math.nan
    )  # half a contact has not given back what it will
    return {
        **contact,
        "restitution_energetic": energetic,
        "cycles": (contact["end_s"] - contact["start_s"]) / T,
        "parted": parted,
    }


def tabulate_ledger(run: Run) -> dict[str, Any]:
    books, rows = run.ledger, run.ledger_rows
    kept = run.series["energy.stored"] + run.series["energy.dissipated"]
    missing = np.abs(run.series["energy.real"] - kept).max()
    by_latches = {}
    if len(run.latches):  # their drives' work is known at the end
        latch = summarise_times(run.latches)
        by_latches = {key: latch[key] for key in ("driven_J", "lost_J")}
        given = latch["driven_J"] - latch["lost_J"]
        missing = abs(run.series["energy.real"][-1] - kept[-1] + given)
    return {
        "rows": rows,
        "kinetic_start_J": books["kinetic_start"],
        "kinetic_end_J": books["kinetic"],
        **{
            f"{name}_J": books[name]
            for name in (
                "external",
                "real",
                "virtual",
                "designed",
                "observed",
                "stored",
                "dissipated",
                "turnover",
            )
        },
        **by_latches,
        "residual_J": sum(rows.values()) - run.energy_added_J,
        "physics_residual": float(missing / kept.max()) if kept.max() > 0.0 else math.nan,
        "joints": run.joint_books,
    }


def tabulate_state(bodies: MassProperties, both: np.ndarray, time: float) -> dict[str, Any]:
    """Where both bodies are at an instant, and the pair's momenta and energies."""
    result: dict[str, Any] = {"time_s": time}
    for name, motion in zip(("chaser", "target"), both, strict=True):
        result[name] = {
            "position_m": motion[0:3],
            "attitude_wxyz": motion[3:7],
            "velocity_m_per_s": motion[7:10],
            "rate_rad_per_s": motion[10:13],
        }
    free, v, w = ~bodies.fixed, both[:, 7:10], both[:, 10:13]
    turning = 0.5 * np.einsum("b,bi,bij,bj->", free.astype(float), w, bodies.inertia, w)
    result["linear_momentum_Ns"] = compute_linear_momentum(bodies, both)
    result["angular_momentum_Nms"] = (
        None if bodies.any_fixed else compute_angular_momentum(bodies, both)
    )
    result["kinetic_energy_J"] = float(0.5 * np.sum(free[:, None] * bodies.mass * v * v) + turning)
    result["kinetic_energy_relative_J"] = compute_kinetic_energy(bodies, both)
    return result


def tabulate_reference(j: JudgedRun) -> dict[str, Any]:
    """The reference's side of the numbers."""
    wanted, orbit = j.orbit_contacts, j.orbit
    end = np.stack([orbit.chaser, orbit.target])
    captured_at = find_reference_capture_s(j.run)
    captured = math.isfinite(captured_at)
    asked = j.tables["capture"]["for_s"] > 0.0
    return {
        "status": orbit.status,
        "restitution": orbit.restitution,
        "restitution_energetic": wanted[0]["restitution_energetic"] if wanted else math.nan,
        "energy_ratio": j.against["energy_ratio_orbit"],
        "contacts": wanted,
        "contact_count": orbit.contact_count,
        "dissipated_J": orbit.dissipated,
        "external_J": orbit.external,
        "virtual_J": orbit.virtual,
        "driven_J": orbit.driven,
        "captured": captured if captured or (asked and orbit.status == "completed") else None,
        "captured_at_s": captured_at,
        "latched_at_s": summarise_times(orbit.latches)["latched_at_s"],
        **tabulate_state(j.bodies, end, orbit.time),
    }
