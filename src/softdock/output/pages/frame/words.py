"""Labels of the metrics' keys on pages. A key that is not listed is spelled from its own words."""

from __future__ import annotations

from softdock.output.pages.frame.elements import UNITS
from softdock.results.metrics import METRICS

LABELS = {  # of keys below the top level; those at the top are declared (results/metrics.py)
    "energy_ratio_at_end": "Energy ratio at the end of the run",
    "distance_from_orbit_later": "Distance from orbit, settle_s later",
    "distance_from_orbit_worst": "Distance from orbit, the worse of both",
    "compared_from_s": "Compared from",
    "compared_at_s": "Compared at",
    "peak_force_N": "Peak force on the satellite",
    "kinetic_start_J": "Kinetic energy at the start",
    "kinetic_end_J": "Kinetic energy at the end",
    "external_J": "Work of thrusters and hands on the satellites",
    "real_J": "Absorbed by the real contact",
    "virtual_J": "Absorbed by virtual elements",
    "designed_J": "Difference that a method means to make",
    "observed_J": "Observed energy (as a rig can measure it)",
    "stored_J": "Still stored in the contact",
    "dissipated_J": "Dissipated by the contact",
    "residual_J": "Check of the books: rows minus total",
    "physics_residual": "Check of the physics: contact work against stored and dissipated",
    "kinetic_energy_relative_J": "Kinetic energy without the pair's common drift",
    "turnover_J": "All work, sizes added up",
    "linear_momentum_error_Ns": "Change of the pair's linear momentum",
    "angular_momentum_error_Nms": "Change of the pair's angular momentum",
    "impulse_Ns": "Impulse",
    "contact_time_s": "Time in contact",
}

METHOD_LABELS = {
    "designed_J": "Difference that it means to make, as it measured it"
}  # in a method's own books

BALANCE_ROWS = {
    "integrator": "the integration step of the simulated satellites",
    "correction": "corrections of the satellites' state by methods",
    "adaptation": "what methods make of the measured force",
    "sensor": "sampling, hold, noise and age of the measured force",
    "command": "set-points that differ from the satellites' motion",
    "robot": "robots that are not where they were sent: delay, lag, limits",
    "rewound": "a past that a method rewrote",
    "joints_stored": "stored in elastic joints",
    "joints_moving": "kinetic energy of what moves behind elastic joints",
    "joints_dissipated": "taken by the damping of elastic joints",
    "joints_step": "what a step of the plant misses of an elastic joint",
}


def label(key: str) -> str:
    """Label of a key, without its unit."""
    last = key.rpartition(".")[2]
    if last in METRICS and METRICS[last].label:
        return METRICS[last].label
    if last in LABELS:
        return LABELS[last]
    suffix = next((s for s in UNITS if last.endswith(s)), "")
    words = last.removesuffix(suffix).replace("_", " ")
    return words[:1].upper() + words[1:]


AXES = ("x", "y", "z")
MORE_UNITS = {  # of keys of a scenario, longest first; those of metrics are in UNITS
    "_kg_m2": "kg m\N{SUPERSCRIPT TWO}",
    "_deg_per_s": "deg/s",
    "_m_per_s2": "m/s\N{SUPERSCRIPT TWO}",
    "_rad": "rad",
    "_deg": "deg",
    "_kg": "kg",
    "_Hz": "Hz",
}


def axis_title(key: str) -> str:
    """Axis title for a key of a scenario or a campaign: chaser.position_m.1 -> chaser position, y
    [m]."""
    path, _, index = key.rpartition(".")
    name, which = (path, int(index)) if path and index.isdigit() else (key, -1)
    known = MORE_UNITS | UNITS
    suffix = next((s for s in known if name.endswith(s)), "")
    words = name.removesuffix(suffix).replace(".", " ").replace("_", " ")
    part = f", {AXES[which]}" if 0 <= which < len(AXES) else f", {which}" if which >= 0 else ""
    return f"{words}{part}" + (f" [{known[suffix]}]" if suffix else "")


def reference_key(key: str) -> str:
    """Key of the reference's value of the same quantity: impulse_Ns -> impulse_orbit_Ns."""
    suffix = next((s for s in UNITS if key.endswith(s)), "")
    return f"{key.removesuffix(suffix)}_orbit{suffix}"
