"""`softdock import`: a log of another program becomes a recording."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from softdock.cli.arguments import (
    choose_folder,
    out_option,
    prepare_folder,
)
from softdock.cli.progress import echo, output, show_status


@click.command("import", short_help="Read your rig's own log: CSV, Parquet or MCAP.")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option(
    "--map",
    "mapped",
    type=click.Path(path_type=Path),
    metavar="MAP.toml",
    help="Which columns are what, in which units and frames, by which clock.",
)
@click.option(
    "--guess",
    is_flag=True,
    help="Look at LOG and write MAP.toml: what was recognised, and questions where it was not.",
)
@click.option(
    "--delimiter",
    metavar="SIGN",
    help="Between the columns of a CSV file: , ; tab space or |. [default: found from its lines]",
)
@click.option(
    "--decimal",
    type=click.Choice((".", ",")),
    help="In the numbers of a CSV file. [default: found from its lines]",
)
@click.option(
    "--scenario",
    metavar="SCENARIO|PRESET",
    help="Attach a scenario: shapes in the pictures, the on-orbit reference beside them.",
)
@out_option("the recording and its page", always=True)
@click.option("--force", is_flag=True, help="Write over what is there.")
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
def import_log(
    log: Path,
    mapped: Path | None,
    guess: bool,
    delimiter: str | None,
    decimal: str | None,
    scenario: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Read the log of a rig's own software as a recording, for its page, `identify`, `replay`,
    `view` and `picture`.

    First `softdock import LOG --guess`, which shows what each column was taken for and writes a
    map with comments; answer the questions in the map; then `softdock import LOG --map
    MAP.toml`. A log that cannot be right is refused with the line, and nothing is written.
    """
    from softdock.errors import BadInput, Problem

    if guess:
        _guess_map(log, mapped or _default_map(log), _csv_form(delimiter, decimal), force)
        return
    if mapped is None:
        allowed = f"a map; softdock import {log} --guess writes one to begin with"
        raise BadInput(Problem("--map", None, allowed))
    with show_status(f"reading {log}"):
        from softdock.output.folders.sources import read_log_contents, save_imported
        from softdock.recording.logs.mapping import read_map

        found = read_map(mapped)
        found = replace(found, form=_csv_form(delimiter, decimal, found.form))
        contents = read_log_contents(log, found, scenario)
        folder = choose_folder(out, contents.about.name)
        with prepare_folder(folder, force):
            recording = save_imported(contents, folder, force)
    if as_json:
        echo(json.dumps(recording.metrics, indent=1, allow_nan=False) + "\n")
        return
    show = output()
    from softdock.cli.tables import print_verdict

    print_verdict(show, recording.judge(str(folder)))
    show.print(recording.sentence, markup=False, soft_wrap=True)
    for event in contents.events:
        show.print(f"note: {event['text']}", markup=False, soft_wrap=True)
    absent = [f"{what} (needs {needs})" for what, needs in _list_missing(recording.series)]
    if absent:
        show.print("The log lacks: " + "; ".join(absent), markup=False, soft_wrap=True)
    show.print(
        f"{folder}: recording.mcap, report.html; softdock identify, view, picture and, with "
        f"--scenario, replay take it.",
        markup=False,
        soft_wrap=True,
    )


def _list_missing(series: Container[str]) -> list[tuple[str, str]]:
    """Quantities that this log does not give, and the map's table that would."""
    missing = []
    for body in ("chaser", "target"):
        if f"seen.{body}.position.x" not in series:
            missing.append((f"delay of the {body}'s robot, observed energy", f"[{body}.measured]"))
        if f"satellite.{body}.force.x" not in series:
            missing.append(("observed energy", f"[{body}.wrench_on_satellite]"))
        if f"{body}.position.x" not in series:
            missing.append(("observed energy", f"[{body}.satellite]"))
    return missing


def _default_map(log: Path) -> Path:
    try:
        return log.with_suffix(".map.toml")
    except ValueError as error:
        from softdock.errors import BadInput, Problem

        raise BadInput(Problem("LOG", str(log), f"the name of a file ({error})")) from None


def _csv_form(delimiter: str | None, decimal: str | None, known: Any = None) -> Any:
    """CSV format from the options, over the map's."""
    from softdock.errors import BadInput, Problem
    from softdock.recording.logs.tables import DELIMITERS, CsvForm

    form = known or CsvForm()
    if delimiter is not None:
        delimiter = {"tab": "\t", "\\t": "\t", "space": " "}.get(delimiter, delimiter)
        if delimiter not in DELIMITERS:
            raise BadInput(Problem("--delimiter", delimiter, "one of , ; tab space |"))
        form = replace(form, delimiter=delimiter)
    return form if decimal is None else replace(form, decimal=decimal)


def _guess_map(log: Path, target: Path, form: Any, force: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from softdock.errors import BadInput, Problem, printable
    from softdock.files.atomic import refuse_unwritable, write_whole
    from softdock.recording.logs.guess import guess_log
    from softdock.recording.logs.guess_text import make_preview, write_map

    if target.exists() and not force:
        raise BadInput(Problem("--map", str(target), "a new file; --force writes over this one"))
    refuse_unwritable(target, "--map")
    with show_status(f"looking at {log}"):
        guess = guess_log(log, form)
        write_whole(target, write_map(log, guess).encode(), "--map")
    questions, show = guess.questions, output()
    table = Table(title=f"What {log.name} seems to hold", title_justify="left")
    for heading in ("what", "columns", "unit", "first values"):
        table.add_column(heading, overflow="fold")
    for row in make_preview(guess):
        table.add_row(*(Text(printable(cell, 300)) for cell in row))
    show.print(table)
    if guess.unused:
        names = printable(", ".join(guess.unused[:20]), 600)
        more = f" and {len(guess.unused) - 20} more" if len(guess.unused) > 20 else ""
        show.print(f"not used: {names}{more}", markup=False, soft_wrap=True)
    for one in guess.assumed:
        show.print(f"assumed: {printable(one)}", markup=False, soft_wrap=True)
    for question in questions:
        show.print(f"asked: {printable(question)}", markup=False, soft_wrap=True)
    then = f"softdock import {log} --map {target}"
    answer = (
        f"answer {len(questions)} question{'' if len(questions) == 1 else 's'} in it, then: "
        if questions
        else "next: "
    )
    show.print(f"{target}: written; {answer}{then}", markup=False, soft_wrap=True)
