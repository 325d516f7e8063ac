"""`softdock rig new`: a rig file and the files of its robots' controllers."""

from __future__ import annotations

import json
from pathlib import Path

import click

from softdock.cli.arguments import OutPath
from softdock.cli.progress import echo
from softdock.cli.rig_arguments import JSON

LOOPBACK = "127.0.0.1"


@click.command(short_help="Write a commented rig file, with KRL, RSI and Ethernet files beside it.")
@click.argument("file", type=OutPath(parents=True))
@click.option("--computer", default=LOOPBACK, show_default=True, help="This computer's address.")
@click.option(
    "--chaser",
    default=LOOPBACK,
    show_default=True,
    help='Its controller; "fixed": no robot.',
)
@click.option(
    "--target", default=LOOPBACK, show_default=True, help='The target\'s; "fixed": it has no robot.'
)
@click.option(
    "--sensor", default=LOOPBACK, show_default=True, help='The chaser\'s force sensor; "none".'
)
@click.option("--target-sensor", default="none", show_default=True, help="The target's, if any.")
@click.option(
    "--mode",
    type=click.Choice(["IPO_FAST", "IPO"]),
    default="IPO_FAST",
    show_default=True,
    help="Cycle of RSI: IPO_FAST 4 ms, IPO 12 ms.",
)
@click.option(
    "--driver",
    type=OutPath(parents=True),
    metavar="FILE.py",
    help="A rig with a driver of your own, in this file; written from a template if it is new.",
)
@click.option(
    "--robot",
    type=click.Choice(["kuka", "ur10e"]),
    default="kuka",
    show_default=True,
    help="ur10e: by RTDE, with the sensor in its wrist; --chaser is its address.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@JSON
def new(
    file: Path,
    computer: str,
    chaser: str,
    target: str,
    sensor: str,
    target_sensor: str,
    mode: str,
    driver: Path | None,
    robot: str,
    force: bool,
    as_json: bool,
) -> None:
    """Write the rig file FILE, every line commented, and beside it for each robot the Ethernet file
    (.xml), the RSI context (.rsi.xml) and the KRL program (.src).

    Without addresses the rig is emulated on loopback. Nothing is sent to anybody.
    """
    from softdock.errors import BadInput, Problem
    from softdock.rig.drivers.rsi_templates import NAME
    from softdock.rig.writing import Addresses, write_new_rig

    if driver is not None:
        _write_with_driver(file, driver, force, as_json)
        return
    if robot == "ur10e":
        _write_ur(file, chaser, force, as_json)
        return
    if file.suffix != ".toml" or not NAME.match(f"{file.stem}_chaser"):
        allowed = "at most 13 letters, digits and _, then .toml: names of KRL are short"
        raise BadInput(Problem("FILE", str(file), allowed))
    addresses = Addresses(
        computer=computer,
        chaser="" if chaser == "fixed" else chaser,
        target="" if target == "fixed" else target,
        sensor="" if sensor == "none" else sensor,
        target_sensor="" if target_sensor == "none" else target_sensor,
    )
    written = write_new_rig(file, addresses, mode, force)
    _say_written(written, f"softdock rig check {file}", as_json)


def _say_written(written: list[Path], following: str, as_json: bool) -> None:
    if as_json:
        echo(json.dumps({"written": [str(p) for p in written]}, indent=1) + "\n")
        return
    for path in written:
        click.echo(f"{path}: written")
    click.echo(f"Look at every line with MEASURE. Next: `{following}`")


def _write_ur(file: Path, address: str, force: bool, as_json: bool) -> None:
    from softdock.errors import BadInput, Problem
    from softdock.rig.writing import write_ur_rig

    given = click.get_current_context().get_parameter_source
    of_kuka = ("computer", "target", "sensor", "target_sensor", "mode")
    stated = [one for one in of_kuka if given(one) is click.core.ParameterSource.COMMANDLINE]
    if stated:
        raise click.UsageError(f"--{stated[0].replace('_', '-')} is of --robot kuka")
    if file.suffix != ".toml":
        raise BadInput(Problem("FILE", str(file), "a file name that ends in .toml"))
    _say_written(write_ur_rig(file, address, force), f"softdock rig check {file} epos_1d", as_json)


def _write_with_driver(file: Path, driver: Path, force: bool, as_json: bool) -> None:
    """A rig whose robot and sensor have a driver of the user's own."""
    from softdock.errors import BadInput, Problem
    from softdock.rig.writing import write_driver_rig

    for given, ending, key in ((file, ".toml", "FILE"), (driver, ".py", "--driver")):
        if given.suffix != ending:
            raise BadInput(Problem(key, str(given), f"a file name that ends in {ending}"))
    written = write_driver_rig(file, driver, force)
    _say_written(written, f"softdock rig check {file} epos_1d --driver-file {driver}", as_json)
