"""What the re-mapping refuses before a run, and says after it. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from softdock.loop.contact.laws import LINEAR_LAWS
from softdock.loop.method.declaration import NOISE_SIGMAS, known_of, needs_stiffness
from softdock.methods.remapping.estimate import find_obstacles
from softdock.methods.remapping.state import PAST, STATE

RESOLVED = 8.0  # cycles of a contact from which a held force is within 1 %


def count_history_rows(rewind: float, T: float) -> int:
    """Rows of the history: a stamp for every cycle that may be recomputed, and one before; 1: no
    rewind."""
    return math.ceil(rewind / T - 1e-9) + 2 if rewind > 0.0 else 1


def count_floats(values: Mapping[str, Any], T: float) -> int:
    """Floats of `mem`."""
    return STATE.size + PAST.size * count_history_rows(1e-3 * values["rewind_ms"], T)


def estimate_error(cycles: float) -> float:
    """Largest error of the restitution when the force is held over the cycles of so short a
    contact, at most."""
    return 0.1 * (math.pi / cycles) ** 2


def suggest(scenario: Any) -> dict[str, Any]:
    """Its keys for a scenario that does not list it: one contact stiffness, the robots' delay as
    lead, and what noise alone does not reach."""
    tables, known = scenario.tables, known_of(scenario)
    robots, noise = (
        tables["robots"].values(),
        max(NOISE_SIGMAS * known.noise, tables["sensor"]["threshold_N"]),
    )
    lead = min(
        robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"] for robot in robots
    )
    keys: dict[str, Any] = {
        "lead_ms": lead,
        "threshold_N": noise,
        "rewind_ms": max(100.0, 2.0 * lead),
    }
    dampings = {pair["real"].get("damping_Ns_per_m") for pair in tables["contact"]}
    alike = (
        len({pair["real"].get("stiffness_N_per_m") for pair in tables["contact"]})
        == len(dampings)
        == 1
    )
    arms = any(robot.get("elastic_joints", False) for robot in robots)
    elastic = arms or any(robot["joint_stiffness_N_per_m"] > 0.0 for robot in robots)
    if elastic and all(pair["real"]["law"] in LINEAR_LAWS for pair in tables["contact"]):
        keys |= {"environment": "filter", "robot_stiffness": "arm" if arms else "joints"}
        if known.noise > 0.0:
            keys["filter"] = {"noise_N": known.noise}
    if known.stiffness is None or not alike:
        return keys  # each pair's own law, as the scenario has it
    damping = dampings.pop()
    clean = not (
        damping or elastic or known.noise > 0.0 or find_obstacles(tables)
    )  # else the estimate is worse than what is known
    return keys | {
        "stiffness_N_per_m": known.stiffness,
        "damping_Ns_per_m": damping,
        "estimate": "on_line" if clean else "given",
    }


def refuses(scenario: Any) -> str | None:
    if not scenario.tables["contact"]:
        return "there is no contact whose place could be found"
    return needs_stiffness(scenario)


def summarize(mem: Any) -> dict[str, float]:
    s = STATE(mem)
    return {
        "contacts": float(s.contacts),
        "rewinds": float(s.rewinds),
        "most_cycles_rewound": float(s.deepest),
        "designed_J": float(s.designed),
        "jumped_J": float(s.jumped),
        "largest_line_error_m": float(s.largest_line_error),
        "largest_deviation_m": float(s.largest_deviation),
        "shortest_contact_cycles": float(s.shortest),
    }


def describe(mem: Any, values: Mapping[str, Any]) -> list[str]:
    """What a user should hear of after a run."""
    s, found = STATE(mem), []
    threshold, largest = values["threshold_N"], float(s.largest_below)
    if s.contacts == 0 and largest > 0.0:
        found.append(
            f"no measured force rose above threshold_N = {threshold:g} N (the largest was "
            f"{largest:.3g} N): no contact was re-mapped"
        )
    if s.too_short > 0:
        why = (
            f"beyond the {values['rewind_ms']:g} ms that may be rewound"
            if values["rewind_ms"] > 0.0
            else "before they were seen"
        )
        found.append(
            f"{s.too_short:g} contact(s) of the satellites had begun {why}; so far "
            f"{float(s.jumped):.3g} J came from nowhere by such jumps"
        )
    if s.other_points > 0:
        where = f"{s.other_points:g} contact(s) moved to another place before the first had ended"
        found.append(f"{where}: beyond the method, which knows one contact at a time")
    if s.soft > 0:
        found.append(
            f"the stiffness is zero along the measured normal ({s.soft:g} cycles): "
            "nothing was re-mapped there"
        )
    if s.missed > 0:
        shape = values["surface"]["shape"]
        where = "the scenario's shape" if shape == "scenario" else f"surface.shape = {shape}"
        found.append(
            f"the wrench's line of action missed {where} in {s.missed:g} cycles: its "
            "point nearest to plane, centre, axis or apex was taken"
        )
    shortest = float(s.shortest)
    if values["substeps"] == 1 and 0.0 < shortest < RESOLVED:
        error = f"its restitution may be wrong by {100.0 * estimate_error(shortest):.2g} %"
        found.append(
            f"the shortest contact acted in {shortest:g} cycles: with a held force {error}; "
            "more substeps resolve it"
        )
    return [f"remapping: {line}" for line in found]
