"""The live stream's process from the side of who starts it (live.py is the process itself).

    with StreamProcess(8765) as stream:
        stream.address                       # ws://127.0.0.1:8765
        stream.show(recorder.rings.path)     # the next run

It may die: the run goes on, and `said` tells.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.recorder.live import foxglove_sdk

END_S = 3.0  # for it to leave


class StreamProcess:
    """Use as a context around the runs that are shown."""

    def __init__(self, port: int) -> None:
        foxglove_sdk()
        command = [sys.executable, "-m", "softdock.recorder.live", "--port", str(port)]
        self.process = subprocess.Popen(
            command,
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
            raise BadInput(Problem("--foxglove", port, f"a free port of loopback ({last[0]})"))

    def show(self, rings: Path) -> None:
        """Hand it the rings of a run; whether it takes them is its own affair."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(f"{rings}\n")
            self.process.stdin.flush()

    @property
    def said(self) -> str:
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
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
