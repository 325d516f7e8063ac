"""The haptic bench: a light device, a hand, a wall far stiffer than sampling allows; is the touch
quiet, and does the wall give energy away?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.networks.haptic_loop import (
    BENCH_ROW,
    BETTER,
    CONTROLLED,
    IN_ROW,
    PUBLISHED,
    RENDERINGS,
    Bench,
    run_bench,
)
from softdock.networks.linear_step import MOST_CUT, create_memory, lay_out_linear, linear_net
from softdock.networks.models import single_spring
from softdock.networks.published import create_published_memory, published_net
from softdock.networks.touch_decay import settling
from softdock.networks.walls import describe_guarantee, largest_acceleration

MOST_TIMES_LIMIT = 25.0
# The better step expects the device to change its speed by half of what it changed it by last. All
# of it is nearer, but every motion must then be paid for within twice the acceleration and not 1.5
# times; at 100 Hz the cap then cuts 8 % of the wall. With none of it 2.2 % are lost in the bounce.
AHEAD = 0.5
# how a touch ends: a wall of which next to nothing is felt is no stable wall
QUIET, BUZZES, NOTHING_FELT = "stable", "buzzing", "no wall"
NO_WALL = 0.1  # of the static force


@dataclass(frozen=True)
class Setting:
    """Device, hand and wall. Defaults: the bench of docs/ports.md."""

    device_mass_kg: float = 0.1
    device_damping_Ns_per_m: float = 0.1
    device_friction_N: float = 0.0
    encoder_resolution_m: float = 0.0
    sample_period_s: float = 1e-3
    hand_stiffness_N_per_m: float = 300.0
    hand_damping_Ns_per_m: float = 0.2
    hand_start_m: float = 5e-3
    hand_end_m: float = -12e-3
    hand_approach_s: float = 0.25
    times_limit: float = 10.0  # wall stiffness over Colgate's limit 2 b / T
    controller_Ns_per_m: float = 20.0
    tank_J: float = 1e-5
    most_acceleration_m_per_s2: float | None = (
        None  # for which the better step stays passive; None: what the device can do; inf: no cap
    )
    alpha: float = 1.0  # of the published algorithm: share of the depth with which springs start
    duration_s: float = 3.3
    rest_from_s: float = 2.0
    believed_damping_Ns_per_m: float | None = (
        None  # as the bounding methods are told; None: the true one
    )

    @property
    def limit_N_per_m(self) -> float:
        """Colgate: a wall of k <= 2 b / T is passive with the device's friction."""
        return 2.0 * self.device_damping_Ns_per_m / self.sample_period_s

    @property
    def stiffness_N_per_m(self) -> float:
        return self.times_limit * self.limit_N_per_m

    @property
    def bounce_acceleration_m_per_s2(self) -> float:
        """What device and hand can do at this wall: the hand's largest speed times the frequency of
        the device between wall and hand, plus the hand's largest acceleration (minimum jerk)."""
        way = abs(self.hand_end_m - self.hand_start_m)
        speed, push = 15.0 / 8.0 * way, 10.0 / math.sqrt(3.0) * way
        stiffness = self.stiffness_N_per_m + self.hand_stiffness_N_per_m
        return (
            speed / self.hand_approach_s * math.sqrt(stiffness / self.device_mass_kg)
            + push / self.hand_approach_s**2
        )

    @property
    def cap_m_per_s2(self) -> float:
        """The acceleration for which the better step is capped; inf: not."""
        given = self.most_acceleration_m_per_s2
        return self.bounce_acceleration_m_per_s2 if given is None else given


RANGES = {
    "device_mass_kg": (1e-3, 100.0, "kg"),
    "device_damping_Ns_per_m": (1e-4, 1e3, "Ns/m"),
    "device_friction_N": (0.0, 100.0, "N"),
    "encoder_resolution_m": (0.0, 1e-2, "m"),
    "sample_period_s": (1e-5, 0.1, "s"),
    "hand_stiffness_N_per_m": (1.0, 1e5, "N/m"),
    "hand_damping_Ns_per_m": (0.0, 1e3, "Ns/m"),
    "times_limit": (1e-3, MOST_TIMES_LIMIT, "-"),
    "controller_Ns_per_m": (0.0, 1e4, "Ns/m"),
    "tank_J": (0.0, 1.0, "J"),
}


