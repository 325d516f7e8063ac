"""A run live in Foxglove: the topics of its recording over a WebSocket of this computer alone.

    python -m softdock.recorder.live [--port 8765]

A process of its own beside the recorder's (`softdock rig run --foxglove` starts it). It reads lines
on standard input, each the rings of a run, and serves the newest; the end of the input ends it. On
standard output one line: the address. Messages are those of the MCAP file (CDR, ros2msg), encoded
only while somebody has subscribed. It listens on loopback, takes nothing from a client, and a
client that is too slow misses messages: nothing waits for it.

Needs the package foxglove-sdk (softdock[live]).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import signal
import sys
import time
from typing import Any

from softdock.errors import BadInput, BadRecording, Problem
from softdock.recorder.live_rows import Beside
from softdock.recorder.mcap_file import McapFile
from softdock.recorder.sink import Sink

LOOPBACK = "127.0.0.1"  # and nothing else
LOOK_S = 0.05
NICE = 10  # behind everything that matters


def foxglove_sdk() -> Any:
    """The package, or what to install."""
    try:
        import foxglove
    except ImportError:
        allowed = "the package foxglove-sdk: pip install 'softdock[live]'"
        raise BadInput(Problem("--foxglove", "not installed", allowed)) from None
    return foxglove


class ChannelWriter:
    """What McapFile takes for a writer: messages become those of channels, the rest is left out."""

    def __init__(self, sdk: Any, context: Any) -> None:
        self._sdk, self._context = sdk, context
        self._schemas: list[Any] = []
        self.channels: list[Any] = []

    def register_schema(self, name: str, encoding: str, data: bytes) -> int:
        self._schemas.append(self._sdk.Schema(name=name, encoding=encoding, data=data))
        return len(self._schemas) - 1

    def register_channel(self, topic: str, encoding: str, schema: int) -> int:
        made = self._sdk.Channel(
            topic,
            schema=self._schemas[schema],
            message_encoding=encoding,
            context=self._context,
        )
        self.channels.append(made)
        return len(self.channels) - 1

    def add_message(
        self, channel: int, log_time: int, data: bytes, publish_time: int, sequence: int
    ) -> None:
        self.channels[channel].log(data, log_time=log_time)

    def _leave_out(self, *_: Any) -> None:
        """Metadata and attachments are the file's."""

    start = add_metadata = add_attachment = flush = _leave_out

    def finish(self) -> None:
        for channel in self.channels:
            channel.close()


class Broadcast:
    """The server, and the run that it shows."""

    def __init__(self, port: int) -> None:
        sdk = foxglove_sdk()
        self._sdk, self._context = sdk, sdk.Context()
        self.subscribed: set[tuple[int, int]] = set()
        self.server = sdk.start_server(
            name="softdock",
            host=LOOPBACK,
            port=port,
            capabilities=[],
            server_listener=_listener(self.subscribed, sdk.ServerListener)(),
            context=self._context,
        )
        self._beside: Beside | None = None
        self._file: McapFile | None = None

    @property
    def address(self) -> str:
        return f"ws://{LOOPBACK}:{self.server.port}"

    def show(self, rings: str) -> None:
        """Another run: its topics in the place of the last one's."""
        self.leave()
        self._beside = Beside(rings)
        writer = ChannelWriter(self._sdk, self._context)
        self._file = McapFile(_Nowhere(), self._beside.about, self._beside.streams, writer)

    def leave(self) -> None:
        if self._file is not None:
            self._file.writer.finish()
        self._file = self._beside = None

    def look(self) -> int:
        """Hand on what came: how many rows. They are passed over where nobody listens."""
        if self._beside is None or self._file is None:
            return 0
        came = self._beside.look()
        if self.subscribed:
            for stream, rows, numbers in came:
                self._file.add(stream, rows, numbers)
        return sum(len(rows) for _, rows, _ in came)

    def close(self) -> None:
        self.leave()
        self.server.stop()


class _Nowhere(Sink):
    """A sink without a file."""

    def __init__(self) -> None:
        super().__init__(os.devnull, exclusive=False)


def _listener(subscribed: set[tuple[int, int]], base: type) -> type:
    """Who listens to what, by client and channel."""

    class Listener(base):
        def on_subscribe(self, client: Any, channel: Any) -> None:
            subscribed.add((client.id, channel.id))

        def on_unsubscribe(self, client: Any, channel: Any) -> None:
            subscribed.discard((client.id, channel.id))

    return Listener


def _next_line(wait_s: float) -> str | None:
    """A line that has come; empty at the end of the input; None: nothing yet."""
    ready, _, _ = select.select([sys.stdin], [], [], wait_s)
    return sys.stdin.readline() if ready else None


def serve(port: int) -> int:
    """Until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICE)
    broadcast = Broadcast(port)
    print(broadcast.address, flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        begun = time.monotonic()
        line = _next_line(0.0)
        if line == "":
            break
        if line is not None:
            with contextlib.suppress(BadRecording):  # a run that is over already
                broadcast.show(line.strip())
        broadcast.look()
        time.sleep(max(0.001, LOOK_S - (time.monotonic() - begun)))
    broadcast.close()
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="softdock.recorder.live", description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    return serve(parser.parse_args(arguments).port)


if __name__ == "__main__":
    sys.exit(main())
