"""`softdock why`: what takes a rig away from orbit, cause by cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.cli.arguments import (
    CHANGES,
    METHOD_FILES,
    SCENARIO,
    load_methods,
    typed,
    with_methods,
)
from softdock.cli.progress import echo, output, working


@click.command(short_help="What takes the rig away from orbit, cause by cause.")
@SCENARIO
@CHANGES
@METHOD_FILES
@click.option(
    "--phases",
    type=click.IntRange(1, 1000),
    default=2,
    show_default=True,
    metavar="N",
    help="Sampling phases flown for each cause.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")
def why(
    scenario: str,
    changes: tuple[str, ...],
    method_files: tuple[Path, ...],
    phases: int,
    as_json: bool,
) -> None:
    """Why is my rig not as orbit? Causes are switched off one by one and together: delay of each
    robot, lag and limits, age, noise, filter, threshold and bias of the force, the tool's weight,
    friction, integrator and cycle. Each gets its share of the distance from orbit and of the
    invented energy. Exit code 0 whatever the verdict; 2: bad input.
    """
    with working("switching causes off (a first run compiles for about half a minute)"):
        from softdock.analysis.metrics import plain
        from softdock.analysis.why import why as find
        from softdock.scenario.files import load_scenario

        mine = load_methods(method_files)
        loaded = with_methods(load_scenario(scenario, changes), mine)
        result = plain(find(loaded, phases, typed(scenario, changes, method_files)))
    if as_json:
        echo(json.dumps(result, indent=1, allow_nan=False) + "\n")
    else:
        show(output(), result)


def show(to: Console, result: dict[str, Any]) -> None:
    from softdock.cli.run_tables import show_judgement

    show_judgement(to, result["judgement"])
    to.print(Text(result["sentence"], style="bold"))
    if result["free_flight"]:
        to.print(Text(result["free_flight"], style="yellow"))
    to.print(causes_table(result))
    off = result["all_off"]
    to.print(
        Text(
            f"All of them off: {_percent(off['distance_from_orbit'])} of the approach away from "
            f"orbit, {_percent(off['energy_share'])} of its energy from nothing. A share is the "
            "mean of what a cause adds, over several orders of switching them on; the sensor's "
            "row is split by difference, with the cause less without it.",
            style="dim",
        )
    )


def causes_table(result: dict[str, Any]) -> Table:
    table = Table(
        title=f"{result['scenario']}: {_percent(result['distance_from_orbit'])} of the approach "
        f"away from orbit, means over {result['phases']} phases"
    )
    for heading in (
        "cause",
        "",
        "share",
        "alone",
        "without it",
        "left so far",
        "share of energy",
        "in row sensor [J]",
    ):
        table.add_column(Text(heading), justify="left" if heading in ("cause", "") else "right")
    for row in result["rows"]:
        split = row["of_sensor_row_J"]
        table.add_row(
            row["cause"],
            row["what"],
            _percent(row["share_of_distance"]),
            _percent(row["distance_alone"]),
            _percent(row["distance_without"]),
            _percent(row["distance_left"]),
            _percent(row["share_of_energy"]),
            "" if split is None else f"{split:+.3g}",
        )
    return table


def _percent(x: float | None) -> str:
    return "-" if x is None else f"{100.0 * x:.3g} %"
