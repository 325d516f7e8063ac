"""Errors of knowledge: the same rig, the same truth, and a method that was told something wrong.

Only what is *believed* changes: the parameters that a method's registry entry names in `needs`, and
the mock-up's believed mass by which the sensor is compensated. One kind of error at a time, on
every belief of that kind at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from softdock.core.adaptation.registry import METHODS
from softdock.errors import BadInput
from softdock.scenario.build import Scenario

ERRORS_PERCENT = {
    "delay": (-30.0, -10.0, 10.0, 30.0),
    "stiffness": (-30.0, -10.0, 10.0, 30.0),
    "tool_mass": (-1.0, 1.0),
}
WORDS = {"delay": "the delay", "stiffness": "the stiffness", "tool_mass": "the tool's mass"}


@dataclass(frozen=True)
class WrongBelief:
    """A scenario in which something is believed wrongly, or why there is none."""

    kind: str
    percent: float
    believed: dict[str, Any]  # key -> the wrong value
    scenario: Scenario | None
    reason: str = ""


def beliefs(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """What the rig's controller believes: kind -> key -> value. What is believed to be nothing has
    no error in percent."""
    found: dict[str, dict[str, Any]] = {kind: {} for kind in ERRORS_PERCENT}
    for i, entry in enumerate(scenario.tables["methods"]):
        for belief in METHODS[entry["name"]].needs:
            value = _look_up(entry, belief.key)
            if _is_something(value):
                found[belief.kind][f"methods.{i}.{belief.key}"] = value
    for body in ("chaser", "target"):
        key = f"mock_up.{body}.believed.mass_kg"
        if _is_something(_look_up(scenario.tables, key)):
            found["tool_mass"][key] = _look_up(scenario.tables, key)
    return {kind: values for kind, values in found.items() if values}


def wrong_beliefs(scenario: Scenario) -> list[WrongBelief]:
    """Every error of knowledge that applies to the scenario."""
    return [
        _wrong(scenario, kind, percent, values)
        for kind, values in beliefs(scenario).items()
        for percent in ERRORS_PERCENT[kind]
    ]


def _wrong(scenario: Scenario, kind: str, percent: float, values: dict[str, Any]) -> WrongBelief:
    believed = {key: _scaled(value, 1.0 + percent / 100.0) for key, value in values.items()}
    try:
        return WrongBelief(kind, percent, believed, scenario.with_keys(believed))
    except BadInput as error:  # the wrong value is outside the range of its key
        return WrongBelief(kind, percent, believed, None, str(error))


def _look_up(table: Any, path: str) -> Any:
    for part in path.split("."):
        table = table.get(part) if isinstance(table, dict) else None
    return table


def _scaled(value: Any, factor: float) -> Any:
    return [_scaled(v, factor) for v in value] if isinstance(value, list) else value * factor


def _is_something(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_something(v) for v in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and value != 0.0
