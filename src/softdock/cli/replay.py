"""`softdock replay`: another method on a recording, in open loop and as a forecast."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import (
    METHOD_FILES,
    choose_kept_folder,
    load_methods,
    out_option,
)
from softdock.cli.progress import echo, output, show_status


@click.command(short_help="Forecast a recorded docking with another method.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@click.option("--method", required=True, metavar="M", help="A method, or a chain: lead+hybrid.")
@click.option(
    "--scenario",
    metavar="SCENARIO|PRESET",
    help="Masses, shapes and method of an imported log that has no scenario attached.",
)
@METHOD_FILES
@out_option("the forecast's run and replay.json")
@click.option("--force", is_flag=True, help="Write over what is in DIR.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def replay(
    file: Path,
    method: str,
    scenario: str | None,
    method_files: tuple[Path, ...],
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Forecast the recorded docking FILE (MCAP, a run folder, or an imported log) with METHOD.

    Open loop: the recorded forces drive the method's controller and do not react to its commands.
    Forecast: contact and delays are identified from the recording, and the docking is simulated
    with the method. Both are shown for the recorded method too, as a measure of their accuracy.
    """
    load_methods(method_files)
    with show_status(f"replaying {file} with {method}"):
        from softdock.output.folders.replay import replay as replayed
        from softdock.output.folders.run_folder import open_run
        from softdock.output.folders.sources import is_recording, open_recording
        from softdock.recording.recording import Recording
        from softdock.scenario.files import load_scenario

        opened = open_recording(file) if is_recording(str(file)) else open_run(file)
        if isinstance(opened, Recording):
            opened.source = str(file)
        given = None if scenario is None else load_scenario(scenario)
        result = replayed(opened, method, given)
    text = json.dumps(result.to_dict(), indent=1, allow_nan=False) + "\n"
    folder = choose_kept_folder(out, f"replay-{file.stem}", as_json) if result.forecast else None
    if folder is not None:
        from softdock.files.atomic import write_whole

        result.forecast[-1].run.save(folder, force=force)
        write_whole(folder / "replay.json", text.encode())
    if as_json:
        echo(text)
    else:
        _print_replay(result, folder)


def _format_number(value: float | None, digits: str = ".6g") -> str:
    return "-" if value is None else format(value, digits)


def _print_replay(result: Any, out: Path | None) -> None:
    from rich.table import Table

    from softdock.cli.tables import print_verdict

    table = Table(title=f"{result.recording}: {result.rows} cycles", title_justify="left")
    for heading in (
        "what",
        "method",
        "restitution",
        "peak force N",
        "set-points apart mm",
        "verdict",
    ):
        left = heading in ("what", "method", "verdict")
        table.add_column(heading, justify="left" if left else "right")
    own = result.recorded_methods
    peak = _format_number(result.recorded_peak_N, ".4g")
    table.add_row(
        "recorded",
        own,
        _format_number(result.recorded_restitution),
        peak,
        "-",
        result.verdict["word"],
    )
    for label, rows in (("open loop", result.open_loop), ("forecast", result.forecast)):
        for one in rows:
            name = f"{own} ({one.method})" if one.method == "as recorded" else one.method
            table.add_row(
                label,
                name,
                _format_number(one.restitution),
                _format_number(one.peak_force_N, ".4g"),
                _format_number(one.apart_mm, ".3g"),
                one.verdict or "-",
            )
    print_verdict(output(), result.verdict)
    output().print(table)
    lines = [
        "recorded: from the velocities of the centres while the mock-ups touch.",
        "open loop: the recorded forces, which do not react to the method's commands.",
    ]
    if result.no_forecast:
        lines.append(f"no forecast: {result.no_forecast}")
    else:
        keys = ", ".join(f"{k} = {v:.5g}" for k, v in result.identified.items())
        lines.append(f"forecast: simulated with the identified {keys}.")
    if out is not None and result.forecast:
        lines.append(f"{out}: the forecast's run folder, and replay.json")
    output().print("\n".join(lines), markup=False, soft_wrap=True)
