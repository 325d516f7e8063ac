"""What `softdock papers` prints: each exhibit's table and verdict, every cell readable. A table
wider than the terminal is printed in parts, each with the columns that tell its rows apart."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.papers.frame import Column, Exhibit
from softdock.report.frame.elements import number

FRAME = 3  # characters a column needs beside its text: padding and a line


def _narrowest(column: Column, cells: Sequence[str]) -> int:
    """Characters that a column needs at least: its longest word."""
    return max(len(word) for text in (column.heading, *cells) for word in (text.split() or [""]))


def _labels(exhibit: Exhibit) -> int:
    """How many of the first columns tell the rows apart: up to the last one with words, and on
    until no two rows are alike."""
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


def _in_parts(widths: Sequence[int], labels: int, room: int) -> list[list[int]]:
    """Columns of each part: the labels, and as many others as fit beside them."""
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


def _parts(widths: Sequence[int], labels: int, room: int) -> list[list[int]]:
    """The fewest parts that fit, of about equal widths."""
    parts = _in_parts(widths, labels, room)
    narrower = room - 1
    while (
        len(even := _in_parts(widths, labels, narrower)) == len(parts)
        and narrower > 0
        and len(parts) > 1
    ):
        parts, narrower = even, narrower - 1
    return parts


def _spread(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Widths of columns: what each wants, as far as there is room."""
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
    """Ours beside the published numbers, the verdict below."""
    for exhibit in exhibits:
        cells = [
            [number(row.get(column.key)) for row in exhibit.rows] for column in exhibit.columns
        ]
        widths = [
            _narrowest(column, texts) for column, texts in zip(exhibit.columns, cells, strict=True)
        ]
        console.print(Text(exhibit.headline, style="italic"))
        for part in _parts(widths, _labels(exhibit), console.width) if exhibit.columns else []:
            wanted = [
                max(len(text) for text in (exhibit.columns[i].heading, *cells[i])) for i in part
            ]
            table = Table()
            for i, width in zip(
                part, _spread([widths[i] for i in part], wanted, console.width), strict=True
            ):
                table.add_column(
                    Text(exhibit.columns[i].heading), justify="right", width=width, overflow="fold"
                )
            for j in range(len(exhibit.rows)):
                table.add_row(*(cells[i][j] for i in part))
            console.print(table)
        console.print(Text(exhibit.verdict))
        console.print()
