"""The channels of a run, of a batch and of a campaign's folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fingerprint.digests import flatten, of_array, of_value

# Outcomes and logged values of a batch, as `Batch.column` and `Batch.contact` name them.
AXES = ("px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
OUTCOMES = (
    "status",
    "cycles",
    "contacts",
    "energy_added_J",
    "observed_J",
    "kinetic_start_J",
    "kinetic_end_J",
    "real_work_J",
    "peak_force_real_N",
    *(f"{body}.{axis}" for body in ("chaser", "target") for axis in AXES),
    "peak_torque_real_Nm",
    "captured_at_s",
)
LOGGED = (
    "start_s",
    "end_s",
    "restitution",
    "restitution_energetic",
    "peak_force_real_N",
    "peak_force_satellite_N",
    "impulse_Ns",
    "pair",
    "gap_rate_before_m_per_s",
    "gap_rate_after_m_per_s",
)
CONTACTS = 4  # kept of every run of a batch


def run_channels(run: Any) -> dict[str, str]:
    """Series, contacts, metrics; orbit's series and contacts."""
    found = {"status": run.status, "cycles": str(run.cycles)}
    found |= {f"series.{name}": of_array(run.series[name]) for name in run.series}
    found |= contact_channels("contacts", run.contacts)
    found |= flatten("metrics", run.metrics)
    orbit = run.reference
    found["orbit.status"] = orbit.status
    found |= {f"orbit.series.{name}": of_array(x) for name, x in orbit.series.items()}
    found |= contact_channels("orbit.contacts", orbit.contacts)
    for name in ("chaser", "target", "kinetic", "dissipated", "peak_force", "steps"):
        found[f"orbit.{name}"] = of_value(getattr(orbit, name))
    return found


def contact_channels(prefix: str, contacts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """A column of the log is a channel."""
    names = list(dict.fromkeys(name for contact in contacts for name in contact))
    columns = {f"{prefix}.{n}": of_array([contact[n] for contact in contacts]) for n in names}
    return {f"{prefix}.count": str(len(contacts))} | columns


def batch_channels(batch: Any) -> dict[str, str]:
    found = {"runs": str(len(batch))}
    found |= {f"outcomes.{name}": of_array(batch.column(name)) for name in OUTCOMES}
    for i in range(CONTACTS):
        found |= {f"contacts.{i}.{name}": of_array(batch.contact(i, name)) for name in LOGGED}
    return found


def table_channels(folder: Path) -> dict[str, str]:
    """Of a campaign's folder: every column of its table, sorted by run, and its summary."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "runs").sort_by("run")
    found = {"runs": str(table.num_rows)}
    for name in table.column_names:
        values = table.column(name).to_pylist()
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            found[f"table.{name}"] = of_array(np.array(values))
        else:
            found[f"table.{name}"] = of_value(values)
    return found | flatten("summary", json.loads((folder / "summary.json").read_text()))
