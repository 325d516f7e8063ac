"""Errors of knowledge: the same rig, the same truth, and a method that was told something wrong.

Only what is *believed* changes: the parameters that a method's registry entry names in `needs`, the
mock-up's believed mass by which the sensor is compensated, and the wanted contact that a method
puts in the real one's place (the reference keeps the true one). A stiffness that a method takes
from the scenario's own contact is believed as much as one that is written into its table, and gets
the same errors. One kind of error at a time, on every belief of that kind at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from softdock.errors import BadInput
from softdock.loop.contact.laws import LINEAR_LAWS
from softdock.loop.method.declaration import known_of
from softdock.loop.method.method import nothing_replaced
from softdock.methods.registry import METHODS
from softdock.scenario.build import Scenario
from softdock.studies.compare.settings import compute_series_stiffness

ERRORS_PERCENT = {
    "delay": (-30.0, -10.0, 10.0, 30.0),
    "stiffness": (-30.0, -10.0, 10.0, 30.0),
    "tool_mass": (-1.0, 1.0),
    "wanted": (-10.0, 10.0),
}
Errors = Mapping[str, tuple[float, ...]]  # kind of belief -> errors in percent
WORDS = {
    "delay": "the delay",
    "stiffness": "the stiffness",
    "damping": "the damping",
    "tool_mass": "the tool's mass",
    "wanted": "the wanted stiffness",
}


@dataclass(frozen=True)
class WrongBelief:
    """A scenario in which something is believed wrongly, or why there is none."""

    kind: str
    percent: float
    believed: dict[str, Any]  # key -> the wrong value
    scenario: Scenario | None
    reason: str = ""


def list_beliefs(scenario: Scenario, errors: Errors = ERRORS_PERCENT) -> dict[str, dict[str, Any]]:
    """What the rig's controller believes: kind -> key -> value, of the kinds that errors are asked
    of. What is believed to be nothing has no error in percent."""
    beliefs: dict[str, dict[str, Any]] = {kind: {} for kind in WORDS}
    for i, entry in enumerate(scenario.tables["methods"]):
        for belief in METHODS[entry["name"]].needs:
            value = _look_up(entry, belief.key)
            if not _is_nonzero(value) and belief.kind == "stiffness" and _replaces_contact(entry):
                own = known_of(scenario).stiffness  # taken from the scenario's own contact
                value = (
                    None
                    if own is None
                    else compute_series_stiffness(scenario, own, with_joints=False)
                )
            if _is_nonzero(value):
                beliefs[belief.kind][f"methods.{i}.{belief.key}"] = value
    for i, entry in enumerate(scenario.tables["methods"]):
        damping = _look_up(entry, "damping_Ns_per_m")
        if _replaces_contact(entry) and _is_nonzero(
            damping
        ):  # of the real contact that it replaces
            beliefs["damping"][f"methods.{i}.damping_Ns_per_m"] = damping
        own = _look_up(entry, "wanted.stiffness_N_per_m")
        if _replaces_contact(entry) and _is_nonzero(own):
            beliefs["wanted"][f"methods.{i}.wanted.stiffness_N_per_m"] = own
    if any(
        _replaces_contact(entry) and _look_up(entry, "wanted.law") == "scenario"
        for entry in scenario.tables["methods"]
    ):
        for i, pair in enumerate(scenario.tables["contact"]):
            law = _get_wanted_law(pair)
            if law is not None:
                beliefs["wanted"][f"contact.{i}.wanted"] = law
    for body in ("chaser", "target"):
        key = f"mock_up.{body}.believed.mass_kg"
        if _is_nonzero(_look_up(scenario.tables, key)):
            beliefs["tool_mass"][key] = _look_up(scenario.tables, key)
    return {kind: values for kind, values in beliefs.items() if values and kind in errors}


def list_wrong_beliefs(scenario: Scenario, errors: Errors = ERRORS_PERCENT) -> list[WrongBelief]:
    """Every error of knowledge that applies to the scenario."""
    return [
        _make_wrong_belief(scenario, kind, percent, values)
        for kind, values in list_beliefs(scenario, errors).items()
        for percent in errors[kind]
    ]


def _make_wrong_belief(
    scenario: Scenario, kind: str, percent: float, values: dict[str, Any]
) -> WrongBelief:
    believed = {key: _scale(value, 1.0 + percent / 100.0) for key, value in values.items()}
    try:
        return WrongBelief(kind, percent, believed, scenario.replace(believed))
    except BadInput as error:  # the wrong value is outside the range of its key
        return WrongBelief(
            kind=kind, percent=percent, believed=believed, scenario=None, reason=str(error)
        )


def _replaces_contact(entry: dict[str, Any]) -> bool:
    """Whether a method puts a wanted contact in the real one's place."""
    return METHODS[entry["name"]].replaced is not nothing_replaced


def _get_wanted_law(pair: dict[str, Any]) -> dict[str, Any] | None:
    """The law that the reference has, as a table of its own; None: one without a stiffness."""
    wanted = pair["wanted"]
    law = pair["real"] if wanted["law"] == "same_as_real" else wanted
    return dict(law) if law["law"] in LINEAR_LAWS else None


def _look_up(table: Any, path: str) -> Any:
    for part in path.split("."):
        table = table.get(part) if isinstance(table, dict) else None
    return table


def _scale(value: Any, factor: float) -> Any:
    if isinstance(value, dict):  # a law: its stiffness is what is believed wrongly
        return {**value, "stiffness_N_per_m": factor * value["stiffness_N_per_m"]}
    return [_scale(v, factor) for v in value] if isinstance(value, list) else value * factor


def _is_nonzero(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_nonzero(v) for v in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and value != 0.0
