"""What a late rig does to a latched pair: the modes of the pair on its latches, each as a loop with
the rig's robots, sensor and hold; how fast it grows, and what damping holds it.

A bounce ends the error of a late force after half a period. A latch does not, so the forecast of
the stability chart is the verdict after capture: a mode of frequency w on a rig that is late by h
grows at (w^2 (h + T/2) - b) / 2 for ever. Here the growth is that of the sampled loop's dominant
root, which is exact for one mode; the closed form stands beside it.

Modes know the latches alone. A contact that the tip reaches while it swings is as late as the
latch and needs damping too, so a damping is advised only after the scenario was run with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from softdock.results.decrement import Swings
from softdock.results.latches import (
    compute_modes,
    fit_swings,
    get_latches,
    summarise_times,
    use_corrected_motion,
)
from softdock.results.simulation import run_loop
from softdock.studies.stability.analysis import total_delay
from softdock.studies.stability.from_scenario import loops_of
from softdock.studies.stability.loop import Loop
from softdock.studies.stability.roots import compute_growth

PULLS = "spring_damper_pull"  # a latch pushes and pulls
HELD = 0.01  # growth over ten swings that still counts as held
MORE = 0.01  # damping advised beyond what is just enough
SWINGS = 12.0  # of the slowest mode that a run must hold
MOST_DAMPING, ROUNDS = 4.0, 40  # of the closed form's; bisections


@dataclass(frozen=True)
class LatchedMode:
    """One mode of a latched pair, as a loop of unit mass."""

    name: str  # what moves most: along x, about z
    frequency_rad_per_s: float
    damping_per_s: float  # b of unit mass
    growth_per_s: float  # of the sampled loop's dominant root
    closed_form_per_s: float
    energy_doubles_in_s: float | None
    holding_time_s: float | None  # tau: a damping of tau times the stiffness just holds it

    def as_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


def find_latched_modes(scenario: Any) -> list[LatchedMode]:
    """Of a scenario's latches, all of them hard; empty without latches. The fastest growing
    first."""
    tables = scenario.tables
    latches = get_latches(tables)
    if not latches:
        return []
    point = loops_of(scenario)[int(latches[0]["pair"])].loop
    late, modes = total_delay(point), compute_modes(tables)
    found = []
    for i, squared in enumerate(modes.squared):
        loop = point.changed(
            mass=1.0, stiffness=float(squared), damping=float(modes.damping[i]), law=PULLS
        )
        sigma = compute_growth(loop)
        found.append(
            LatchedMode(
                name=modes.names[i],
                frequency_rad_per_s=math.sqrt(float(squared)),
                damping_per_s=float(modes.damping[i]),
                growth_per_s=sigma,
                closed_form_per_s=float(modes.closed_form(late)[i]),
                energy_doubles_in_s=math.log(2.0) / (2.0 * sigma) if sigma > 0.0 else None,
                holding_time_s=find_holding_time(loop, late),
            )
        )
    return sorted(found, key=lambda mode: -mode.growth_per_s)


def find_holding_time(loop: Loop, late: float) -> float | None:
    """Damping over stiffness at which the loop neither grows nor decays [s]; None: no damping up to
    some times the closed form's holds it."""
    low, high = 0.0, MOST_DAMPING * max(late, 1e-9)
    if compute_growth(loop.changed(damping=0.0)) <= 0.0:
        return 0.0
    step = high / 32.0
    for i in range(1, 33):
        if compute_growth(loop.changed(damping=i * step * loop.stiffness)) <= 0.0:
            low, high = (i - 1) * step, i * step
            break
    else:
        return None
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        if compute_growth(loop.changed(damping=middle * loop.stiffness)) > 0.0:
            low = middle
        else:
            high = middle
    return high


def describe_latched_modes(modes: list[LatchedMode]) -> list[str]:
    """In words, for the terminal and pages."""
    if not modes:
        return []
    worst, lines = modes[0], []
    if worst.growth_per_s > 0.0:
        doubles = f"its energy doubles every {worst.energy_doubles_in_s:.3g} s"
        lines.append(
            f"Once latched, the pair grows by {worst.growth_per_s:.3g} 1/s ({worst.name}, "
            f"{worst.frequency_rad_per_s:.3g} rad/s; closed form {worst.closed_form_per_s:.3g}): "
            f"{doubles}."
        )
        if _find_longest_time(modes) is None:
            lines.append("No damping of the latch holds every mode: the rig is too late for it.")
    else:
        lines.append(
            f"Once latched, the pair decays: the slowest mode by {-worst.growth_per_s:.3g} 1/s "
            f"({worst.name})."
        )
    return lines


