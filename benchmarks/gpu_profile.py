"""What bounds a campaign's kernel: `python -m benchmarks.gpu_profile [FILE.json]`, with Nvidia's
profiler `ncu` on a GPU.

For one wave of runs of each case: double-precision operations a cycle, the share of the card's peak
that they reach (a fused multiply-add counts two), how busy its pipes are, and what the warps wait
for.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.gpu_campaign import CASES, HEADLINES
from benchmarks.gpu_check import about
from softdock.studies.campaign.cuda import WAVE, find_device

# fused multiply-adds in double precision a multiprocessor starts in a clock cycle (compute
# capability 8.0 and 9.0)
PER_CYCLE = 64
OPERATIONS = {
    f"smsp__sass_thread_inst_executed_op_d{name}_pred_on.sum": count
    for name, count in (("add", 1), ("mul", 1), ("fma", 2))
}
SHARES = {
    "pipes of double precision busy": (
        "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"
    ),
    "cycles in which a warp is issued": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "hits in the first cache": "l1tex__t_sector_hit_rate.pct",
    "hits in the second cache": "lts__t_sector_hit_rate.pct",
    "memory's bandwidth": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
STALLS = {
    "the last result (fixed latency)": "wait",
    "memory": "long_scoreboard",
    "instructions to arrive": "no_instruction",
    "a busy pipe": "math_pipe_throttle",
}
CLOCK, SECONDS = "sm__cycles_elapsed.max", "gpu__time_duration.sum"
COMMON_PLACES = ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/ncu")


def stall(name: str) -> str:
    return f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"


def profile(ncu: str, case: str, runs: int) -> dict[str, float]:
    """The metrics of the kernel's first launch."""
    metrics = [
        *OPERATIONS,
        *SHARES.values(),
        *(stall(name) for name in STALLS.values()),
        CLOCK,
        SECONDS,
    ]
    command = [
        ncu,
        "--csv",
        "--print-units",
        "base",
        "--clock-control",
        "none",
        "-k",
        "regex:run_slice",
        "-c",
        "1",
        "--metrics",
        ",".join(metrics),
    ]
    command += [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "benchmarks.gpu_campaign",
        "--one",
        case,
        str(runs),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    table = done.stdout[done.stdout.index('"ID"') :]
    rows = [row for row in csv.DictReader(io.StringIO(table)) if row.get("Metric Value")]
    return {
        row["Metric Name"]: float(row["Metric Value"].replace(",", ""))
        for row in rows
        if row["Metric Value"] != "n/a"
    }


def read(found: dict[str, float], runs: int, cycles: int, multiprocessors: int) -> dict[str, Any]:
    operations = sum(count * found[name] for name, count in OPERATIONS.items())
    result: dict[str, Any] = {
        "cycles_per_s": runs * cycles / (1e-9 * found[SECONDS]),
        "operations_per_cycle": operations / (runs * cycles),
        "share_of_peak": operations / (2.0 * PER_CYCLE * multiprocessors * found[CLOCK]),
    }
    result |= {words: found[name] / 100.0 for words, name in SHARES.items()}
    return result | {
        "clock cycles a warp waits for": {
            words: found[stall(name)] for words, name in STALLS.items()
        }
    }


def main(arguments: list[str]) -> int:
    ncu = shutil.which("ncu") or next(
        (place for place in COMMON_PLACES if Path(place).exists()), None
    )
    if ncu is None:
        print("gpu_profile: Nvidia's profiler `ncu` is not installed", file=sys.stderr)
        return 1
    device = find_device()
    runs = device.multiprocessors * WAVE
    found = about(device, False)
    for case, make in CASES.items():
        if case not in HEADLINES:
            continue
        scenario = make(1).base.tables["time"]
        cycles = round(scenario["duration_s"] / (1e-3 * scenario["cycle_ms"]))
        found[case] = read(profile(ncu, case, runs), runs, cycles, device.multiprocessors)
        print(case, json.dumps(found[case]), flush=True)
    for path in (a for a in arguments if a.endswith(".json")):
        Path(path).write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
