"""Progress lines on standard error, so that standard output stays clean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

console = Console(stderr=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A line with a spinner while something takes its time."""
    with console.status(what):
        yield
