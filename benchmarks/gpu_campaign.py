"""Campaigns on a GPU: `python -m benchmarks.gpu_campaign [--quick] [FILE.json]`.

One million runs of 30 s at 4 ms with noise, from file to page (aims: under 15 s without the kernel's compilation, at most 400 MB of host memory and
200 bytes a run), the same for EPOS in 3-D, and outcomes equal to the CPU's on 1000 random dockings, those decided by rounding listed.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.campaign import MILLION, plan
from softdock.campaign.cpu import run_cpu
from softdock.campaign.cuda import find_device, run_cuda
from softdock.campaign.plan import Plan, make_plan
from softdock.campaign.spec import load_spec, read_spec
from softdock.campaign.whole import run_campaign
from softdock.errors import NoDevice

COMPARED = 1000
AGREE = 1e-9  # of peak force, peak torque and the energy at the start


def preset(name: str, runs: int, **changes: Any) -> Plan:
    spec = load_spec(name)
    return make_plan(read_spec(spec.tables | {"runs": runs} | changes, spec.locate))


def timed(made: Plan) -> dict[str, Any]:
    """A campaign from plan to page. The kernel was compiled by a small one before."""
    folder = Path(tempfile.mkdtemp())
    try:
        began = time.perf_counter()
        summary = run_campaign(made, folder / "c", "gpu")
        took = time.perf_counter() - began
        size = sum(p.stat().st_size for p in (folder / "c" / "runs").iterdir())
    finally:
        shutil.rmtree(folder)
    spent = summary["spent"]
    found = {"runs": made.runs, "seconds": took, "cycles_per_s": spent["cycles"] / took, "cycles_per_s_shards": spent["cycles_per_s"]}
    found |= {"cycles_per_s_device": spent["cycles_per_s_loop"], "bytes_per_run": size / made.runs}
    return found | {"memory_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}


def agreement() -> dict[str, Any]:
    """Outcomes of the CPU and the GPU on random dockings with captures asked for."""
    made = preset("epos_monte_carlo", COMPARED, reference=False, set={"capture": {"for_s": 0.5}, "contact": {"0": {"real": {"damping_Ns_per_m": 3000.0}}}})
    variant, runs = made.variants[0], made.thin(0, 0, COMPARED)
    cpu, gpu = (run(runs, variant.scenario.markers, variant.mem_floats) for run in (run_cpu, run_cuda))
    same = np.ones(COMPARED, dtype=bool)
    for name in ("status", "contacts", "cycles"):
        same &= cpu.column(name) == gpu.column(name)
    captured = np.isfinite(cpu.column("captured_at_s")), np.isfinite(gpu.column("captured_at_s"))
    same &= captured[0] == captured[1]
    worst = {}
    for name, scale in (("peak_force_real_N", None), ("peak_torque_real_Nm", None), ("energy_invented_J", "kinetic_start_J")):
        of = np.maximum(cpu.column(scale or name), 1e-12)
        worst[name] = float((np.abs(cpu.column(name) - gpu.column(name)) / of)[same].max())
    decided = np.flatnonzero(~same).tolist()
    return {"runs": COMPARED, "captured": int(captured[0].sum()), "decided_by_rounding": decided, "worst": worst, "agree": max(worst.values()) <= AGREE}


def main(arguments: list[str]) -> int:
    runs = MILLION // 20 if "--quick" in arguments else MILLION
    try:
        found: dict[str, Any] = {"device": find_device().name}
    except NoDevice as error:
        print(f"gpu_campaign: {error}", file=sys.stderr)
        return 1
    found["agreement"] = agreement()
    print(json.dumps(found), flush=True)
    for name, make in (("epos_1d, noise", plan), ("epos_3d, 1 kHz sensor", lambda n: preset("epos_monte_carlo", n, reference=False))):
        began = time.perf_counter()
        timed(make(1000))
        found[name] = {"first_s": time.perf_counter() - began}  # compiles
        began = time.perf_counter()
        made = make(runs)
        found[name] |= {"plan_s": time.perf_counter() - began} | timed(made)
        print(name, json.dumps(found[name]), flush=True)
    for path in (a for a in arguments if a.endswith(".json")):
        Path(path).write_text(json.dumps(found, indent=1) + "\n")
    return 0 if found["agreement"]["agree"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
