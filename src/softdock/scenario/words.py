"""Words of the people who write a scenario, turned into the keys that softdock runs on: degrees,
sample rates, restitution, an approach. What is resolved has the plain keys; the words are gone.

    chaser.attitude_deg = [roll, pitch, yaw]    about the fixed world axes x, then y, then z
    chaser.rate_deg_per_s                       body axes, as rate_rad_per_s
    sensor.rate_Hz, pose.rate_Hz                samples a second, as period_ms
    contact.real.restitution                    as damping, with the effective mass along the axis
    orbit.stated_in = "lvlh"                    orbit_frame.py
    [approach]                                  approach.py

A word beside the key it stands for is refused, because one of the two would be silent.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from softdock.files.values import parse_numbers
from softdock.loop.contact.laws import HUNT_CROSSLEY, LAWS, LINEAR_LAWS, law_named
from softdock.loop.spatial.arrays import matrix
from softdock.scenario.approach import PATH, quaternion, resolve_approach
from softdock.scenario.orbit_frame import is_stated, resolve_stated
from softdock.scenario.restitution import damping_of_restitution, lambda_of_restitution

ENDS = ("chaser", "target")
WORDS = {
    "chaser.attitude_deg, target.attitude_deg": "roll, pitch, yaw: turned about the fixed world "
    "axes x, then y, then z; in place of attitude_wxyz",
    "chaser.rate_deg_per_s, target.rate_deg_per_s": "body axes; in place of rate_rad_per_s",
    "sensor.rate_Hz, pose.rate_Hz": "samples a second; in place of period_ms",
    "contact.real.restitution, contact.wanted.restitution": "0 < e <= 1: becomes damping_Ns_per_m "
    "(spring_damper) with the effective mass along the axis, or lambda_s_per_m (hunt_crossley) "
    "with the approach speed; `softdock check` says which",
    "contact.law_per": "set (default), tip or area: what stiffness, damping and "
    "friction_stiffness of a set of tips count for; becomes those of the whole set",
    "orbit.stated_in": "world or lvlh: axes of the initial states; lvlh: along-track, against the "
    "orbit's normal, towards the planet, and turning",
}
Refuse = Callable[..., None]


def in_plain_keys(
    given: Mapping[str, Any], refuse: Refuse
) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    """The tables without words, what is to be said of the turning, and what an approach was
    resolved from (empty: there was none)."""
    source: dict[str, Any] = {}
    if not _has_words(given):
        return dict(given), [], source
    tables = copy.deepcopy(dict(given))
    notes: list[str] = []
    for body in ENDS:
        if isinstance(tables.get(body), dict):
            _angles(tables[body], body, refuse)
    for part in ("sensor", "pose"):
        if isinstance(tables.get(part), dict):
            _rate(tables[part], part, refuse)
    if is_stated(tables):
        resolve_stated(tables, refuse)
    if PATH in tables:
        if all(isinstance(tables.get(body), dict) for body in ENDS):
            parts = (PATH, "target", "contact")
            source.update({key: copy.deepcopy(tables.get(key, [])) for key in parts})
            notes += resolve_approach(tables, refuse)
        else:
            tables.pop(PATH)  # a missing body is refused by who checks it
    pairs = tables.get("contact")
    for i, pair in enumerate(pairs if isinstance(pairs, list) else []):
        for law in ("real", "wanted"):
            if isinstance(pair, dict) and isinstance(pair.get(law), dict):
                resolve_restitution(tables, i, law, refuse, notes)
    return tables, notes, source


def _has_words(given: Mapping[str, Any]) -> bool:
    """Whether anything is to be turned; resolved tables have nothing, and are not copied."""
    if PATH in given or is_stated(given):
        return True
    for part, keys in (
        ("chaser", ("attitude_deg", "rate_deg_per_s")),
        ("target", ("attitude_deg", "rate_deg_per_s")),
        ("sensor", ("rate_Hz",)),
        ("pose", ("rate_Hz",)),
    ):
        table = given.get(part)
        if isinstance(table, Mapping) and any(key in table for key in keys):
            return True
    pairs = given.get("contact")
    return isinstance(pairs, list) and any(
        isinstance(pair, Mapping)
        and any(
            isinstance(pair.get(law), Mapping) and "restitution" in pair[law]
            for law in ("real", "wanted")
        )
        for pair in pairs
    )


def _angles(body: dict[str, Any], name: str, refuse: Refuse) -> None:
    for word, key in (("attitude_deg", "attitude_wxyz"), ("rate_deg_per_s", "rate_rad_per_s")):
        if word not in body:
            continue
        value = body.pop(word)
        angles = _three(value)
        if key in body:
            refuse(f"{name}.{word}", value, f"either {word} or {key}, not both")
        elif angles is None:
            refuse(f"{name}.{word}", value, "three finite numbers [deg]")
        elif word == "attitude_deg":
            body[key] = quaternion(_turn(*np.radians(angles)))
        else:
            body[key] = [math.radians(x) for x in angles]


def _turn(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """World from body: about the fixed axes x, then y, then z."""
    c, s = np.cos, np.sin
    x = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
    y = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
    z = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
    return z @ y @ x


def _rate(table: dict[str, Any], name: str, refuse: Refuse) -> None:
    if "rate_Hz" not in table:
        return
    value = table.pop("rate_Hz")
    number = _one(value)
    if "period_ms" in table:
        refuse(f"{name}.rate_Hz", value, "either rate_Hz or period_ms, not both")
    elif number is None or not number > 0.0:
        refuse(f"{name}.rate_Hz", value, "a number > 0 [Hz]")
    else:
        table["period_ms"] = 1e3 / number


def resolve_restitution(
    tables: dict[str, Any], i: int, which: str, refuse: Refuse, notes: list[str]
) -> None:
    law, at = tables["contact"][i][which], f"contact.{i}.{which}"
    if "restitution" not in law:
        return
    value = law.pop("restitution")
    e, kind = _one(value), law.get("law", LAWS[0])
    by_speed = LAWS[HUNT_CROSSLEY]
    if kind not in (*LINEAR_LAWS, by_speed):
        refuse(f"{at}.restitution", value, f"nothing: the law {kind} has no restitution to set")
    elif e is None or not 0.0 < e <= 1.0:
        more = "; above 1 a contact would give more than it got" if e is not None and e > 1 else ""
        refuse(f"{at}.restitution", value, f"a number > 0 and <= 1{more}")
    elif kind == by_speed:
        _of_speed(tables, law, at, e, refuse, notes)
    elif "damping_Ns_per_m" in law:
        refuse(f"{at}.restitution", value, "either restitution or damping_Ns_per_m, not both")
    else:
        k, mass = _one(law.get("stiffness_N_per_m")), effective_mass(tables, i)
        if k is None or not k > 0.0 or mass is None:
            return  # refused by who checks the stiffness and the bodies
        damping = damping_of_restitution(k, e, mass, pull=law_named(kind).pulls)
        law["damping_Ns_per_m"] = float(damping)
        notes.append(
            f"{at}.restitution = {e:g} is {damping:.4g} Ns/m on an effective mass of {mass:.4g} kg "
            f"({_free(tables)} along the axis); off the axis the mass differs, and so does what "
            "comes back"
        )


def _free(tables: Mapping[str, Any]) -> str:
    """The bodies that move, in words."""
    free = [body for body in ENDS if not tables[body].get("fixed")]
    return "both bodies" if len(free) == len(ENDS) else f"the {free[0]} alone"


def _of_speed(
    tables: dict[str, Any], law: dict[str, Any], at: str, e: float, refuse: Refuse, notes: list[str]
) -> None:
    if "lambda_s_per_m" in law:
        refuse(f"{at}.restitution", e, "either restitution or lambda_s_per_m, not both")
        return
    chaser, target = (_three(tables[b].get("velocity_m_per_s", [0.0] * 3)) for b in ENDS)
    if chaser is None or target is None:
        return
    speed = float(np.linalg.norm(np.subtract(chaser, target)))
    if not speed > 0.0:
        refuse(f"{at}.restitution", e, "an approach: a Hunt-Crossley factor depends on its speed")
        return
    law["lambda_s_per_m"] = float(lambda_of_restitution(e, speed))
    notes.append(
        f"{at}.restitution = {e:g} is {law['lambda_s_per_m']:.4g} s/m at {1e3 * speed:.4g} mm/s"
    )


def effective_mass(tables: Mapping[str, Any], i: int) -> float | None:
    """Of both bodies along a pair's axis at its origin [kg]: 1 / sum of n . mobility n, with their
    rotation. None: something is not a number, which others refuse."""
    try:
        pair, total = tables["contact"][i], 0.0
        target = matrix(tables["target"].get("attitude_wxyz", [1.0, 0.0, 0.0, 0.0]))
        n = target @ np.asarray(pair.get("axis", [1.0, 0.0, 0.0]), float)
        n = n / np.linalg.norm(n)
        for body, point in (("chaser", "tip_m"), ("target", "origin_m")):
            b = tables[body]
            if b.get("fixed"):
                continue
            R = matrix(b.get("attitude_wxyz", [1.0, 0.0, 0.0, 0.0]))
            inertia = np.asarray(b["inertia_kg_m2"], float)
            inertia = np.diag(inertia) if inertia.size == 3 else inertia.reshape(3, 3)
            mass = np.broadcast_to(np.asarray(b["mass_kg"], float), 3)
            lever = np.cross(R @ np.asarray(pair.get(point, [0.0] * 3), float), n)
            total += float(n @ (n / mass) + lever @ np.linalg.solve(R @ inertia @ R.T, lever))
        return 1.0 / total if total > 0.0 and math.isfinite(total) else None
    except (KeyError, TypeError, ValueError, np.linalg.LinAlgError):
        return None


def _one(value: Any) -> float | None:
    numbers = parse_numbers(value) if not isinstance(value, list | tuple) else []
    return numbers[0] if numbers else None


def _three(value: Any) -> list[float] | None:
    numbers = parse_numbers(value)
    return numbers if len(numbers) == 3 else None
