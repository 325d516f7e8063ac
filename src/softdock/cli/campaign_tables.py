"""Output of `softdock campaign`: progress, and the table of results."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from rich.text import Text

from softdock.cli.progress import console, output

LINE_EVERY_S = 10.0  # s between two lines of progress, off a terminal
REPORTED_WAIT_S = 2.0  # s; shorter waits are not reported


class ProgressReport(NamedTuple):
    progress: Callable[[int, int], None]  # runs done, runs in all
    say: Callable[[str], None]  # what the campaign waits for; "": no longer


@contextmanager
def show_progress(total: int) -> Iterator[ProgressReport]:
    """Show runs done, their rate and the time left: a bar on a terminal, else a line every
    LINE_EVERY_S."""
    last_line = monotonic()
    start: list[tuple[int, float]] = []  # runs done before, and start time

    def rate(done: int) -> float:
        if not start:
            start.append((done, monotonic()))
        before, began = start[0]
        return (done - before) / max(monotonic() - began, 1e-9)

    if console.is_terminal:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.completed} of {task.total} runs"),
            BarColumn(),
            TextColumn("{task.fields[rate]} runs/s"),
            TimeRemainingColumn(),
        )
        with Progress(
            *columns, TextColumn("{task.description}"), console=console, transient=True
        ) as shown:
            task = shown.add_task("", total=total, rate="-")

            def update(done: int, of: int) -> None:
                shown.update(task, completed=done, rate=f"{rate(done):.4g}")

            yield ProgressReport(update, lambda text: shown.update(task, description=text))
        return

    def line(done: int, of: int) -> None:
        nonlocal last_line
        speed = rate(done)
        if speed > 0.0 and (monotonic() - last_line >= LINE_EVERY_S or done == of):
            last_line = monotonic()
            console.print(
                Text(f"{done} of {of} runs, {speed:.4g} runs/s, {(of - done) / speed:.0f} s left"),
                soft_wrap=True,
            )

    with _delayed_lines() as say:
        yield ProgressReport(line, say)


@contextmanager
def _delayed_lines() -> Iterator[Callable[[str], None]]:
    """Yield a function that prints a line for a wait of more than REPORTED_WAIT_S."""
    timer = threading.Timer(0.0, lambda: None)

    def say(text: str) -> None:
        nonlocal timer
        timer.cancel()
        if text:
            timer = threading.Timer(
                REPORTED_WAIT_S, lambda: console.print(Text(f"{text} ..."), soft_wrap=True)
            )
            timer.daemon = True
            timer.start()

    try:
        yield say
    finally:
        timer.cancel()


def print_summary(summary: dict[str, Any]) -> None:
    """Print the table of variants and the results in words."""
    from rich.markup import escape
    from rich.table import Table

    from softdock.cli.tables import print_verdict
    from softdock.output.pages.campaign_words import RATES, list_rates, summarise
    from softdock.studies.campaign.outcomes import list_page_outcomes

    paper = output()
    if summary.get("verdict"):
        print_verdict(paper, summary["verdict"])
    for v in summary["variants"]:
        if v.get("requirement"):
            whose = f"{v['label']}: " if len(summary["variants"]) > 1 else ""
            paper.print(escape(whose + v["requirement"]["sentence"]), soft_wrap=True)
    table = Table(title=f"{summary['name']}: {summary['runs']} runs")
    rates = list_rates(summary)
    numbers = {
        one.name: one.quantile.terminal
        for one in list_page_outcomes(lambda one: one.quantile and one.quantile.terminal)
        if one.quantile
    }
    table.add_column("", no_wrap=True)
    for heading in (
        "runs",
        *(RATES[name] for name in rates),
        *(f"95 %: {escape(words)}" for words in numbers.values()),
    ):
        table.add_column(heading, justify="right")
    for v in summary["variants"]:
        shares = [_format_percent(v[f"{name}_rate"]) for name in rates]
        table.add_row(
            escape(v["label"]),
            str(v["runs"]),
            *shares,
            *(_format_number(v[f"{name}_95"]) for name in numbers),
        )
    paper.print(table)
    for one in summary["refused"]:
        paper.print(f"[bold]could not run[/bold] {escape(one)}")
    paper.print(escape(summarise(summary)))
    spent = summary["spent"]
    if spent:
        without = (
            f", {spent['runs_per_s_without_orbit']:.4g} without the on-orbit reference"
            if spent["runs_per_s_without_orbit"]
            else ""
        )
        compiling = (
            f", after {spent['compile_s']:.0f} s of compiling" if spent["compile_s"] >= 1.0 else ""
        )
        paper.print(
            f"{spent['runs_per_s']:.4g} runs/s{without}, {spent['cycles_per_s']:.3g} "
            f"cycles/s on {escape(spent['machine'])}{compiling}"
        )


def _format_percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.3g} %"


def _format_number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
