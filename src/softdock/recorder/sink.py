"""Where the bytes of a file go when the disc may be full: nothing is lost and nothing waits.

Bytes are kept in memory until the system has taken them. A disc that takes none is said (`error`)
and tried again at every flush; what it took in part goes on where it stopped. So a file whose disc
was full for a while is whole, and one whose disc stayed full is cut at a byte, as by a kill.
"""

from __future__ import annotations

import os
from pathlib import Path

MOST_PENDING = 64_000_000  # bytes; beyond, whoever writes should drop what comes


class Sink:
    """A file to write to: `write`, `flush`, `tell`, `close`."""

    def __init__(self, path: str | Path, exclusive: bool = True) -> None:
        # O_BINARY: Windows would turn line ends into two bytes
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
        flags |= os.O_EXCL if exclusive else 0
        self.handle = os.open(path, flags, 0o666)
        self.pending = bytearray()
        self.taken = 0  # bytes that the system has
        self.error: OSError | None = None  # why it takes no more; None: all is well

    def write(self, data: bytes) -> int:
        self.pending += data
        return len(data)

    def tell(self) -> int:
        return self.taken + len(self.pending)

    def flush(self) -> None:
        """Hand over what is there; a refusal is kept, not raised."""
        try:
            while self.pending:
                done = os.write(self.handle, self.pending)
                self.taken += done
                del self.pending[:done]
        except OSError as error:
            self.error = error
            return
        self.error = None

    @property
    def is_over(self) -> bool:
        """Whether more is pending than may be kept."""
        return len(self.pending) > MOST_PENDING

    def close(self) -> None:
        """To the disc, as far as it goes."""
        self.flush()
        try:
            os.fsync(self.handle)
        except OSError as error:
            if self.pending:
                self.error = error  # a device that cannot be synchronised is none otherwise
        os.close(self.handle)
