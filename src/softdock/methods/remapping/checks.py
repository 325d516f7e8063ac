"""Which values of the re-mapping cannot work in a scenario. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.contact.laws import LINEAR_LAWS
from softdock.loop.contact.line_on_shape import unmet
from softdock.loop.contact.models import shape_named
from softdock.loop.method.declaration import NOISE_SIGMAS
from softdock.methods.remapping import estimate
from softdock.methods.remapping.durations import (
    check_durations,
    find_exponent,
    find_named_exponent,
    has_no_stiffness,
    make_matrix,
    project_on_normals,
)
from softdock.methods.remapping.keys import REMAPPING

Problems = list[tuple[str, Any, str]]
_K_E, _K_D = "stiffness_N_per_m", "wanted.stiffness_N_per_m"
TOLD_WELL = 0.1  # of the damping: an error that hardly shows
SOFTEST = 1e-12  # of the stiffest direction: below, a direction has no stiffness


def _find_unmet_shapes(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Problems:
    """Shapes that do not say where a line of action meets them, where that must be known: for the
    contact point, or to tell which of several on one tip is touched."""
    problems: Problems = []
    pairs = tables["contact"]
    asked = values["contact_point"] == "shape" and values.get("surface.shape") == "scenario"
    for i, pair in enumerate(pairs):
        if not unmet(pair["geometry"]):
            continue
        where = f"contact.{i} is a {pair['geometry']}, of which no line's intersection is known"
        if asked:
            allowed = f"tip or wrench, or a surface.shape of its own: {where}"
            problems.append(("contact_point", "shape", allowed))
        elif sum(other["tip_m"] == pair["tip_m"] for other in pairs) > 1:
            problems.append(("name", "remapping", f"one contact pair a tip, where {where}"))
    return problems


def _find_soft_normals(
    key: str, value: Any, tables: Mapping[str, Any], on_chaser: bool
) -> Problems:
    """A stiffness that is zero along a normal that can occur: a wall's own, anything on other
    shapes."""
    K = make_matrix(value)
    if not K.any():
        return []
    stiffest = np.linalg.eigvalsh(K)[2]
    for i, (least, _) in enumerate(project_on_normals(value, tables, on_chaser)):
        if least <= SOFTEST * stiffest:
            flat = shape_named(tables["contact"][i]["geometry"]).is_flat
            any_direction = "" if flat else ", which may be any direction"
            return [(key, value, f"> 0 along the normal of contact.{i}{any_direction}")]
    return []


def _check_scenario_laws(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Problems:
    """Where the scenario's own contact is to be taken, and cannot."""
    problems: Problems = []
    own_real, own_wanted = (
        np.any(values["stiffness_N_per_m"]),
        values["wanted.law"] != "scenario" and np.any(values["wanted.stiffness_N_per_m"]),
    )
    for i, pair in enumerate(tables["contact"]):
        real, wanted = pair["real"], pair["wanted"]
        if not own_real and (
            has_no_stiffness(real) or pair.get("device", {}).get("model", "rigid") != "rigid"
        ):
            problems.append(
                (
                    "stiffness_N_per_m",
                    0.0,
                    f"a number > 0: contact.{i}.real has no single stiffness (softdock "
                    "identify estimates one)",
                )
            )
        elif not own_real and not real["stiffness_N_per_m"] > 0.0:
            problems.append(
                ("stiffness_N_per_m", 0.0, f"a number > 0: contact.{i}.real.stiffness_N_per_m is 0")
            )
        law = real if wanted["law"] == "same_as_real" else wanted
        if own_wanted:
            continue
        if has_no_stiffness(law):
            problems.append(
                (
                    "wanted.law",
                    values["wanted.law"],
                    "spring_damper, hunt_crossley or restitution with a stiffness: "
                    f"contact.{i} wants a {law['law']}",
                )
            )
        elif not law["stiffness_N_per_m"] > 0.0:
            where = "real" if law is real else "wanted"
            allowed = (
                f"a number > 0: contact.{i}.{where}.stiffness_N_per_m, which the satellites "
                "would feel, is 0"
            )
            problems.append(
                ("wanted.law", "scenario", f"another, with a stiffness: {allowed}")
                if values["wanted.law"] == "scenario"
                else (_K_D, 0.0, allowed)
            )
        else:
            problems += _check_units(values, law, f"contact.{i}")
    return problems


