"""What commands print with: `console` for progress and warnings, on standard error; `output` for
results, on standard output.

Plain text where the terminal is dumb, NO_COLOR is set or the output goes to a file.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from softdock.cli.pipes import forget_output
from softdock.core.machine.compile_news import BEGINS, ENDS, Compiling, listeners
from softdock.errors import printable

SILENT_S = 1.0  # s; what takes less shows no progress
PIPED_WIDTH = 120  # columns, where there is no terminal to fit


class _Plain(Console):
    """Text is text: control characters in names and keys, which could move the cursor, colour the
    terminal or make links, are spelled out."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text, len(segment.text)), segment.style)


class _Patient(_Plain):
    """A reader that goes away (`| head`) ends the printing and not the command: what it has to save
    or to return stands."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        forget_output()


console: Console = _Plain(stderr=True)


def output(file: IO[str] | None = None) -> Console:
    """A console for results."""
    file = file or sys.stdout
    return _Patient(
        file=file, width=None if file.isatty() else PIPED_WIDTH, highlight=False, soft_wrap=False
    )


def echo(text: str) -> None:
    """Text as it is, to standard output; a reader that has gone is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """A line with a spinner while something takes its time; gives a function that changes the line.
    Off a terminal: one plain line."""
    status, shown = console.status(Text(what)), threading.Event()

    def show() -> None:
        if console.is_terminal:
            status.start()
            shown.set()
        else:
            console.print(Text(f"{what} ..."), soft_wrap=True)

    timer = threading.Timer(SILENT_S, show)
    timer.daemon = True
    timer.start()

    def update(text: str) -> None:
        status.update(Text(text))

    def news(of: Compiling) -> None:
        if of.what == ENDS:
            tell_compiled(label(of), of.seconds)
        else:
            begun = "compiling" if of.what == BEGINS else "waiting for another process to compile"
            update(f"{begun} {label(of)} (once for these sources)")

    listeners.append(news)
    try:
        yield update
    finally:
        listeners.remove(news)
        timer.cancel()
        timer.join()
        if shown.is_set():
            status.stop()


DOORS = {
    "begin": "the start of a run",
    "run_cycles": "the loop",
    "run_batch": "the loop for batches",
    "orbit_run": "orbit",
    "control_step": "the controller",
    "exchange": "the facility",
    "serve": "the rig's loop",
    "serve_robot": "the emulated robots",
    "serve_sensor": "the emulated sensors",
    "run_queue": "the rig in virtual time",
    "hear_and_answer": "the rig's program",
    "hear_rob": "the robots' telegrams",
    "hear_records": "the sensors' records",
}


def label(of: Compiling) -> str:
    """What is compiled, in words: the door, and the methods that it is compiled with."""
    from softdock.core.adaptation.method import BY_TYPE

    names = sorted(BY_TYPE[cls].name for cls in of.classes if cls in BY_TYPE)
    door = DOORS.get(of.door, of.door)
    return f"{door} with {' and '.join(names)}" if names else door


def tell_compiled(what: str, seconds: float) -> None:
    """One line, on a terminal and off it; nothing for what took no time."""
    if seconds < SILENT_S:
        return
    console.print(Text(f"compiled {what} in {seconds:.1f} s"), soft_wrap=True)
