"""Critical values and margins of a loop: closed forms where the loop is a mass, a contact and one
delay; roots of the whole loop otherwise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from softdock._arguments import check_arguments, finite_number, one_of, optional
from softdock.errors import BadInput, Problem
from softdock.studies.stability import closed_forms
from softdock.studies.stability.boundary import stable_stretch
from softdock.studies.stability.closed_forms import Floats
from softdock.studies.stability.loop import POSITION_SHARE, Loop, Robot, check_loop, is_plain
from softdock.studies.stability.roots import compute_growth, dominant_root, is_stable

DELAY_STEPS = 60  # of the search for the critical delay
DELAY_ROUNDING = 1e-13  # of the delay sought


@check_arguments(cycle=optional(finite_number(0.0, above=True)), integrator=one_of(*POSITION_SHARE))
def critical_delay(
    mass: Floats,
    damping: Floats,
    stiffness: Floats,
    cycle: float | None = None,
    integrator: str = "exact_hold",
) -> Floats:
    """The longest robot delay [s] at which the loop is stable; 0: at none. `cycle` [s]: force
    held over a cycle; None: continuous."""
    _check(mass=mass, stiffness=stiffness, damping=damping, cycle=cycle)
    if cycle is None:
        return closed_forms.critical_delay(mass, damping, stiffness)
    try:
        return _for_each_number(
            lambda m, b, k: find_critical_delay(Loop(m, k, b, cycle=cycle, integrator=integrator)),
            mass,
            damping,
            stiffness,
        )
    except (ArithmeticError, ValueError):
        given = f"{mass} kg, {damping} Ns/m, {stiffness} N/m, {cycle} s"
        allowed = "numbers whose loop a float can hold"
        raise BadInput(Problem("mass, damping, stiffness, cycle", given, allowed)) from None


def critical_damping(
    mass: Floats,
    stiffness: Floats,
    delay: Floats,
    cycle: float | None = None,
    integrator: str = "exact_hold",
) -> Floats:
    """The smallest damping [Ns/m] that makes the loop stable; nan where none does: beyond the
    nose."""
    return critical_dampings(mass, stiffness, delay, cycle, integrator)[0]


def critical_damping_upper(
    mass: Floats,
    stiffness: Floats,
    delay: Floats,
    cycle: float | None = None,
    integrator: str = "exact_hold",
) -> Floats:
    """The largest damping [Ns/m] with which the loop is stable; nan beyond the nose, inf where
    there is none."""
    return critical_dampings(mass, stiffness, delay, cycle, integrator)[1]


def critical_dampings(
    mass: Floats,
    stiffness: Floats,
    delay: Floats,
    cycle: float | None = None,
    integrator: str = "exact_hold",
) -> tuple[Floats, Floats]:
    """Both branches [Ns/m]."""
    _check(mass=mass, stiffness=stiffness, delay=delay, cycle=cycle)
    if cycle is None:
        return closed_forms.critical_dampings(mass, stiffness, delay)

    def both(m: float, k: float, h: float) -> tuple[float, float]:
        found = stable_stretch(
            Loop(
                mass=m,
                stiffness=k,
                damping=0.0,
                robots=(Robot(delay=h),),
                cycle=cycle,
                integrator=integrator,
            ),
            "damping",
        )
        return (math.nan, math.nan) if found is None else (float(found[0]), float(found[1]))

    pairs = _for_each_number(both, mass, stiffness, delay)
    return (pairs[0], pairs[1]) if isinstance(pairs, tuple) else (pairs[..., 0], pairs[..., 1])


def _for_each_number(function: Any, *arguments: Floats) -> Any:
    wide = np.broadcast_arrays(*(np.asarray(a, float) for a in arguments))
    if wide[0].ndim == 0:
        return function(*(float(a) for a in wide))
    found = np.array([function(*map(float, values)) for values in zip(*(a.ravel() for a in wide))])
    return found.reshape(wide[0].shape + found.shape[1:])


def _check(**given: Any) -> None:
    units = {"mass": "kg", "stiffness": "N/m", "damping": "Ns/m", "delay": "s", "cycle": "s"}
    problems = []
    for name, value in given.items():
        if value is None:
            continue
        try:
            array = np.asarray(value, float)
        except (OverflowError, TypeError, ValueError):
            array = np.array(math.nan)
        zero_allowed = name in ("damping", "delay")
        if not np.all(np.isfinite(array) & ((array >= 0.0) if zero_allowed else (array > 0.0))):
            why = (
                "; without stiffness there is no contact to be stable"
                if name == "stiffness"
                else ""
            )
            problems.append(
                Problem(
                    name,
                    value,
                    f"{'numbers' if array.ndim else 'a number'} "
                    f"{'>=' if zero_allowed else '>'} 0 [{units[name]}]{why}",
                )
            )
    if problems:
        raise BadInput(problems)


def find_critical_delay(loop: Loop) -> float:
    """The longest delay of the robots [s, weighted by their shares] at which the loop is stable,
    all growing alike; 0: at none."""
    check_loop(loop)
    if is_plain(loop):
        return closed_forms.critical_delay(loop.mass, loop.damping, loop.stiffness)
    least = -min(robot.delay for robot in loop.robots)
    low = 0.0 if is_stable(loop) else least
    if not is_stable(loop.changed(later=low)):
        return 0.0
    step = 0.25 * closed_forms.nose(loop.mass, loop.stiffness + loop.virtual_stiffness)[0]
    high = 0.0 if low < 0.0 else step
    while is_stable(loop.changed(later=high)):
        low, high = high, high + step
    return loop.delay + _bisect_delay(loop, low, high)


def _bisect_delay(loop: Loop, low: float, high: float) -> float:
    """The extra delay at which the loop is neutral, between a stable and an unstable one."""
    scale = DELAY_ROUNDING * (loop.delay + high + 1e-6)
    if loop.cycle is None:  # counting turns is fast, the rightmost root is not
        while high - low > scale:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if is_stable(loop.changed(later=middle)) else (low, middle)
        return 0.5 * (low + high)
    g_low, g_high = (
        compute_growth(loop.changed(later=low)),
        compute_growth(loop.changed(later=high)),
    )
    middle = low
    for step in range(DELAY_STEPS):  # false position, halving the end that stays
        before = middle
        middle = (
            0.5 * (low + high)
            if step % 4 == 3
            else (low * g_high - high * g_low) / (g_high - g_low)
        )
        g = compute_growth(loop.changed(later=middle))
        if abs(middle - before) <= scale or g == 0.0:
            break
        if g < 0.0:
            low, g_low, g_high = middle, g, 0.5 * g_high
        else:
            high, g_high, g_low = middle, g, 0.5 * g_low
    return middle


def find_stretch(loop: Loop, name: str) -> tuple[float, float] | None:
    """The stable stretch of mass, stiffness, damping, virtual stiffness or damping around the
    loop's own value, or the lowest one."""
    if is_plain(loop):
        return _find_plain_stretch(loop, name)
    stretch = stable_stretch(loop, name, near=getattr(loop, name))
    return None if stretch is None else (float(stretch[0]), float(stretch[1]))


