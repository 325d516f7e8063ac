"""`softdock`: the commands. Exit codes: 0 done, 2 bad input, 3 the run stopped early, 4 the verdict
that `--fail-on` names.

A command is one line in `GROUPS` and a file of its own; the file is imported when the command is
called (or its help is shown), so keep heavy imports inside the command's function.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from softdock._version import __version__
from softdock.cli.progress import forget_output, open_closed_streams
from softdock.errors import SoftdockError, closest, printable


class LazyGroup(click.Group):
    """Group of commands, each imported when it is called or its help is shown. `lazy`:
    `module:function` of each command, in the order of the help. An unknown name is refused with the
    nearest one."""

    def __init__(self, *args: Any, lazy: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module, _, name = self.lazy[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if (
            args
            and not args[0].startswith("-")
            and args[0] not in self.lazy
            and not ctx.resilient_parsing
        ):
            near = closest(args[0], self.lazy)
            hint = f"Did you mean '{near}'?" if near else f"There are: {', '.join(self.lazy)}."
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx)
        return super().resolve_command(ctx, args)


BAD_INPUT, STOPPED_EARLY, FAILED, INTERRUPTED = 2, 3, 4, 130
# Thresholds of Python's garbage collector (generations 0, 1, 2) in the command line's own process.
# With the defaults (700, 10, 10) it scans all imported modules again and again, which takes a
# quarter of a short run and frees nothing.
GC_THRESHOLDS = (100_000, 10, 10)
LONGEST_MESSAGE = 200_000  # characters: problems of a file, each cut by itself

GROUPS = {  # heading in the help: its commands
    "Start": {
        "demo": "softdock.cli.demo:demo",
        "new": "softdock.cli.new:new",
        "check": "softdock.cli.scenarios:check",
        "run": "softdock.cli.run:run",
        "view": "softdock.cli.view:view",
        "picture": "softdock.cli.picture:picture",
        "scenarios": "softdock.cli.scenarios:scenarios",
        "show": "softdock.cli.scenarios:show",
    },
    "Analyse": {
        "why": "softdock.cli.why:why",
        "stability": "softdock.cli.stability:stability",
        "compare": "softdock.cli.compare:compare",
        "campaign": "softdock.cli.campaign:campaign",
        "place": "softdock.cli.place:place",
    },
    "My rig": {
        "rig": "softdock.cli.rig:rig",
        "calibrate": "softdock.cli.calibrate:calibrate",
        "fmu": "softdock.cli.fmu:fmu",
    },
    "Logs": {
        "import": "softdock.cli.import_log:import_log",
        "identify": "softdock.cli.identify:identify",
        "replay": "softdock.cli.replay:replay",
    },
    "Research": {
        "papers": "softdock.cli.papers:papers",
        "benchmark": "softdock.cli.benchmark:benchmark",
        "haptics": "softdock.cli.haptics:haptics",
        "network": "softdock.cli.network:network",
    },
    "This computer": {
        "docs": "softdock.cli.docs:docs",
        "warm": "softdock.cli.warm:warm",
        "cache": "softdock.cli.cache:cache",
    },
}
LAZY = {name: where for group in GROUPS.values() for name, where in group.items()}


class Commands(LazyGroup):
    """Commands in groups, whose user errors are printed as one message, without a traceback."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, self.lazy))
        width = formatter.width - 6 - longest
        grouped = {name for group in GROUPS.values() for name in group}
        others = [name for name in self.lazy if name not in grouped]
        groups = {**GROUPS, **({"More": others} if others else {})}
        for heading, group in groups.items():
            commands = [(name, self.get_command(ctx, name)) for name in group]
            rows = [(name, one.get_short_help_str(width)) for name, one in commands if one]
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=longest)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SoftdockError as error:
            print_error(str(error))
        except BrokenPipeError:
            raise
        except OSError as error:
            print_error(describe_refusal(error))
        ctx.exit(BAD_INPUT)


def describe_refusal(error: OSError) -> str:
    """The operating system's error as a message, with the name of the file."""
    named = "standard output" if error.filename is None else str(error.filename)
    return f"{named}: the system refuses it ({error.strerror or error})"


def print_error(text: str) -> None:
    """Print a message to standard error; ignore that standard error may be closed."""
    with contextlib.suppress(OSError):
        click.echo(printable(text, LONGEST_MESSAGE), err=True)


START = (
    "Start with `softdock demo`, then `softdock run epos_1d`. Your own rig: `softdock new "
    "my_rig.toml`, then `softdock run my_rig.toml`. Each command has its own --help."
)


@click.group(
    cls=Commands,
    lazy=LAZY,
    epilog=START,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="softdock")
def cli() -> None:
    """softdock simulates hardware-in-the-loop docking test beds: whether your rig is stable, how
    much its latency distorts the contact, and how far the result is from the on-orbit dynamics."""


def main() -> None:
    """Entry point of the command. A closed pipe (`softdock ... | head`) is no error: commands save
    before they print.

    This changes two settings of the process, which is the command line's own: the thresholds of
    Python's garbage collector (GC_THRESHOLDS), and `gc.freeze` at exit. Importing softdock as a
    library changes neither.
    """
    open_closed_streams()
    code, stdout = 0, sys.stdout
    gc.set_threshold(*GC_THRESHOLDS)
    # At exit Python scans all objects for cycles, several times: a fifth of a short run. The memory
    # goes with the process, and commands have closed their files.
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
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except BrokenPipeError:
        forget_output()
    except OSError as error:
        print_error(describe_refusal(error))
        code = BAD_INPUT
    except SystemExit:
        if (
            sys.stdout is stdout
        ):  # click puts another in its place when the pipe breaks, and exits with 1
            raise
        forget_output()
    finally:  # what was asked for is done: an interrupt would only change the exit code
        with contextlib.suppress(ValueError):  # of a thread: it has no interrupts
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
    except OSError as error:  # a full disc: said once, not again when Python ends
        if code != BAD_INPUT:
            print_error(describe_refusal(error))
        forget_output()
        code = BAD_INPUT
    if code == INTERRUPTED:
        _exit_at_once(code)
    sys.exit(code if isinstance(code, int) else 0)


def _exit_at_once(code: int) -> None:
    """End an interrupted process at once where code was compiled: a normal exit would wait for
    compiled code that runs in another thread, or free what it, or a compiler that was interrupted
    half-way, still uses."""
    if "llvmlite" in sys.modules:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
