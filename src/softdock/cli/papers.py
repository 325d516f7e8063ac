"""`softdock papers`: a paper's tables and figures made again, ours beside the published value."""

from __future__ import annotations

from pathlib import Path

import click

from softdock.cli.arguments import OUT_FOLDER
from softdock.cli.folders import RUNS, choose, made
from softdock.cli.progress import echo, output, working


@click.command()
@click.argument("paper", metavar="PAPER")
@click.option(
    "--only",
    multiple=True,
    metavar="EXHIBIT",
    help="Make only this table or figure, e.g. table_1. May be given several times.",
)
@click.option(
    "--out",
    type=OUT_FOLDER,
    metavar="DIR",
    help="Folder for the page and the JSON; a page of the same name is written over. [default: a "
    f"new one in {RUNS}/; "
    "with --json nothing is kept unless --out is given]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print everything as JSON, and nothing else, on standard output.",
)
def papers(paper: str, only: tuple[str, ...], out: Path | None, as_json: bool) -> None:
    """Make a paper's tables and figures again. PAPER: zebenay, de-stefano, franken or lange.

    Each comes with ours beside the published value, what had to be assumed, and why the two differ.
    """
    with working(f"regenerating {paper} (a first run compiles for a minute or two)") as say:
        from softdock.papers.frame import (
            check_only,
            load_paper,
            regenerate,
            results_json,
            write_paper,
        )

        found = load_paper(paper)
        check_only(found, only)
        folder = choose(out, f"papers-{paper}") if out is not None or not as_json else None
        with made(folder, force=True):
            exhibits = regenerate(found, only, lambda key: say(f"{paper}: {key}"))
        page = write_paper(folder, found, exhibits)[0] if folder is not None else None
    if as_json:
        echo(results_json(found, exhibits))
        return
    from softdock.cli.papers_tables import show_exhibits

    show_exhibits(output(), exhibits)
    output().print(f"\nThe page: {page}", markup=False, soft_wrap=True)
