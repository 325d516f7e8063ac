"""What `softdock papers` prints: each exhibit's verdict and table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from softdock.papers.frame import Exhibit
from softdock.report.elements import number


def show_exhibits(console: Console, exhibits: Sequence[Exhibit]) -> None:
    """Ours beside the published numbers, the verdict below."""
    for exhibit in exhibits:
        table = Table(title=Text(exhibit.title), title_justify="left", caption=Text(exhibit.verdict), caption_justify="left")
        for column in exhibit.columns:
            table.add_column(Text(column.heading), justify="right")
        for row in exhibit.rows:
            table.add_row(*(number(row.get(column.key)) for column in exhibit.columns))
        console.print(table)
