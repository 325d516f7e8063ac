"""The rows of a run while it runs, beside its recorder: for a viewer, for a live stream.

    beside = Beside(recorder.rings.path)
    for stream, rows, numbers in beside.look():     # what came since the last look
        ...
    beside.ended                                     # the loop will write no more

Reads only: the memory is mapped without the right to write, and places are its own, so neither the
loop nor the recorder can notice. It begins with what comes; rows for which it is too slow are left
out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softdock.recorder.follow import take
from softdock.recorder.ring_file import IN, open_ring
from softdock.recorder.streams import Stream

Found = tuple[Stream, np.ndarray, np.ndarray]


class Beside:
    """One run's rings, followed from now on. `from_start`: from the oldest row that is there."""

    def __init__(self, path: str | Path, from_start: bool = False) -> None:
        self.rings = open_ring(path, read_only=True)
        self.about, self.streams = self.rings.about, self.rings.streams
        self._next = [0 if from_start else int(ring.words[IN.count]) for ring in self.rings.rings]

    def look(self) -> list[Found]:
        """Rows (n, width) of each stream that has new ones, with their numbers."""
        found: list[Found] = []
        for i, ring in enumerate(self.rings.rings):
            rows, numbers, self._next[i] = take(ring, self._next[i])
            if len(rows):
                found.append((ring.stream, rows, numbers))
        return found

    @property
    def ended(self) -> bool:
        """Whether the loop has ended, or its process is gone."""
        return bool(self.rings.get("closed")) or not self.rings.writer_lives
