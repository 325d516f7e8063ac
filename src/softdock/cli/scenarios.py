"""`softdock scenarios`, `show`, `check`: what there is to run, and whether a file is in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import CHANGES, SCENARIO, ScenarioName


@click.command()
def scenarios() -> None:
    """List the presets."""
    from softdock.scenario.files import load_scenario, preset_names

    for name in preset_names():
        click.echo(f"{name:26s} {load_scenario(name).tables['description']}")


@click.command()
@click.argument("preset", type=ScenarioName())
def show(preset: str) -> None:
    """Print a preset's file."""
    from softdock.scenario.files import preset_text

    click.echo(preset_text(preset), nl=False)


@click.command(short_help="Check a scenario file: everything that is wrong with it.")
@SCENARIO
@CHANGES
def check(scenario: str, changes: tuple[str, ...]) -> None:
    """Check a scenario file and list everything that is wrong with it.

    With a [facility] table also whether the docking fits its arms (softdock place --check).
    """
    from softdock.scenario.files import load_scenario
    from softdock.scenario.schema import FACILITY_TABLE

    checked = load_scenario(scenario, changes)
    from softdock.analysis.free_flight import warnings

    if FACILITY_TABLE in checked.tables:
        _check_arms(scenario, checked)
    for note in checked.notes:
        click.echo(f"note: {note}")
    for warning in [*checked.warnings, *warnings(checked)]:
        click.echo(f"warning: {warning}")
    click.echo(f"{scenario}: in order")


def _check_arms(scenario: str, checked: Any) -> None:
    """The arms of a `[facility]` on orbit's own motion: refused if it does not fit them."""
    from softdock.errors import BadInput
    from softdock.placement.check import check_run
    from softdock.placement.motion import motion_of
    from softdock.placement.place import facility_of
    from softdock.placement.words import check_sentence

    folder = Path(scenario).parent if Path(scenario).is_file() else None
    found = check_run(facility_of(checked.tables), motion_of(checked), checked.tables, folder)
    if not found.fits:
        raise BadInput(found.problems())
    click.echo(check_sentence(found))
