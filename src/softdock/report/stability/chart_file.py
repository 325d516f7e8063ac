"""A stability chart to a file: a picture or a page, by the file's ending."""

from __future__ import annotations

from pathlib import Path

from softdock.report.stability.page import write_page
from softdock.report.stability.picture import write_picture
from softdock.stability.panels import Panel


def draw_chart(panels: list[Panel], file: Path, title: str) -> None:
    """.html: one page that needs nothing; .png and .svg by matplotlib (extra `figures`)."""
    if file.suffix.lower() == ".html":
        write_page(panels, file, title)
    else:
        write_picture(panels, file, title)
