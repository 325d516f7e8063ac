"""The future work the paper names, a linear model in 3-D: the effective mass of a full inertia
predicts the critical delay of the nonlinear 3-D loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.zebenay.loops import PLANAR, critical_delay_of_the_loop
from softdock.papers.zebenay.models import Chaser, limiting_masses
from softdock.studies.stability import FreeBody, critical_delay, effective_mass

LEVELS = (
    0.05,
    0.3,
    0.7,
    1.2,
    1.6,
    2.0,
)  # of damping over sqrt(stiffness effective mass); the nose is at 1.28


def random_chaser(seed: int, level: float) -> Chaser:
    """Mass, full inertia, lever, normal and stiffness at random; damping as a share of
    sqrt(stiffness effective mass)."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    moments = rng.uniform(1.0, 30.0) * np.array([1.0, 1.3, 1.8]) * rng.uniform(0.9, 1.1, 3)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    inertia, lever = axes @ np.diag(moments) @ axes.T, 0.5 * rng.normal(size=3)
    inertia = 0.5 * (inertia + inertia.T)
    mass, stiffness = rng.uniform(20.0, 200.0), rng.uniform(500.0, 4000.0)
    m_eff = effective_mass(normal, FreeBody(mass, inertia, lever))
    return Chaser(
        mass=mass,
        inertia=inertia,
        lever=lever,
        stiffness=stiffness,
        damping=level * np.sqrt(stiffness * m_eff),
        normal=normal,
    )


def compare_critical_delays(chaser: Chaser) -> tuple[float, float, float]:
    """Effective mass [kg], predicted critical delay, and the critical delay of the nonlinear loop
    [s]."""
    m_eff = effective_mass(chaser.normal, FreeBody(chaser.mass, chaser.inertia, chaser.lever))
    predicted = critical_delay(m_eff, chaser.damping, chaser.stiffness)
    return m_eff, predicted, critical_delay_of_the_loop(chaser, predicted)


def make_effective_mass_3d() -> Exhibit:
    rows = []
    for seed, level in enumerate(LEVELS):
        chaser = random_chaser(seed, level)
        m_eff, predicted, simulated = compare_critical_delays(chaser)
        rows.append(
            {
                "mass_kg": chaser.mass,
                "effective_mass_kg": m_eff,
                "stiffness_N_per_m": chaser.stiffness,
                "damping_Ns_per_m": chaser.damping,
                "predicted_ms": 1e3 * predicted,
                "simulated_ms": 1e3 * simulated,
                "difference_percent": 100.0 * (simulated / predicted - 1.0),
                "with_the_whole_mass_ms": 1e3
                * critical_delay(chaser.mass, chaser.damping, chaser.stiffness),
            }
        )
    worst = max(abs(r["difference_percent"]) for r in rows)
    return Exhibit(
        key="effective_mass_3d",
        title="Beyond the paper: critical delay in 3-D from the effective mass",
        says=_summarise,
        columns=(
            Column("mass_kg", "m [kg]"),
            Column("effective_mass_kg", "m_eff [kg]"),
            Column("stiffness_N_per_m", "k [N/m]"),
            Column("damping_Ns_per_m", "b [Ns/m]"),
            Column("predicted_ms", "critical delay, predicted [ms]"),
            Column("simulated_ms", "simulated [ms]"),
            Column("difference_percent", "difference [%]"),
            Column("with_the_whole_mass_ms", "predicted with m in place of m_eff [ms]"),
        ),
        rows=rows,
        numbers={"largest_difference_percent": worst}
        | {f"limit_{name}_kg": value for name, value in limiting_masses(PLANAR).items()},
        assumptions=(
            "Random chasers (seeds 0 to 5), a plane that pushes and pulls, a push of 1e-5 "
            "m/s, bisection on the growth of the depth; short cycles, of "
            "which the hold's half counts as delay.",
        ),
        remarks=("Light damping hides the mass: the critical delay tends to b/k.",),
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    worst = numbers["largest_difference_percent"]
    by_mass = [
        100.0 * abs(row["with_the_whole_mass_ms"] / row["simulated_ms"] - 1.0) for row in rows
    ]
    hidden = sum(off < 1.0 for off in by_mass)
    return Findings(
        "With full inertia and any lever, 1/m_eff = 1/m + (a x n)^T J^-1 (a x n) "
        + ("predicts" if worst < 1.0 else "does not predict")
        + " the critical delay of the nonlinear 3-D loop: at most "
        f"{worst:.3f} % off in {len(rows)} random cases.",
        [
            f"With the whole mass in place of m_eff the delay is off by {min(by_mass):.2g} to "
            f"{max(by_mass):.3g} %; {hidden} of {len(rows)} rows agree with it within 1 % and "
            "do not depend on the mass."
        ],
    )
