"""A run live in Foxglove: the topics of its recording over a WebSocket of this computer alone.

    python -m softdock.recording.live [--port 8765]

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
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, BadRecording, Problem
from softdock.recording.mcap_file import McapFile, Sink
from softdock.recording.recorder import take_rows
from softdock.recording.ring_file import IN, open_ring
from softdock.recording.streams import Stream

# The rows of a run while it runs, beside its recorder: for a viewer, for a live stream.
#
#     beside = Beside(recorder.rings.path)
#     for stream, rows, numbers in beside.look():     # what came since the last look
#         ...
#     beside.ended                                     # the loop will write no more
#
# Reads only: the memory is mapped without the right to write, and places are its own, so neither
# the loop nor the recorder can notice. It begins with what comes; rows for which it is too slow are
# left out.

Found = tuple[Stream, np.ndarray, np.ndarray]


class RingFollower:
    """One run's rings, followed from now on. `from_start`: from the oldest row that is there."""

    def __init__(self, path: str | Path, from_start: bool = False) -> None:
        self.rings = open_ring(path, read_only=True)
        self.about, self.streams = self.rings.about, self.rings.streams
        self._next = [0 if from_start else int(ring.words[IN.count]) for ring in self.rings.rings]

    def look(self) -> list[Found]:
        """Rows (n, width) of each stream that has new ones, with their numbers."""
        found: list[Found] = []
        for i, ring in enumerate(self.rings.rings):
            rows, numbers, self._next[i] = take_rows(ring, self._next[i])
            if len(rows):
                found.append((ring.stream, rows, numbers))
        return found

    @property
    def ended(self) -> bool:
        """Whether the loop has ended, or its process is gone."""
        return bool(self.rings.get("closed")) or not self.rings.writer_lives


LOOPBACK = "127.0.0.1"  # and nothing else
LOOK_S = 0.05
NICE = 10  # behind everything that matters


def import_foxglove() -> Any:
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
        sdk = import_foxglove()
        self._sdk, self._context = sdk, sdk.Context()
        self.subscribed: set[tuple[int, int]] = set()
        self.server = sdk.start_server(
            name="softdock",
            host=LOOPBACK,
            port=port,
            capabilities=[],
            server_listener=_make_listener(self.subscribed, sdk.ServerListener)(),
            context=self._context,
        )
        self._beside: RingFollower | None = None
        self._file: McapFile | None = None

    @property
    def address(self) -> str:
        return f"ws://{LOOPBACK}:{self.server.port}"

    def show(self, rings: str) -> None:
        """Another run: its topics in the place of the last one's."""
        self.leave()
        self._beside = RingFollower(rings)
        writer = ChannelWriter(self._sdk, self._context)
        self._file = McapFile(_NoFile(), self._beside.about, self._beside.streams, writer)

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

    def close(self) -> str:
        self.leave()
        self.server.stop()
        return ""


class _NoFile(Sink):
    """A sink without a file."""

    def __init__(self) -> None:
        super().__init__(os.devnull, exclusive=False)


def _make_listener(subscribed: set[tuple[int, int]], base: type) -> type:
    """Who listens to what, by client and channel."""

    class Listener(base):
        def on_subscribe(self, client: Any, channel: Any) -> None:
            subscribed.add((client.id, channel.id))

        def on_unsubscribe(self, client: Any, channel: Any) -> None:
            subscribed.discard((client.id, channel.id))

    return Listener


def _read_line(wait_s: float) -> str | None:
    """A line that has come; empty at the end of the input; None: nothing yet."""
    ready, _, _ = select.select([sys.stdin], [], [], wait_s)
    return sys.stdin.readline() if ready else None


def serve_runs(open_broadcast: Callable[[], Any], look_s: float = LOOK_S) -> int:
    """Hand on one run after the other, until the input ends. On standard output: the address; at
    the end what was done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(NICE)
    try:
        broadcast = open_broadcast()
    except BadInput as error:
        sys.exit(str(error))
    print(broadcast.address, flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        begun = time.monotonic()
        line = _read_line(0.0)
        if line == "":
            break
        if line is not None:
            with contextlib.suppress(BadRecording):  # a run that is over already
                broadcast.show(line.strip())
        broadcast.look()
        time.sleep(max(0.001, look_s - (time.monotonic() - begun)))
    print(broadcast.close(), flush=True)
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="softdock.recording.live", description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    port = parser.parse_args(arguments).port
    return serve_runs(lambda: Broadcast(port))


# A live stream's process, as the process that starts it holds it.
#
#     with stream_to_foxglove(8765) as stream:
#         stream.address                       # ws://127.0.0.1:8765
#         stream.show(recorder.rings.path)     # the next run
#     stream.summary                           # what it did; empty: nothing to say
#
# It may die: the run goes on, and `problem` tells.

END_S = 3.0  # for it to leave


class StreamProcess:
    """Use as a context around the runs that are shown. `option`: of the command line, for what is
    wrong with it."""

    def __init__(self, module: str, arguments: Sequence[str], option: str, allowed: str) -> None:
        self.summary = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            _, why = self.process.communicate()
            last = why.strip().splitlines()[-1:] or ["it ended"]
            raise BadInput(Problem(option, " ".join(arguments), f"{allowed} ({last[0]})"))

    def show(self, rings: Path) -> None:
        """Hand it the rings of a run; whether it takes them is its own affair."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(f"{rings}\n")
            self.process.stdin.flush()

    @property
    def problem(self) -> str:
        """What is wrong with it, now."""
        return "" if self.process.poll() is None else "the live stream has ended; the run goes on"

    def __enter__(self) -> StreamProcess:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.summary = self.process.stdout.readline().strip()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def stream_to_foxglove(port: int) -> StreamProcess:
    import_foxglove()
    arguments, allowed = ["--port", str(port)], "a free port of loopback"
    return StreamProcess("softdock.recording.live", arguments, "--foxglove", allowed)


def stream_to_ros2(rate_Hz: int) -> StreamProcess:
    from softdock.recording.ros2 import import_cyclonedds

    import_cyclonedds()
    arguments, allowed = ["--rate", str(rate_Hz)], "DDS that comes up"
    return StreamProcess("softdock.recording.ros2", arguments, "--ros2", allowed)


if __name__ == "__main__":
    sys.exit(main())
