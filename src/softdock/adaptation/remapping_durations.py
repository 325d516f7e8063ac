"""How long a wanted contact lasts against the cycle, before a run. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.adaptation.remapping_reports import RESOLVED, expected_error

Problems = list[tuple[str, Any, str]]


def matrix_of(value: Any) -> np.ndarray:
    """A number, a diagonal or a matrix as a matrix."""
    array = np.asarray(value, dtype=float)
    return np.diag(np.broadcast_to(array, 3)) if array.size in (1, 3) else array.reshape(3, 3)


def named_law(values: Mapping[str, Any]) -> float | None:
    """Exponent of the depth in a law of the method's own; None: whatever the scenario's contact has."""
    law = values["wanted.law"]
    if law == "hunt_crossley":
        return float(values["wanted.exponent"])
    if law == "spring_damper" or (law == "restitution" and values["wanted.by"] == "spring_damper"):
        return 1.0
    return None


def lasting(stiffness: float, exponent: float, mass: float, speed: float) -> float:
    """Of a lossless contact k o^e that an effective mass meets at some speed [s]; of a spring half a period, whatever the speed."""
    if exponent == 1.0:
        return math.pi * math.sqrt(mass / stiffness)
    if speed <= 0.0:
        return math.inf
    power = exponent + 1.0
    deepest = (0.5 * power * mass * speed * speed / stiffness) ** (1.0 / power)
    return 2.0 * deepest / speed * math.sqrt(math.pi) * math.gamma(1.0 + 1.0 / power) / math.gamma(0.5 + 1.0 / power)


def _effective_mass(tables: Mapping[str, Any]) -> float:
    """Of a central impact, along the lightest axis [kg]."""
    bodies = [tables[name] for name in ("chaser", "target") if not tables[name]["fixed"]]
    return 1.0 / sum(1.0 / float(np.min(body["mass_kg"])) for body in bodies)


def _hardest(values: Mapping[str, Any], tables: Mapping[str, Any]) -> list[tuple[str, Any, float, float]]:
    """Key, value, stiffness and exponent of each law that the satellites may feel and that is not checked with the scenario: the method's own, and
    Hunt and Crossley's, whose duration depends on the speed."""
    if values["wanted.law"] != "scenario" and np.any(values["wanted.stiffness_N_per_m"]):
        key, exponent = "wanted.stiffness_N_per_m", named_law(values)
        return [(key, values[key], float(np.linalg.eigvalsh(matrix_of(values[key]))[2]), 1.0 if exponent is None else exponent)]
    found = []
    for i, pair in enumerate(tables["contact"]):
        law, name = (pair["real"], "real") if pair["wanted"]["law"] == "same_as_real" else (pair["wanted"], "wanted")
        if law["law"] == "hunt_crossley" and law["stiffness_N_per_m"] > 0.0:
            found.append((f"contact.{i}.{name}.stiffness_N_per_m", law["stiffness_N_per_m"], float(law["stiffness_N_per_m"]), float(law["exponent"])))
    return found


def durations(values: Mapping[str, Any], tables: Mapping[str, Any]) -> tuple[Problems, list[str]]:
    """Contacts that are too short for the cycle: refused, or warned of, with the ratio and the error to expect."""
    problems: Problems = []
    warnings = []
    speed = float(np.linalg.norm(np.subtract(tables["chaser"]["velocity_m_per_s"], tables["target"]["velocity_m_per_s"])))
    for key, value, stiffness, exponent in _hardest(values, tables):
        cycles = lasting(stiffness, exponent, _effective_mass(tables), speed) / (1e-3 * tables["time"]["cycle_ms"])
        at_speed = f" at {speed:g} m/s" if exponent != 1.0 else ""
        steps = values["substeps"]
        if cycles < 1.0 and not tables["allow_unresolved"]:
            error = f"held, the force would be wrong by more than {100.0 * expected_error(cycles):.2g} %"
            allowed = f"a contact of at least one cycle: this one lasts {cycles:.2g}{at_speed} ({error}); or allow_unresolved = true"
            problems.append((key, value, allowed) if key.startswith("wanted") else ("wanted.law", values["wanted.law"], f"{allowed}: {key} = {value:g}"))
        elif cycles * steps < RESOLVED:
            step = "step" if steps > 1 else "cycle"
            error = f"its restitution may be wrong by {100.0 * expected_error(cycles * steps):.2g} %"
            warnings.append(f"{key}: a contact of {cycles:.2g} cycles{at_speed}, {cycles * steps:.2g} {step}s: {error}")
    return problems, warnings
