"""`softdock`: the commands. Exit codes: 0 done, 2 bad input, 3 the run stopped early, 4 the verdict
that `--fail-on` names.

A command is one line in `LAZY` and a file of its own; the file is imported when the command is
called (or its help is shown), so keep heavy imports inside the command's function.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
from typing import Any

import click

from softdock._version import __version__
from softdock.cli.lazy_group import LazyGroup
from softdock.cli.pipes import forget_output, open_closed_streams
from softdock.errors import SoftdockError, printable

BAD_INPUT, STOPPED_EARLY, FAILED, INTERRUPTED = 2, 3, 4, 130
# Objects made until Python looks for cycles that nobody holds, and how many such looks until it
# looks further. By default it looks after each 700, through all of a thousand modules again and
# again while they are imported: a quarter of a short run's time, for nothing that could be freed.
SELDOM = (100_000, 10, 10)
LONGEST_MESSAGE = 200_000  # characters: problems of a file, each cut by itself

LAZY = {
    "demo": "softdock.cli.demo:demo",
    "new": "softdock.cli.new:new",
    "run": "softdock.cli.run:run",
    "why": "softdock.cli.why:why",
    "compare": "softdock.cli.compare:compare",
    "campaign": "softdock.cli.campaign:campaign",
    "benchmark": "softdock.cli.benchmark:benchmark",
    "import": "softdock.cli.import_log:import_log",
    "identify": "softdock.cli.identify:identify",
    "calibrate": "softdock.cli.calibrate:calibrate",
    "papers": "softdock.cli.papers:papers",
    "stability": "softdock.cli.stability:stability",
    "haptics": "softdock.cli.haptics:haptics",
    "network": "softdock.cli.network:network",
    "place": "softdock.cli.place:place",
    "scenarios": "softdock.cli.scenarios:scenarios",
    "show": "softdock.cli.scenarios:show",
    "check": "softdock.cli.scenarios:check",
    "warm": "softdock.cli.warm:warm",
    "view": "softdock.cli.view:view",
    "picture": "softdock.cli.picture:picture",
    "rig": "softdock.cli.rig:rig",
    "replay": "softdock.cli.replay:replay",
}


class Commands(LazyGroup):
    """An error a user can mend ends as one message, never as a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SoftdockError as error:
            say_error(str(error))
        except BrokenPipeError:
            raise
        except OSError as error:
            say_error(refusal_of(error))
        ctx.exit(BAD_INPUT)


def refusal_of(error: OSError) -> str:
    """What the system refused, and of which file."""
    named = "standard output" if error.filename is None else str(error.filename)
    return f"{named}: the system refuses it ({error.strerror or error})"


def say_error(text: str) -> None:
    """On standard error, if that takes anything."""
    with contextlib.suppress(OSError):
        click.echo(printable(text, LONGEST_MESSAGE), err=True)


@click.group(cls=Commands, lazy=LAZY, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="softdock")
def cli() -> None:
    """Hardware-in-the-loop docking: is the rig honest, and how far is it from orbit?"""


def main() -> None:
    """Entry point. A reader that has gone (`softdock ... | head`) is no error: what a command
    saves, it has saved before it prints."""
    open_closed_streams()
    code, stdout = 0, sys.stdout
    gc.set_threshold(*SELDOM)
    # At its end Python looks through all objects for cycles, several times: a fifth of a short run.
    # They go with the process; what a command writes, it has closed.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="replace"
            )  # a terminal without a letter gets a question mark, not a traceback
    try:
        code = cli.main(standalone_mode=False) or 0
    except click.ClickException as error:
        error.message = printable(error.message)  # type: ignore[misc]
        error.show()
        code = BAD_INPUT
    except click.Abort:
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except BrokenPipeError:
        forget_output()
    except OSError as error:
        say_error(refusal_of(error))
        code = BAD_INPUT
    except SystemExit:
        if (
            sys.stdout is stdout
        ):  # click puts another in its place when the pipe breaks, and exits with 1
            raise
        forget_output()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
    except OSError as error:  # a full disc: said once, not again when Python ends
        if code != BAD_INPUT:
            say_error(refusal_of(error))
        forget_output()
        code = BAD_INPUT
    if code == INTERRUPTED:
        _leave(code)
    sys.exit(code if isinstance(code, int) else 0)


def _leave(code: int) -> None:
    """End at once where compiled code still runs beside: nothing waits for it, and nothing is taken
    down under it."""
    from softdock.core.machine.interrupts import left_behind

    if left_behind():
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
