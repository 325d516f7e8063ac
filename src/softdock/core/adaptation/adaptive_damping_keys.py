"""Keys of the adaptive damping, its cells, and what it says before and after a run."""

from __future__ import annotations

from typing import Any

from softdock.core.adaptation.measured.line_of_action import noise_warnings
from softdock.core.adaptation.measured.normal_damper import DAMPER_CELLS
from softdock.core.adaptation.memory import recorded
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.spatial.motion import MOTION_FLOATS

ADAPTIVE_DAMPING = Group(
    "adaptive_damping",
    "Virtual damping along the measured force that ends each contact at the wanted energy, "
    "though stiffness and delay are known only roughly.",
    Parameter(
        "stiffness",
        "stiffness_N_per_m",
        "stiffness of the real contact, as believed",
        None,
        unit="N/m",
        low=0.0,
        high=1e9,
        open_low=True,
    ),
    Parameter(
        "delay",
        "delay_ms",
        "delay from set-point to measured force, as believed",
        None,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
    Parameter(
        "restitution",
        "restitution",
        "wanted of a lossless contact; 1: the rig is neutral",
        1.0,
        low=0.25,
        high=1.0,
    ),
    Parameter(
        "threshold",
        "contact_N",
        "measured force above which there is contact; set it above the sensor's noise",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "most",
        "most_Ns_per_m",
        "largest damping; 0: no limit below the aperiodic one",
        0.0,
        unit="Ns/m",
        low=0.0,
        high=1e8,
    ),
)
AT = ADAPTIVE_DAMPING.at

CELLS = Cells(
    "adaptive_damping",
    recorded("damping", "Ns/m", "virtual damping in use"),
    recorded("energy", "J", "energy along the line of action, commands under way included"),
    recorded("wanted", "J", "energy at which the contact is to end"),
    recorded("stiffness", "N/m", "stiffness seen in this contact, or believed"),
    recorded("absorbed", "J", "absorbed by the virtual damper so far"),
    Cell("acts", 1, "-", "1: in contact"),
    Cell("start", 1, "J", "energy of the approach"),
    Cell("given", 1, "J", "given to the satellites since touch"),
    Cell("taken", 1, "J", "absorbed by the real contact since touch"),
    Cell("model", 1, "Ns/m", "damping of the model"),
    Cell("contacts", 1, "-", "contacts that have ended"),
    Cell("above", 1, "-", "of them with more energy than wanted"),
    Cell("worst", 1, "-", "largest energy at an end over the wanted one"),
    Cell("at_most", 1, "-", "contacts that ended with the damping at its limit"),
    Cell("limit", 1, "Ns/m", "of the damping, in the last cycle in contact"),
    Cell("damper", DAMPER_CELLS.size, "", "of the virtual damper (measured/normal_damper.py)"),
    Cell("felt", 2 * MOTION_FLOATS, "m, -, m/s, rad/s", "mock-ups of the last force sample"),
    Cell("wrenches", 12, "N, Nm", "on the satellites in the last cycle"),
    Cell("read", 12, "N, Nm", "measured in the last cycle"),
)
CELL = CELLS.at


def books(mem: Any) -> dict[str, Any]:
    """How its contacts ended."""
    return {
        "contacts": float(mem[CELL.contacts]),
        "contacts_above_the_wanted_energy": float(mem[CELL.above]),
        "largest_energy_over_wanted": float(mem[CELL.worst]),
    }


def report(mem: Any, values: dict[str, Any]) -> list[str]:
    """Contacts that it could not end at the wanted energy."""
    above = int(mem[CELL.above])
    if above == 0:
        return []
    why = (
        "its damping was at the limit beyond which it would only hold the bodies together"
        if mem[CELL.at_most] > 0.0
        else "the contact was over before"
    )
    return [
        f"adaptive_damping: {above} of {int(mem[CELL.contacts])} contacts ended with more energy "
        f"than wanted, by up to {100.0 * (mem[CELL.worst] - 1.0):.1f} % as it observed: {why}; the "
        "rig stays active (a shorter delay, a lower restitution or energy_ledger would mend it)"
    ]


def wanted(values: dict[str, Any]) -> dict[str, Any] | None:
    """The contact that orbit is flown with: a restitution below 1 is meant."""
    e = values["restitution"]
    return {"restitution": e} if e < 1.0 else None


def check(values: dict[str, Any], tables: Any) -> Any:
    return [], noise_warnings(values, tables)
