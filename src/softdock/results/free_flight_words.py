"""What is said of a wrench in free flight, and what is to be set."""

from __future__ import annotations

import math
from typing import Any

ENDS = ("chaser", "target")
WORDS = {"weight": "uncompensated weight", "bias": "bias", "drift": "drift"}
SIGMAS = 4.0  # of the noise: a threshold so far above the force is seldom crossed
ABOVE = 1.05  # of the force: a threshold lets through what equals it
SHOWS = 0.002  # rad/s: a rate below is not said


def describe_free_flight(f: Any) -> str:
    """What acts, and what it makes until the end of the run. `f`: a FreeFlight."""
    what = f"{_list_parts(f.parts, f.force_N, 'N')}" if f.parts else ""
    if not what:
        what = _list_parts(f.turning, f.torque_Nm, "Nm")
    makes = []
    if f.parts:
        makes.append(f"{1e3 * f.speed_m_per_s:.3g} mm/s in {f.duration_s:.3g} s")
    body = max(ENDS, key=lambda one: f.rates_rad_per_s[one])
    rate = f.rates_rad_per_s[body]
    if rate > SHOWS or not f.parts:
        within = "" if makes else f" in {f.duration_s:.3g} s"
        makes.append(f"{math.degrees(rate):.3g} deg/s of the {body}{within}")
    return f"{what} act in free flight: {' and '.join(makes)}, {_against(f)}."


def _list_parts(parts: dict[str, float], whole: float, unit: str) -> str:
    if len(parts) == 1:
        return f"{whole:.3g} {unit} of {WORDS[next(iter(parts))]}"
    listed = ", ".join(f"{size:.3g} {unit} of {WORDS[name]}" for name, size in parts.items())
    return f"{whole:.3g} {unit} ({listed})"


def _against(f: Any) -> str:
    if not f.approach_m_per_s > 0.0:
        return "where nothing approaches"
    if f.speed_m_per_s > f.approach_m_per_s:
        return f"more than the approach ({1e3 * f.approach_m_per_s:.3g} mm/s)"
    if f.distance > 1.0:
        return f"{f.distance:.2g} times the approach away from orbit"
    return f"{100.0 * f.distance:.2g} % of the approach away from orbit"


def suggest_remedy(f: Any, t: dict[str, Any], small: float, gravity: float) -> str:
    """What to set, with the size that it must have. `small`: distance from orbit that is borne;
    `gravity`: m/s^2."""
    smaller = small / f.distance if f.distance > 0.0 else 1.0
    parts = f.parts or f.turning
    largest = max(parts, key=lambda name: parts[name])
    if largest == "weight":
        mend = _suggest_weighing(t, f, smaller, gravity)
    elif f.parts:
        mend = f"tare the sensor (sensor.bias_N) to within {smaller * f.force_N:.2g} N"
    else:
        mend = f"tare the sensor (sensor.bias_Nm) to within {smaller * f.torque_Nm:.2g} Nm"
    if not f.parts:
        return f"{mend}."
    threshold = choose_threshold(f.force_N, float(t["sensor"]["noise_N"]))
    return (
        f"{mend}, or set sensor.threshold_N = {threshold:g}, which also hides contact forces "
        "below it."
    )


def choose_threshold(force: float, noise: float) -> float:
    """A threshold that the force in free flight and its noise [N] seldom reach, to two digits."""
    bound = ABOVE * force + SIGMAS * noise
    digits = -math.floor(math.log10(bound)) + 1
    return math.ceil(bound * 10.0**digits) / 10.0**digits


def _suggest_weighing(t: dict[str, Any], f: Any, smaller: float, gravity: float) -> str:
    """Weigh it, or find its centre: the error that is there."""
    if f.parts:
        body = max(ENDS, key=lambda b: abs(_wrong(t["mock_up"][b])))
        allowed = 1e3 * smaller * f.force_N / gravity
        return (
            f"weigh the {body}'s tool (mock_up.{body}.believed.mass_kg) to within {allowed:.2g} g"
        )
    body = max(ENDS, key=lambda b: math.dist(*_get_centres(t["mock_up"][b])))
    allowed = 1e3 * smaller * math.dist(*_get_centres(t["mock_up"][body]))
    return (
        f"find the centre of the {body}'s tool (mock_up.{body}.believed.centre_m) to within "
        f"{allowed:.2g} mm"
    )


def _wrong(tool: dict[str, Any]) -> float:
    return float(tool["mass_kg"]) - float(tool["believed"]["mass_kg"])


def _get_centres(tool: dict[str, Any]) -> tuple[list[float], list[float]]:
    return tool["centre_m"], tool["believed"]["centre_m"]
