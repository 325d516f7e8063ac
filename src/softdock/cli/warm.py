"""`softdock warm`: compile every door that a run needs."""

from __future__ import annotations

import time

import click

from softdock.cli.progress import console, working


@click.command()
def warm() -> None:
    """Compile ahead, so that the first run starts at once."""
    begin = time.perf_counter()
    with working("compiling the loop and orbit (about 40 s the first time)"):
        from softdock.analysis.simulation import fly
        from softdock.campaign.columns import columns
        from softdock.campaign.cpu import run_cpu
        from softdock.core.machine.compiled import cache_folder
        from softdock.core.orbit import orbit
        from softdock.runs.stepper import Stepper
        from softdock.scenario.files import load_scenario

        scenario = load_scenario("epos_1d")
        orbit(scenario)
        fly(scenario)
        Stepper(scenario).step()
        run_cpu(*columns(scenario, {}, runs=1))
    console.print(
        f"compiled in {time.perf_counter() - begin:.1f} s, kept in {cache_folder()}",
        highlight=False,
        soft_wrap=True,
    )
