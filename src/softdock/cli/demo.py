"""`softdock demo`: orbit beside the raw loop at several delays, and what theory says of each."""

from __future__ import annotations

import math

from rich.console import Console
from rich.table import Table

from softdock.cli.progress import working

DELAYS_MS = (0.0, 8.0, 16.0, 32.0)


def show_demo() -> None:
    """EPOS 1-D at several delays."""
    with working("compiling the loop (some 20 s the first time)"):
        from softdock.reference import orbit
        from softdock.satellites import INTEGRATORS
        from softdock.scenario.files import load_scenario
        from softdock.simulation import simulate

        base = load_scenario("epos_1d")
        ideal = orbit(base, record=False)
        runs = [simulate(base.with_keys({"robots.chaser.delay_ms": d, "robots.target.delay_ms": d})) for d in DELAYS_MS]

    tables = base.tables
    mass, stiffness = tables["chaser"]["mass_kg"], tables["contact"][0]["real"]["stiffness_N_per_m"]
    w = math.sqrt(stiffness / mass)
    hold = next(i.effective_delay for i in INTEGRATORS if i.name == tables["satellites"]["integrator"]) * tables["time"]["cycle_ms"]
    table = Table(title="EPOS on one axis: what comes back from a lossless contact")
    for heading in ("delay [ms]", "restitution", "theory exp(pi w h / 2)", "energy invented [J]", "of the approach energy"):
        table.add_column(heading, justify="right")
    gained = round(ideal.kinetic + ideal.dissipated - ideal.kinetic_start, 9) + 0.0  # rounding is no energy
    table.add_row("orbit", f"{ideal.restitution:.4f}", "1.0000", f"{gained:+.6f}", f"{100 * gained / ideal.kinetic_start:+.1f} %")
    for delay, run in zip(DELAYS_MS, runs, strict=True):
        theory = math.exp(0.5 * math.pi * w * 1e-3 * (delay + hold))
        share = run.energy_invented_J / run.ledger["kinetic_start"]
        table.add_row(f"{delay:g}", f"{run.restitution:.4f}", f"{theory:.4f}", f"{run.energy_invented_J:+.6f}", f"{100 * share:+.1f} %")
    Console().print(table)
    Console().print(f"h counts the delay and the integrator's own {hold:g} ms. A rig that gives back more than 1 invents energy.")
