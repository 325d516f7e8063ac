"""The robots that a rig has. A body that never moves in the laboratory is bolted to the floor, and
no robot carries it, unless `[facility]` says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BODIES = ("chaser", "target")


def moving_robots(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """The bodies of a resolved scenario whose mock-up a robot carries."""
    laboratory, carried = tables["laboratory"], tables.get("facility", {})
    shares = dict.fromkeys(BODIES, 0.0)
    if laboratory["mapping"] == "shared":
        chaser = float(laboratory["chaser_share"])
        shares = {"chaser": chaser, "target": 1.0 - chaser}
    return tuple(
        body
        for body in BODIES
        if not tables[body]["fixed"] or shares[body] > 0.0 or carried.get(body)
    )


def fixed_bodies(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """The bodies that never move."""
    return tuple(body for body in BODIES if tables[body]["fixed"])
