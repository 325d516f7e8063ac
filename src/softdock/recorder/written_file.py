"""Contents of a recording written to a file that a reader gives back the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.files.atomic import replacing
from softdock.recorder.mcap_file import McapFile
from softdock.recorder.read import Contents
from softdock.recorder.sink import Sink

ROWS_AT_ONCE = 2000  # between two chunks


def write_contents(contents: Contents, path: str | Path) -> Path:
    """Write contents as an MCAP file, whole or not at all."""
    target = Path(path)
    with replacing(target) as part:
        sink = Sink(part)
        _fill(sink, contents)
        if sink.error is not None:
            raise sink.error
    return target


def _fill(sink: Sink, contents: Contents) -> None:
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
