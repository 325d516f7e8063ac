"""Lists of methods that cannot work together, and settings of a method that do nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ONCE = (
    "passive_integrator",
    "delay_passivity",
    "energy_ledger",
)  # each settles the energy of the whole loop
CHANGES_WRENCH = ("hybrid", "adaptive_damping", "network_contact", "remapping")


def chain_problems(names: Sequence[Any]) -> list[tuple[int, str]]:
    """Place in the list, and what is allowed there."""
    found = []
    for i, name in enumerate(names):
        if name in ONCE and name in names[:i]:
            found.append((i, f"'{name}' once: it settles the energy of the whole loop"))
        if name == "delay_passivity" and any(later in CHANGES_WRENCH for later in names[i + 1 :]):
            later = next(later for later in names[i + 1 :] if later in CHANGES_WRENCH)
            found.append(
                (
                    i,
                    f"'delay_passivity' after '{later}': it must be the last that changes "
                    "the wrench, or it counts what never acts",
                )
            )
        if name in ("delay_passivity", "energy_ledger") and {
            "delay_passivity",
            "energy_ledger",
        } <= set(names[: i + 1]):
            found.append(
                (i, "either 'delay_passivity' or 'energy_ledger': both would take the same energy")
            )
    return found


def idle_settings(name: str, values: Mapping[str, Any]) -> list[str]:
    """Settings that were made and do nothing."""
    found = []
    if (
        name in ("delay_passivity", "energy_ledger")
        and values["confidence"] > 0.5
        and values["noise_N"] == 0.0
        and values["noise_Nm"] == 0.0
    ):
        found.append(
            f"{name}: confidence = {values['confidence']:g} does nothing without noise_N or "
            "noise_Nm: nothing is kept back"
        )
    if (
        name == "passive_integrator"
        and values["form"] != "bounded"
        and values["largest_force_N"] > 0.0
    ):
        found.append(
            f"{name}: largest_force_N does nothing with form = {values['form']}: only "
            "'bounded' has a tank"
        )
    return found
