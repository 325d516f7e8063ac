"""A recording from the loop's side: rings to write to, the process that follows them, and what it
has to say.

    recorder = Recorder("run.mcap", rig_streams([...]), about)
    recorder.start()                          # before the clock starts; the loop then only pushes
    ring = recorder.rings.ring("cycle")       # ring.slots, ring.count: for the compiled loop
    recorder.said()                           # sentences: a full disc, a dead recorder, lost rows
    recorder.close()                          # the last rows are on the disc, or it says why not

The loop never waits for the recorder and does not notice its death: rows go on into the ring, which
`softdock rig recover` can read.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable
from softdock.recorder.follow import FLUSH_S
from softdock.recorder.ring_file import IN, SECONDS, RingFile, make_ring, warm_up
from softdock.recorder.streams import About, Stream

START_S = 60.0  # for the process to come up, on a busy machine too
CLOSE_S, CLOSE_SHARE = 30.0, 0.2  # for the end of the file: at least, and of the run
SILENT_S = 2.0  # without a look, a recorder that lives is said to be stuck
LONGEST_FLUSH_S = 0.1  # a kill must not lose more


def utc_offset_ns() -> int:
    """UTC minus our monotonic clock: taken once, so that no step of the clock enters a run."""
    before = time.monotonic_ns()
    utc = time.time_ns()
    return utc - (before + time.monotonic_ns()) // 2


class Recorder:
    """Rings and the process behind them."""

    def __init__(
        self,
        file: str | Path,
        streams: Sequence[Stream],
        about: About,
        *,
        flush_s: float = FLUSH_S,
        seconds: float = SECONDS,
        folder: Path | None = None,
    ) -> None:
        self.file = Path(file)
        if not 0.0 < flush_s <= LONGEST_FLUSH_S:
            raise BadInput(Problem("record.flush_ms", 1e3 * flush_s, "more than 0, at most 100 ms"))
        refuse_unwritable(self.file, "record")
        if self.file.exists():
            raise BadInput(Problem("record", str(file), "a new file; this one exists"))
        self.flush_s = flush_s
        self.rings: RingFile = make_ring(streams, about, file, folder, seconds)
        self.process: subprocess.Popen[bytes] | None = None
        self._began_s = time.monotonic()

    def start(self) -> None:
        """Start the process and wait until it follows. Raises `BadInput` if it does not come up."""
        warm_up()
        command = [sys.executable, "-m", "softdock.recorder.follow"]
        command += [str(self.rings.path), str(self.file), "--flush-ms", str(1e3 * self.flush_s)]
        # of its own session: what is typed at the loop's terminal is not for it
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        until = time.monotonic() + START_S
        while not self.rings.get("looked_ns"):
            if self.process.poll() is not None or time.monotonic() > until:
                self.process.kill()
                said = (self.process.communicate()[1] or b"").decode(errors="replace").strip()
                self.rings.remove()
                why = said.splitlines()[-1] if said else "no answer"
                raise BadInput(Problem("record", str(self.file), f"a file to record to ({why})"))
            time.sleep(0.005)

    @property
    def lost(self) -> dict[str, int]:
        """Rows lost so far, by stream."""
        return {ring.stream.name: int(ring.words[IN.lost]) for ring in self.rings.rings}

    def said(self) -> list[str]:
        """What is wrong with the recording, now; nothing where all is well."""
        found, rings = [], self.rings
        if rings.get("refused"):
            reason = os.strerror(rings.get("refused"))
            found.append(f"the disc does not take the recording ({reason}); the loop goes on")
        if self.process is not None and not rings.get("ended"):
            if self.process.poll() is not None:
                found.append(
                    "the recorder is gone; the loop goes on, and its last rows are in "
                    f"{rings.path}: softdock rig recover {self.file} --ring {rings.path}"
                )
            elif time.monotonic_ns() - rings.get("looked_ns") > SILENT_S * 1e9:
                found.append("the recorder has not looked at the loop for more than 2 s")
        return found + self._lost()

    def close(self, timeout_s: float | None = None) -> list[str]:
        """The loop has ended: wait for the file. Returns what went wrong; nothing, and the rings
        are gone, if the file is whole. Its index grows with the run: by default half a minute and
        a fifth of the run are waited."""
        self.rings.set("closed", 1)
        if timeout_s is None:
            timeout_s = CLOSE_S + CLOSE_SHARE * (time.monotonic() - self._began_s)
        if self.process is None:
            return [f"nothing was recorded; the rows are in {self.rings.path}"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout_s)
        if self.process.stderr is not None:
            self.process.stderr.close()
        if not self.rings.get("ended"):
            return [self._missing(timeout_s)]
        self.rings.remove()
        return self._lost()

    def _lost(self) -> list[str]:
        return [
            f"{n} rows of '{name}' are lost to the recording" for name, n in self.lost.items() if n
        ]

    def _missing(self, timeout_s: float) -> str:
        """Of a file that did not end: why, what there is of it, and what makes it whole."""
        rings, whose, elsewhere = self.rings, self.process, ""
        why = f"the recorder did not end within {timeout_s:g} s"
        if rings.get("refused"):
            why = f"the disc took no more of it ({os.strerror(rings.get('refused'))})"
            elsewhere = " --out FILE-WITH-ROOM"
        elif whose is not None and whose.poll() is not None:
            why = f"its recorder was killed (exit code {whose.poll()})"
        ring = rings.rings[0]
        written, taken = int(ring.words[IN.count]), int(ring.words[IN.taken])
        held = min(written, len(ring.slots))
        return (
            f"the recording {self.file} is not whole: {why}. Of {written} rows of "
            f"'{ring.stream.name}' its recorder took {taken}; the ring holds the last {held}: "
            f"softdock rig recover {self.file} --ring {rings.path}{elsewhere}"
        )
