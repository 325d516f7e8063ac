"""Contents of a recording written to a file that a reader gives back the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.recorder.mcap_file import McapFile
from softdock.recorder.read import Contents
from softdock.recorder.sink import Sink

ROWS_AT_ONCE = 2000  # between two chunks


def write_contents(contents: Contents, path: str | Path) -> Path:
    """Write contents as an MCAP file, whole or not at all."""
    target = Path(path)
    part = target.with_name(f".{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        sink = Sink(part)
    except OSError as error:
        raise _unwritable(path, error) from None
    file = McapFile(sink, contents.about, contents.streams)
    for stream in contents.streams:
        rows = np.ascontiguousarray(contents.rows[stream.name])
        for first in range(0, len(rows), ROWS_AT_ONCE):
            numbers = contents.numbers[stream.name][first : first + ROWS_AT_ONCE]
            file.add(stream, rows[first : first + ROWS_AT_ONCE], numbers)
            file.flush()
    for event in contents.events:
        file.say(event["time_ns"], event["level"], event["text"])
    file.finish(contents.end)
    if sink.error is not None:
        part.unlink(missing_ok=True)
        raise _unwritable(path, sink.error)
    part.replace(target)
    return target


def _unwritable(path: str | Path, error: OSError) -> BadInput:
    return BadInput(
        Problem("out", str(path), f"a file that can be written ({error.strerror or error})")
    )
