"""Which values of the re-mapping cannot work in a scenario. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.adaptation.remapping_reports import RESOLVED, SPRINGS, expected_error

Problems = list[tuple[str, Any, str]]
SOFTEST = 1e-12  # of the stiffest direction: below, a direction has no stiffness


def matrix_of(value: Any) -> np.ndarray:
    """A number, a diagonal or a matrix as a matrix."""
    array = np.asarray(value, dtype=float)
    return np.diag(np.broadcast_to(array, 3)) if array.size in (1, 3) else array.reshape(3, 3)


def _rotation(q: Sequence[float]) -> np.ndarray:
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    u = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * u + 2.0 * u @ u)


def _soft_normals(key: str, value: Any, tables: Mapping[str, Any], on_chaser: bool) -> Problems:
    """A stiffness that is zero along a normal that can occur: a wall's own, anything on other shapes."""
    K = matrix_of(value)
    if not K.any():
        return []
    stiffest = np.linalg.eigvalsh(K)[2]
    turn = _rotation(tables["chaser"]["attitude_wxyz"]).T @ _rotation(tables["target"]["attitude_wxyz"]) if on_chaser else np.eye(3)
    for i, pair in enumerate(tables["contact"]):
        n = turn @ (np.asarray(pair["axis"], dtype=float) / np.linalg.norm(pair["axis"]))
        along = n @ K @ n if pair["geometry"] == "wall" else np.linalg.eigvalsh(K)[0]
        if along <= SOFTEST * stiffest:
            return [(key, value, f"> 0 along the normal of contact.{i}" + ("" if pair["geometry"] == "wall" else ", which may be any direction"))]
    return []


def _scenario_laws(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Problems:
    """Where the scenario's own contact is to be taken, and cannot."""
    problems: Problems = []
    own_real, own_wanted = np.any(values["stiffness_N_per_m"]), values["wanted.law"] != "scenario" and np.any(values["wanted.stiffness_N_per_m"])
    for i, pair in enumerate(tables["contact"]):
        real, wanted = pair["real"], pair["wanted"]
        if not own_real and (real["law"] == "table" or pair.get("device", {}).get("model", "rigid") != "rigid"):
            problems.append(("stiffness_N_per_m", 0.0, f"a number > 0: contact.{i}.real has no single stiffness (softdock identify estimates one)"))
        elif not own_real and not real["stiffness_N_per_m"] > 0.0:
            problems.append(("stiffness_N_per_m", 0.0, f"a number > 0: contact.{i}.real.stiffness_N_per_m is 0"))
        law = real if wanted["law"] == "same_as_real" else wanted
        if not own_wanted and law["law"] == "table":
            problems.append(("wanted.law", values["wanted.law"], f"spring_damper, hunt_crossley or restitution with a stiffness: contact.{i} wants a table"))
    return problems


def _joints(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Problems:
    """What the two ways around elastic joints need."""
    chosen, elastic = values["environment"], any(robot["joint_stiffness_N_per_m"] > 0.0 for robot in tables["robots"].values())
    if chosen == "exact":
        return []
    if chosen == "replaced_stiffness":
        if not elastic and not np.any(values["joint_stiffness_N_per_m"]):
            return [("joint_stiffness_N_per_m", values["joint_stiffness_N_per_m"], "> 0 where environment = replaced_stiffness and the robots are rigid")]
        if values["estimate"] == "on_line":
            return [("estimate", "on_line", "given, where environment = replaced_stiffness: what is estimated from the motors has the joints in it already")]
        return []
    problems: Problems = []
    if values["estimate"] == "on_line":
        problems.append(("estimate", "on_line", "given, where environment = filter: what is estimated from the motors has the joints in it"))
    for i, pair in enumerate(tables["contact"]):
        if not np.any(values["stiffness_N_per_m"]) and pair["real"]["law"] not in SPRINGS:
            problems.append(
                ("environment", "filter", f"exact, or a stiffness_N_per_m: the filter knows springs and dampers, contact.{i}.real is another law")
            )
    return problems


def _effective_mass(tables: Mapping[str, Any]) -> float:
    """Of a central impact, along the lightest axis [kg]."""
    bodies = [tables[name] for name in ("chaser", "target") if not tables[name]["fixed"]]
    return 1.0 / sum(1.0 / float(np.min(body["mass_kg"])) for body in bodies)


def _duration(values: Mapping[str, Any], tables: Mapping[str, Any]) -> tuple[Problems, list[str]]:
    """A wanted contact of the method's own that is too short for the cycle."""
    if values["wanted.law"] not in ("spring_damper", "restitution") or not np.any(values["wanted.stiffness_N_per_m"]):
        return [], []  # the scenario's own contacts are checked with the scenario
    k = float(np.linalg.eigvalsh(matrix_of(values["wanted.stiffness_N_per_m"]))[2])
    cycles = math.pi * math.sqrt(_effective_mass(tables) / k) / (1e-3 * tables["time"]["cycle_ms"])
    key, steps = "wanted.stiffness_N_per_m", values["substeps"]
    if cycles < 1.0 and not tables["allow_unresolved"]:
        error = f"held, the force would be wrong by more than {100.0 * expected_error(cycles):.2g} %"
        return [(key, values[key], f"a contact of at least one cycle: this one lasts {cycles:.2g} ({error}); or allow_unresolved = true")], []
    if cycles * steps < RESOLVED:
        step = "step" if steps > 1 else "cycle"
        error = f"its restitution may be wrong by {100.0 * expected_error(cycles * steps):.2g} %"
        return [], [f"{key}: a contact of {cycles:.2g} cycles, {cycles * steps:.2g} {step}s: {error}"]
    return [], []


def check(values: Mapping[str, Any], tables: Mapping[str, Any]) -> tuple[Problems, list[str]]:
    problems: Problems = []
    for key in ("stiffness_N_per_m", "wanted.stiffness_N_per_m"):
        problems += _soft_normals(key, values.get(key, 0.0), tables, True)
    for key in ("target_stiffness_N_per_m", "wanted.target_stiffness_N_per_m"):
        problems += _soft_normals(key, values.get(key, 0.0), tables, False)
    problems += _scenario_laws(values, tables)
    problems += _joints(values, tables)
    fastest = max(float(np.abs(tables[name]["velocity_m_per_s"]).max()) for name in ("chaser", "target"))
    if 0.0 < values.get("max_speed_m_per_s", 0.0) < fastest:
        allowed = f"at least {fastest:g}, the speed at which the satellites start: slower set-points would never reach them"
        problems.append(("max_speed_m_per_s", values["max_speed_m_per_s"], allowed))
    too_short, warnings = _duration(values, tables)
    if values["environment"] == "exact" and any(robot["joint_stiffness_N_per_m"] > 0.0 for robot in tables["robots"].values()):
        warnings.append("environment = exact takes the robots as rigid, and they have elastic joints: filter or replaced_stiffness would know of them")
    noise = tables["sensor"]["noise_N"]
    if noise > 0.0 and values["threshold_N"] == 0.0 and tables["sensor"]["threshold_N"] == 0.0:
        enough = f"{4.0 * noise:g} N would be four standard deviations"
        warnings.append(f"threshold_N is 0 and the sensor's noise is {noise:g} N: noise is taken for a contact; {enough}")
    return problems + too_short, warnings
