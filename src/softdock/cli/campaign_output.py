"""What `softdock campaign` prints: how far it is, and what came out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from rich.text import Text

from softdock.cli.progress import console, output

PLAIN_S = 10.0  # s between two lines of progress, off a terminal
SAID_S = 2.0  # s; what is waited for no longer than this is not worth a line


class Shown(NamedTuple):
    progress: Callable[[int, int], None]  # runs done, runs in all
    say: Callable[[str], None]  # what is waited for; "": nothing any more


@contextmanager
def shown_progress(total: int) -> Iterator[Shown]:
    """Runs done, their rate and the time left: a bar on a terminal, else a line now and then."""
    said = monotonic()
    start: list[tuple[int, float]] = []  # runs that were there before, and when it began

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

            yield Shown(update, lambda text: shown.update(task, description=text))
        return

    def line(done: int, of: int) -> None:
        nonlocal said
        speed = rate(done)
        if speed > 0.0 and (monotonic() - said >= PLAIN_S or done == of):
            said = monotonic()
            console.print(
                Text(f"{done} of {of} runs, {speed:.4g} runs/s, {(of - done) / speed:.0f} s left"),
                soft_wrap=True,
            )

    with _patient_lines() as say:
        yield Shown(line, say)


@contextmanager
def _patient_lines() -> Iterator[Callable[[str], None]]:
    """A line for each thing that is waited for longer than a moment."""
    timer = threading.Timer(0.0, lambda: None)

    def say(text: str) -> None:
        nonlocal timer
        timer.cancel()
        if text:
            timer = threading.Timer(
                SAID_S, lambda: console.print(Text(f"{text} ..."), soft_wrap=True)
            )
            timer.daemon = True
            timer.start()

    try:
        yield say
    finally:
        timer.cancel()


def show(summary: dict[str, Any]) -> None:
    """The table of variants, and what came out in words."""
    from rich.markup import escape
    from rich.table import Table

    from softdock.campaign.outcomes import on_page
    from softdock.cli.run_tables import show_judgement
    from softdock.report.campaign.words import RATES, answer, rates_of

    paper = output()
    if summary.get("judgement"):
        show_judgement(paper, summary["judgement"])
    for v in summary["variants"]:
        if v.get("requirement"):
            whose = f"{v['label']}: " if len(summary["variants"]) > 1 else ""
            paper.print(escape(whose + v["requirement"]["sentence"]), soft_wrap=True)
    table = Table(title=f"{summary['name']}: {summary['runs']} runs")
    rates = rates_of(summary)
    numbers = {
        one.name: one.quantile.terminal
        for one in on_page(lambda one: one.quantile and one.quantile.terminal)
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
        shares = [_percent(v[f"{name}_rate"]) for name in rates]
        table.add_row(
            escape(v["label"]),
            str(v["runs"]),
            *shares,
            *(_number(v[f"{name}_95"]) for name in numbers),
        )
    paper.print(table)
    for one in summary["refused"]:
        paper.print(f"[bold]could not run[/bold] {escape(one)}")
    paper.print(escape(answer(summary)))
    if "precision" in summary:
        from softdock.campaign.precision import said

        paper.print(escape(said(summary["precision"])))
    spent = summary["spent"]
    if spent:
        without = (
            f", {spent['runs_per_s_without_orbit']:.4g} without orbit's reference"
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


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.3g} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
