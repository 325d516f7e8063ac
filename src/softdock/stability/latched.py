"""What a late rig does to a latched pair: the modes of the pair on its latches, each as a loop with
the rig's robots, sensor and hold; how fast it grows, and what damping holds it.

A bounce ends the error of a late force after half a period. A latch does not, so the forecast of
the stability chart is the verdict after capture: a mode of frequency w on a rig that is late by h
grows at (w^2 (h + T/2) - b) / 2 for ever. Here the growth is that of the sampled loop's dominant
root, which is exact for one mode; the closed form stands beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from softdock.analysis.latch_modes import latches_of, modes_of
from softdock.stability.budget import total_delay
from softdock.stability.from_scenario import loops_of
from softdock.stability.loop import Loop
from softdock.stability.roots import growth

PULLS = "spring_damper_pull"  # a latch pushes and pulls
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


def latched_modes(scenario: Any) -> list[LatchedMode]:
    """Of a scenario's latches, all of them hard; empty without latches. The fastest growing
    first."""
    tables = scenario.tables
    latches = latches_of(tables)
    if not latches:
        return []
    point = loops_of(scenario)[int(latches[0]["pair"])].loop
    late, modes = total_delay(point), modes_of(tables)
    found = []
    for i, squared in enumerate(modes.squared):
        loop = point.changed(
            mass=1.0, stiffness=float(squared), damping=float(modes.damping[i]), law=PULLS
        )
        sigma = growth(loop)
        found.append(
            LatchedMode(
                name=modes.names[i],
                frequency_rad_per_s=math.sqrt(float(squared)),
                damping_per_s=float(modes.damping[i]),
                growth_per_s=sigma,
                closed_form_per_s=float(modes.closed_form(late)[i]),
                energy_doubles_in_s=math.log(2.0) / (2.0 * sigma) if sigma > 0.0 else None,
                holding_time_s=holding_time(loop, late),
            )
        )
    return sorted(found, key=lambda mode: -mode.growth_per_s)


def holding_time(loop: Loop, late: float) -> float | None:
    """Damping over stiffness at which the loop neither grows nor decays [s]; None: no damping up to
    some times the closed form's holds it."""
    low, high = 0.0, MOST_DAMPING * max(late, 1e-9)
    if growth(loop.changed(damping=0.0)) <= 0.0:
        return 0.0
    step = high / 32.0
    for i in range(1, 33):
        if growth(loop.changed(damping=i * step * loop.stiffness)) <= 0.0:
            low, high = (i - 1) * step, i * step
            break
    else:
        return None
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        if growth(loop.changed(damping=middle * loop.stiffness)) > 0.0:
            low = middle
        else:
            high = middle
    return high


def said(modes: list[LatchedMode]) -> list[str]:
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
        times = [m.holding_time_s for m in modes if m.growth_per_s > 0.0]
        known = [t for t in times if t is not None]
        if len(known) == len(times):
            lines.append(
                f"A damping of {1e3 * max(known):.3g} ms times its stiffness, along and about each "
                "axis, holds it."
            )
        else:
            lines.append("No damping of the latch holds every mode: the rig is too late for it.")
    else:
        lines.append(
            f"Once latched, the pair decays: the slowest mode by {-worst.growth_per_s:.3g} 1/s "
            f"({worst.name})."
        )
    return lines
