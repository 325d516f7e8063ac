"""`softdock demo`: orbit beside the raw loop at several delays, and what theory says of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softdock.cli.arguments import OUT_FOLDER
from softdock.cli.numba_start import start_numba
from softdock.cli.progress import echo, output, working

if TYPE_CHECKING:
    from rich.table import Table

    from softdock.runs.run import Run

LIVE = "softdock view epos_3d  (once: pip install 'softdock[viewer]')"
FOLDER = Path("softdock-demo")  # in the current folder; the demo writes over its own two files


@click.command(short_help="What delay does to a bounce, measured and predicted.")
@click.option(
    "--out",
    type=OUT_FOLDER,
    default=FOLDER,
    show_default=True,
    metavar="DIR",
    help="Folder for the page and its numbers.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the rows as JSON, and nothing else, on standard output.",
)
def demo(out: Path, as_json: bool) -> None:
    """EPOS on one axis: what delay does to a bounce, measured and predicted."""
    with working("running the demo (the first run compiles for about half a minute)") as say:
        start_numba()
        from softdock.cli.folders import made
        from softdock.comparison.demonstration import demonstrate

        with made(out, force=True):
            rows, runs = demonstrate(say)
        page = _save(rows, runs, out)
    if as_json:
        echo(_as_json(rows))
        return
    from softdock.report.demo.words import has_remedy, remedy, verdict_of, why

    paper = output()
    paper.print(demo_table(rows))
    paper.print(f"{verdict_of(rows)} {why(rows)}")
    if has_remedy(rows):
        paper.print(remedy(rows))
    paper.print(f"\nThe page: {page}", markup=False, soft_wrap=True)
    paper.print(f"Live, with your own delay: {LIVE}", markup=False, soft_wrap=True)


def _as_json(rows: list[dict[str, Any]]) -> str:
    from softdock.report.demo.page import demo_results

    return json.dumps({"schema": 1, **demo_results(rows)}, indent=1, allow_nan=False) + "\n"


def _save(rows: list[dict[str, Any]], runs: list[Run], folder: Path) -> Path:
    from softdock.files.atomic import write_whole
    from softdock.report.demo.page import demo_page

    write_whole(folder / "demo.json", _as_json(rows).encode())
    write_whole(folder / "demo.html", demo_page(rows, runs).encode())
    return folder / "demo.html"


def demo_table(rows: list[dict[str, Any]]) -> Table:
    """Measured beside predicted."""
    from rich.table import Table

    caption = "theory: one impact of the sampled loop; h: the delay and the integrator's own"
    table = Table(
        title="EPOS on one axis: what comes back from a lossless contact", caption=caption
    )
    table.add_column("delay")
    for heading in ("restitution", "theory", "exp(pi w h / 2)", "invented [J]", "of the approach"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row["label"],
            _number(row["restitution"], ".4f"),
            _number(row["predicted_restitution"], ".4f"),
            _number(row["closed_form_restitution"], ".4f"),
            _number(row["energy_invented_J"], "+.6f"),
            _number(row["energy_invented_share"], "+.1%"),
        )
    return table


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form).replace("%", " %")
