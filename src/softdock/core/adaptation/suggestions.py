"""What a method would be told of a rig, where a scenario does not say: for comparisons. From the
scenario's truth, so that errors of knowledge are added to it afterwards and on purpose. Plain
Python on a scenario's tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.core.shapes.laws import LINEAR_LAWS

NOISE_SIGMAS = 4.0  # a force below this many standard deviations is not taken for a contact


class Known(NamedTuple):
    """What an engineer would know of the rig."""

    stiffness: float | None  # N/m, of the stiffest pair; None: a contact without a stiffness
    delay: float  # s, from set-point to measured force, the hold included
    noise: float  # N


def known_of(scenario: Any) -> Known:
    tables = scenario.tables
    laws = [pair["real"] for pair in tables["contact"]]
    linear = [law["stiffness_N_per_m"] for law in laws if law["law"] in LINEAR_LAWS]
    robots, sensor, cycle_ms = tables["robots"], tables["sensor"], tables["time"]["cycle_ms"]
    late = (
        max(
            robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"]
            for robot in robots.values()
        )
        + sensor["delay_ms"]
    )
    if sensor["handover"] == "mean" and sensor["period_ms"] > 0.0:
        late += 0.5 * (cycle_ms - sensor["period_ms"])
    return Known(
        max(linear) if linear and len(linear) == len(laws) else None,
        1e-3 * (late + 0.5 * cycle_ms),
        sensor["noise_N"],
    )


def needs_stiffness(scenario: Any) -> str | None:
    """Why a method that must know the stiffness cannot run."""
    if known_of(scenario).stiffness is None:
        return "it must know the contact's stiffness, and this scenario has no linear contact"
    return None


def damper(scenario: Any) -> dict[str, Any]:
    """For `hybrid`: the damping along the normal that cancels the delay, b = k h."""
    known = known_of(scenario)
    if known.stiffness is None:
        return {}
    return {
        "damping_Ns_per_m": [known.stiffness * known.delay, 0.0, 0.0],
        "contact_N": NOISE_SIGMAS * known.noise,
    }


def stiffness_and_delay(scenario: Any) -> dict[str, Any]:
    """Stiffness and delay for `adaptive_damping`."""
    known = known_of(scenario)
    if known.stiffness is None:
        return {}
    return {
        "stiffness_N_per_m": known.stiffness,
        "delay_ms": 1e3 * known.delay,
        "contact_N": NOISE_SIGMAS * known.noise,
    }


def neutral_damper(advice: Any) -> dict[str, Any]:
    """For `hybrid`: the damping along the normal that takes out what the whole delay puts in."""
    if advice.neutral_damping is None:
        return {}
    return {"damping_Ns_per_m": [advice.neutral_damping, 0.0, 0.0]}


def delay_before_the_hold(advice: Any) -> dict[str, Any]:
    """For `adaptive_damping`, which adds half a cycle of hold itself: the whole delay without
    it."""
    return {"delay_ms": round(1e3 * (advice.whole_delay - 0.5 * advice.cycle), 6)}
