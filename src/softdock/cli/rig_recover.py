"""`softdock rig recover`: a recording that was cut by a crash, made whole."""

from __future__ import annotations

import json
from pathlib import Path

import click

from softdock.cli.arguments import OUT_FILE
from softdock.cli.progress import echo, output, working


@click.command(short_help="Make a recording whole that was cut by a crash.")
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE|RING")
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
@click.option("--force", is_flag=True, help="Write over the file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def recover(source: Path, ring: Path | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Make a recording whole that was cut by a crash, or write one from a ring.

    A cut file holds everything up to the last flush. The ring in shared memory outlives both
    processes and holds the last minute: where it is still there, its rows are added. The cut file
    and the ring stay as they are.
    """
    with working(f"recovering {source}"):
        from softdock.recorder.recover import recover as recover_file

        found = recover_file(source, out, ring=ring, force=force)
    if as_json:
        echo(json.dumps(found.to_dict(), indent=1) + "\n")
        return
    for line in found.sentences():
        output().print(line, markup=False, soft_wrap=True)
