"""The server of the live viewer: the only file that imports viser (extra `viewer`).

It listens on this machine only, and accepts only its own page (server.py).
"""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from typing import Any

import viser

from softdock.errors import BadInput, Problem

# Restricts connections to pages of the viewer's own address on this machine.
#
# A browser lets any web page open a WebSocket to 127.0.0.1; only the header Origin identifies the
# page. viser checks none, so its call of `websockets.asyncio.server.serve` gets the list of allowed
# origins while the server starts: any other gets 403 before the first message.

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


BRAND = (59, 130, 214)
ENVIRONMENT = 0.2  # of viser's own light, in which colours turn pale


def serve(port: int) -> Any:
    """Start a server on this port; `OSError` if another program took it."""
    with allow_own_origins(port), redirect_stdout(io.StringIO()):  # viser prints a banner
        server = viser.ViserServer(host=HOST, port=port, label="softdock", verbose=False)
    server.scene.configure_environment_map(environment_intensity=ENVIRONMENT)
    if server.get_port() != port:
        server.stop()
        raise OSError(f"port {port} was taken meanwhile")
    return server


def set_theme(server: Any, dark: bool) -> None:
    server.gui.configure_theme(
        dark_mode=dark, show_logo=False, show_share_button=False, brand_color=BRAND
    )