@dataclass
class Touch:
    """One rendering at the bench."""

    rendering: str
    setting: Setting
    time_s: np.ndarray
    position_m: np.ndarray
    velocity_m_per_s: np.ndarray
    force_N: np.ndarray
    energy_J: (
        np.ndarray
    )  # fed into the wall since the start, by the true motion; negative: the wall gave energy away
    numbers: dict[str, Any]


def check(setting: Setting, renderings: Sequence[str]) -> None:
    found = [
        Problem(
            "rendering", r, "one of " + ", ".join(RENDERINGS), suggestion=closest(r, RENDERINGS)
        )
        for r in renderings
        if r not in RENDERINGS
    ]
    cap = setting.most_acceleration_m_per_s2
    if cap is not None and not (isinstance(cap, (int, float)) and cap > 0.0):
        found.append(
            Problem(
                "most_acceleration_m_per_s2",
                cap,
                "a number > 0 [m/s^2], inf for no cap, or None for that of the device",
            )
        )
    for key, (low, high, unit) in RANGES.items():
        value = getattr(setting, key)
        if not (isinstance(value, (int, float)) and math.isfinite(value) and low <= value <= high):
            found.append(
                Problem(key, value, f"a finite number >= {low:g} and <= {high:g} [{unit}]")
            )
    if found:
        raise BadInput(found)


def touch(setting: Setting, rendering: str) -> Touch:
    """One run of the bench."""
    check(setting, [rendering])
    return _touch(setting, rendering)


def _touch(setting: Setting, rendering: str) -> Touch:
    made = prepare_touch(setting, rendering)
    rows = make_bench_rows(setting)
    run_bench(made.bench, made.published, made.better, made.mem, rows)
    return describe_touch(setting, rendering, rows, float(made.mem[MOST_CUT]))


class Prepared(NamedTuple):
    """A bench and the networks of one rendering."""

    bench: Bench
    published: Any
    better: Any
    mem: np.ndarray


def make_bench_rows(setting: Setting) -> np.ndarray:
    return np.zeros(
        (math.ceil(setting.duration_s / setting.sample_period_s - 1e-9) + 1, BENCH_ROW.size)
    )


def prepare_touch(setting: Setting, rendering: str) -> Prepared:
    """What compiled code takes."""
    kind, T, s = RENDERINGS.index(rendering), setting.sample_period_s, setting
    wall = single_spring(s.stiffness_N_per_m)
    published = published_net(
        wall,
        T,
        controller_Ns_per_m=s.controller_Ns_per_m if kind == CONTROLLED else 0.0,
        rearm=True,
        alpha=s.alpha,
    )
    better = linear_net(wall, T, bound=(1.0 + AHEAD) * s.cap_m_per_s2 * T * T, extrapolate=AHEAD)
    if kind in (PUBLISHED, CONTROLLED):
        mem = create_published_memory(published, s.hand_start_m)
    else:
        mem = create_memory(better, s.tank_J)
        if kind == BETTER:
            mem[lay_out_linear(better.n, 1).position] = s.hand_start_m
    believed = (
        s.device_damping_Ns_per_m
        if s.believed_damping_Ns_per_m is None
        else s.believed_damping_Ns_per_m
    )
    bench = Bench(
        mass=s.device_mass_kg,
        damping=s.device_damping_Ns_per_m,
        friction=s.device_friction_N,
        resolution=s.encoder_resolution_m,
        T=T,
        hand_stiffness=s.hand_stiffness_N_per_m,
        hand_damping=s.hand_damping_Ns_per_m,
        start=s.hand_start_m,
        end=s.hand_end_m,
        approach=s.hand_approach_s,
        stiffness=s.stiffness_N_per_m,
        believed_damping=believed,
        damping_max=s.controller_Ns_per_m if kind != BETTER else 0.0,
        rendering=kind,
        substeps=20,
    )
    return Prepared(bench, published, better, mem)


