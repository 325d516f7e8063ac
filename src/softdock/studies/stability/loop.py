"""The loop along one contact normal, as the stability analysis sees it: what a scenario or a user's
numbers become.

One effective mass on a contact, force and depth as scalars. `cycle` None is the continuous loop: no
sampling, no hold. All SI.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.loop.instants import SAME_CYCLE

# Share of T^2 F / m that a held force adds to the position in one cycle; the velocity gets T F / m
# from all. A test compares with satellites/.
POSITION_SHARE = {
    "symplectic_euler": 1.0,
    "forward_euler": 0.0,
    "exact_hold": 0.5,
    "lie_rk4": 0.5,
    "lie_midpoint": 0.5,
    "lie_split": 0.5,
}
INTERPOLATIONS = ("hermite", "linear", "hold")
HANDOVERS = ("latest", "mean")
LAWS = ("spring_damper", "spring_damper_pull")
LONGEST_PATTERN = 64  # cycles after which sensor and controller must be in step again


@dataclass(frozen=True)
class Robot:
    """One robot: how late its mock-up is, and how it follows."""

    # of the relative acceleration that this robot's body takes: its mobility over that of both
    share: float = 1.0
    delay: float = 0.0  # s
    interpolation: str = "hermite"
    lag: float = 0.0  # rad/s, natural frequency of the second-order lag; 0: none
    lag_damping: float = 1.0
    computation: float = 0.0  # s, part of the delay
    transport: float = 0.0  # s, part of the delay


@dataclass(frozen=True)
class Loop:
    """Mass, contact, robots, sensor and hold of one loop."""

    mass: float  # kg, effective
    stiffness: float  # N/m, of the real contact
    damping: float = 0.0  # Ns/m, of the real contact
    robots: tuple[Robot, ...] = field(default_factory=lambda: (Robot(),))
    cycle: float | None = None  # s
    integrator: str = "exact_hold"
    law: str = "spring_damper"
    sensor_period: float = 0.0  # s; 0: one sample per cycle
    sensor_delay: float = 0.0  # s
    handover: str = "latest"
    lowpass: float = 0.0  # Hz; 0: none
    plant_steps: int = 1
    virtual_stiffness: float = 0.0  # N/m
    virtual_damping: float = 0.0  # Ns/m
    # pose that the virtual contact uses: measured (delayed), or simulated (the satellite's own)
    virtual_from: str = "measured"
    virtual_pulls: bool = False  # whether measured plus virtual force may pull
    # s; a sampled loop carries the late pose to the force's instant at its measured rate, a
    # continuous one does not
    pose_delay: float = 0.0
    # leads of a sampled loop, by methods: of the force by its rate [s], whose low-pass has this
    # time constant [s]; a predictor over a delay [s]; of the set-points by rate [s] and
    # acceleration [s^2]
    force_lead: float = 0.0
    force_lead_filter: float = 0.0
    predicted_delay: float = 0.0
    position_lead: float = 0.0
    position_curve: float = 0.0

    @property
    def leads_force(self) -> bool:
        return self.force_lead != 0.0 or self.predicted_delay != 0.0

    @property
    def leads_position(self) -> bool:
        return self.position_lead != 0.0 or self.position_curve != 0.0

    @property
    def period(self) -> float:
        """Of the sensor's samples [s]."""
        return self.sensor_period if self.sensor_period > 0.0 else float(self.cycle or 0.0)

    @property
    def keep(self) -> float:
        """Share of the old value that the low-pass keeps each sample."""
        return math.exp(-2.0 * math.pi * self.lowpass * self.period) if self.lowpass > 0.0 else 0.0

    @property
    def is_hybrid(self) -> bool:
        return self.virtual_stiffness != 0.0 or self.virtual_damping != 0.0

    @property
    def pattern(self) -> int:
        """Cycles after which the sampling repeats: 1 if the sensor's samples fall at the same
        instants of every cycle."""
        assert self.cycle is not None
        ratio = Fraction(self.period / self.cycle).limit_denominator(LONGEST_PATTERN)
        if (
            abs(float(ratio) - self.period / self.cycle) > SAME_CYCLE
            or ratio.numerator > LONGEST_PATTERN
        ):
            allowed = (
                f"a period that meets the cycle of {1e3 * self.cycle:g} ms again within "
                f"{LONGEST_PATTERN} cycles"
            )
            raise BadInput(Problem("sensor.period_ms", 1e3 * self.period, allowed))
        return ratio.numerator

    @property
    def delay(self) -> float:
        """Of the robots, weighted by their shares [s]."""
        return sum(robot.share * robot.delay for robot in self.robots)

    def changed(self, **changes: Any) -> Loop:
        """The same loop with some fields set; `delay` sets that of every robot, `later` adds to
        it."""
        robots = changes.pop("robots", self.robots)
        if "delay" in changes:
            delay = changes.pop("delay")
            robots = tuple(replace(robot, delay=delay) for robot in robots)
        if "later" in changes:
            later = changes.pop("later")
            robots = tuple(replace(robot, delay=robot.delay + later) for robot in robots)
        return replace(self, robots=robots, **changes)


