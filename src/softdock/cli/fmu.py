"""`softdock fmu`: a scenario's controller as an FMU, for Simulink and others."""

from __future__ import annotations

from pathlib import Path

import click

from softdock.cli.arguments import CHANGES, SCENARIO
from softdock.cli.progress import output, show_status


@click.command(short_help="Write a scenario's controller as an FMU (FMI 3).")
@SCENARIO
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.fmu")
@CHANGES
@click.option("--force", is_flag=True, help="Write over FILE.")
def fmu(scenario: str, file: Path, changes: tuple[str, ...], force: bool) -> None:
    """Write satellites and methods of SCENARIO as a co-simulation FMU: reports of a rig in,
    set-points out, a step each control cycle.

    Whoever runs it needs a Python with softdock. Simulink: run it out of process.
    """
    from softdock.rig.fmi.export import export_fmu
    from softdock.scenario.files import load_scenario

    with show_status(f"writing {file}"):
        loaded = load_scenario(scenario, changes)
        export_fmu(loaded, file, force=force)
    cycle_ms = loaded.tables["time"]["cycle_ms"]
    text = f"{file}: 54 inputs, 29 outputs, fixed steps of {cycle_ms:g} ms"
    output().print(text, highlight=False, soft_wrap=True)
