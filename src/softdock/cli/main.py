"""`softdock`: the commands. Exit codes: 0 done, 2 bad input, 3 the run stopped early."""

from __future__ import annotations

import sys

import click

from softdock._version import __version__
from softdock.errors import SoftdockError

STOPPED_EARLY = 3


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="softdock")
def cli() -> None:
    """Hardware-in-the-loop docking: is the rig honest, and how far is it from orbit?"""


@cli.command()
def demo() -> None:
    """EPOS on one axis: what delay does to a bounce."""
    from softdock.cli.demo import show_demo

    show_demo()


@cli.command()
def warm() -> None:
    """Compile ahead, so that the first run starts at once."""
    from softdock.cli.warm import warm_up

    warm_up()


@cli.command()
def scenarios() -> None:
    """List the presets."""
    from softdock.scenario.files import load_scenario, preset_names

    for name in preset_names():
        click.echo(f"{name:20s} {load_scenario(name).tables['description']}")


@cli.command()
@click.argument("preset")
def show(preset: str) -> None:
    """Print a preset's file."""
    from softdock.scenario.files import preset_text

    click.echo(preset_text(preset), nl=False)


@cli.command()
@click.argument("scenario")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key, e.g. robots.chaser.delay_ms=8.")
def check(scenario: str, changes: tuple[str, ...]) -> None:
    """Check a scenario file and list everything that is wrong with it."""
    from softdock.scenario.files import load_scenario

    checked = load_scenario(scenario, changes)
    for warning in checked.warnings:
        click.echo(f"warning: {warning}")
    click.echo(f"{scenario}: in order")


def main() -> None:
    """Entry point: errors a user can mend end as one message, never as a traceback."""
    try:
        cli.main(standalone_mode=False)
    except SoftdockError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; nothing is left to say
        sys.exit(0)
