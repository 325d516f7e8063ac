"""Consoles of the commands: `console` for progress and warnings, on standard error; `output` for
results, on standard output.

Plain text where the terminal is dumb, NO_COLOR is set or the output goes to a file.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from softdock.compile.compile_events import BEGINS, ENDS, Compiling, listeners
from softdock.errors import printable

# Closed pipes and streams.


def open_closed_streams() -> None:
    """Open os.devnull in place of closed standard streams. Python has None for them, and the next
    file that is opened would take their file descriptor."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def forget_output() -> None:
    """Redirect standard output to os.devnull, so that flushing a closed pipe at exit does not
    fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


SILENT_S = 1.0  # s; what takes less shows no progress
PIPED_WIDTH = 120  # columns, where there is no terminal to fit


class _PlainConsole(Console):
    """Console that escapes control characters in names and keys, which could move the cursor,
    colour the terminal or make links."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text, len(segment.text)), segment.style)


class _PipeTolerantConsole(_PlainConsole):
    """Console that stops printing when the reader closes the pipe (`| head`); the command goes
    on."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        forget_output()


console: Console = _PlainConsole(stderr=True)


def output(file: IO[str] | None = None) -> Console:
    """Console for results."""
    file = file or sys.stdout
    return _PipeTolerantConsole(
        file=file, width=None if file.isatty() else PIPED_WIDTH, highlight=False, soft_wrap=False
    )


def echo(text: str) -> None:
    """Write text to standard output; a closed pipe is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()


@contextmanager
def show_status(what: str) -> Iterator[Callable[[str], None]]:
    """Show a status line with a spinner while the block runs; yields a function that changes the
    line. Without a terminal: one plain line. Nothing before SILENT_S."""
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
            report_compiled(name_compiled(of), of.seconds)
        else:
            begun = "compiling" if of.what == BEGINS else "waiting for another process to compile"
            update(f"{begun} {name_compiled(of)} (once for these sources)")

    listeners.append(news)
    try:
        yield update
    finally:
        listeners.remove(news)
        timer.cancel()
        timer.join()
        if shown.is_set():
            status.stop()


ENTRY_POINT_NAMES = {
    "begin": "the start of a run",
    "run_cycles": "the loop",
    "run_batch": "the loop for batches",
    "list_touches": "the contact patch",
    "orbit_run": "orbit",
    "control_step": "the controller",
    "exchange": "the facility",
    "serve": "the rig's loop",
    "serve_robot": "the emulated robots",
    "serve_sensor": "the emulated sensors",
    "run_queue": "the rig in virtual time",
    "answer_datagram": "the rig's program",
    "receive_telegram": "the robots' telegrams",
    "receive_records": "the sensors' records",
    "fill_faces": "the drawing of pictures",
}


def name_compiled(of: Compiling) -> str:
    """Name of what is compiled: the entry point and the methods it is compiled with."""
    from softdock.loop.method.method import BY_TYPE

    names = sorted(BY_TYPE[cls].name for cls in of.classes if cls in BY_TYPE)
    entry_point = ENTRY_POINT_NAMES.get(of.entry_point, of.entry_point)
    return f"{entry_point} with {' and '.join(names)}" if names else entry_point


def report_compiled(what: str, seconds: float) -> None:
    """Print how long a compile took, if it took SILENT_S or more."""
    if seconds < SILENT_S:
        return
    console.print(Text(f"compiled {what} in {seconds:.1f} s"), soft_wrap=True)
