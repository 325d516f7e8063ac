"""`softdock import`: a log of another program becomes a recording."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path

import click

from softdock.cli.progress import echo, output, working


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
    "--scenario",
    metavar="SCENARIO|PRESET",
    help="Attach a scenario: shapes in the pictures, orbit beside them.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where it goes.")
@click.option("--force", is_flag=True, help="Write over what is there.")
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
def import_log(
    log: Path,
    mapped: Path | None,
    guess: bool,
    scenario: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Read the log of a rig's own software as a recording: identify, page, contacts, observed
    energy, pictures and replay then work on it.

    First `softdock import LOG --guess`, which writes a map with comments; answer its questions;
    then `softdock import LOG --map MAP.toml`. A log that cannot be right is refused with the line,
    and nothing is written.
    """
    from softdock.errors import BadInput, Problem

    if guess:
        _guess(log, mapped or log.with_suffix(".map.toml"), force)
        return
    if mapped is None:
        allowed = f"a map; softdock import {log} --guess writes one to begin with"
        raise BadInput(Problem("--map", None, allowed))
    from softdock.cli.folders import choose, made

    with working(f"reading {log}"):
        from softdock.archive.imported import contents_of, save_imported

        contents = contents_of(log, mapped, scenario)
        folder = choose(out, contents.about.name)
        with made(folder, force):
            recording = save_imported(contents, folder, force)
    if as_json:
        echo(json.dumps(recording.metrics, indent=1, allow_nan=False) + "\n")
        return
    show = output()
    from softdock.cli.run_tables import show_judgement

    show_judgement(show, recording.judgement(str(folder)))
    show.print(recording.sentence, markup=False, soft_wrap=True)
    for event in contents.events:
        show.print(f"note: {event['text']}", markup=False, soft_wrap=True)
    absent = [f"{what} (needs {needs})" for what, needs in _absent(recording.series)]
    if absent:
        show.print("not known: " + "; ".join(absent), markup=False, soft_wrap=True)
    show.print(
        f"{folder}: recording.mcap, report.html; softdock identify, view, picture and, with "
        f"--scenario, replay take it.",
        markup=False,
        soft_wrap=True,
    )


def _absent(series: Container[str]) -> list[tuple[str, str]]:
    """What this log is too small for, and which tables of a map would make it larger."""
    found = []
    for body in ("chaser", "target"):
        if f"seen.{body}.position.x" not in series:
            found.append((f"delay of the {body}'s robot, observed energy", f"[{body}.measured]"))
        if f"satellite.{body}.force.x" not in series:
            found.append(("observed energy", f"[{body}.wrench_on_satellite]"))
        if f"{body}.position.x" not in series:
            found.append(("observed energy", f"[{body}.satellite]"))
    return found


def _guess(log: Path, target: Path, force: bool) -> None:
    from softdock.errors import BadInput, Problem
    from softdock.files.atomic import write_whole
    from softdock.logs.guess import guess_map

    if target.exists() and not force:
        raise BadInput(Problem("--map", str(target), "a new file; --force writes over this one"))
    with working(f"looking at {log}"):
        text, questions = guess_map(log)
        write_whole(target, text.encode())
    show = output()
    for question in questions:
        show.print(f"asked: {question}", markup=False, soft_wrap=True)
    then = f"softdock import {log} --map {target}"
    answer = f"answer {len(questions)} questions in it, then: " if questions else "next: "
    show.print(f"{target}: written; {answer}{then}", markup=False, soft_wrap=True)
