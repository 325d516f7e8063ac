"""What `softdock benchmark` prints: how far it is, the leaderboard, the cases there are."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click
from rich.text import Text

from softdock.cli.progress import console, output

PLAIN_S = 10.0  # s between two lines of progress, off a terminal


@contextmanager
def shown_progress(total: int) -> Iterator[Callable[[int, int, str], None]]:
    """Cells done and the time left: a bar on a terminal, else a line now and then."""
    if console.is_terminal:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.completed} of {task.total} cells"),
            BarColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        with Progress(*columns, console=console, transient=True) as shown:
            task = shown.add_task("", total=total)
            yield lambda done, of, what: shown.update(task, completed=done, description=what)
        return
    start: list[tuple[int, float]] = []
    said = [monotonic()]

    def line(done: int, of: int, what: str) -> None:
        if not start:
            start.append((done, monotonic()))
        before, began = start[0]
        rate = (done - before) / max(monotonic() - began, 1e-9)
        if rate > 0.0 and (monotonic() - said[0] >= PLAIN_S or done == of):
            said[0] = monotonic()
            left = (of - done) / rate
            console.print(Text(f"{done} of {of} cells, {left:.0f} s left"), soft_wrap=True)

    yield line


def list_cases() -> None:
    """The set, group by group, each case with its reason."""
    from softdock.scenario.benchmark_set import case_set, case_text, reason_of

    listed = case_set()
    click.echo(f"version {listed.version}, {len(listed.names)} cases; * in --quick")
    for group, names in listed.groups.items():
        click.echo(f"\n{group}")
        for name in names:
            click.echo(f"  {'*' if name in listed.quick else ' '} {name}")
            reason = reason_of(case_text(name))
            click.echo(textwrap.fill(reason, 96, initial_indent=" " * 6, subsequent_indent=" " * 6))


def show(results: Mapping[str, Any], since: Mapping[str, Any] | None) -> None:
    """A table for each telling, the answer, what has changed."""
    from rich.box import SIMPLE_HEAVY
    from rich.table import Table

    from softdock.benchmark.results_compared import sentence
    from softdock.benchmark.scores import leaderboard
    from softdock.benchmark.tellings import WORDS
    from softdock.benchmark.words import answer, beside, percent

    paper = output()
    for telling in results["tellings"]:
        rows = leaderboard(results, telling)
        if not rows:
            continue
        table = Table(title=f"{WORDS[telling]}, best first", box=SIMPLE_HEAVY, pad_edge=False)
        table.add_column("", justify="right")
        table.add_column("entry", no_wrap=True)
        for heading in ("1 %", "0.1 %", "cases", "median", "worst", "energy", "peak", "cost"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in rows:
            numbers = [percent(row[key]) for key in ("median", "worst", "energy", "peak_error")]
            counts = [str(row[key]) for key in ("within_1", "within_01", "cases")]
            cost = "-" if row["cost"] is None else f"{row['cost']:.2f}"
            table.add_row(str(row["rank"]), Text(row["label"]), *counts, *numbers, cost)
        paper.print(table)
    paper.print(
        Text(
            "1 %, 0.1 %: cases so near to orbit at the worst phase or seed; energy: invented, at "
            "most; peak: error of the peak force, median; cost: CPU per cycle against the raw loop"
        ),
        soft_wrap=True,
    )
    for line in (answer(results), *beside(results)):
        paper.print(Text(line), soft_wrap=True)
    if since is not None:
        paper.print(Text(sentence(dict(since))), soft_wrap=True)
