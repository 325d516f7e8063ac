"""Ctrl-C while compiled code runs: nothing is lost, and nobody waits.

Python handles signals only between two of its own instructions. Long compiled calls are therefore
cut into chunks, with `defer_interrupts` noting a Ctrl-C between them, so that what was computed is
not lost; or they run in threads of their own (`run_abandonable`, `run_each_abandonable`), and
Ctrl-C ends the main thread at once.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

POLL_S = 0.2  # s, between two checks whether Ctrl-C was pressed


def _start(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@contextmanager
def defer_interrupts() -> Iterator[Callable[[], bool]]:
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


def run_abandonable(call: Callable[[], Any]) -> Any:
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

    thread = _start(work)
    while thread.is_alive():
        thread.join(POLL_S)
    if errors:
        raise errors[0]
    return results[0]


_Done = tuple[Any, BaseException | None]  # of one piece of work: its result, or what it raised


def run_each_abandonable(
    call: Callable[[Any], Any], items: Iterable[Any], threads: int
) -> Iterator[Any]:
    """Results of `call` for each item, as they come, from so many threads. Whoever leaves early
    (Ctrl-C, an error) waits for nothing: no further item is begun, and those under way are left
    behind."""
    waiting = list(items)[::-1]
    count, left = len(waiting), threading.Event()
    done: queue.SimpleQueue[_Done] = queue.SimpleQueue()

    def work() -> None:
        while not left.is_set():
            try:
                item = waiting.pop()
            except IndexError:
                return
            try:
                done.put((call(item), None))
            except BaseException as error:  # raised again where the caller is
                done.put((None, error))

    for _ in range(min(threads, count)):
        _start(work)
    try:
        for _ in range(count):
            result, error = _wait_for_next(done)
            if error is not None:
                raise error
            yield result
    finally:
        left.set()


def _wait_for_next(done: queue.SimpleQueue[_Done]) -> _Done:
    """A wait without end would not let Ctrl-C through on every system."""
    while True:
        try:
            return done.get(timeout=POLL_S)
        except queue.Empty:
            continue
