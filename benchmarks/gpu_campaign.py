"""Campaigns on a GPU: `python -m benchmarks.gpu_campaign [--quick] [CASE...] [FILE.json]`; a case
is one of `CASES`, or `agreement`.

Millions of runs from file to page, each campaign in a process of its own with its kernel compiled
before, as a second use of the command finds it. Aims: 3e9 cycles a second at a single rate with
noise and ledger, 8e8 for EPOS in 3-D with its 1 kHz sensor; a million runs of 30 s at 4 ms in under
15 s, at most 400 MB of host memory and 200 bytes a run. Then outcomes equal to the CPU's on 1000
random dockings, those decided by rounding listed. The file names the hash of the core's sources;
cases that it already has of the same sources stay.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.campaign import MILLION, VARY, plan
from benchmarks.gpu_check import about
from softdock.errors import NoDevice
from softdock.output.folders.campaign_folder import run_campaign
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.cuda import find_device, run_cuda
from softdock.studies.campaign.memory_settings import spare_memory
from softdock.studies.campaign.outcomes import ACTIVE
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.spec import load_spec, read_spec
from softdock.studies.campaign.variants import Plan

COMPARED, AGREEMENT = 1000, "agreement"
AGREE = 1e-9  # of peak force, peak torque and the energy at the start


def preset(name: str, runs: int, without: tuple[str, ...] = (), **changes: Any) -> Plan:
    """A preset of so many runs; `without`: keys that are not to vary."""
    spec = load_spec(name)
    vary = [one for one in spec.tables["vary"] if one.get("key") not in without]
    return make_plan(read_spec(spec.tables | {"runs": runs, "vary": vary} | changes, spec.locate))


DELAY, STIFFNESS = "robots.chaser.delay_ms", "contact.0.real.stiffness_N_per_m"
CASES: dict[str, Callable[[int], Plan]] = {
    "epos_1d with noise": lambda runs: plan(runs, [one for one in VARY if one["key"] != DELAY]),
    "epos_1d with noise, delays of 12 to 20 ms": plan,
    "epos_3d with its 1 kHz sensor": lambda runs: preset(
        "epos_monte_carlo", runs, (DELAY, STIFFNESS), reference=False
    ),
    "epos_3d with its 1 kHz sensor, scattered stiffness": lambda runs: preset(
        "epos_monte_carlo", runs, (DELAY,), reference=False
    ),
    "epos_3d with its 1 kHz sensor, scattered stiffness and delay": lambda runs: preset(
        "epos_monte_carlo", runs, reference=False
    ),
}
HEADLINES, LONGER = (
    ("epos_1d with noise", "epos_3d with its 1 kHz sensor"),
    4,
)  # also with so many times as many runs: what is loaded once counts less


def private_MB() -> float:
    """Memory of this process that is not a mapped file: libraries are not in it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return (
        sum(float(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem")))
        / 1e3
    )


class Watch(threading.Thread):
    """The most private memory, looked at every 10 ms."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.over = 0.0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.01):
            self.most = max(self.most, private_MB())


def timed(case: str, runs: int) -> dict[str, Any]:
    """A campaign from what would stand in its file to its page."""
    spare_memory()  # as the command does
    folder, watch = Path(tempfile.mkdtemp()), Watch()
    watch.start()
    try:
        find_device()
        before, began = private_MB(), time.perf_counter()
        made = CASES[case](runs)
        planned = time.perf_counter() - began
        summary = run_campaign(made, folder / "c", "gpu")
        took = time.perf_counter() - began
        size = sum(p.stat().st_size for p in (folder / "c" / "runs").iterdir())
    finally:
        watch.over.set()
        shutil.rmtree(folder)
    spent = summary["spent"]
    found = {
        "runs": runs,
        "seconds": took,
        "plan_s": planned,
        "shards_s": spent["wall_s"],
        "device_s": spent["loop_s"],
    }
    found |= {"page_s": took - planned - spent["wall_s"]}
    found |= {
        "cycles": spent["cycles"],
        "cycles_per_s": spent["cycles_per_s"],
        "cycles_per_s_file_to_page": spent["cycles"] / took,
    }
    found |= {
        "bytes_per_run": size / runs,
        "private_MB": watch.most,
        "private_MB_with_the_device_opened": before,
    }
    return found | {"resident_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}


_COMPILED: set[str] = set()


def apart(case: str, runs: int) -> dict[str, Any]:
    """The same in a process of its own: after a small one, so that its kernel is on disk."""
    for count in (1000, runs) if case not in _COMPILED else (runs,):
        command = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "benchmarks.gpu_campaign",
            "--one",
            case,
            str(count),
        ]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    _COMPILED.add(case)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def agreement() -> dict[str, Any]:
    """Outcomes of the CPU and the GPU on random dockings, half of them with damped parts that
    capture the probe."""
    found: dict[str, Any] = {
        "runs": 0,
        "captured": 0,
        "contacts": 0,
        "decided_by_rounding": [],
        "unequal": [],
        "worst": {},
    }
    capturing = load_spec("nozzle_capture").tables["set"]
    for changes in ({}, {"set": capturing}):
        made = preset("epos_monte_carlo", COMPARED // 2, reference=False, **changes)
        variant, runs = made.variants[0], made.select_runs(0, 0, made.runs)
        cpu, gpu = (run(runs, variant.markers, variant.mem_floats) for run in (run_cpu, run_cuda))
        same = cpu.column("contacts") == gpu.column(
            "contacts"
        )  # else rounding decided whether there was a touch: counted and listed
        captured = (
            np.isfinite(cpu.column("captured_at_s")),
            np.isfinite(gpu.column("captured_at_s")),
        )
        equal = captured[0] == captured[1]
        for name in ("status", "cycles"):
            equal &= cpu.column(name) == gpu.column(name)
        equal &= (cpu.column("energy_added_J") > ACTIVE * cpu.column("kinetic_start_J")) == (
            gpu.column("energy_added_J") > ACTIVE * gpu.column("kinetic_start_J")
        )
        found["unequal"] += [found["runs"] + i for i in np.flatnonzero(same & ~equal).tolist()]
        for name, scale in (
            ("peak_force_real_N", None),
            ("peak_torque_real_Nm", None),
            ("energy_added_J", "kinetic_start_J"),
        ):
            of = np.maximum(cpu.column(scale or name), 1e-12)
            found["worst"][name] = max(
                found["worst"].get(name, 0.0),
                float((np.abs(cpu.column(name) - gpu.column(name)) / of)[same].max()),
            )
        found["decided_by_rounding"] += [found["runs"] + i for i in np.flatnonzero(~same).tolist()]
        found["runs"] += made.runs
        found["captured"] += int(captured[0].sum())
        found["contacts"] += int(cpu.column("contacts").sum())
    return found | {"agree": max(found["worst"].values()) <= AGREE and not found["unequal"]}


def main(arguments: list[str]) -> int:
    if "--one" in arguments:
        case, count = arguments[arguments.index("--one") + 1 :][:2]
        print(json.dumps(timed(case, int(count))))
        return 0
    runs = MILLION // 20 if "--quick" in arguments else MILLION
    try:
        found = about(find_device(), "--quick" in arguments)
    except NoDevice as error:
        print(f"gpu_campaign: {error}", file=sys.stderr)
        return 1
    results = [Path(a) for a in arguments if a.endswith(".json")]
    for path in (path for path in results if path.exists()):
        stored = json.loads(path.read_text())
        found |= (
            {name: value for name, value in stored.items() if name not in found}
            if stored.get("source_hash") == found["source_hash"]
            else {}
        )
    known = [*CASES, AGREEMENT]
    chosen = [case for case in known if case in arguments] or known
    for case in (case for case in chosen if case != AGREEMENT):
        for count in (runs, LONGER * runs) if case in HEADLINES else (runs,):
            found[f"{case}, {count} runs"] = apart(case, count)
            save(results, found, f"{case}, {count} runs")
    if AGREEMENT in chosen:
        found[AGREEMENT] = agreement()
        save(results, found, AGREEMENT)
    return 0 if found.get(AGREEMENT, {"agree": True})["agree"] else 1


def save(paths: list[Path], found: dict[str, Any], last: str) -> None:
    print(last, json.dumps(found[last]), flush=True)
    for path in paths:
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
