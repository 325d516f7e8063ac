"""When the reader of our output has gone, or never was."""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> None:
    """What was started with a closed standard output or error prints into nothing: Python has none
    then, and the next file that is opened would take its place."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def forget_output() -> None:
    """Send what is still to be printed nowhere, or Python complains when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
