"""`softdock rig retreat`: the way out after a stop, also out of a jammed cone."""

from __future__ import annotations

import json
from pathlib import Path

import click

from softdock.cli.arguments import OUT_FOLDER
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
from softdock.cli.rig_console import Live
from softdock.cli.rig_run import commanded, end
from softdock.cli.rig_run_output import as_dict, show


@click.command(short_help="Back out after a stop: along stop.axis, giving way to sideways forces.")
@RIG
@click.option("--way-mm", type=click.FloatRange(0.1, 1000.0), help="[default: stop.retreat_m]")
@click.option("--out", type=OUT_FOLDER, metavar="DIR", help="For the recording.")
@SCENARIO_OPTION
@SCENARIO_CHANGES
@rig_methods
@RIG_CHANGES
@JSON
def retreat(
    rig: str,
    way_mm: float | None,
    out: Path | None,
    scenario: str,
    scenario_changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Move the chaser of RIG slowly along stop.axis, away from the target, from where it stood when
    RSI was switched on again. Sideways it gives way to the measured force
    (stop.relief_m_per_s_per_N), so that a probe leaves a cone that it jams in. It stops when the
    force grows: above stop.retreat_force_N and above 1.2 times what it was.

    Beyond loopback a person types speed, box and energy bound first. softdock is no safety
    function.
    """
    with working("loading"):
        from softdock.core.rig.layout import LEAVE
        from softdock.drivers.rig_preflight import NO_SHIFT

        if way_mm is not None:
            changes = (*changes, f"stop.retreat_m={1e-3 * way_mm}")
        on = opened_on_rig(rig, changes, scenario, scenario_changes, method_files, acts=False)
    way = 1e3 * on.rig.stop.retreat_m
    what = f"the way out, {way:g} mm along {list(on.rig.stop.axis)}"
    series = commanded(
        on, what, Live(as_json), repeat=1, shift=NO_SHIFT, folder=out, note="", task=LEAVE
    )
    if as_json:
        echo(json.dumps(as_dict(on, series), indent=1, allow_nan=False) + "\n")
    else:
        show(on, series)
    end(series)