def _find_plain_stretch(loop: Loop, name: str) -> tuple[float, float] | None:
    if name == "damping":
        low, high = closed_forms.critical_dampings(loop.mass, loop.stiffness, loop.delay)
    elif name == "stiffness":
        low, high = 0.0, closed_forms.critical_stiffness(loop.mass, loop.damping, loop.delay)
    else:
        low, high = closed_forms.critical_mass(loop.stiffness, loop.damping, loop.delay), math.inf
    return (low, high) if high > low else None


Stretches = dict[str, tuple[float, float] | None]


def find_stretches(loop: Loop) -> Stretches:
    """Stable stretches of the damping (the virtual one, where there is a virtual contact), of
    stiffness and of mass."""
    return {
        name: find_stretch(
            loop, "virtual_damping" if name == "damping" and loop.is_hybrid else name
        )
        for name in ("damping", "stiffness", "mass")
    }


def margins(
    loop: Loop, found: Stretches | None = None, borne: float | None = None
) -> dict[str, float | None]:
    """How far each parameter is from the boundary, the others as they are: positive inside,
    negative outside. None: no boundary that way.

    delay_s and stiffness_N_per_m: how much more is borne. mass_kg: how much less. damping: how much
    less (lower) and more (upper). `found`, `borne`: stretches and critical delay, where they are
    known already.
    """
    found = find_stretches(loop) if found is None else found
    borne = find_critical_delay(loop) if borne is None else borne
    now = loop.virtual_damping if loop.is_hybrid else loop.damping
    lower, upper = found["damping"] or (math.nan, math.nan)
    hardest = found["stiffness"][1] if found["stiffness"] else 0.0
    lightest = found["mass"][0] if found["mass"] else math.inf
    return {
        "delay_s": _finite(borne - loop.delay),
        "damping_Ns_per_m": _finite(now - lower),
        "damping_upper_Ns_per_m": _finite(upper - now),
        "stiffness_N_per_m": _finite(hardest - loop.stiffness),
        "mass_kg": _finite(loop.mass - lightest),
    }


