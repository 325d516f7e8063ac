"""`softdock rig tare`: tool and bias of the force sensor, from poses in free space or a log."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from softdock.cli.progress import echo, output, working
from softdock.cli.rig_arguments import (
    JSON,
    RIG,
    RIG_CHANGES,
    SCENARIO_CHANGES,
    SCENARIO_OPTION,
    opened_on_rig,
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
    help="From a recording (MCAP) or a run folder in free motion; nothing moves.",
)
@SCENARIO_OPTION
@SCENARIO_CHANGES
@RIG_CHANGES
@JSON
def tare(
    rig: str,
    angle_deg: float,
    hold_s: float,
    log: Path | None,
    scenario: str,
    scenario_changes: tuple[str, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Turn the flange that carries a sensor of RIG to and fro about each axis, in free space, and
    find the tool's mass and centre of mass and the sensor's bias, each with its uncertainty.

    It moves. Beyond loopback it asks a person to type what will move. The way is checked against
    box, limits and speeds first; a force, the operator's stop or a silent robot lets it stand.
    """
    with working("taring") as update:
        on = opened_on_rig(rig, changes, scenario, scenario_changes)
        if log is not None:
            tools = _from_log(log, math.hypot(*on.facility.gravity))
        else:
            tools = _measured(on, angle_deg, hold_s, update)
    found = {which: tool_dict(tool) for which, tool in tools.items()}
    if as_json:
        echo(json.dumps(found, indent=1, allow_nan=False) + "\n")
        return
    for which, tool in tools.items():
        _show(which, tool)


def _from_log(log: Path, gravity: float) -> dict[str, Any]:
    from softdock.archive.recordings import open_recording
    from softdock.archive.run_folder import open_run
    from softdock.archive.sources import is_recording
    from softdock.identification import identify

    opened = open_recording(log) if is_recording(str(log)) else open_run(log)
    return dict(identify(opened, tool_only=True, gravity=gravity).tools)


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


def tool_dict(tool: Any) -> dict[str, Any]:
    """As JSON has it."""
    named = {
        "mass_kg": tool.mass,
        "centre_m": tool.centre,
        "bias_N": tool.bias_force,
        "bias_Nm": tool.bias_torque,
        "mean_reading_N": tool.reading,
    }
    made: dict[str, Any] = {k: None if e is None else e.to_dict() for k, e in named.items()}
    return made | {"turned_rad": tool.turned_rad, "noise_N": tool.noise_N, "note": tool.note}


def _show(which: str, tool: Any) -> None:
    lines = [f"tool on the {which}:"]
    rows = (
        ("mass", tool.mass, "kg"),
        ("centre of mass, from the satellite's", tool.centre, "m"),
        ("bias of the force", tool.bias_force, "N"),
        ("bias of the torque, about the satellite's centre", tool.bias_torque, "Nm"),
        ("mean force", tool.reading, "N"),
    )
    for name, estimate, unit in rows:
        if estimate is not None:
            lines.append(f"  {name}: {spelt(estimate)} {unit}")
    if tool.note:
        lines.append(f"  note: {tool.note}")
    if tool.mass is not None:
        lines += ["for the rig file:", f"  [tools.{which}]", f"  mass_kg = {tool.mass.value:.5g}"]
    if tool.centre is not None:
        centre = ", ".join(f"{v:.5g}" for v in tool.centre.value)
        lines.append(f"  centre_m = [{centre}]")
    output().print("\n".join(lines), markup=False, soft_wrap=True)


def spelt(estimate: Any) -> str:
    """A value and its standard uncertainty."""
    value, sigma = estimate.value, estimate.uncertainty
    if isinstance(value, float):
        return f"{value:.5g} +- {sigma:.2g}"
    return ", ".join(f"{v:.5g} +- {s:.1g}" for v, s in zip(value, sigma))