def _find_longest_time(modes: list[LatchedMode]) -> float | None:
    """Damping over stiffness that holds every mode [s]; None: none does."""
    known = [m.holding_time_s for m in modes if m.growth_per_s > 0.0]
    return None if None in known else max((t for t in known if t is not None), default=0.0)


def describe_tried_damping(scenario: Any, modes: list[LatchedMode]) -> list[str]:
    """Which damping holds a latched pair that grows, in words, each with what the scenario did with
    it: of the latches, and where that does not hold it, of the contacts as well."""
    tau = _find_longest_time(modes)
    if not tau or modes[0].growth_per_s <= 0.0:
        return []
    lines, of_latches = [], _make_latch_damping(scenario.tables, tau)
    choices = [of_latches, {**of_latches, **_make_contact_damping(scenario.tables, tau)}]
    for settings in choices[: 1 if choices[0] == choices[1] else 2]:
        swings, touches = _simulate_with(scenario, settings)
        keys = " ".join(f"--set '{key}={value}'" for key, value in settings.items())
        if math.isnan(swings.growth):
            lines.append(f"Run with {keys}: the pair did not latch, or swung too rarely to tell.")
            return lines
        grows = swings.growth > max(HELD, 2.0 * swings.error)
        said_of = f"ten swings {'grow' if swings.growth > 0.0 else 'shrink'} by "
        said_of += f"{100.0 * abs(swings.growth):.2g} % (+-{100.0 * swings.error:.1g})"
        if not grows:
            lines.append(f"Run with this damping, the latched pair is held, {said_of}: {keys}")
            return lines
        reach = "; the tip reaches the contact while it swings" if touches else ""
        lines.append(f"Run with {keys}: it still grows, {said_of}{reach}.")
    return lines


def _make_latch_damping(tables: Any, tau: float) -> dict[str, Any]:
    """Of `tau` [s] times the stiffness, and not less than it is."""
    settings: dict[str, Any] = {}
    for i, latch in enumerate(get_latches(tables)):
        law = latch["real"]
        for of, damping in (
            ("stiffness_N_per_m", "damping_Ns_per_m"),
            ("stiffness_Nm_per_rad", "damping_Nms_per_rad"),
        ):
            value = [max(_round_up(tau * k), b) for k, b in zip(law[of], law[damping], strict=True)]
            settings[f"capture.latch.{i}.real.{damping}"] = value
    return settings


def _make_contact_damping(tables: Any, tau: float) -> dict[str, Any]:
    """The same of every contact whose law has a stiffness and a damping."""
    settings = {}
    for i, contact in enumerate(tables["contact"]):
        law = contact["real"]
        if "stiffness_N_per_m" in law and "damping_Ns_per_m" in law:
            value = max(_round_up(tau * law["stiffness_N_per_m"]), law["damping_Ns_per_m"])
            settings[f"contact.{i}.real.damping_Ns_per_m"] = value
    return settings


def _round_up(value: float) -> float:
    """To three digits, not below."""
    return float(f"{value * (1.0 + MORE):.3g}")


def _simulate_with(scenario: Any, settings: dict[str, Any]) -> tuple[Swings, bool]:
    """Swings of the latched pair with these settings, in a run that is long enough, and whether the
    tip touches then."""
    lasts = scenario.tables["time"]["duration_s"]
    run = run_loop(scenario.replace(settings))
    hard = summarise_times(run.latches)["latched_at_s"]
    if math.isnan(hard):
        return Swings(), False
    slowest = min(float(f) for f in compute_modes(scenario.tables).frequency)
    needed = hard + SWINGS * 2.0 * math.pi / slowest
    if needed > lasts:
        run = run_loop(scenario.replace({**settings, "time.duration_s": math.ceil(needed)}))
    touching = run.series["contact.depth"][run.series["time"] >= hard] > 0.0
    return fit_swings(run.scenario, use_corrected_motion(run.series), run.latches), bool(
        touching.any()
    )
