"""The facility of a whole scenario: its `[facility]`, laid where its `[laboratory]` says, and which
of its robots are arms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from softdock.loop.robots.keys import ARM_MODEL, MODELS

if TYPE_CHECKING:
    from softdock.loop.arms.facility import Facility

ROBOTS = ("chaser", "target")
ARM = MODELS[ARM_MODEL]


def arm_robots(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """The robots whose model is an arm."""
    robots = tables.get("robots", {})
    return tuple(name for name in ROBOTS if robots.get(name, {}).get("model") == ARM)


def facility_of(tables: Mapping[str, Any], arm_needed: bool = True) -> Facility:
    """The facility of a scenario; without a `[facility]` table an empty room."""
    from softdock.loop.arms.facility import Facility, Frame, read_facility

    laboratory = tables.get("laboratory", {})
    orbit = Frame(
        tuple(float(v) for v in laboratory.get("position_m", (0.0, 0.0, 0.0))),
        _unit(laboratory.get("attitude_wxyz", (1.0, 0.0, 0.0, 0.0))),
    )
    gravity = tuple(float(v) for v in laboratory.get("gravity_m_per_s2", (0.0, 0.0, -9.81)))
    if "facility" not in tables:
        return Facility(orbit=orbit, gravity=gravity)
    return read_facility(tables["facility"], orbit=orbit, gravity=gravity, arm_needed=arm_needed)


def _unit(q: Any) -> tuple[float, ...]:
    size = math.sqrt(sum(float(v) ** 2 for v in q))
    return tuple(float(v) / size for v in q)
