"""What can be turned in the live viewer: delay, damping, stiffness, friction, speed, offset.

In: a scenario. Out: knobs with ranges made from its own values, and the scenario with some of them
turned. A knob that means nothing for a scenario is not there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.core.shapes.models import shape_named
from softdock.core.spatial.arrays import rotate
from softdock.scenario.build import Scenario
from softdock.scene.build import up_of

BODIES = ("chaser", "target")


@dataclass(frozen=True)
class Knob:
    """One slider."""

    name: str
    label: str  # with its unit
    low: float
    high: float
    step: float
    value: float


def rounded(value: float, digits: int = 2) -> float:
    """A number that a person would choose as the end of a scale."""
    if value == 0.0:
        return 0.0
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def knob(name: str, label: str, low: float, high: float, value: float) -> Knob:
    """With ends that hold the value, and some 200 steps."""
    low, high = rounded(min(low, value)), max(rounded(high), value)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-9) / 100.0))
    return Knob(name=name, label=label, low=low, high=high, step=step, value=value)


def knobs_of(scenario: Scenario) -> list[Knob]:
    """The knobs of a scenario at their present values."""
    t = scenario.tables
    delay = max(float(t["robots"][body]["delay_ms"]) for body in BODIES)
    found = [knob("delay", "delay [ms]", 0.0, max(40.0, 2.5 * delay), delay)]
    laws = [pair["real"] for pair in t["contact"]]
    late = 1e-3 * (max(delay, 8.0) + float(t["time"]["cycle_ms"]))
    stiff = [law["stiffness_N_per_m"] for law in laws if "stiffness_N_per_m" in law]
    damped = [law["damping_Ns_per_m"] for law in laws if "damping_Ns_per_m" in law]
    if damped and stiff:
        top = max(3.0 * max(stiff) * late, 4.0 * max(damped))
        found.append(knob("damping", "damping [Ns/m]", 0.0, top, max(damped)))
    if stiff:
        k = float(max(stiff))
        found.append(knob("stiffness", "stiffness [N/m]", k / 8.0, 4.0 * k, k))
    if laws:
        found.append(
            knob("friction", "friction [-]", 0.0, 0.6, max(law["friction"] for law in laws))
        )
    speed = 1e3 * float(np.linalg.norm(t["chaser"]["velocity_m_per_s"]))
    if speed > 0.0:
        found.append(knob("speed", "speed [mm/s]", speed / 5.0, 4.0 * speed, speed))
    size = offset_size(t)
    if size > 0.0:
        found.append(knob("offset", "offset [mm]", -1e3 * size, 1e3 * size, 0.0))
    return found


def offset_size(tables: Mapping[str, Any]) -> float:
    """How far aside the chaser may be moved [m]; 0 where only an endless wall is met."""
    solids = [shape_named(pair["geometry"]).drawing.solid(pair) for pair in tables["contact"]]
    sizes = [solid.opening for solid in solids if solid is not None]
    if not sizes and len(tables["contact"]) > 1:
        sizes = [2.0 * max(float(pair["tip_radius_m"]) for pair in tables["contact"])]
    return float(max(sizes, default=0.0))


def turned(scenario: Scenario, values: Mapping[str, float]) -> Scenario:
    """The scenario with its knobs at these values; refused (`BadInput`) as any scenario is."""
    t, changes = scenario.tables, dict[str, Any]()
    at = {one.name: one.value for one in knobs_of(scenario)}
    new = {key: float(value) for key, value in values.items() if key in at and value != at[key]}
    if "delay" in new:
        changes |= {f"robots.{body}.delay_ms": new["delay"] for body in BODIES}
    for name, key in (
        ("damping", "damping_Ns_per_m"),
        ("stiffness", "stiffness_N_per_m"),
        ("friction", "friction"),
    ):
        if name in new:
            for i, pair in enumerate(t["contact"]):
                if key in pair["real"]:
                    changes[f"contact.{i}.real.{key}"] = new[name]
    if "speed" in new:
        velocity = np.array(t["chaser"]["velocity_m_per_s"], dtype=float)
        scaled = velocity * (1e-3 * new["speed"] / np.linalg.norm(velocity))
        changes["chaser.velocity_m_per_s"] = scaled.tolist()
    if "offset" in new:
        start = np.array(t["chaser"]["position_m"], dtype=float)
        changes["chaser.position_m"] = (start + 1e-3 * new["offset"] * aside(t)).tolist()
    return scenario.with_keys(changes) if changes else scenario


def aside(tables: Mapping[str, Any]) -> np.ndarray:
    """Level, across the first pair's axis; world axes."""
    target = np.array(tables["target"]["attitude_wxyz"], dtype=float)
    axis = rotate(target / np.linalg.norm(target), np.array(tables["contact"][0]["axis"], float))
    across = np.cross(up_of(tables), axis)
    if np.linalg.norm(across) < 1e-6 * np.linalg.norm(axis):
        across = np.cross(np.eye(3)[int(np.argmin(np.abs(axis)))], axis)
    return np.asarray(across / np.linalg.norm(across))
