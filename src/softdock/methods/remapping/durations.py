"""How long a wanted contact lasts against the cycle, before a run. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.contact.laws import HUNT_CROSSLEY, LAWS, LINEAR_LAWS
from softdock.loop.contact.models import shape_named
from softdock.loop.spatial.arrays import matrix
from softdock.methods.remapping.reports import RESOLVED, estimate_error

Problems = list[tuple[str, Any, str]]
_K_D = "wanted.stiffness_N_per_m"
# cycles: a scenario with a shorter one is refused (scenario/checks.py); here with the error
SPRINGS_OF_SCENARIO = 1.6
KNOWN = (*LINEAR_LAWS, LAWS[HUNT_CROSSLEY])  # laws that the re-mapping can take from a scenario


def make_matrix(value: Any) -> np.ndarray:
    """A number, a diagonal or a matrix as a matrix."""
    array = np.asarray(value, dtype=float)
    return np.diag(np.broadcast_to(array, 3)) if array.size in (1, 3) else array.reshape(3, 3)


def find_named_exponent(values: Mapping[str, Any]) -> float | None:
    """Exponent of the depth in a law of the method's own; None: whatever the scenario's contact
    has."""
    law = values["wanted.law"]
    if law == "hunt_crossley":
        return float(values["wanted.exponent"])
    if law == "spring_damper" or (law == "restitution" and values["wanted.by"] == "spring_damper"):
        return 1.0
    return None


def has_no_stiffness(law: Mapping[str, Any]) -> bool:
    """Whether the law of a pair's table is none that a stiffness and an exponent tell: the
    re-mapping knows springs with a damper and Hunt and Crossley's law."""
    return law["law"] not in KNOWN


def find_exponent(law: Mapping[str, Any]) -> float:
    """Exponent of the depth in the law of a pair's table."""
    return float(law.get("exponent", 1.0))


def compute_duration(stiffness: float, exponent: float, mass: float, speed: float) -> float:
    """How long a lossless contact k o^e lasts that an effective mass meets at some speed [s]; of a
    spring half a period, whatever the speed."""
    if exponent == 1.0:
        return math.pi * math.sqrt(mass / stiffness)
    if speed <= 0.0:
        return math.inf
    power = exponent + 1.0
    deepest = (0.5 * power * mass * speed * speed / stiffness) ** (1.0 / power)
    return (
        2.0
        * deepest
        / speed
        * math.sqrt(math.pi)
        * math.gamma(1.0 + 1.0 / power)
        / math.gamma(0.5 + 1.0 / power)
    )


def _compute_effective_mass(tables: Mapping[str, Any]) -> float:
    """Effective mass of a central impact, along the lightest axis [kg]."""
    bodies = [tables[name] for name in ("chaser", "target") if not tables[name]["fixed"]]
    return 1.0 / sum(1.0 / float(np.min(body["mass_kg"])) for body in bodies)


def project_on_normals(
    value: Any, tables: Mapping[str, Any], on_chaser: bool
) -> list[tuple[float, float]]:
    """Least and most stiffness along the normals that each contact pair can have: a wall's own, any
    direction on other shapes [N/m]."""
    K = make_matrix(value)
    turn = (
        matrix(tables["chaser"]["attitude_wxyz"]).T @ matrix(tables["target"]["attitude_wxyz"])
        if on_chaser
        else np.eye(3)
    )
    found = []
    for pair in tables["contact"]:
        n = turn @ (np.asarray(pair["axis"], dtype=float) / np.linalg.norm(pair["axis"]))
        least, _, most = np.linalg.eigvalsh(K)
        found.append(
            (float(n @ K @ n),) * 2
            if shape_named(pair["geometry"]).is_flat
            else (float(least), float(most))
        )
    return found


def _find_own_stiffness(values: Mapping[str, Any], tables: Mapping[str, Any]) -> float:
    """K_d of both sides in series, along the stiffest normal that can occur [N/m]."""
    chaser, target = (
        [most for _, most in project_on_normals(values[key], tables, key == _K_D)]
        for key in (_K_D, "wanted.target_stiffness_N_per_m")
    )
    return max(
        (a * b / (a + b) if b > 0.0 else a for a, b in zip(chaser, target, strict=True)),
        default=0.0,
    )


