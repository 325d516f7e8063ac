"""How much delay does a rig bear? Closed forms, the sampled loop exactly, margins, delay budget,
predicted restitution, charts. See docs/stability.md.

Numbers in, numbers out, SI: `critical_delay(mass, damping, stiffness, cycle=None)`,
`critical_damping(mass, stiffness, delay, cycle=None)`. Whole loops with sensor, filter, lag and
virtual contact are a `Loop`; `loops_of(scenario)` makes them. Numpy only; nothing here is compiled.
"""

from __future__ import annotations

from softdock.studies.stability.advice import Advice, advise, damping_to_add
from softdock.studies.stability.analysis import Analysis, analyse, delay_budget, total_delay
from softdock.studies.stability.boundary import parametric_boundary, stable_stretch
from softdock.studies.stability.chart import Dot, chart, chart_of
from softdock.studies.stability.closed_forms import (
    critical_delays,
    critical_mass,
    critical_stiffness,
    nose,
    unstable_poles,
)
from softdock.studies.stability.critical import (
    Interval,
    Normal,
    critical_damping,
    critical_damping_upper,
    critical_dampings,
    critical_delay,
    margins,
    robust_margins,
)
from softdock.studies.stability.effective_mass import (
    FreeBody,
    effective_mass,
    effective_mass_2d,
    worst_direction,
)
from softdock.studies.stability.from_scenario import OperatingPoint, loops_of
from softdock.studies.stability.impact_restitution import predicted_restitution, restitution_of_loop
from softdock.studies.stability.loop import Loop, Robot
from softdock.studies.stability.roots import (
    dominant_root,
    is_stable,
    lifted_matrix,
    spectral_radius,
    unstable_roots,
)

__all__ = [
    "Advice",
    "Analysis",
    "Dot",
    "FreeBody",
    "Interval",
    "Loop",
    "Normal",
    "OperatingPoint",
    "Robot",
    "advise",
    "analyse",
    "chart",
    "chart_of",
    "critical_damping",
    "critical_damping_upper",
    "critical_dampings",
    "critical_delay",
    "critical_delays",
    "critical_mass",
    "critical_stiffness",
    "damping_to_add",
    "delay_budget",
    "dominant_root",
    "effective_mass",
    "effective_mass_2d",
    "is_stable",
    "lifted_matrix",
    "loops_of",
    "margins",
    "nose",
    "parametric_boundary",
    "predicted_restitution",
    "restitution_of_loop",
    "robust_margins",
    "spectral_radius",
    "stable_stretch",
    "total_delay",
    "unstable_poles",
    "unstable_roots",
    "worst_direction",
]
