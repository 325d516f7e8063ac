"""Ctrl-C while compiled code runs: nothing is lost, and nobody waits.

Python looks at signals only between two of its own instructions. Long compiled calls are therefore
cut into chunks, with `deferred` noting a Ctrl-C between them, so that what was computed is kept; or
they run beside the main thread (`abandonable`), which Ctrl-C then ends at once.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def deferred() -> Iterator[Callable[[], bool]]:
    """While inside, Ctrl-C raises nothing; the function given says whether it was pressed. A second
    one raises at once. In other threads than the main one signals never arrive."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed: list[bool] = []

    def note(number: int, frame: Any) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    before = signal.getsignal(signal.SIGINT)
    if before in (None, signal.SIG_IGN):  # not ours to change
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def abandonable(call: Callable[[], Any]) -> Any:
    """The result of a long compiled call that gives up nothing when it is left behind: it runs in a
    thread of its own, and Ctrl-C does not wait for it."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # raised again where the caller is
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    if errors:
        raise errors[0]
    return results[0]
