"""What the cap of a network's step cut of its force, said after a run: the step stays passive for
every motion within a bound, and where tank and network cannot pay for that, the force is less than
the network's."""

from __future__ import annotations

from typing import Any

from softdock.core.adaptation.networks.port import HEAD
from softdock.core.ports.linear_step import CUTS, MOST_CUT, MOST_WANTED

SAID = 0.01  # of the largest force: a cut beyond that is said


def books(mem: Any) -> dict[str, Any]:
    """What its cap cut, from the method's slice of `mem`."""
    own = mem[HEAD:]
    return {
        "cycles_cut_by_the_cap": float(own[CUTS]),
        "largest_cut_N": float(own[MOST_CUT]),
        "largest_force_wanted_N": float(own[MOST_WANTED]),
    }


def report(mem: Any, values: dict[str, Any]) -> list[str]:
    """A cap that changed the contact: it is no longer the network's."""
    found = books(mem)
    cut, wanted = found["largest_cut_N"], found["largest_force_wanted_N"]
    if not cut > SAID * wanted:
        return []
    return [
        f"network_contact: its cap cut the network's force in "
        f"{found['cycles_cut_by_the_cap']:.0f} cycles, by up to {cut:.3g} N of {wanted:.3g} N: "
        f"this is not the network's contact. With tank_J = {values['tank_J']:g} it must stay "
        "passive for relative accelerations up to most_acceleration_m_per_s2 = "
        f"{values['most_acceleration_m_per_s2']:g}; give the acceleration that the satellites "
        "reach, a larger tank or a shorter cycle"
    ]
