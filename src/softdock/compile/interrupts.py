"""Ctrl-C while compiled code runs: nothing is lost, and nobody waits.

Python looks at signals only between two of its own instructions. Long compiled calls are therefore
cut into chunks, with `deferred` noting a Ctrl-C between them, so that what was computed is kept; or
they run beside the main thread (`abandonable`, `each_abandonable`), which Ctrl-C then ends at once.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

LOOK_S = 0.2  # between two looks at whether Ctrl-C was pressed
_THREADS: list[threading.Thread] = []  # that were begun here


def left_behind() -> bool:
    """Whether compiled code, or the compiler, still runs beside the main thread: a process that
    ends now must not take its libraries down first."""
    return any(thread.is_alive() for thread in _THREADS)


def _started(work: Callable[[], None]) -> threading.Thread:
    _THREADS[:] = [thread for thread in _THREADS if thread.is_alive()]
    thread = threading.Thread(target=work, daemon=True)
    _THREADS.append(thread)
    thread.start()
    return thread


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

    thread = _started(work)
    while thread.is_alive():
        thread.join(LOOK_S)
    if errors:
        raise errors[0]
    return results[0]


_Done = tuple[Any, BaseException | None]  # of one piece of work: its result, or what it raised


def each_abandonable(
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
        _started(work)
    try:
        for _ in range(count):
            result, error = _next(done)
            if error is not None:
                raise error
            yield result
    finally:
        left.set()


def _next(done: queue.SimpleQueue[_Done]) -> _Done:
    """A wait without end would not let Ctrl-C through on every system."""
    while True:
        try:
            return done.get(timeout=LOOK_S)
        except queue.Empty:
            continue
