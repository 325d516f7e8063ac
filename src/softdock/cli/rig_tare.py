"""`softdock rig tare`: tool and bias of the force sensor, from poses in free space or a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.progress import echo, working
from softdock.cli.rig_arguments import (
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    SCENARIO_OPTION,
    opened_on_rig,
    rig_methods,
)
from softdock.cli.rig_confirm import confirm_motion


@click.command(short_help="Turn the flange in free space: tool mass, centre and sensor bias.")
@RIG
@click.option("--angle-deg", type=click.FloatRange(1.2, 180.0), default=10.0, show_default=True)
@click.option(
    "--hold-s",
    type=click.FloatRange(0.1, 60.0),
    default=0.5,
    show_default=True,
    help="How long it stands at each angle.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="From a recording (MCAP) or a run folder that rests in several attitudes; nothing moves.",
)
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def tare(
    rig: str,
    angle_deg: float,
    hold_s: float,
    log: Path | None,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Turn the flange that carries a sensor of RIG to and fro about each axis, in free space, and
    find the tool's mass and centre of mass and the sensor's bias, each with its uncertainty, by the
    code of `softdock calibrate`; and whether the scenario needs better.

    It moves. Beyond loopback it asks a person to type what will move. The way is checked against
    box, limits and speeds first; a force, the operator's stop or a silent robot lets it stand.
    """
    from softdock.archive.calibrations import blocks
    from softdock.cli.calibration_output import as_json as told
    from softdock.cli.calibration_output import show
    from softdock.drivers.rig_measure import sensor_from_centre
    from softdock.identification.calibration import enough_for

    with working("taring") as update:
        on = opened_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
        tools = _from_log(on, log) if log else _measured(on, angle_deg, hold_s, update)
        lacking = {which: enough_for(tool, on.scenario, which) for which, tool in tools.items()}
    name = on.scenario.name
    if as_json:
        found = {which: told(tool, name, lacking[which]) for which, tool in tools.items()}
        echo(json.dumps(found, indent=1, allow_nan=False) + "\n")
        return
    for which, tool in tools.items():
        lines = blocks(tool, which, sensor_from_centre(on, which))
        show(tool, lines, name, lacking[which], f"the {which}'s tool, ")


def _from_log(on: Any, log: Path) -> dict[str, Any]:
    from softdock.archive.calibrations import calibration_of
    from softdock.drivers.rig_measure import gravity_in_orbit

    return {which: calibration_of(log, which, gravity_in_orbit(on)) for which in on.rig.sensors}


def _measured(on: Any, angle_deg: float, hold_s: float, update: Any) -> dict[str, Any]:
    from softdock.drivers.rig_conversation import Conversation
    from softdock.drivers.rig_emulation import peers_of
    from softdock.drivers.rig_measure import tools_found, turn
    from softdock.drivers.rig_peers import open_peers

    confirm_motion(on.rig, f"turning by {angle_deg:g} degrees", 0.0)
    with peers_of(on) as emulators, open_peers(on.rig) as peers:
        if emulators is not None:
            emulators.go()
        with Conversation(peers) as talk:
            turn(on, talk, angle_deg, hold_s, update)
    return dict(tools_found(on, talk))
