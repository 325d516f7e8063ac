"""Everything that is said of one operating point, as a plain dict: what the command prints with
`--json`, and what advice, charts and reports read."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from softdock.studies.stability import closed_forms
from softdock.studies.stability.budget import total_delay
from softdock.studies.stability.critical import (
    crossing_frequency,
    find_critical_delay,
    find_stretches,
    margins,
)
from softdock.studies.stability.impact_restitution import restitution_of_loop
from softdock.studies.stability.loop import Loop, check_loop
from softdock.studies.stability.roots import dominant_root, is_stable


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
    borne = float(find_critical_delay(loop))
    damping, stiffness, mass = found["damping"], found["stiffness"], found["mass"]
    root = dominant_root(loop)
    nose_delay, nose_damping = closed_forms.nose(loop.mass, loop.stiffness + loop.virtual_stiffness)
    return Analysis(
        model="continuous" if loop.cycle is None else "sampled",
        stable=is_stable(loop),
        whole_delay_s=total_delay(loop),
        critical_whole_delay_s=borne + total_delay(loop) - loop.delay if borne > 0.0 else None,
        critical_delay_s=borne,
        critical_damping_Ns_per_m=_finite(damping[0]) if damping else None,
        critical_damping_upper_Ns_per_m=_finite(damping[1]) if damping else None,
        critical_stiffness_N_per_m=_finite(stiffness[1]) if stiffness else 0.0,
        critical_mass_kg=_finite(mass[0]) if mass else None,
        crossing_frequency_rad_per_s=float(crossing_frequency(loop, borne)),
        predicted_restitution=_finite(restitution_of_loop(loop)),
        restitution_of_dominant_root=compute_root_restitution(root),
        growth_rate_per_s=root.real,
        longest_delay_any_damping_bears_s=nose_delay,
        damping_there_Ns_per_m=nose_damping,
        margins=margins(loop, found, borne),
    )


def compute_root_restitution(root: complex) -> float | None:
    """exp(pi sigma / w): what half a swing of the dominant root leaves; 0 without a swing."""
    if root.imag <= 1e-12 * abs(root):
        return 0.0 if root.real < 0.0 else None
    exponent = math.pi * root.real / root.imag
    return math.exp(exponent) if exponent < 700.0 else None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