def _check_units(values: Mapping[str, Any], law: Mapping[str, Any], where: str) -> Problems:
    """A stiffness left out, and the scenario's is of another law: N/m are not N/m^1.5."""
    ours, theirs = find_named_exponent(values), find_exponent(law)
    if ours is None or theirs == ours:
        return []
    unit, has = ("N/m" if exponent == 1.0 else f"N/m^{exponent:g}" for exponent in (ours, theirs))
    return [
        (
            _K_D,
            0.0,
            f"a number > 0 [{unit}]: {where} has {law['stiffness_N_per_m']:g} {has}, of "
            "another law",
        )
    ]


def _check_partners(values: Mapping[str, Any]) -> Problems:
    """Values that count only beside another one, and would be ignored without it."""
    problems: Problems = []
    for key, partner in (
        ("target_stiffness_N_per_m", _K_E),
        ("damping_Ns_per_m", _K_E),
        ("wanted.target_stiffness_N_per_m", _K_D),
    ):
        if np.any(values.get(key, 0.0)) and not np.any(values.get(partner, 0.0)):
            problems.append(
                (
                    key,
                    values[key],
                    f"0, or a {partner} beside it: without one the scenario's contact is "
                    "taken, and this would not count",
                )
            )
    if values["environment"] == "filter" and not np.any(values["filter.joint_stiffness_N_per_m"]):
        for p in REMAPPING:
            if (
                p.key in ("filter.joint_damping_ratio", "filter.moving_mass_kg")
                and tuple(values[p.key]) != p.default
            ):
                allowed = (
                    "left out, or a filter.joint_stiffness_N_per_m beside it: without one the "
                    "scenario's joints are taken, and this would not count"
                )
                problems.append((p.key, values[p.key], allowed))
    return problems


def _check_damping(values: Mapping[str, Any], tables: Mapping[str, Any]) -> list[str]:
    """A stiffness that is given leaves the scenario's damper out."""
    found = []
    if not np.any(values["stiffness_N_per_m"]):
        return []
    along = project_on_normals(values["damping_Ns_per_m"], tables, True)
    for i, (pair, told) in enumerate(zip(tables["contact"], along, strict=True)):
        damping = pair["real"].get("damping_Ns_per_m", 0.0)
        wrong = max(abs(one - damping) for one in told) > TOLD_WELL * damping
        if pair["real"]["law"] in LINEAR_LAWS and wrong:
            said = " to ".join(dict.fromkeys(f"{one:g}" for one in told))
            what = (
                f"the method is given {said} Ns/m of damping beside stiffness_N_per_m where "
                f"contact.{i}.real has {damping:g}"
            )
            found.append(
                f"{what}: the restitution may come out wrong by two to three times the "
                "damping ratio that is missing; give damping_Ns_per_m"
            )
    return found


def check_without_arms(values: Mapping[str, Any]) -> Problems:
    """What only an arm has."""
    if values["robot_stiffness"] != "arm":
        return []
    return [("robot_stiffness", "arm", "joints: no robot of the scenario is an arm")]


def list_arm_keys(values: Mapping[str, Any]) -> tuple[str, ...]:
    """What it takes of the arms' own stiffness: the filter's numbers only where it filters."""
    if values.get("robot_stiffness") != "arm":
        return ()
    return ("arm_modes" if values["environment"] == "filter" else "arm_compliance",)


def _check_arms(values: Mapping[str, Any]) -> Problems:
    """What the arms' own stiffness needs, and what it takes the place of."""
    problems: Problems = []
    if values["environment"] == "exact":
        allowed = "joints, or environment = replaced_stiffness or filter: exact takes them as rigid"
        problems.append(("robot_stiffness", "arm", allowed))
    if values["estimate"] == "on_line":
        problems.append(("estimate", "on_line", "given, where robot_stiffness = arm"))
    for key in ("joint_stiffness_N_per_m", "filter.joint_stiffness_N_per_m"):
        if np.any(values.get(key, 0.0)):
            problems.append((key, values[key], "left out, where robot_stiffness = arm"))
    return problems


