"""What of a rig can be set without another rig: keys of its scenario, each with values to try.

Offered are settings of the listed methods, and what software, a tare or a weighing changes:
integrator, cycle, threshold, low-pass, hand-over and bias of the force sensor, what is believed of
the tools, the offset of measured poses. Not offered is what would be another robot, sensor, tool or
contact: delays, lags, limits, noise, stiffness. A key of these is tried where the user says that it
can be changed (`softdock why --free KEY`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from softdock.errors import BadInput, Problem
from softdock.loop.satellites import INTEGRATORS
from softdock.methods.registry import METHODS, RAW
from softdock.results.free_flight import analyse_free_flight, choose_threshold
from softdock.scenario.build import Scenario

FINER = (2, 4)  # cycles in place of one
FACTORS = (0.25, 0.5, 0.75, 1.5, 2.0, 4.0)  # of a method's number
LESS = (0.75, 0.5, 0.25, 0.0)  # of a number that the user says can be smaller
CUT_OFFS = (2.0, 4.0)  # of a low-pass
SIGMAS = (2.0, 4.0, 6.0)  # of the noise, for a threshold
_ZERO3 = [0.0, 0.0, 0.0]
Keys = dict[str, Any]


class Setting(NamedTuple):
    """A setting and its values: each is keys that belong together."""

    name: str
    values: list[Keys]
    # a number of a method, that can be refined between two values; empty: it is a choice
    refined: str = ""


def list_settings(scenario: Scenario, free: Iterable[str] = ()) -> list[Setting]:
    """All settings of a rig, without the values that it has."""
    t = scenario.tables
    settings = [
        *_list_satellite_settings(t),
        *_list_sensor_settings(scenario),
        *_list_tool_settings(t),
        *_list_pose_settings(t),
        *_list_method_settings(scenario),
        *(_make_free_setting(t, key) for key in free),
    ]
    left = (s._replace(values=[v for v in s.values if _is_new(t, v)]) for s in settings)
    return [setting for setting in left if setting.values]


def _list_satellite_settings(t: Keys) -> Iterator[Setting]:
    chosen, cycle = t["satellites"]["integrator"], float(t["time"]["cycle_ms"])
    late = {one.name: one.effective_delay for one in INTEGRATORS}
    better = [name for name, delay in late.items() if delay < late[chosen]]
    yield Setting("integrator", [{"satellites.integrator": name} for name in better])
    yield Setting("cycle", [{"time.cycle_ms": _round_to_four_digits(cycle / n)} for n in FINER])


def _list_sensor_settings(scenario: Scenario) -> Iterator[Setting]:
    s = scenario.tables["sensor"]
    acts = analyse_free_flight(scenario)
    thresholds = [_round_to_four_digits(n * s["noise_N"]) for n in SIGMAS] if s["noise_N"] else []
    if acts.force_N:
        thresholds.append(choose_threshold(acts.force_N, s["noise_N"]))
    if s["threshold_N"]:
        thresholds += [0.0, _round_to_four_digits(0.5 * s["threshold_N"])]
    yield Setting("threshold", [{"sensor.threshold_N": x} for x in thresholds])
    if s["lowpass_Hz"]:
        cut = [0.0, *(_round_to_four_digits(n * s["lowpass_Hz"]) for n in CUT_OFFS)]
        yield Setting("low-pass", [{"sensor.lowpass_Hz": x} for x in cut])
    if s["period_ms"]:
        yield Setting("hand-over", [{"sensor.handover": x} for x in ("latest", "mean")])
    wrong = {f"sensor.{key}": _ZERO3 for key in ("bias_N", "bias_Nm") if any(s[key])}
    yield Setting("tare", [wrong] if wrong else [])


def _list_tool_settings(t: Keys) -> Iterator[Setting]:
    for body, tool in t["mock_up"].items():
        believed = tool["believed"]
        true = {
            f"mock_up.{body}.believed.{key}": tool[key]
            for key in ("mass_kg", "centre_m", "inertia_kg_m2")
            if believed[key] != tool[key]
        }
        yield Setting(f"{body}'s tool", [true] if true else [])
        if tool["mass_kg"]:
            key = f"mock_up.{body}.believed.acceleration"
            ways = ("commanded", "measured")
            yield Setting(f"{body}'s acceleration", [{key: way} for way in ways])


def _list_pose_settings(t: Keys) -> Iterator[Setting]:
    keys = ("chaser_offset_m", "target_offset_m")
    wrong = {f"pose.{key}": _ZERO3 for key in keys if any(t["pose"][key])}
    yield Setting("offset of poses", [wrong] if wrong else [])


def _list_method_settings(scenario: Scenario) -> Iterator[Setting]:
    """Choices and numbers of the listed methods. What the satellites are to feel is not a setting
    but a wish, and stays."""
    for i, entry in enumerate(scenario.tables["methods"]):
        method = METHODS[entry["name"]]
        if entry["name"] == RAW or method.at_top is not None or method.part_of_scenario:
            continue
        suggested = _flatten(method.suggest(scenario))
        for parameter in method.group:
            key = parameter.key
            value = _look_up(entry, key)
            if value is None or not parameter.swept or key.startswith("wanted."):
                continue
            at = f"methods.{i}.{key}"
            if parameter.choices:
                yield Setting(at, [{at: choice} for choice in parameter.choices])
            elif parameter.kind in ("number", "stiffness") and _is_number(value):
                sizes = [_scale(value, x) for x in FACTORS] if _is_any_nonzero(value) else []
                if _is_number(suggested.get(key)):
                    sizes.append(_scale(suggested[key], 1.0))
                yield Setting(at, [{at: x} for x in sizes], refined=at)


def _make_free_setting(t: Keys, key: str) -> Setting:
    value = _look_up(t, key)
    if not _is_number(value):
        allowed = "a key of the scenario that is a number, for example robots.chaser.delay_ms"
        raise BadInput(Problem("--free", key, allowed))
    return Setting(key, [{key: _scale(value, x)} for x in LESS], refined=key)


def find_middle(one: Any, other: Any) -> Any:
    """The middle of two values of a setting, on a scale of ratios where neither is zero."""
    if isinstance(one, list):
        return [find_middle(a, b) for a, b in zip(one, other, strict=True)]
    return _round_to_four_digits(
        math.sqrt(one * other) if one * other > 0.0 else 0.5 * (one + other)
    )


def _scale(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_scale(x, factor) for x in value]
    return _round_to_four_digits(factor * value)


def _round_to_four_digits(x: float) -> float:
    """To four digits: more is not set on a rig."""
    return float(f"{x:.4g}")


def _is_number(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_number(x) and not isinstance(x, list) for x in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_any_nonzero(value: Any) -> bool:
    return any(value) if isinstance(value, list) else bool(value)


def _is_new(t: Keys, keys: Keys) -> bool:
    return any(_look_up(t, key) != value for key, value in keys.items())


def _flatten(table: Keys, prefix: str = "") -> Keys:
    flat: Keys = {}
    for key, value in table.items():
        flat |= (
            _flatten(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
        )
    return flat


def _look_up(t: Any, path: str) -> Any:
    for part in path.split("."):
        if isinstance(t, list):
            t = t[int(part)] if part.isdigit() and int(part) < len(t) else None
        else:
            t = t.get(part) if isinstance(t, dict) else None
    return t
