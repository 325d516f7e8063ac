"""`softdock demo`: orbit beside the raw loop at several delays, and what theory says of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softdock.cli.arguments import (
    choose_kept_folder,
    out_option,
    prepare_folder,
)
from softdock.cli.compile_ahead import start_numba
from softdock.cli.progress import echo, output, show_status
from softdock.results.quantities import format_percent, format_quantity

if TYPE_CHECKING:
    from rich.table import Table

    from softdock.results.run import Run

LIVE = "softdock view epos_3d  (once: pip install 'softdock[viewer]')"


@click.command(short_help="Show what delay does to a contact.")
@out_option("the page and its numbers", over="those that are there are written over")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the rows as JSON, and nothing else, on standard output.",
)
def demo(out: Path | None, as_json: bool) -> None:
    """EPOS on one axis: what delay does to a bounce, measured and predicted."""
    with show_status("running the demo (the first run compiles for about half a minute)") as say:
        start_numba()
        from softdock.studies.compare.demonstration import demonstrate

        folder = choose_kept_folder(out, "demo", as_json)
        with prepare_folder(folder, force=True):
            rows, runs = demonstrate(say)
        page = None if folder is None else _save(rows, runs, folder)
    if as_json:
        echo(_rows_to_json(rows))
        return
    from softdock.output.pages.demo import (
        describe_remedies,
        describe_worst,
        explain_delay,
        has_remedy,
    )

    paper = output()
    paper.print(demo_table(rows))
    paper.print(f"{describe_worst(rows)} {explain_delay(rows)}")
    if has_remedy(rows):
        paper.print(describe_remedies(rows))
    paper.print(f"\nThe page: {page}", markup=False, soft_wrap=True)
    paper.print(f"Live, with your own delay: {LIVE}", markup=False, soft_wrap=True)


def _rows_to_json(rows: list[dict[str, Any]]) -> str:
    from softdock.output.pages.demo import demo_results

    return json.dumps({"schema": 1, **demo_results(rows)}, indent=1, allow_nan=False) + "\n"


def _save(rows: list[dict[str, Any]], runs: list[Run], folder: Path) -> Path:
    from softdock.files.atomic import write_whole
    from softdock.output.pages.demo import demo_page

    write_whole(folder / "demo.json", _rows_to_json(rows).encode())
    write_whole(folder / "demo.html", demo_page(rows, runs).encode())
    return folder / "demo.html"


def demo_table(rows: list[dict[str, Any]]) -> Table:
    """Measured and predicted restitution for each delay."""
    from rich.table import Table

    caption = "theory: one impact of the sampled loop; h: the delay and the integrator's own"
    table = Table(title="EPOS on one axis: rebound from a lossless contact", caption=caption)
    table.add_column("delay")
    for heading in (
        "restitution",
        "theory",
        "exp(pi w h / 2)",
        "energy added",
        "of the approach energy",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row["label"],
            _format_number(row["restitution"], ".4f"),
            _format_number(row["predicted_restitution"], ".4f"),
            _format_number(row["closed_form_restitution"], ".4f"),
            format_quantity(row["energy_added_J"], "J"),
            format_percent(row["energy_added_share"]),
        )
    return table


def _format_number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