def is_plain(loop: Loop) -> bool:
    """Mass, contact and one pure delay, continuous: the closed forms hold."""
    robot = loop.robots[0]
    more = loop.sensor_delay or loop.lowpass or loop.is_hybrid or robot.lag
    return loop.cycle is None and len(loop.robots) == 1 and not more


def check_loop(loop: Loop) -> None:
    """Refuse what no loop can be, all at once."""
    problems = [problem for problem in _list_problems(loop) if problem is not None]
    if problems:
        raise BadInput(problems)
    if loop.cycle is not None:
        loop.pattern  # noqa: B018 - refuses sensors that never meet the cycle again


def _list_problems(loop: Loop) -> list[Problem | None]:
    problems = [
        _require_positive("mass", loop.mass, "kg"),
        _require_positive(
            "stiffness",
            loop.stiffness + loop.virtual_stiffness,
            "N/m",
            "; without stiffness there is no contact to be stable",
        ),
        _require_not_negative("damping", loop.damping, "Ns/m"),
        _require_not_negative("virtual_damping", loop.virtual_damping, "Ns/m"),
        _require_known("integrator", loop.integrator, POSITION_SHARE),
        _require_known("handover", loop.handover, HANDOVERS),
        _require_known("law", loop.law, LAWS),
        _require_known("virtual_from", loop.virtual_from, ("measured", "simulated")),
    ]
    leads = ("force_lead", "force_lead_filter", "predicted_delay", "position_lead")
    for name in leads:
        problems.append(_require_not_negative(name, getattr(loop, name), "s"))
    problems.append(_require_not_negative("position_curve", loop.position_curve, "s^2"))
    if loop.cycle is None and (loop.leads_force or loop.leads_position):
        problems.append(Problem("cycle", None, "a cycle [s]; only a sampled loop has leads"))
    for name in ("sensor_period", "sensor_delay", "lowpass", "pose_delay"):
        problems.append(
            _require_not_negative(name, getattr(loop, name), "Hz" if name == "lowpass" else "s")
        )
    if loop.cycle is not None:
        problems.append(_require_positive("cycle", loop.cycle, "s"))
    for robot in loop.robots:
        problems += [
            _require_not_negative("delay", robot.delay, "s"),
            _require_known("interpolation", robot.interpolation, INTERPOLATIONS),
        ]
        problems += [
            _require_not_negative("lag", robot.lag, "rad/s"),
            _require_positive("lag_damping", robot.lag_damping, "-"),
        ]
    return problems


def _require_positive(name: str, value: float, unit: str, why: str = "") -> Problem | None:
    return (
        None
        if value > 0.0 and math.isfinite(value)
        else Problem(name, value, f"a number > 0 [{unit}]{why}")
    )


def _require_not_negative(name: str, value: float, unit: str) -> Problem | None:
    return (
        None
        if value >= 0.0 and math.isfinite(value)
        else Problem(name, value, f"a number >= 0 [{unit}]")
    )


def _require_known(name: str, value: str, known: Any) -> Problem | None:
    return None if value in known else Problem(name, value, "one of " + ", ".join(known))
