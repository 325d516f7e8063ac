"""Adaptive beside fixed virtual damping, EPOS 1-D, stiffness and delay believed wrong: the table of
docs/hybrid.md.

`python -m benchmarks.adaptive_damping` prints it. Fixed damping is what the same beliefs give: the
critical damping of the delayed loop plus, for a wanted restitution below 1, the damping of a spring
that has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.scenarios import epos_1d
from softdock import load_scenario, run_loop
from softdock.methods.adaptive_damping import compute_model_damping
from softdock.scenario.restitution import damping_of_restitution

STIFFNESS, DELAY_MS, MASS, CYCLE_S, SPEED = (
    1000.0,
    16.0,
    63.0,
    0.004,
    0.02,
)  # N/m, ms, kg, s, m/s: those of the rig
WRONG = (0.7, 1.0, 1.3)
PHASES = (0.0, 0.25, 0.5, 0.75)  # of a cycle, by which the touch is later


def restitution(method: dict[str, Any], **tables: Any) -> float:
    """Of the first contact, mean over the sampling phase."""
    found = []
    for phase in PHASES:
        scenario = epos_1d(6.0) | tables | {"methods": [method]}
        scenario["chaser"]["position_m"] = [0.01 + SPEED * CYCLE_S * phase, 0.0, 0.0]
        found.append(run_loop(scenario).restitution)
    return float(np.mean(found))


def fixed(stiffness: float, delay_ms: float, wanted: float) -> float:
    """Damping from the model alone [Ns/m]."""
    critical = getattr(compute_model_damping, "py_func", compute_model_damping)(
        stiffness, 1e-3 * delay_ms + 0.5 * CYCLE_S, MASS
    )
    return float(critical) + (
        damping_of_restitution(stiffness, wanted, MASS) if wanted < 1.0 else 0.0
    )


def rows(
    wanted: float, wrong: tuple[float, ...] = WRONG
) -> list[tuple[float, float, float, float]]:
    """Errors of stiffness and delay as factors, restitution with fixed and with adaptive
    damping."""
    found = []
    for k in wrong:
        for h in wrong:
            damping = fixed(k * STIFFNESS, h * DELAY_MS, wanted)
            adaptive = {
                "name": "adaptive_damping",
                "stiffness_N_per_m": k * STIFFNESS,
                "delay_ms": h * DELAY_MS,
                "restitution": wanted,
            }
            plain = restitution({"name": "hybrid", "damping_Ns_per_m": [damping, 0.0, 0.0]})
            found.append((k, h, plain, restitution(adaptive)))
    return found


def table() -> str:
    lines = [
        "| wanted | assumed stiffness | assumed delay | fixed damping | adaptive damping |",
        "|---:|---:|---:|---:|---:|",
    ]
    for wanted in (1.0, 0.7):
        for k, h, plain, adaptive in rows(wanted):
            lines.append(
                f"| {wanted:.1f} | {k - 1.0:+.0%} | {h - 1.0:+.0%} | {plain:.3f} | "
                f"{adaptive:.3f} |".replace("+0%", "right").replace("%", " %")
            )
    return "\n".join(lines)


PLANE_PHASES, PLANE_DELAYS_MS = (0.0, 0.25, 0.5, 0.75), (16.0, 32.0, 40.0)


def gain_in_the_plane(integrator: str, delay_ms: float, believed: float = 1.0) -> tuple[Any, Any]:
    """EPOS in a plane, lossless, robots late by `delay_ms`: least and most kinetic energy gained in
    the contact, of that of the approach along its normal, over the sampling phase. Stiffness and
    delay are believed `believed` times the true ones; 0: without the method."""
    gains = []
    for phase in PLANE_PHASES:
        scenario = load_scenario(
            "epos_2d",
            {
                "contact.0.real.damping_Ns_per_m": 0.0,
                "satellites.integrator": integrator,
                "robots.chaser.delay_ms": delay_ms,
                "chaser.position_m": [0.0, 0.0, 0.155 + SPEED * CYCLE_S * phase],
            },
        )
        method: dict[str, Any] = {"name": "direct"}
        if believed:
            method = {
                "name": "adaptive_damping",
                "stiffness_N_per_m": believed * 3000.0,
                "delay_ms": believed * delay_ms,
            }
        series = run_loop(scenario.replace({"methods": [method]})).series
        # 60 kg and 1.42297 kg m^2 about every axis; 15.6 kg along the normal (Zebenay eq. 84)
        energy = 30.0 * (series["chaser.velocity"] ** 2).sum(axis=1)
        energy += 0.5 * 1.42297 * (series["chaser.rate"] ** 2).sum(axis=1)
        gains.append((energy[-1] - energy[0]) / (0.5 * 15.6 * SPEED**2))
    return min(gains), max(gains)


def table_in_the_plane() -> str:
    lines = [
        "| integrator | delay | raw loop | assumed right | both -30 % | both +30 % |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for integrator in ("symplectic_euler", "forward_euler", "exact_hold"):
        for delay_ms in PLANE_DELAYS_MS:
            cells = [
                f"{100.0 * gain_in_the_plane(integrator, delay_ms, believed)[1]:+.2f} %"
                for believed in (0.0, 1.0, 0.7, 1.3)
            ]
            lines.append(
                f"| `{integrator}` | {delay_ms:g} ms | {' | '.join(cells)} |".replace(
                    "-0.00", "+0.00"
                )
            )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    print()
    print(table_in_the_plane())
