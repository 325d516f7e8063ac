"""What the method refuses before a run, and says after it. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.loop.contact.keys import MOST_PAIRS
from softdock.methods.energy_ledger.keys import refuses as ledger_refuses
from softdock.methods.faithful.cells import CELL, PAST_FLOATS, RING_AT
from softdock.methods.faithful.fallback import ledger_floats
from softdock.methods.faithful.free_flight import ENOUGH, FLIGHT
from softdock.methods.faithful.friction import RUB
from softdock.methods.faithful.joint_cells import JOINT
from softdock.methods.faithful.joint_samples import KEPT
from softdock.methods.faithful.keys import past_rows
from softdock.methods.faithful.law import LAW, LAW_FLOATS
from softdock.methods.faithful.law_samples import FIT, FIT_FLOATS
from softdock.methods.faithful.models import EXPLAINED
from softdock.methods.faithful.readings import PAIRED

MODELS = (
    "none",
    "spring",
    "spring and damper",
    "power of the deflection",
    "Hunt and Crossley",
    "pre-loaded spring",
    "pre-loaded spring and damper",
    "spring and damper, the sensor lags",
    "Hunt and Crossley, the sensor lags",
    "pre-loaded spring, the sensor lags",
    "spring, the sensor lags",
)
WORTH_SAYING = 0.01  # relative misfit of a law
HARDLY_KNOWN = 0.2  # relative spread of a stiffness


def memory(values: Mapping[str, Any], T: float) -> int:
    return RING_AT + PAST_FLOATS * past_rows(values, T) + ledger_floats(T)


def refuses(scenario: Any) -> str | None:
    """Why it cannot run on a scenario."""
    tables = scenario.tables
    if not tables["contact"]:
        return "there is no contact pair: it answers contacts of known shapes, and no other force"
    if any(pair["wanted"]["law"] != "same_as_real" for pair in tables["contact"]):
        return "orbit is to have another contact than the mock-ups: that is the re-mapping's task"
    return ledger_refuses(scenario)


def check(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Any:
    """Where it cannot be listed, and where a part of what a rig feels would not act."""
    problems: list[tuple[str, Any, str]] = []
    for i, pair in enumerate(tables["contact"]):
        if pair["wanted"]["law"] != "same_as_real":
            allowed = f"a contact.{i}.wanted.law same_as_real; of another law, the re-mapping"
            problems.append(("name", "faithful", allowed))
    hands = [body for body in ("chaser", "target") if len(tables["hand"][body]["rows"]) > 0]
    said = [
        f"a hand on the {body}'s mock-up is felt while nothing touches; in a contact its force is "
        "taken for the contact's"
        for body in hands
    ]
    return problems, [f"faithful: {words}" for words in said]


def _noise(mem: Any) -> float:
    """Standard deviation of a component of the force [N]."""
    count = float(mem[CELL.flight + FLIGHT.count])
    return math.sqrt(float(mem[CELL.flight + FLIGHT.left]) / (3.0 * max(count - 1.0, 1.0)))


def _tool(mem: Any) -> float:
    """Mass that the compensation of the tool misses [kg]; 0 where nothing shows it."""
    return float(mem[CELL.flight + FLIGHT.tool])


def _law(mem: Any, i: int) -> dict[str, Any]:
    """What was identified of a pair; nothing where it was never felt."""
    fit, law = CELL.fits + i * FIT_FLOATS, CELL.found + i * LAW_FLOATS
    if not mem[fit + FIT.model] > 0.0:
        return {}
    named = {
        "law": MODELS[int(mem[fit + FIT.model])],
        "stiffness_N_per_m": float(mem[law + LAW.stiffness]),
        "stiffness_spread": float(mem[fit + FIT.spread]),
        "power": float(mem[law + LAW.power]),
        "damping_Ns_per_m": float(mem[law + LAW.damping]),
        "damping_spread_Ns_per_m": float(mem[fit + FIT.damping_spread]),
        "lambda_s_per_m": float(mem[law + LAW.factor]),
        "preload_N": float(mem[law + LAW.preload]),
        "sensor_lag_s": float(mem[fit + FIT.lag]),
        "pulls": bool(mem[law + LAW.pulls]),
        "misfit": float(mem[fit + FIT.misfit]),
        "misfit_of_noise": float(mem[fit + FIT.chi]),
        "samples": float(mem[fit + FIT.seen]),
    }
    return {f"contact_{i}_{key}": value for key, value in named.items()}


def _friction_spread(mem: Any) -> int:
    """Where the standard deviation of the friction stands that is believed."""
    jointly = mem[CELL.joint + JOINT.fitted] > 0.0
    return CELL.joint + JOINT.friction_spread if jointly else CELL.rub + RUB.spread


def books(mem: Any) -> dict[str, Any]:
    """What was identified, with its uncertainty, and what was done, from its slice of `mem`."""
    found: dict[str, Any] = {
        "contacts": float(mem[CELL.contacts]),
        "contacts_by_ledger": float(mem[CELL.blind] + mem[CELL.strange]),
        "contacts_too_long": float(mem[CELL.overlong]),
        "rewinds": float(mem[CELL.rewinds]),
        "most_cycles_rewound": float(mem[CELL.longest]),
        "taken_by_bound_J": float(mem[CELL.cut]),
        "free_flight_samples": float(mem[CELL.flight + FLIGHT.count]),
        "delay_s": float(mem[CELL.delay]),
        "noise_N": _noise(mem),
        "tare_N": [float(x) for x in mem[CELL.flight + FLIGHT.force :][:3]],
        "tool_error_kg": _tool(mem),
        "friction": float(mem[CELL.found + LAW.friction]),
        "friction_spread": float(mem[_friction_spread(mem)]),
        "friction_speed_m_per_s": float(mem[CELL.found + LAW.slip]),
        "friction_misfit": float(mem[CELL.rub + RUB.misfit]),
        "friction_misfit_of_noise": float(mem[CELL.rub + RUB.chi]),
        "samples_of_several_touches": float(mem[CELL.many + KEPT.seen]),
    }
    for i in range(MOST_PAIRS):
        found |= _law(mem, i)
        if mem[CELL.unfelt + i] and not mem[CELL.fits + i * FIT_FLOATS + FIT.model] > 0.0:
            found[f"contact_{i}_unfelt"] = True
    return found


def vouches(found: Mapping[str, Any]) -> list[str]:
    """From the books of a run: what was not learnt; nothing where all was."""
    said = []
    if found.get("contacts_by_ledger", 0.0):
        said.append("the energy ledger had the satellites in a contact")
    if found.get("contacts", 0.0) and not any(
        f"contact_{i}_law" in found for i in range(MOST_PAIRS)
    ):
        said.append("no reading told of a contact's law")
    for i in range(MOST_PAIRS):
        if found.get(f"contact_{i}_unfelt"):
            said.append(f"the satellites touched contact {i}, and no reading told of its law")
        misfit = found.get(f"contact_{i}_misfit", 0.0)
        if misfit > WORTH_SAYING and found.get(f"contact_{i}_misfit_of_noise", 0.0) > EXPLAINED:
            said.append(f"no law explains contact {i}: {100.0 * misfit:.2g} % of its force is left")
        spread = found.get(f"contact_{i}_stiffness_spread", 0.0)
        if spread > HARDLY_KNOWN:
            said.append(f"the stiffness of contact {i} is known to {100.0 * spread:.2g} % only")
    left = found.get("friction_misfit", 0.0)
    if left > WORTH_SAYING and found.get("friction_misfit_of_noise", 0.0) > EXPLAINED:
        said.append(f"no friction explains {100.0 * left:.2g} % of the force, across the normal")
    if found.get("contacts_too_long", 0.0):
        said.append("a contact lasted longer than rewind_s")
    return said


def events(mem: Any, T: float) -> list[str]:
    """What could not be learnt, and what was done instead, in words."""
    found, b = [], books(mem)
    if mem[CELL.blind]:
        found.append(
            f"{mem[CELL.blind]:.0f} contact(s) began after fewer than {ENOUGH:.0f} force "
            "samples of "
            "free flight: tare and noise were not known, the energy ledger had the satellites"
        )
    if mem[CELL.strange]:
        found.append(
            f"{mem[CELL.strange]:.0f} time(s) a force was felt though the known shapes were apart: "
            "wrong shapes, or a push from outside; the energy ledger had the satellites"
        )
    if mem[CELL.paired + PAIRED.same]:
        found.append(
            f"{mem[CELL.paired + PAIRED.same]:.0f} readings of a contact did not change though the "
            "mock-ups moved (a frozen sensor, or one at its range): nothing was learnt from them"
        )
    if mem[CELL.paired + PAIRED.bad]:
        found.append(f"{mem[CELL.paired + PAIRED.bad]:.0f} readings were no numbers")
    for i in range(MOST_PAIRS):
        misfit = b.get(f"contact_{i}_misfit", 0.0)
        if misfit > WORTH_SAYING and mem[CELL.fits + i * FIT_FLOATS + FIT.chi] > EXPLAINED:
            found.append(
                f"contact {i}: no law explains its samples to better than "
                f"{100.0 * misfit:.2g} % of "
                "the largest force; the damper that takes what they took was believed"
            )
    if mem[CELL.contacts] and not any(f"contact_{i}_law" in b for i in range(MOST_PAIRS)):
        found.append(
            "the satellites touched and no reading told of it: they flew on without a contact"
        )
    if mem[CELL.overlong]:
        found.append(
            f"{mem[CELL.overlong]:.0f} contact(s) lasted longer than rewind_s: their past was not "
            "computed anew after that"
        )
    return found
