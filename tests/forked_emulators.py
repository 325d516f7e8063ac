"""Emulators for tests, forked from one process that has imported softdock and loaded their code.

    with forked(), Emulators(emulation) as running:
        ...

A user's emulators are each a fresh Python (`spawn`), which imports and loads for a second and more
before it does anything. Here each is a fork of one process (loaded_emulators.py), with the same
arguments, pickled as for a fresh one. tests/realtime/test_loopback.py flies a docking with fresh
ones, so what a fresh one lacks is seen there.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock


@contextmanager
def forked() -> Iterator[None]:
    """Inside, whoever asks for fresh processes gets forks."""
    forking, asked = multiprocessing.get_context("forkserver"), multiprocessing.get_context
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    with mock.patch.dict(os.environ, {"PYTHONPATH": path}):  # what it imports, it finds by this
        forkserver.set_forkserver_preload(["loaded_emulators"])
        forkserver.ensure_running()

    def given(method: str | None = None) -> object:
        return forking if method == "spawn" else asked(method)

    with mock.patch.object(multiprocessing, "get_context", given):
        yield


def spent_s() -> float:
    """Processor time of that process and of its forks that have ended, for cpu_times.py."""
    if (pid := forkserver._forkserver._forkserver_pid) is None:  # type: ignore[attr-defined]
        return 0.0
    told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")  # user, system, the same of forks
