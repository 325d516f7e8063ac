"""How much memory is free on this machine."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def free_memory_bytes() -> int | None:
    """Bytes that a process may take without swapping; None where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None
