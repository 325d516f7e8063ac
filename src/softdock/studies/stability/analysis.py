"""Everything that is said of one operating point, as a plain dict: what the command prints with
`--json`, and what advice, charts and reports read."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from softdock.loop.instants import SAME_CYCLE
from softdock.studies.stability import closed_forms
from softdock.studies.stability.critical import (
    crossing_frequency,
    find_critical_delay,
    find_stretches,
    margins,
)
from softdock.studies.stability.impact_restitution import restitution_of_loop
from softdock.studies.stability.loop import POSITION_SHARE, Loop, check_loop
from softdock.studies.stability.roots import dominant_root, is_stable

# The delay budget of a loop: where the force's age comes from, item by item, in seconds at low
# frequency.
#
# The sum is the delay of the continuous loop that behaves alike (rule of thumb; 0.03 % of the
# critical damping at 4 ms). A set-point waits for its computation and its transport before the
# robot's own delay begins; a scenario that does not know them apart has them in the robot's.


class Item(NamedTuple):
    name: str
    delay_s: float
    meaning: str
    counts: bool = True  # in the sum: the path of the measured force


def delay_budget(loop: Loop) -> list[Item]:
    """Every item, also those that are zero; the virtual contact's own path last."""
    T = loop.cycle or 0.0
    computed, sent = (
        sum(robot.share * part for robot, part in zip(loop.robots, parts, strict=True))
        for parts in _sum_parts(loop)
    )
    items = [
        Item(
            "sensor",
            _compute_sensor_delay(loop),
            "from a force sample to its arrival, and the low-pass",
        ),
        Item(
            "hand-over",
            _compute_handover_age(loop),
            f"age of what is handed over ({loop.handover}) beyond the sensor's delay",
        ),
        Item("hold", 0.5 * T, "the force is held over a cycle"),
        Item(
            "integrator",
            (0.5 - POSITION_SHARE[loop.integrator]) * T,
            f"{loop.integrator}, against exact motion under a held force",
        ),
        Item("compute", computed, "until the controller has computed a set-point"),
        Item("transport", sent, "of a set-point to the robot"),
        Item(
            "robot",
            loop.delay - computed - sent,
            "from there to the mock-up being where it was sent",
        ),
        Item(
            "robot lag",
            sum(r.share * 2.0 * r.lag_damping / r.lag for r in loop.robots if r.lag > 0.0),
            "2 x damping ratio / natural frequency",
        ),
        Item("interpolation", _compute_staircase_delay(loop), "a robot that holds each set-point"),
    ]
    if loop.leads_force:
        items.append(Item("force lead", -loop.force_lead, "of the measured force, by a method"))
    if loop.leads_position:
        items.append(Item("position lead", -loop.position_lead, "of the set-points, by a method"))
    if loop.is_hybrid and loop.virtual_from == "measured":
        items.append(
            Item(
                "pose measurement",
                loop.pose_delay,
                "from motion to measured pose: the virtual contact's path only",
                counts=False,
            )
        )
    return items


def _sum_parts(loop: Loop) -> tuple[list[float], list[float]]:
    return [robot.computation for robot in loop.robots], [robot.transport for robot in loop.robots]


def total_delay(loop: Loop) -> float:
    """Of the measured force's path [s]."""
    return sum(item.delay_s for item in delay_budget(loop) if item.counts)


def _compute_sensor_delay(loop: Loop) -> float:
    if loop.cycle is None:
        return loop.sensor_delay + (
            1.0 / (2.0 * math.pi * loop.lowpass) if loop.lowpass > 0.0 else 0.0
        )
    return loop.sensor_delay + loop.keep / (1.0 - loop.keep) * loop.period


