"""A rig file of a UR10e, and an emulated controller in a process of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from softdock.rig.writing import write_ur_rig

BEARS = {"limits.restitution": 1.3, "limits.energy_contact": 1.0, "limits.energy_run": 2.0}


def choose_host() -> str:
    """An address of loopback of this process's own: a controller's ports are fixed."""
    return f"127.8.{os.getpid() // 250 % 250}.{1 + os.getpid() % 250}"


def write_rig(folder: Path, host: str) -> Path:
    """What `softdock rig new --robot ur10e --chaser HOST` writes."""
    (file,) = write_ur_rig(folder / "ur.toml", host, force=True)
    return file


@contextlib.contextmanager
def emulated_ur(host: str, *options: str):
    """The controller, once it listens."""
    module = "softdock.rig.drivers.ur_emulator"
    process = subprocess.Popen(
        [sys.executable, "-m", module, "--host", host, *options], stdout=subprocess.PIPE, text=True
    )
    try:
        assert host in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
