"""Restricts connections to pages of the viewer's own address on this machine.

A browser lets any web page open a WebSocket to 127.0.0.1; only the header Origin identifies the
page. viser checks none, so its call of `websockets.asyncio.server.serve` gets the list of allowed
origins while the server starts: any other gets 403 before the first message.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from softdock.errors import BadInput, Problem

HOST = "127.0.0.1"
FIRST_PORT, MOST_PORTS = 8765, 50


def list_own_origins(port: int) -> list[str]:
    return [f"http://{HOST}:{port}", f"http://localhost:{port}"]


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError:
            return False
    return True


def choose_port(asked: int | None, taken: tuple[int, ...] = ()) -> int:
    """The given port, if it is free; without one the first free port that is not in `taken`."""
    if asked is not None:
        if not is_free(asked):
            allowed = f"a free port; another program uses {asked}. Without --port the next is taken"
            raise BadInput(Problem("port", asked, allowed))
        return asked
    for port in range(FIRST_PORT, FIRST_PORT + MOST_PORTS):
        if port not in taken and is_free(port):
            return port
    raise BadInput(Problem("port", FIRST_PORT, f"{MOST_PORTS} ports from here on are all in use"))


@contextmanager
def allow_own_origins(port: int) -> Iterator[None]:
    """Context in which a new websockets server accepts only our origins."""
    import websockets.asyncio.server as server

    plain: Any = server.serve
    server.serve = partial(plain, origins=list_own_origins(port))  # type: ignore[misc,assignment]
    try:
        yield
    finally:
        server.serve = plain  # type: ignore[misc]
