"""The verdict: one plain sentence on a run, from its metrics alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EQUAL = 5e-4  # a change smaller than this is printed as 0.0 %, so it is called none
MANY = 3.0  # from here on a factor says more than percent


def describe_run(m: Mapping[str, Any]) -> str:
    """What a person should take home from a run."""
    ours, orbits = m["contact_count"], m["reference"]["contact_count"]
    if m["status"] != "completed":
        return (
            f"The run stopped at {m['stopped_at_s']:.4g} s: {m['status']}. "
            f"{_describe_invented_energy(m)}"
        )
    if ours == 0 and orbits == 0:
        return f"Nothing touched on this rig, nor in orbit. {_describe_invented_energy(m)}"
    if ours == 0:
        return f"Nothing touched on this rig; in orbit there {_are(orbits)}."
    if orbits == 0:
        return f"There {_are(ours)} on this rig; in orbit nothing touches."
    if m.get("latched"):
        return f"{_describe_latching(m)} {_describe_growth(m['latch'])}".strip()
    if m["fidelity"]["compared_at_s"] is None:
        return (
            f"A contact was not over when the run ended at {m['ended_at_s']:.4g} s. "
            f"{_describe_invented_energy(m)}"
        )
    came_back = [
        one["restitution"] is not None and one["restitution"] >= 0.0 for one in (m, m["reference"])
    ]
    if ours == 1 and orbits == 1 and all(came_back):
        return _describe_return("", "speed", m["restitution"], m["reference"]["restitution"], "")
    if m["energy_ratio"] is None or m["reference"]["energy_ratio"] is None:
        return f"On this rig there {_are(ours)}, in orbit {orbits}. {_describe_invented_energy(m)}"
    other = "" if ours == orbits else f" in {_format_contact_count(orbits)}"
    return _describe_return(
        f"Over {_format_contact_count(ours)} ",
        "energy",
        m["energy_ratio"],
        m["reference"]["energy_ratio"],
        other,
    )


def _describe_latching(m: Mapping[str, Any]) -> str:
    """When it docked, and what the latches bore."""
    latch, orbits = m["latch"], m["latch"]["orbit"]["latched_at_s"]
    beside = "never in orbit" if orbits is None else f"in orbit at {orbits:.4g} s"
    return (
        f"Latched at {latch['latched_at_s']:.4g} s ({beside}); the latches bore at most "
        f"{latch['peak_force_N']:.3g} N, in orbit {latch['orbit']['peak_force_N']:.3g} N."
    )


def _describe_growth(latch: Mapping[str, Any]) -> str:
    """Whether the latched pair grows: beyond two standard errors of what its swings show."""
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
    acts = "" if late is None else f" It acts as if late by {1e3 * late:.3g} ms."
    return (
        f"The latched pair grows by {sigma:.3g} 1/s ({latch['mode']}): its energy doubles every "
        f"{latch['energy_doubles_in_s']:.3g} s.{acts} `softdock stability` tries which damping "
        "holds it."
    )


def _describe_return(over: str, what: str, rig: float, orbit: float, orbits_contacts: str) -> str:
    """What came back on the rig and in orbit, as shares of what was brought."""
    subject = f"{over}{'this' if over else 'This'} rig"
    wanted = "0 %" if abs(orbit - 1.0) < EQUAL else _format_change(orbit)
    if abs(rig - 1.0) < EQUAL:
        so = (
            f"and so does orbit{orbits_contacts}"
            if wanted == "0 %"
            else f"where orbit gives {wanted}{orbits_contacts}"
        )
        return f"{subject} gave back as much {what} as it received, {so}."
    if rig >= MANY:
        orbits = "back as much as it receives" if wanted == "0 %" else wanted
        return (
            f"{subject} gave back {_format_factor(rig)} the {what} it received; orbit gives "
            f"{orbits}{orbits_contacts}."
        )
    return (
        f"{subject} gave back {_format_change(rig)} {what} than it received; orbit gives "
        f"{wanted}{orbits_contacts}."
    )


def _format_change(ratio: float) -> str:
    if ratio >= MANY:
        return f"back {_format_factor(ratio)} as much"
    return f"{100.0 * abs(ratio - 1.0):.1f} % {'more' if ratio > 1.0 else 'less'}"


def _format_factor(ratio: float) -> str:
    return (
        f"{ratio:.1f} times"
        if ratio < 10.0
        else f"{ratio:.3g} times"
        if ratio >= 1e6
        else f"{ratio:.0f} times"
    )


def _describe_invented_energy(m: Mapping[str, Any]) -> str:
    energy = m["energy_invented_J"]
    if energy is None:
        return "How much energy it invented cannot be said."
    start = m["ledger"]["kinetic_start_J"]
    if abs(energy) <= EQUAL * (start or 0.0):
        return "It neither invented nor lost energy."
    share = abs(energy) / start if start else 0.0
    words = f"{100.0 * share:.1f} % of" if share < MANY else _format_factor(share)
    return (
        f"It {'invented' if energy > 0.0 else 'lost'} {abs(energy):.4g} "
        f"J{f', {words} the energy at the start' if share else ''}."
    )


def _format_contact_count(count: int) -> str:
    return "one contact" if count == 1 else f"{count} contacts"


def _are(count: int) -> str:
    return ("is " if count == 1 else "are ") + _format_contact_count(count)
