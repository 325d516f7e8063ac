"""What the method refuses before a run, and says after it. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.core.adaptation.faithful.cells import CELL, OTHERS, RING_AT
from softdock.core.adaptation.faithful.fit import FIT, FIT_FLOATS
from softdock.core.adaptation.faithful.flight import FLIGHT, noise_of
from softdock.core.adaptation.faithful.keys import past_rows
from softdock.core.adaptation.faithful.law import LAW, LAW_FLOATS
from softdock.core.adaptation.faithful.rub import RUB
from softdock.core.shapes.keys import MOST_PAIRS

MODELS = ("none", "spring", "spring and damper", "power of the deflection", "Hunt and Crossley")


def memory(values: Mapping[str, Any], T: float) -> int:
    return RING_AT + OTHERS * past_rows(values, T)


def refuses(scenario: Any) -> str | None:
    """Why it cannot run on a scenario."""
    tables = scenario.tables
    if not tables["contact"]:
        return "there is no contact pair: it answers contacts of known shapes, and no other force"
    if any(pair["wanted"]["law"] != "same_as_real" for pair in tables["contact"]):
        return "orbit is to have another contact than the mock-ups: that is the re-mapping's task"
    return None


def check(values: Mapping[str, Any], tables: Any) -> Any:
    return [], []


def books(mem: Any) -> dict[str, Any]:
    """What was identified and done, from its slice of `mem`."""
    found: dict[str, Any] = {
        "contacts": float(mem[CELL.contacts]),
        "rewinds": float(mem[CELL.rewinds]),
        "most_cycles_rewound": float(mem[CELL.longest]),
        "delay_s": float(mem[CELL.delay]),
        "noise_N": float(noise_of(mem, CELL.flight)[0]),
        "tare_N": [float(x) for x in mem[CELL.flight + FLIGHT.force :][:3]],
        "free_flight_samples": float(mem[CELL.flight + FLIGHT.count]),
        "friction": float(mem[CELL.rub + RUB.friction]),
        "friction_spread": float(mem[CELL.rub + RUB.spread]),
        "friction_speed_m_per_s": float(mem[CELL.rub + RUB.slip]),
    }
    for i in range(MOST_PAIRS):
        fit, law = CELL.fits + i * FIT_FLOATS, CELL.found + i * LAW_FLOATS
        if mem[fit + FIT.model] > 0.0:
            found |= {
                f"contact_{i}_law": MODELS[int(mem[fit + FIT.model])],
                f"contact_{i}_stiffness_N_per_m": float(mem[law + LAW.stiffness]),
                f"contact_{i}_stiffness_spread": float(mem[fit + FIT.spread]),
                f"contact_{i}_power": float(mem[law + LAW.power]),
                f"contact_{i}_damping_Ns_per_m": float(mem[law + LAW.damping]),
                f"contact_{i}_damping_spread_Ns_per_m": float(mem[fit + FIT.damping_spread]),
                f"contact_{i}_lambda_s_per_m": float(mem[law + LAW.factor]),
                f"contact_{i}_misfit": float(mem[fit + FIT.chi]),
                f"contact_{i}_samples": float(mem[fit + FIT.seen]),
            }
    return found


def events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    return []