def crossing_frequency(loop: Loop, borne: float | None = None) -> float:
    """Frequency [rad/s] at which the loop turns unstable as its delay grows. `borne`: the critical
    delay, where it is known already."""
    if is_plain(loop):
        return float(closed_forms.crossing_frequency(loop.mass, loop.damping, loop.stiffness))
    borne = find_critical_delay(loop) if borne is None else borne
    if borne <= 0.0:  # unstable without any delay: the frequency at which it grows
        return dominant_root(loop.changed(later=-min(robot.delay for robot in loop.robots))).imag
    return dominant_root(loop.changed(later=borne - loop.delay)).imag


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# Margins when parameters are not known exactly: the worst case over intervals, and the probability
# of being stable over distributions.
#
# An uncertain parameter is `Interval(low, high)` (a uniform distribution when sampled) or
# `Normal(mean, deviation)` (cut at three deviations, which are also its worst case). Names: mass,
# stiffness, damping, virtual_damping, delay. SI.

NAMES = ("mass", "stiffness", "damping", "virtual_damping", "delay")
DEVIATIONS = 3.0
LEVELS = 3  # values of each parameter that are tried for the worst case: both ends and the middle


class Interval(NamedTuple):
    low: float
    high: float


class Normal(NamedTuple):
    mean: float
    deviation: float


def robust_margins(
    loop: Loop, uncertain: Mapping[str, Interval | Normal], samples: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """Worst case and probability. `worst`: the corner of the box with the fastest growth, and its
    delay margin; probability with its standard error."""
    _check_uncertain(uncertain, samples)
    ends = {name: _get_ends(value) for name, value in uncertain.items()}
    grid = [np.linspace(low, high, LEVELS) for low, high in ends.values()]
    corners = [dict(zip(ends, map(float, values))) for values in itertools.product(*grid)]
    growths = [dominant_root(loop.changed(**corner)).real for corner in corners]
    worst = corners[int(np.argmax(growths))]
    at_worst = loop.changed(**worst)
    stable = _find_stable(loop, _draw_parameters(uncertain, samples, seed))
    share = float(np.mean(stable))
    return {
        "worst_case": worst,
        "worst_case_stable": is_stable(at_worst),
        "worst_case_growth_rate_per_s": float(max(growths)),
        "worst_case_delay_margin_s": find_critical_delay(at_worst) - at_worst.delay,
        "probability_stable": share,
        "probability_standard_error": math.sqrt(share * (1.0 - share) / samples),
        "samples": samples,
        "seed": seed,
    }


def _check_uncertain(uncertain: Mapping[str, Interval | Normal], samples: int) -> None:
    problems = [
        Problem("uncertain", name, "one of " + ", ".join(NAMES))
        for name in uncertain
        if name not in NAMES
    ]
    for name, value in uncertain.items():
        low, high = _get_ends(value)
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            problems.append(
                Problem(f"uncertain.{name}", tuple(value), "low <= high, or a deviation >= 0")
            )
        elif low < 0.0 or (low == 0.0 and name in ("mass", "stiffness")):
            problems.append(
                Problem(
                    f"uncertain.{name}",
                    tuple(value),
                    f"values that stay above 0; this one reaches {low:.4g}",
                )
            )
    if not uncertain:
        problems.append(Problem("uncertain", None, "at least one parameter"))
    if samples < 1:
        problems.append(Problem("samples", samples, "a whole number >= 1"))
    if problems:
        raise BadInput(problems)


def _get_ends(value: Interval | Normal) -> tuple[float, float]:
    if isinstance(value, Interval):
        return value.low, value.high
    return value.mean - DEVIATIONS * value.deviation, value.mean + DEVIATIONS * value.deviation


def _draw_parameters(
    uncertain: Mapping[str, Interval | Normal], samples: int, seed: int
) -> dict[str, np.ndarray]:
    random = np.random.Generator(np.random.Philox(seed))
    found = {}
    for name, value in uncertain.items():
        if isinstance(value, Interval):
            found[name] = random.uniform(value.low, value.high, samples)
        else:  # cut at three deviations, where the worst case is: no draw leaves the box
            draws = random.standard_normal(samples)
            while np.any(np.abs(draws) > DEVIATIONS):
                far = np.abs(draws) > DEVIATIONS
                draws[far] = random.standard_normal(int(far.sum()))
            found[name] = value.mean + value.deviation * draws
    return found


def _find_stable(loop: Loop, drawn: dict[str, np.ndarray]) -> np.ndarray:
    if is_plain(loop) and "virtual_damping" not in drawn:
        m, b, k = (
            drawn.get(name, getattr(loop, name)) for name in ("mass", "damping", "stiffness")
        )
        return np.asarray(drawn.get("delay", loop.delay) < closed_forms.critical_delay(m, b, k))
    rows = zip(*drawn.values())
    return np.array([is_stable(loop.changed(**dict(zip(drawn, map(float, row))))) for row in rows])
