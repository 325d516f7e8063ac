"""What happened in a run, in one sentence, from its metrics alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.results.quantities import DIVERGED_SHARE, format_percent, format_quantity

EQUAL = 5e-4  # of the energy at the start: less is no energy added or lost


def describe_run(m: Mapping[str, Any]) -> str:
    """What a person should take home from a run."""
    ours, orbits = m["contact_count"], m["reference"]["contact_count"]
    if m["status"] != "completed":
        return (
            f"The run stopped at {m['stopped_at_s']:.4g} s: {m['status']}. "
            f"{_describe_added_energy(m)}"
        )
    if ours == 0 and orbits == 0:
        return f"Nothing touches, on this rig or on orbit. {_describe_added_energy(m)}"
    if ours == 0:
        return f"Nothing touches on this rig; on orbit there {_are(orbits)}."
    if orbits == 0:
        return f"There {_are(ours)} on this rig; on orbit nothing touches."
    if m.get("latched"):
        return f"{_describe_latching(m)} {_describe_growth(m['latch'])}".strip()
    if m["fidelity"]["compared_at_s"] is None:
        return (
            f"A contact was not over when the run ended at {m['ended_at_s']:.4g} s. "
            f"{_describe_added_energy(m)}"
        )
    came_back = [
        one["restitution"] is not None and one["restitution"] >= 0.0 for one in (m, m["reference"])
    ]
    if ours == 1 and orbits == 1 and all(came_back):
        e, wanted = m["restitution"], m["reference"]["restitution"]
        if e >= DIVERGED_SHARE:
            return f"The rebound diverged; on orbit it is {_of_speed(wanted)}."
        return f"Rebound speed is {_of_speed(e)}; on orbit it is {format_percent(wanted)}."
    if m["energy_ratio"] is None or m["reference"]["energy_ratio"] is None:
        return f"There {_are(ours)} on this rig, on orbit {orbits}. {_describe_added_energy(m)}"
    kept, wanted = (format_percent(one["energy_ratio"]) for one in (m, m["reference"]))
    contacts = "" if ours == orbits else f" over {_format_contact_count(orbits)}"
    if kept == "diverged":
        return f"The loop diverged over {_format_contact_count(ours)}."
    return (
        f"Over {_format_contact_count(ours)} the satellites keep {kept} of their kinetic energy; "
        f"on orbit {wanted}{contacts}."
    )


def _of_speed(ratio: float) -> str:
    return f"{format_percent(ratio)} of the approach speed"


def _describe_latching(m: Mapping[str, Any]) -> str:
    """When it docked, and the force of the latches."""
    latch, orbits = m["latch"], m["latch"]["orbit"]["latched_at_s"]
    beside = "never on orbit" if orbits is None else f"on orbit at {orbits:.4g} s"
    return (
        f"Latched at {latch['latched_at_s']:.4g} s ({beside}); the peak force of the latches is "
        f"{format_quantity(latch['peak_force_N'], 'N')} (on orbit "
        f"{format_quantity(latch['orbit']['peak_force_N'], 'N')})."
    )


def _describe_growth(latch: Mapping[str, Any]) -> str:
    """Whether the latched pair grows: beyond two standard errors of its oscillations."""
    sigma, error = latch["growth_per_s"], latch["growth_error_per_s"]
    if sigma is None:
        return ""
    if sigma < -2.0 * error:
        return f"The latched pair decays by {-sigma:.3g} 1/s ({latch['mode']})."
    if latch["energy_doubles_in_s"] is None:
        return (
            f"The latched pair neither grows nor decays measurably ({sigma:.2g} +- {error:.1g} "
            f"1/s, {latch['mode']})."
        )
    late = latch["late_by_s"]
    acts = "" if late is None else f" It behaves as with {1e3 * late:.3g} ms of delay."
    return (
        f"The latched pair grows by {sigma:.3g} 1/s ({latch['mode']}): its energy doubles every "
        f"{latch['energy_doubles_in_s']:.3g} s.{acts} `softdock stability` finds the damping that "
        "stops this."
    )


def _describe_added_energy(m: Mapping[str, Any]) -> str:
    energy = m["energy_added_J"]
    if energy is None:
        return "The energy that the loop added cannot be computed."
    start = m["ledger"]["kinetic_start_J"]
    if abs(energy) <= EQUAL * (start or 0.0):
        return "The loop added no energy."
    share = abs(energy) / start if start else 0.0
    if share >= DIVERGED_SHARE:
        return "The loop added over 10 times the energy at the start."
    of = f", {format_percent(share)} of the energy at the start" if share else ""
    return (
        f"The loop {'added' if energy > 0.0 else 'removed'} "
        f"{format_quantity(abs(energy), 'J')}{of}."
    )


def _format_contact_count(count: int) -> str:
    return "one contact" if count == 1 else f"{count} contacts"


def _are(count: int) -> str:
    return ("is " if count == 1 else "are ") + _format_contact_count(count)
