"""How long an analysis may take: a loop of hundreds of cycles of delay has hundreds of roots near
the boundary, and each parameter's limit asks for all of them.

    with patience(30.0):
        advise(loop)        # raises TooLong once 30 s of this thread's CPU time are spent
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from softdock.errors import SoftdockError

_UNTIL: ContextVar[float] = ContextVar("softdock_stability_until", default=float("inf"))


class TimeLimitExceeded(SoftdockError):
    """An analysis that was not over within its patience."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Within it, at most so many seconds of CPU time; a shorter patience around it stays."""
    token = _UNTIL.set(min(_UNTIL.get(), time.thread_time() + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


def check_time_limit() -> None:
    """Called where an analysis spends its time. Raises `TimeLimitExceeded`."""
    if time.thread_time() > _UNTIL.get():
        raise TimeLimitExceeded(
            "the analysis of this loop takes too long: with so many cycles of delay it has too "
            "many roots near its boundary"
        )
