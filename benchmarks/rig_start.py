"""How long a rig takes to begin, and what memory its controller has.

    python -m benchmarks.rig_start            # idle machine; a minute and a half

`softdock rig run emulated_pair epos_1d` in an empty cache and twice again: CPU of all processes in
the first (aim 60 s), wall time from the command to the run-up in the last (5 s), and the
largest resident memory of the controller's process (350 MB; where it compiles, LLVM's is in it).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

COLD_CPU_S, WARM_S, MOST_MB = 60.0, 5.0, 350.0


def start(folder: str, number: int) -> dict[str, float]:
    """One run: CPU [s], seconds to the run-up, and resident memory [MB]."""
    begun, run_up = time.perf_counter(), float("nan")
    words = [sys.executable, "-m", "softdock", "rig", "run", "emulated_pair", "epos_1d"]
    with subprocess.Popen(
        [*words, "--out", f"out-{number}"],
        cwd=folder,
        env={**os.environ, "SOFTDOCK_CACHE_DIR": f"{folder}/cache"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.rstrip().endswith("run-up"):
                run_up = time.perf_counter() - begun
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if math.isnan(run_up):  # what stops it later on a busy machine is no matter here
        raise SystemExit(f"no run-up: the run ended with exit code {process.returncode}")
    cpu = used.ru_utime + used.ru_stime
    return {"cpu_s": round(cpu, 1), "run_up_s": round(run_up, 2), "MB": used.ru_maxrss // 1024}


def run() -> dict[str, Any]:
    """Cold, and warm."""
    with tempfile.TemporaryDirectory() as folder:
        cold, _, warm = (start(folder, number) for number in range(3))
    met = cold["cpu_s"] <= COLD_CPU_S and warm["run_up_s"] <= WARM_S and warm["MB"] <= MOST_MB
    load = os.getloadavg()[0]
    return {"cold": cold, "warm": warm, "load": round(load, 1), "met": bool(met)}


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