def _compute_handover_age(loop: Loop) -> float:
    """Mean age beyond the sensor's delay, over a sampling pattern."""
    if loop.cycle is None:
        return 0.0
    period, late = loop.period / loop.cycle, loop.sensor_delay / loop.cycle
    ages = []
    newest = math.floor(-late / period + SAME_CYCLE)
    for k in range(1, loop.pattern + 1):
        handed, newest = newest, math.floor((k - late) / period + SAME_CYCLE)
        first = newest if loop.handover == "latest" or newest <= handed else handed + 1
        ages.append(k - 0.5 * period * (first + newest) - late)
    return loop.cycle * sum(ages) / len(ages)


def _compute_staircase_delay(loop: Loop) -> float:
    """A held set-point is older than its robot's delay says, by the rest of the delay's cycle."""
    if loop.cycle is None:
        return 0.0
    late = 0.0
    for robot in loop.robots:
        if robot.interpolation == "hold":
            cycles = robot.delay / loop.cycle
            late += robot.share * max(math.ceil(cycles - SAME_CYCLE) - cycles, 0.0) * loop.cycle
    return late


@dataclass(frozen=True)
class Analysis:
    """One operating point. None: there is no such value (no damping helps, no limit that way)."""

    model: str  # continuous, or sampled
    stable: bool
    whole_delay_s: float  # robot, computation, age and filter of the force, hold and integrator
    critical_whole_delay_s: float | None  # the same sum at the boundary; None: no robot is borne
    critical_delay_s: float  # of the robots alone; 0: none is borne
    critical_damping_Ns_per_m: float | None
    critical_damping_upper_Ns_per_m: float | None
    critical_stiffness_N_per_m: float | None  # 0: none is borne
    critical_mass_kg: float | None
    crossing_frequency_rad_per_s: float
    predicted_restitution: float | None  # one-sided, with the contact's law
    restitution_of_dominant_root: float | None
    growth_rate_per_s: float
    longest_delay_any_damping_bears_s: (
        float  # the nose of the continuous loop with this mass and stiffness
    )
    damping_there_Ns_per_m: float
    margins: dict[str, float | None]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def analyse(loop: Loop) -> Analysis:
    """The operating point of a loop. With a virtual contact, critical damping means that of the
    virtual damper, the real one as it is."""
    check_loop(loop)
    found = find_stretches(loop)
    longest_delay = float(find_critical_delay(loop))
    damping, stiffness, mass = found["damping"], found["stiffness"], found["mass"]
    root = dominant_root(loop)
    nose_delay, nose_damping = closed_forms.nose(loop.mass, loop.stiffness + loop.virtual_stiffness)
    return Analysis(
        model="continuous" if loop.cycle is None else "sampled",
        stable=is_stable(loop),
        whole_delay_s=total_delay(loop),
        critical_whole_delay_s=longest_delay + total_delay(loop) - loop.delay
        if longest_delay > 0.0
        else None,
        critical_delay_s=longest_delay,
        critical_damping_Ns_per_m=_finite(damping[0]) if damping else None,
        critical_damping_upper_Ns_per_m=_finite(damping[1]) if damping else None,
        critical_stiffness_N_per_m=_finite(stiffness[1]) if stiffness else 0.0,
        critical_mass_kg=_finite(mass[0]) if mass else None,
        crossing_frequency_rad_per_s=float(crossing_frequency(loop, longest_delay)),
        predicted_restitution=_finite(restitution_of_loop(loop)),
        restitution_of_dominant_root=compute_root_restitution(root),
        growth_rate_per_s=root.real,
        longest_delay_any_damping_bears_s=nose_delay,
        damping_there_Ns_per_m=nose_damping,
        margins=margins(loop, found, longest_delay),
    )


def compute_root_restitution(root: complex) -> float | None:
    """exp(pi sigma / w): what half a swing of the dominant root leaves; 0 without a swing."""
    if root.imag <= 1e-12 * abs(root):
        return 0.0 if root.real < 0.0 else None
    exponent = math.pi * root.real / root.imag
    return math.exp(exponent) if exponent < 700.0 else None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
