"""`softdock scenarios`, `show`, `check`: what there is to run, and whether a file is in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import (
    CHANGES,
    METHOD_FILES,
    SCENARIO,
    ScenarioName,
    load_methods,
    use_methods,
)
from softdock.errors import printable


@click.command(short_help="List the preset scenarios.")
def scenarios() -> None:
    """List the presets."""
    from softdock.scenario.files import load_scenario, preset_names

    for name in preset_names():
        click.echo(f"{name:26s} {load_scenario(name).tables['description']}")


@click.command(short_help="Print the file of a preset.")
@click.argument("preset", type=ScenarioName())
def show(preset: str) -> None:
    """Print the file of a preset, or of one of the benchmark's cases (benchmark:NAME)."""
    from softdock.scenario.benchmark_set import PREFIX, case_text
    from softdock.scenario.files import preset_text

    is_case = preset.startswith(PREFIX)
    text = case_text(preset.removeprefix(PREFIX)) if is_case else preset_text(preset)
    click.echo(text, nl=False)


@click.command(short_help="List every error in a scenario file.")
@SCENARIO
@CHANGES
@METHOD_FILES
@click.option(
    "--bounds",
    is_flag=True,
    help="Run it once in plain Python with every index checked: does a method of your own reach "
    "out of its memory?",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.0, min_open=True),
    default=60.0,
    show_default=True,
    help="CPU time for --bounds; the part that was checked is printed.",
)
def check(
    scenario: str,
    changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    bounds: bool,
    seconds: float,
) -> None:
    """Check a scenario file and list every error in it.

    With a [facility] table also whether the docking fits its arms (softdock place --check).
    """
    from softdock.results.free_flight import list_warnings
    from softdock.results.stepper import Stepper
    from softdock.scenario.files import load_scenario
    from softdock.scenario.schema import FACILITY_TABLE
    from softdock.studies.stability.dead_band import list_dead_band_warnings

    if bounds:
        from softdock.cli.bounds import check_bounds

        sentence = check_bounds(scenario, changes, method_files, seconds)
        click.echo(f"{printable(scenario)}: {sentence}")
    checked = use_methods(load_scenario(scenario, changes), load_methods(method_files))
    Stepper(checked)  # refuses bodies that touch at the start
    if FACILITY_TABLE in checked.tables:
        _check_arms(scenario, checked)
    for note in checked.notes:
        click.echo(f"note: {printable(note)}")
    warnings = [*checked.warnings, *list_warnings(checked), *list_dead_band_warnings(checked)]
    for warning in warnings:
        click.echo(f"warning: {printable(warning)}")
    click.echo(f"{printable(scenario)}: in order")


def _check_arms(scenario: str, checked: Any) -> None:
    """Check the arms of `[facility]` on the reference motion; refuse the scenario if it does not
    fit."""
    from softdock.errors import BadInput
    from softdock.loop.arms.scenario_facility import facility_of
    from softdock.studies.placement.check import check_run
    from softdock.studies.placement.motion import load_motion
    from softdock.studies.placement.place import describe_check

    folder = Path(scenario).parent if Path(scenario).is_file() else None
    arms = check_run(facility_of(checked.tables), load_motion(checked), checked.tables, folder)
    if not arms.fits:
        raise BadInput(arms.problems())
    click.echo(describe_check(arms))
