"""Compiled functions run as the plain Python that they are, with some of them replaced: how a
model that is not compiled runs in the same loop.

    with running({linear_law: my_law}):
        call_plain(run_cycles, *arguments)

Within it a compiled function that Python calls runs its own source text, or what replaces it; the
numbers are those of the compiled code (tests/parity/test_plain_python.py). It holds for the thread
that entered it. Outside of it such a call is refused (pipeline.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

# by a compiled function's Python function, what runs in its place; None: calls are refused
REPLACED: ContextVar[Mapping[Any, Callable[..., Any]] | None] = ContextVar("replaced", default=None)


def get_source(function: Any) -> Any:
    """The Python function of a compiled one."""
    return getattr(function, "py_func", function)


@contextlib.contextmanager
def running(replaced: Mapping[Any, Callable[..., Any]]) -> Iterator[None]:
    """Run compiled functions as plain Python; `replaced`: by a compiled function, another."""
    token = REPLACED.set({get_source(function): own for function, own in replaced.items()})
    try:
        yield
    finally:
        REPLACED.reset(token)


def call_plain(entry_point: Any, *args: Any, **keywords: Any) -> Any:
    """An entry point's own Python function, to be called within `running`."""
    return get_source(entry_point)(*args, **keywords)