class Hardest(NamedTuple):
    """A law that the satellites may feel."""

    key: str
    value: Any
    stiffness: float
    exponent: float
    least: float  # cycles that such a contact must last


def _find_hardest(values: Mapping[str, Any], tables: Mapping[str, Any]) -> list[Hardest]:
    """Each law that the satellites may feel: the method's own, or those of the scenario."""
    if values["wanted.law"] != "scenario" and np.any(values[_K_D]):
        exponent, stiffness = find_named_exponent(values), _find_own_stiffness(values, tables)
        return (
            [
                Hardest(
                    key=_K_D,
                    value=values[_K_D],
                    stiffness=stiffness,
                    exponent=1.0 if exponent is None else exponent,
                    least=1.0,
                )
            ]
            if stiffness > 0.0
            else []
        )
    found = []
    for i, pair in enumerate(tables["contact"]):
        law, name = (
            (pair["real"], "real")
            if pair["wanted"]["law"] == "same_as_real"
            else (pair["wanted"], "wanted")
        )
        if not has_no_stiffness(law) and law["stiffness_N_per_m"] > 0.0:
            k, spring = float(law["stiffness_N_per_m"]), law["law"] in LINEAR_LAWS
            found.append(
                Hardest(
                    key=f"contact.{i}.{name}.stiffness_N_per_m",
                    value=k,
                    stiffness=k,
                    exponent=find_exponent(law),
                    least=SPRINGS_OF_SCENARIO if spring else 1.0,
                )
            )
    return found


def _check_lead(
    values: Mapping[str, Any], tables: Mapping[str, Any], key: str, lasts: float
) -> list[str]:
    """A lead with which the mock-ups may have touched and parted before the satellites touch."""
    late = 1e-3 * min(
        robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"]
        for robot in tables["robots"].values()
    )
    lead = 1e-3 * values["lead_ms"]
    if lead <= late + lasts:
        return []
    what = (
        f"lead_ms = {1e3 * lead:g} is more than the robots' {1e3 * late:g} ms and a contact of "
        f"{1e3 * lasts:.3g} ms ({key})"
    )
    return [
        f"{what}: the mock-ups may part before the satellites touch, and what they found is "
        "then dropped: restitution and energy come out wrong"
    ]


def check_durations(
    values: Mapping[str, Any], tables: Mapping[str, Any]
) -> tuple[Problems, list[str]]:
    """Contacts that are too short for the cycle: refused, or warned of, with the ratio and the
    error to expect; and leads that are too long for them."""
    problems: Problems = []
    warnings: list[str] = []
    T, steps = 1e-3 * tables["time"]["cycle_ms"], values["substeps"]
    speed = float(
        np.linalg.norm(
            np.subtract(tables["chaser"]["velocity_m_per_s"], tables["target"]["velocity_m_per_s"])
        )
    )
    for key, value, stiffness, exponent, least in _find_hardest(values, tables):
        lasts = compute_duration(stiffness, exponent, _compute_effective_mass(tables), speed)
        cycles, at_speed = lasts / T, f" at {speed:g} m/s" if exponent != 1.0 else ""
        if cycles < least and not tables["allow_unresolved"]:
            error = (
                "held, the force would be wrong by more than "
                f"{100.0 * estimate_error(cycles):.2g} %"
            )
            enough = "one cycle" if least == 1.0 else f"{least:g} cycles"
            allowed = (
                f"a contact of at least {enough}: this one lasts {cycles:.2g}{at_speed} "
                f"({error}); or allow_unresolved = true"
            )
            problems.append(
                (key, value, allowed)
                if key == _K_D
                else ("wanted.law", values["wanted.law"], f"{allowed}: {key} = {value:g}")
            )
        elif cycles * steps < RESOLVED:
            step = "step" if steps > 1 else "cycle"
            error = (
                f"its restitution may be wrong by {100.0 * estimate_error(cycles * steps):.2g} %"
            )
            warnings.append(
                f"{key}: a contact of {cycles:.2g} cycles{at_speed}, {cycles * steps:.2g} "
                f"{step}s: {error}"
            )
        warnings += _check_lead(values, tables, key, lasts)
    return problems, warnings
