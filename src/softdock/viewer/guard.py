"""Who may connect: pages of this viewer's own address, on this machine, and nobody else.

A browser lets any web page open a WebSocket to 127.0.0.1; only the header Origin tells whose page
it is. viser asks for none, so its one call of `websockets.asyncio.server.serve` is given the list
of origins that are ours: every other gets 403 before a single message.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from softdock.errors import BadInput, Problem

HOST = "127.0.0.1"
FIRST_PORT, TRIED = 8765, 50


def own_origins(port: int) -> list[str]:
    return [f"http://{HOST}:{port}", f"http://localhost:{port}"]


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError:
            return False
    return True


def chosen_port(asked: int | None, taken: tuple[int, ...] = ()) -> int:
    """The port asked for, if it is free; without a wish the first free one that is not among those
    that are `taken`, or will be."""
    if asked is not None:
        if not is_free(asked):
            allowed = f"a free port; another program uses {asked}. Without --port the next is taken"
            raise BadInput(Problem("port", asked, allowed))
        return asked
    for port in range(FIRST_PORT, FIRST_PORT + TRIED):
        if port not in taken and is_free(port):
            return port
    raise BadInput(Problem("port", FIRST_PORT, f"{TRIED} ports from here on are all in use"))


@contextmanager
def only_own_pages(port: int) -> Iterator[None]:
    """While a server starts in here, it is given our origins."""
    import websockets.asyncio.server as server

    plain: Any = server.serve
    server.serve = partial(plain, origins=own_origins(port))  # type: ignore[misc,assignment]
    try:
        yield
    finally:
        server.serve = plain  # type: ignore[misc]
