"""`softdock rig`: commands for a rig in real time, in the order in which an engineer types them.

A command is one line in `LAZY`; its file is imported when it is called.
"""

from __future__ import annotations

import signal
import threading

import click

from softdock.cli.main import LazyGroup

LAZY = {
    "new": "softdock.cli.rig_new:new",
    "machine": "softdock.cli.rig_measure:machine",
    "emulate": "softdock.cli.rig_emulate:emulate",
    "check": "softdock.cli.rig_check:check",
    "listen": "softdock.cli.rig_measure:listen",
    "tare": "softdock.cli.rig_measure:tare",
    "delay": "softdock.cli.rig_measure:delay",
    "run": "softdock.cli.rig_run:run",
    "accept": "softdock.cli.rig_accept:accept",
    "retreat": "softdock.cli.rig_run:retreat",
    "recover": "softdock.cli.rig_recover:recover",
}


@click.group(
    cls=LazyGroup, lazy=LAZY, short_help="Bring up, measure and run a real or emulated rig."
)
def rig() -> None:
    """A rig in real time: robots and force sensors that speak their own protocols.

    softdock is no safety function: the robots' own limits and safety controller are the guard.
    """
    _take_as_ctrl_c("SIGTERM", "SIGHUP", "SIGINT")


def _take_as_ctrl_c(*names: str) -> None:
    """A terminal that is closed and a `kill` ask for the same stop as Ctrl-C: robots brake, and
    what was recorded is whole. What is ignored (`nohup`) stays so, but for SIGINT: a shell ignores
    it for every job that a script puts into the background, and a rig must hear it."""
    for name in names:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is None or threading.current_thread() is not threading.main_thread():
            continue
        ignored = number == signal.SIGINT and signal.getsignal(number) == signal.SIG_IGN
        if ignored or signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
