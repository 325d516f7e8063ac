"""`softdock identify`: what a rig is, from what it recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.progress import echo, output, working


@click.command()
@click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "--tool-only",
    is_flag=True,
    help="A calibration in free motion: tool mass, centre of mass and sensor bias; no contact is "
    "looked for.",
)
@click.option(
    "--gravity",
    type=float,
    default=9.81,
    show_default=True,
    metavar="M_PER_S2",
    help="Of the laboratory: it turns a weight into a mass.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print everything as JSON, and nothing else, on standard output.",
)
def identify(run: Path, tool_only: bool, gravity: float, as_json: bool) -> None:
    """Contact stiffness and damping, delays, tool and sensor bias of the run in the folder RUN, or
    of the recording RUN (MCAP), each with its uncertainty.

    From the recorded time series alone: set-points, measured poses and wrenches with their ages;
    never from the scenario.
    """
    with working("identifying"):
        from softdock.archive.recordings import open_recording
        from softdock.archive.run_folder import open_run
        from softdock.archive.sources import is_recording
        from softdock.identification import identify as identify_run

        opened = open_recording(run) if is_recording(str(run)) else open_run(run)
        found = identify_run(opened, tool_only, gravity).to_dict()
    if as_json:
        echo(json.dumps(found, indent=1, allow_nan=False) + "\n")
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(title="Identified", title_justify="left")
    for heading, justify in (
        ("what", "left"),
        ("value", "right"),
        ("standard uncertainty", "right"),
        ("unit", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    contact, delay = found["contact"], found["delay"]
    _add(
        table,
        f"contact stiffness ({len(contact['contacts'])} contacts)",
        contact["stiffness_N_per_m"],
        "N/m",
    )
    _add(table, "contact damping", contact["damping_Ns_per_m"], "Ns/m")
    _add(table, "loop delay: robot and force path", delay["loop_delay_s"], "ms", 1e3)
    for body, estimate in delay["robot_delay_s"].items():
        _add(table, f"delay of the {body}'s robot", estimate, "ms", 1e3)
    for name, key in (
        ("age of the forces", "force_delay_s"),
        ("age of the measured poses", "pose_delay_s"),
        ("hold, half a cycle", "hold_s"),
    ):
        if delay[key] is not None:
            table.add_row(name, f"{1e3 * delay[key]:.4g}", "", "ms")
    for body, tool in found["tool"].items():
        _add(table, f"tool on the {body}: mass", tool["mass_kg"], "kg")
        _add(table, "its centre of mass", tool["centre_m"], "m")
        _add(table, "bias of the force", tool["bias_N"], "N")
        _add(
            table, "bias of the torque, about the satellite's centre of mass", tool["bias_Nm"], "Nm"
        )
        _add(table, "mean force in free motion", tool["mean_reading_N"], "N")
    output().print(table)
    notes = [
        *found["notes"],
        *(
            f"tool on the {body}: {tool['note']}"
            for body, tool in found["tool"].items()
            if tool["note"]
        ),
    ]
    for note in notes:
        output().print(f"note: {note}", markup=False, soft_wrap=True)


def _add(
    table: Any, name: str, estimate: dict[str, Any] | None, unit: str, factor: float = 1.0
) -> None:
    if estimate is None:
        return
    value, sigma = estimate["value"], estimate["standard_uncertainty"]
    if isinstance(value, list):
        table.add_row(
            name,
            " ".join(f"{factor * v:.5g}" for v in value),
            " ".join(f"{factor * s:.2g}" for s in sigma),
            unit,
        )
    else:
        table.add_row(name, f"{factor * value:.6g}", f"{factor * sigma:.2g}", unit)
