"""What a process has once, put back after a user's file ran: working folder, standard streams,
environment, handlers of signals. A file of methods brings methods, and changes nothing else."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

HOOKS = ("stdin", "stdout", "stderr", "excepthook", "displayhook", "argv", "path")


@contextlib.contextmanager
def left_as_it_was(pressed: list[int]) -> Iterator[None]:
    """Put back what was changed meanwhile. `pressed`: Ctrl-C that came from outside."""
    hooks = {name: getattr(sys, name) for name in HOOKS}
    lists = {name: list(hooks[name]) for name in ("argv", "path")}
    environment, folder, limit = dict(os.environ), os.getcwd(), sys.getrecursionlimit()
    handlers = {one: signal.getsignal(one) for one in signal.valid_signals()}
    ours = threading.current_thread() is threading.main_thread()
    before: Any = handlers[signal.SIGINT]

    def remember(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        if callable(before):
            before(number, frame)

    if ours and callable(before):
        signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        os.chdir(folder)
        for name, value in hooks.items():
            setattr(sys, name, value)
        for name, items in lists.items():
            hooks[name][:] = items
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        sys.setrecursionlimit(limit)
        for one, handler in handlers.items():
            if ours and handler is not None and signal.getsignal(one) is not handler:
                signal.signal(one, handler)
