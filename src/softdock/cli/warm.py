"""`softdock warm`: compile every door for the listed presets."""

from __future__ import annotations

import time

from softdock.cli.progress import console, working


def warm_up() -> None:
    """Run one short simulation of each kind, so that its machine code is on disk."""
    from softdock.compiled import cache_folder
    from softdock.scenario.files import load_scenario
    from softdock.simulation import Stepper, simulate

    begin = time.perf_counter()
    with working("compiling the loop (some 20 s the first time)"):
        scenario = load_scenario("epos_1d")
        simulate(scenario)
        Stepper(scenario).step()
    console.print(f"compiled in {time.perf_counter() - begin:.1f} s, kept in {cache_folder()}")
