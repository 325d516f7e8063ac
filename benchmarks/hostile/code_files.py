"""Mutated method and outcome files: code that the user named, so it runs; what is wrong with it is
said in one message. Each mutant is loaded in a process of its own with little memory and time, in
plain Python: what compiling makes of a method is another test.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.kept import keep
from benchmarks.hostile.mutations import mutant

ROOT = Path(__file__).parents[2]
LONGEST_S = 10  # of CPU time; a mutant that loops for ever is the user's own loop, and is counted
MEMORY = 4_000_000_000  # bytes
WORKER = """
import json, sys
from pathlib import Path
from softdock.errors import SoftdockError
kind, path = sys.argv[1:]
try:
    if kind == "method":
        from softdock.cli.arguments import use_methods
        from softdock.results.stepper import Stepper
        from softdock.scenario.files import load_scenario
        from softdock.scenario.method_file import load_method_file
        names = load_method_file(path)
        use_methods(load_scenario("epos_1d"), names)
    else:
        from softdock.studies.campaign.user_outcomes import load_own
        load_own(Path(path), 2)
    said = ["taken", ""]
except SoftdockError as error:
    said = ["refused", "" if str(error) else "no reason"]
except BaseException as error:
    said = ["failed", f"{type(error).__name__}: {error}"]
json.dump(said, open(path + ".said", "w"))
"""
OUTCOMES = b'''"""Outcomes of one's own."""
LIMIT = 3.0


def hardest(outcome, log):
    """The pair of the hardest contact."""
    best = 0
    for i in range(log.shape[0]):
        if log[i, 4] > log[best, 4]:
            best = i
    return log[best, 7]


def _half(x):
    return 0.5 * x


def per_mass(outcome, log, varied):
    if varied[0] > LIMIT:
        return _half(outcome[3]) / varied[0]
    return outcome[3]
'''


def _samples(kind: str) -> list[bytes]:
    if kind == "outcome":
        return [OUTCOMES]
    return [(ROOT / "examples" / "force_lead.py").read_bytes()]


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _load(kind: str, path: Path) -> tuple[str, str]:
    """What became of it; plain Python for methods, whose compiling is another test."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"} if kind == "method" else dict(os.environ)
    done = subprocess.run(
        [sys.executable, "-c", WORKER, kind, str(path)],
        capture_output=True,
        text=True,
        env=env,
        preexec_fn=_limits,
        cwd=path.parent,
    )
    said = path.with_name(path.name + ".said")
    if not said.exists():
        return "stopped", "" if done.returncode < 0 else done.stderr[-500:]
    status, wrong = json.loads(said.read_text())
    said.unlink()
    return status, wrong


def mutated_code(kind: str, count: int, seed: int) -> dict[str, Any]:
    """`kind`: method or outcome. Counts by outcome, and the failures."""
    counts: dict[str, int] = {}
    failures, samples = [], _samples(kind)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            rng = np.random.default_rng([seed, i])
            made = mutant(rng, samples[int(rng.integers(len(samples)))])
            path = Path(folder) / "mutant.py"
            path.write_bytes(made.data)
            status, wrong = _load(kind, path)
            counts[status] = counts.get(status, 0) + 1
            if wrong:
                told = {"kind": kind, "seed": seed, "index": i, "what": made.what, "wrong": wrong}
                failures.append(told | {"file": keep(kind, ".py.txt", made.data, told)})
    return {"count": count, "outcomes": counts, "failures": failures}
