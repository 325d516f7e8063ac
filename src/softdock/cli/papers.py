"""`softdock papers`: a paper's tables and figures made again, ours beside the published value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.cli.arguments import (
    choose_kept_folder,
    out_option,
    prepare_folder,
)
from softdock.cli.progress import echo, output, show_status
from softdock.output.pages.frame.elements import format_number
from softdock.papers.frame import Column, Exhibit

# A table wider than the terminal is printed in parts, each with the columns that identify its rows.

FRAME = 3  # characters a column needs beside its text: padding and a line


def _least_width(column: Column, cells: Sequence[str]) -> int:
    """Least width of a column [characters]: its longest word."""
    return max(len(word) for text in (column.heading, *cells) for word in (text.split() or [""]))


def _count_label_columns(exhibit: Exhibit) -> int:
    """Number of leading columns that identify a row: up to the last one with words, and on until no
    two rows are equal."""
    keys = [column.key for column in exhibit.columns]
    worded = [
        i
        for i, key in enumerate(keys[:-1])
        if any(isinstance(row.get(key), str) for row in exhibit.rows)
    ]
    count = worded[-1] + 1 if worded and len(worded) < len(keys) // 2 + 1 else 1
    while count < len(keys) - 1 and len(
        {tuple(str(row.get(key)) for key in keys[:count]) for row in exhibit.rows}
    ) < len(exhibit.rows):
        count += 1
    return count


def _split_columns(widths: Sequence[int], labels: int, room: int) -> list[list[int]]:
    """Columns of each part: the label columns, and as many others as fit."""
    first = list(range(labels))
    taken = sum(widths[i] + FRAME for i in first) + 1
    parts, here, used = [], list(first), taken
    for i in range(labels, len(widths)):
        if len(here) > labels and used + widths[i] + FRAME > room:
            parts.append(here)
            here, used = list(first), taken
        here.append(i)
        used += widths[i] + FRAME
    return [*parts, here]


def _split_evenly(widths: Sequence[int], labels: int, room: int) -> list[list[int]]:
    """Split the columns into the fewest parts that fit, of about equal width."""
    parts = _split_columns(widths, labels, room)
    narrower = room - 1
    while (
        len(even := _split_columns(widths, labels, narrower)) == len(parts)
        and narrower > 0
        and len(parts) > 1
    ):
        parts, narrower = even, narrower - 1
    return parts


def _share_width(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Column widths: at least `least`, towards `wanted` as far as there is room."""
    widths = list(least)
    left = room - sum(widths) - FRAME * len(widths) - 1
    while left > 0 and any(width < want for width, want in zip(widths, wanted, strict=True)):
        i = min(
            (i for i in range(len(widths)) if widths[i] < wanted[i]),
            key=lambda i: widths[i] / wanted[i],
        )
        widths[i] += 1
        left -= 1
    return widths


def show_exhibits(console: Console, exhibits: Sequence[Exhibit]) -> None:
    """Print our numbers beside the published ones, with the verdict below."""
    for exhibit in exhibits:
        cells = [
            [format_number(row.get(column.key), 4) for row in exhibit.rows]
            for column in exhibit.columns
        ]
        widths = [
            _least_width(column, texts)
            for column, texts in zip(exhibit.columns, cells, strict=True)
        ]
        console.print(Text(exhibit.headline, style="italic"))
        for part in (
            _split_evenly(widths, _count_label_columns(exhibit), console.width)
            if exhibit.columns
            else []
        ):
            wanted = [
                max(len(text) for text in (exhibit.columns[i].heading, *cells[i])) for i in part
            ]
            table = Table()
            for i, width in zip(
                part, _share_width([widths[i] for i in part], wanted, console.width), strict=True
            ):
                table.add_column(
                    Text(exhibit.columns[i].heading), justify="right", width=width, overflow="fold"
                )
            for j in range(len(exhibit.rows)):
                table.add_row(*(cells[i][j] for i in part))
            console.print(table)
        console.print(Text(exhibit.verdict))
        console.print()


@click.command(short_help="Reproduce a paper's tables and figures.")
@click.argument("paper", metavar="PAPER")
@click.option(
    "--only",
    multiple=True,
    metavar="EXHIBIT",
    help="Make only this table or figure, e.g. table_1. May be given several times.",
)
@out_option("the page and the JSON", over="a page of the same name is written over")
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
    with show_status(f"regenerating {paper} (a first run compiles for a minute or two)") as say:
        from softdock.papers.frame import (
            check_only,
            load_paper,
            regenerate,
            results_json,
            write_paper,
        )

        findings = load_paper(paper)
        check_only(findings, only)
        folder = choose_kept_folder(out, f"papers-{paper}", as_json)
        with prepare_folder(folder, force=True):
            exhibits = regenerate(findings, only, lambda key: say(f"{paper}: {key}"))
        page = write_paper(folder, findings, exhibits)[0] if folder is not None else None
    if as_json:
        echo(results_json(findings, exhibits))
        return
    show_exhibits(output(), exhibits)
    output().print(f"\nThe page: {page}", markup=False, soft_wrap=True)
