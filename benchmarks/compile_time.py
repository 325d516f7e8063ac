"""How long until the first number? A fresh process with an empty cache (target < 20 s), and with a
warm one (target < 1 s).

Timed from starting `python -c` to its end: interpreter, imports, building and simulating EPOS 1-D.
The parts are timed inside. As on a user's machine: byte code is kept, and Numba finds no scipy to
import (softdock needs none; this environment has it for its tests). The better of two cold starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

COLD_TARGET_S, WARM_TARGET_S = 20.0, 1.0
REPEATS, COLD_REPEATS = 5, 2

PROGRAM = """
import json, time
t0 = time.perf_counter()
from softdock.cli.compile_ahead import start_numba
start_numba()
import numba
t1 = time.perf_counter()
import softdock
from softdock import build, run_loop
t2 = time.perf_counter()
from benchmarks.scenarios import epos_1d
scenario = build(epos_1d())
t3 = time.perf_counter()
assert run_loop(scenario).contacts
t4 = time.perf_counter()
took = {"numba_s": t1 - t0, "softdock_s": t2 - t1, "build_s": t3 - t2, "simulate_s": t4 - t3}
print(json.dumps(took))
"""


def start(program: str, cache: str) -> tuple[float, dict[str, float]]:
    """Seconds from start to end of a fresh process, and what it printed."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    began = time.perf_counter()
    out = subprocess.run(
        [sys.executable, "-c", program],
        env=environment | {"SOFTDOCK_CACHE_DIR": cache},
        capture_output=True,
        text=True,
    )
    took = time.perf_counter() - began
    if out.returncode != 0:
        raise RuntimeError(out.stderr)
    return took, json.loads(out.stdout or "{}")


def run() -> dict[str, Any]:
    colds = []
    for _ in range(COLD_REPEATS):
        with tempfile.TemporaryDirectory() as cache:
            colds.append(start(PROGRAM, cache))
    cold, cold_parts = min(colds, key=lambda found: found[0])
    with tempfile.TemporaryDirectory() as cache:
        start(PROGRAM, cache)
        warm, warm_parts = min(
            (start(PROGRAM, cache) for _ in range(REPEATS)), key=lambda found: found[0]
        )
        bare = min(start("", cache)[0] for _ in range(REPEATS))
    return {
        "cold_s": cold,
        "cold_parts": cold_parts,
        "warm_s": warm,
        "warm_parts": {"interpreter_s": bare} | warm_parts,
        "warm_own_s": warm
        - bare
        - warm_parts["numba_s"],  # all that is not Python's or Numba's own start
        "target": f"cold < {COLD_TARGET_S:g} s, warm < {WARM_TARGET_S:g} s",
        "met": cold < COLD_TARGET_S and warm < WARM_TARGET_S,
    }