def _check_joints(values: Mapping[str, Any], tables: Mapping[str, Any]) -> Problems:
    """What the two ways around elastic joints need."""
    chosen, elastic = (
        values["environment"],
        any(robot["joint_stiffness_N_per_m"] > 0.0 for robot in tables["robots"].values()),
    )
    if values["robot_stiffness"] == "arm":
        return _check_arms(values)
    if chosen == "exact":
        return []
    if chosen == "replaced_stiffness":
        if not elastic and not np.any(values["joint_stiffness_N_per_m"]):
            return [
                (
                    "joint_stiffness_N_per_m",
                    values["joint_stiffness_N_per_m"],
                    "> 0 where environment = replaced_stiffness and the robots are rigid",
                )
            ]
        if values["estimate"] == "on_line":
            return [
                (
                    "estimate",
                    "on_line",
                    "given, where environment = replaced_stiffness: what is estimated from "
                    "the motors has the joints in it already",
                )
            ]
        return []
    problems: Problems = []
    if values["estimate"] == "on_line":
        problems.append(
            (
                "estimate",
                "on_line",
                "given, where environment = filter: what is estimated from the motors has "
                "the joints in it",
            )
        )
    for i, pair in enumerate(tables["contact"]):
        if not np.any(values["stiffness_N_per_m"]) and pair["real"]["law"] not in LINEAR_LAWS:
            problems.append(
                (
                    "environment",
                    "filter",
                    "exact, or a stiffness_N_per_m: the filter knows springs and dampers, "
                    f"contact.{i}.real is another law",
                )
            )
    return problems


def check(values: Mapping[str, Any], tables: Mapping[str, Any]) -> tuple[Problems, list[str]]:
    problems: Problems = []
    for key in ("stiffness_N_per_m", "wanted.stiffness_N_per_m"):
        problems += _find_soft_normals(key, values.get(key, 0.0), tables, True)
    for key in ("target_stiffness_N_per_m", "wanted.target_stiffness_N_per_m"):
        problems += _find_soft_normals(key, values.get(key, 0.0), tables, False)
    problems += _check_partners(values)
    problems += _check_scenario_laws(values, tables) + _find_unmet_shapes(values, tables)
    problems += _check_joints(values, tables) + estimate.find_problems(values, tables)
    fastest = max(
        float(np.abs(tables[name]["velocity_m_per_s"]).max()) for name in ("chaser", "target")
    )
    if 0.0 < values.get("max_speed_m_per_s", 0.0) < fastest:
        allowed = (
            f"at least {fastest:g}, the speed at which the satellites start: slower set-points "
            "would never reach them"
        )
        problems.append(("max_speed_m_per_s", values["max_speed_m_per_s"], allowed))
    too_short, warnings = check_durations(values, tables)
    warnings += _check_damping(values, tables) + estimate.find_warnings(values, tables)
    if values["environment"] == "replaced_stiffness" and values["robot_stiffness"] == "arm":
        warnings.append(
            "environment = replaced_stiffness takes the arms as springs without mass: right for "
            "slow loads, and a fifth of the energy wrong after Lange's oblique hits; environment "
            "= filter knows their masses"
        )
    if values["environment"] == "exact" and any(
        robot["joint_stiffness_N_per_m"] > 0.0 or robot.get("elastic_joints", False)
        for robot in tables["robots"].values()
    ):
        warnings.append(
            "environment = exact takes the robots as rigid, and they have elastic joints: "
            "environment = filter knows of them (with robot_stiffness = arm those of arms)"
        )
    noise, threshold = (
        tables["sensor"]["noise_N"],
        max(values["threshold_N"], tables["sensor"]["threshold_N"]),
    )
    enough = f"{NOISE_SIGMAS * noise:g} N would be four standard deviations of the sensor's noise"
    if noise > 0.0 and threshold == 0.0:
        problems.append(
            (
                "threshold_N",
                values["threshold_N"],
                f"> 0: every noise would be a contact, and move the satellites; {enough}",
            )
        )
    elif threshold < NOISE_SIGMAS * noise:
        warnings.append(f"threshold_N: noise will be taken for a contact now and then; {enough}")
    for i, pair in enumerate(tables["contact"]):
        if pair["real"]["friction"] > 0.0:
            what = (
                f"contact.{i}.real.friction: the normal is taken from the force, which friction "
                "turns; friction itself is not re-mapped"
            )
            warnings.append(
                f"{what}. Where the normal turns with the sliding the wanted contact's "
                "energy jumps (jumped_J), mostly a loss"
            )
    return problems + too_short, warnings
