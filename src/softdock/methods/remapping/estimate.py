"""Where an estimate of the stiffness on line (stiffness.py) breaks, and what is said
where it only scatters. It is a straight line through force and measured approach of one contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softdock.loop.contact.laws import LINEAR_LAWS


def find_obstacles(tables: Mapping[str, Any]) -> list[str]:
    """Why no single straight line goes through the readings of a contact, in words; empty: one
    does."""
    found = []
    for i, pair in enumerate(tables["contact"]):
        if pair["real"]["law"] not in LINEAR_LAWS:
            found.append(f"contact.{i}.real is no spring, and a slope is not its stiffness")
        if pair.get("device", {}).get("model", "rigid") != "rigid":
            found.append(f"contact.{i}.device is pre-loaded, and gives no straight line")
    if len(tables["contact"]) > 1:
        found.append("several parts may touch at once, and the force is that of all")
    for body, mock_up in tables.get("mock_up", {}).items():
        if mock_up["mass_kg"] > 0.0:
            found.append(
                f"mock_up.{body} weighs {mock_up['mass_kg']:g} kg behind the sensor, and what is "
                "left of its inertia counts as contact force"
            )
    return found


def find_problems(
    values: Mapping[str, Any], tables: Mapping[str, Any]
) -> list[tuple[str, Any, str]]:
    if values["estimate"] != "on_line":
        return []
    return [
        ("estimate", "on_line", f"given, with a stiffness (softdock identify finds it): {why}")
        for why in find_obstacles(tables)[:1]
    ]


def find_warnings(values: Mapping[str, Any], tables: Mapping[str, Any]) -> list[str]:
    """Noise: a slope is taken only once the noise that the threshold stands for is 5 % of it."""
    noise = tables["sensor"]["noise_N"]
    if values["estimate"] != "on_line" or not noise > 0.0:
        return []
    return [
        f"estimate = on_line under noise of {noise:g} N: the estimate scatters by up to 5 %, and "
        "the restitution with it, or the contact is over before it is known; give the stiffness"
    ]
