"""`softdock scenarios`, `show`, `check`: what there is to run, and whether a file is in order."""

from __future__ import annotations

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
    """Check a scenario file and list everything that is wrong with it."""
    from softdock.scenario.files import load_scenario

    checked = load_scenario(scenario, changes)
    from softdock.analysis.free_flight import warnings

    for note in checked.notes:
        click.echo(f"note: {note}")

    for warning in [*checked.warnings, *warnings(checked)]:
        click.echo(f"warning: {warning}")
    click.echo(f"{scenario}: in order")
