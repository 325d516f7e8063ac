"""The bare echo in C (echo.c) between emulated robots: what an answer costs on this machine at
least, and how many telegrams get lost."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock import load_scenario
from softdock.rig.drivers.emulators import Emulators
from softdock.rig.emulated_rig import lower_priority, make_emulation
from softdock.rig.file import load_rig
from softdock.rig.machine import find_free_ports
from softdock.rig.scenario import put_on_rig

NEVER = 1_000_000  # late packets until an emulated robot gives up
PORTS = (
    "robots.chaser.port",
    "robots.target.port",
    "sensors.chaser.port",
    "sensors.chaser.http_port",
)


@contextlib.contextmanager
def echoing() -> Iterator[dict[str, Any]]:
    """The echo and two emulated robots at 4 ms, all the while. Filled in at the end: `took_us` of
    each answer, what the echo counted, and by robot what it counted."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("the bare echo needs a C compiler: cc")
    rig = load_rig("emulated_pair", dict(zip(PORTS, find_free_ports(len(PORTS)))))
    emulation = make_emulation(put_on_rig(rig, load_scenario("epos_1d")))
    patient = [replace(r, timeout_packets=NEVER) for r in emulation.robots]
    emulation = lower_priority(replace(emulation, robots=(patient[0], patient[1])), rig)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as made, Emulators(emulation) as robots:
        program, times = Path(made) / "echo", Path(made) / "times"
        source = Path(__file__).parent / "echo.c"
        subprocess.run([compiler, "-O2", "-o", program, source], check=True)
        numbers = [str(r.ethernet.port) for r in emulation.robots]
        words = [str(program), str(times), str(rig.machine.priority), *numbers]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as echo:
            assert echo.stdout is not None
            echo.stdout.readline()
            robots.go()
            try:
                yield found
            finally:
                found["robots"] = {r.which: robots.seen(i) for i, r in enumerate(emulation.robots)}
                echo.terminate()
                said, _ = echo.communicate()
        found |= json.loads(said)
        found["took_us"] = np.fromfile(times, np.int64) / 1e3


def measure_c_echo(seconds: float) -> np.ndarray:
    """Times of its answers [us]."""
    with echoing() as found:
        time.sleep(seconds)
    took: np.ndarray = found["took_us"]
    return took
