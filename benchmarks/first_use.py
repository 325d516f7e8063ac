"""How much processor time does a first use take? The first run on a fresh machine (aim 25 s), and
each method that the rig accepts after it (aim 18 s), each in a fresh process.

The first run is `softdock run epos_1d`, page and all, with an empty cache. A method's loop is
compiled with a copy of the cache that the first run left, so that no method compiles for another,
and flown to the end, so that what is compiled when it is first called counts where it is called.
User and system seconds of the processes, as the operating system counts them.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PRESET = "epos_1d"
FIRST_RUN_S, ONE_MORE_S = 25.0, 18.0
METHOD = """
import sys
from softdock.cli.compile_ahead import start_numba
start_numba()
from softdock.results.stepper import Stepper, count_cycles
from softdock.scenario.candidates import candidates
from softdock.scenario.files import load_scenario
preset, method = sys.argv[1:]
able, _ = candidates(load_scenario(preset), method)
Stepper(able[0].scenario, rows=1).step(count_cycles(able[0].scenario))
"""


def processor_s(command: list[str], cache: Path, folder: str) -> float:
    """User and system seconds of a process and what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"SOFTDOCK_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def methods() -> list[str]:
    """Names of the methods that the rig accepts, the raw loop apart."""
    from softdock.scenario.candidates import candidates
    from softdock.scenario.files import load_scenario

    able, _ = candidates(load_scenario(PRESET), "all")
    lists = [one.scenario.tables["methods"] for one in able]
    names = [entry[0]["name"] for entry in lists if len(entry) == 1]
    return [name for name in dict.fromkeys(names) if name != "direct"]


def run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder, "first")
        command = [sys.executable, "-m", "softdock", "run", PRESET, "--out", "run"]
        first_run = processor_s(command, first, folder)
        more = {}
        for name in methods():
            cache = Path(folder, name)
            shutil.copytree(first, cache)
            command = [sys.executable, "-c", METHOD, PRESET, name]
            more[name] = round(processor_s(command, cache, folder), 1)
            print(f"  {name}: {more[name]} s of CPU", file=sys.stderr, flush=True)
            shutil.rmtree(cache)
    return {
        "first_run_s": round(first_run, 1),
        "one_more_method_s": more,
        "target": f"first run <= {FIRST_RUN_S:g} s, one more method <= {ONE_MORE_S:g} s",
        "met": first_run <= FIRST_RUN_S and max(more.values()) <= ONE_MORE_S,
    }
