"""How much processor time does a first use take? The first run on a fresh machine (aim 20 s), the
same run again (aim 0.8 s), each further method that the rig accepts (aim 12 s, `model_mediated` 22
s), and a first run with plain Numba (aim 40 s), each in a fresh process.

A run is `softdock run epos_1d`, with its page; the first one has an empty cache. A method's loop is
compiled with a copy of the cache that the first run left, so that no method compiles for another,
and simulated to the end, so that what is compiled when it is first called counts where it is
called. User and system seconds of the processes, as the operating system counts them. As on a
user's machine, Python keeps its byte code; it is written by a process before the first run.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PRESET = "epos_1d"
FIRST_RUN_S, WARM_RUN_S, ONE_MORE_S, MODEL_MEDIATED_S, PLAIN_S = 20.0, 0.8, 12.0, 22.0, 40.0
WARM_RUNS = 5  # the median counts
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


def processor_s(command: list[str], cache: Path, folder: str, **more: str) -> float:
    """User and system seconds of a process and what it starts. `more`: environment variables."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"SOFTDOCK_CACHE_DIR": str(cache), **more}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "byte_code"))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
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
        first, command = Path(folder, "first"), [sys.executable, "-m", "softdock", "run", PRESET]
        processor_s([sys.executable, "-c", "import softdock.cli.run, numba"], first, folder)
        first_run = processor_s([*command, "--out", "run"], first, folder)
        warm = statistics.median(
            processor_s([*command, "--out", f"warm_{i}"], first, folder) for i in range(WARM_RUNS)
        )
        plain = processor_s(
            [*command, "--out", "plain"], Path(folder, "plain"), folder, SOFTDOCK_PLAIN_NUMBA="1"
        )
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
        "warm_run_s": round(warm, 2),
        "plain_numba_first_run_s": round(plain, 1),
        "one_more_method_s": more,
        "target": f"first run <= {FIRST_RUN_S:g} s, warm run <= {WARM_RUN_S:g} s, "
        f"one more method <= {ONE_MORE_S:g} s, model_mediated <= {MODEL_MEDIATED_S:g} s, "
        f"first run with plain Numba <= {PLAIN_S:g} s",
        "met": first_run <= FIRST_RUN_S
        and warm <= WARM_RUN_S
        and plain <= PLAIN_S
        and all(
            s <= (MODEL_MEDIATED_S if name == "model_mediated" else ONE_MORE_S)
            for name, s in more.items()
        ),
    }
