"""How much memory a run's record takes, and how much is free on this machine."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.loop.record import channels_of
from softdock.scenario.build import Scenario

COPIES = 1.6  # of the record: itself, orbit's, and what metrics and page make of them


def get_free_memory_bytes() -> int | None:
    """Bytes that a process may take without swapping; None where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def compute_record_bytes(scenario: Scenario, cycles: int) -> int:
    """Memory that the record of a run takes."""
    channels = channels_of(method["name"] for method in scenario.tables["methods"])
    return 8 * (cycles + 1) * len(channels)


def check_memory(scenario: Scenario, cycles: int) -> None:
    """Refuse a run whose record would not fit into the memory that is free."""
    needed, free = compute_record_bytes(scenario, cycles), get_free_memory_bytes()
    if free is not None and COPIES * needed > free:
        duration = scenario.tables["time"]["duration_s"]
        allowed = (
            f"at most {free / COPIES / needed * duration:.3g}: {cycles} cycles take "
            f"{COPIES * needed / 1e9:.3g} GB to record and to judge, {free / 1e9:.3g} GB are free "
            "(softdock.Stepper runs without a record)"
        )
        raise BadInput(Problem("time.duration_s", duration, allowed))