def describe_touch(setting: Setting, rendering: str, rows: np.ndarray, most_cut: float) -> Touch:
    """A touch from its rows. `most_cut`: of the better step's cap [N]."""
    better = rendering == RENDERINGS[BETTER]
    time = np.arange(len(rows)) * setting.sample_period_s
    numbers = _numbers(setting, time, rows) | {"largest_cut_N": most_cut if better else 0.0}
    if better:
        numbers |= _describe_cap(setting, rows[:, IN_ROW.position])
    return Touch(
        rendering=rendering,
        setting=setting,
        time_s=time,
        position_m=rows[:, IN_ROW.position],
        velocity_m_per_s=rows[:, IN_ROW.velocity],
        force_N=rows[:, IN_ROW.force],
        energy_J=rows[:, IN_ROW.fed],
        numbers=numbers,
    )


def _describe_cap(setting: Setting, position: np.ndarray) -> dict[str, Any]:
    """What the better step's cap promised, and whether the samples of the motion kept to it."""
    cap = setting.cap_m_per_s2
    return {
        "cap_m_per_s2": cap if math.isfinite(cap) else None,
        "largest_acceleration_m_per_s2": largest_acceleration(position, setting.sample_period_s),
        "guarantee": describe_guarantee(cap, position, setting.sample_period_s),
    }


def static_force(setting: Setting) -> float:
    """What the hand feels at rest on the wall: two springs in series [N]."""
    k, h = setting.stiffness_N_per_m, setting.hand_stiffness_N_per_m
    return -setting.hand_end_m * k * h / (k + h)


def _numbers(setting: Setting, time: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    rest = rows[time >= setting.rest_from_s - 1e-9]
    found = settling(time[time >= setting.rest_from_s - 1e-9], rest[:, IN_ROW.velocity])
    expected, mean = static_force(setting), float(np.mean(rest[:, IN_ROW.force]))
    if not found.dies_down:
        ends = BUZZES
    elif mean < NO_WALL * expected:
        ends = NOTHING_FELT
    else:
        ends = QUIET
    return {
        "ends": ends,
        "stable": ends == QUIET,
        "growth_per_s": found.growth_per_s if math.isfinite(found.growth_per_s) else None,
        "rms_speed_mm_per_s": 1e3 * found.rms_speed,
        "mean_force_N": mean,
        "static_force_N": expected,
        "force_error": mean / expected - 1.0,
        "least_energy_at_port_mJ": 1e3 * float(np.min(rows[:, IN_ROW.fed])),
        "energy_at_port_mJ": 1e3 * float(rows[-1, IN_ROW.fed]),
        "deepest_mm": -1e3 * float(np.min(rows[:, IN_ROW.position])),
    }


VARIED = (
    "device_mass_kg",
    "device_damping_Ns_per_m",
    "hand_stiffness_N_per_m",
    "hand_damping_Ns_per_m",
)


def compare(setting: Setting, spread: float = 0.3) -> list[dict[str, Any]]:
    """All renderings: at the setting, and with each parameter of device and hand off by +-spread,
    while the methods believe the nominal device."""
    check(setting, RENDERINGS)
    told = replace(
        setting,
        believed_damping_Ns_per_m=setting.device_damping_Ns_per_m,
        most_acceleration_m_per_s2=setting.cap_m_per_s2,
    )
    found = []
    for rendering in RENDERINGS:
        nominal = touch(setting, rendering)
        others = []
        for key in VARIED:
            for factor in (1.0 - spread, 1.0 + spread):
                changed = replace(told, **{key: factor * getattr(setting, key)})
                # the wall stays what it was, whatever the device's friction does to the limit
                changed = replace(
                    changed, times_limit=setting.stiffness_N_per_m / changed.limit_N_per_m
                )
                others.append(_touch(changed, rendering).numbers)
        found.append(
            {"rendering": rendering}
            | nominal.numbers
            | {
                "runs_varied": len(others),
                "stable_varied": sum(o["stable"] for o in others),
                "worst_rms_speed_mm_per_s": max(o["rms_speed_mm_per_s"] for o in others),
                "worst_force_error": max((o["force_error"] for o in others), key=abs),
                "stiffest_stable_times_limit": stiffest(setting, rendering),
            }
        )
    return found


def stiffest(setting: Setting, rendering: str) -> float:
    """The stiffest wall of a row of trials that dies down with every softer one doing so too, in
    multiples of Colgate's limit; 0: none."""
    best = 0.0
    for times in (0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 15.0, 20.0, 25.0):
        if not touch(replace(setting, times_limit=times), rendering).numbers["stable"]:
            break
        best = times
    return best
