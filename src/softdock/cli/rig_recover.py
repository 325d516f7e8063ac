"""`softdock rig recover`: a cut recording made whole; rings that were left listed and cleared."""

from __future__ import annotations

import json
from pathlib import Path

import click

from softdock.cli.arguments import OUT_FILE
from softdock.cli.progress import echo, output, show_status


@click.command(short_help="Repair a recording that a crash cut; list what a crash left.")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE|RING", required=False)
@click.option(
    "--ring",
    type=click.Path(path_type=Path),
    help="The ring that the file was made from. [default: looked for]",
)
@click.option(
    "--out",
    type=OUT_FILE,
    metavar="FILE",
    help="Where the whole file goes. [default: NAME.recovered.mcap beside it]",
)
@click.option("--list", "listed", is_flag=True, help="Name the rings that runs have left.")
@click.option("--clear", is_flag=True, help="Free the memory of those whose rows are in a file.")
@click.option(
    "--force", is_flag=True, help="Write over the file; with --clear, rings that no file has, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def recover(
    source: Path | None,
    ring: Path | None,
    out: Path | None,
    listed: bool,
    clear: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Make a recording whole that was cut by a crash, or write one from a ring.

    A cut file holds everything up to the last flush. The ring in shared memory outlives both
    processes and holds the last minute: where it is still there, its rows are added. The cut file
    and the ring stay as they are; --list names the rings that are left, --clear takes away those
    whose rows are in a whole file.
    """
    if listed or clear:
        if source is not None or ring is not None or out is not None:
            raise click.UsageError("--list and --clear take no FILE|RING, --ring or --out")
        _tend(clear, force, as_json)
        return
    if source is None:
        raise click.UsageError("Missing argument 'FILE|RING'; --list names the rings that are left")
    with show_status(f"recovering {source}"):
        from softdock.recording.recover import recover as recover_file

        recovered = recover_file(source, out, ring=ring, force=force)
    if as_json:
        echo(json.dumps(recovered.to_dict(), indent=1) + "\n")
        return
    for line in recovered.sentences():
        output().print(line, markup=False, soft_wrap=True)


def _tend(clear: bool, force: bool, as_json: bool) -> None:
    """What there is, and with --clear what is left of it."""
    from softdock.recording.rings import clear_rings, list_rings

    cleared, kept = clear_rings(force) if clear else ([], [])
    there = list_rings()
    if as_json:
        report = {"rings": [r.to_dict() for r in there], "cleared": [str(r.path) for r in cleared]}
        echo(json.dumps(report, indent=1) + "\n")
        return
    lines = [f"{ring.path}  {ring.MB:.0f} MB  cleared" for ring in cleared]
    lines += [ring.sentence for ring in there]
    if kept:
        lines.append("what no whole file has is kept: recover it, or --clear --force")
    for line in lines or ["no ring is left in memory"]:
        output().print(line, markup=False, soft_wrap=True)
