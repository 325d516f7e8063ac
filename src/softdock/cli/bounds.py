"""`softdock check --bounds`: the scenario in plain Python with every index checked, in a process of
its own, because whether code is compiled is decided when Numba is imported.

    python -m softdock.cli.bounds < {"scenario": ..., "changes": [...], "method_files": [...],
                                     "seconds": ...}     > {"cycles": ..., "problem": ...}
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem, SoftdockError

PLAIN = {"NUMBA_DISABLE_JIT": "1"}
REFUSED = "refused"


def check_bounds(
    scenario: str, changes: Sequence[str], method_files: Sequence[Path], seconds: float
) -> str:
    """Run the scenario with every index checked. Returns a sentence on what was checked; raises
    `BadInput` with the line of an index out of bounds."""
    task = {
        "scenario": scenario,
        "changes": list(changes),
        "method_files": [str(file) for file in method_files],
        "seconds": seconds,
    }
    done = subprocess.run(
        [sys.executable, "-m", "softdock.cli.bounds"],
        input=json.dumps(task),
        env={**os.environ, **PLAIN},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        found = json.loads(done.stdout)
    except ValueError:
        raise BadInput(
            Problem("--bounds", scenario, f"a run in plain Python (it ended: {done.returncode})")
        ) from None
    if REFUSED in found:
        raise BadInput([Problem(*problem) for problem in found[REFUSED]])
    ran = f"{found['cycles']} of {found['total']} cycles in plain Python"
    if found["wrong"]:
        allowed = f"indices in their place ({found['wrong']}, after {ran})"
        raise BadInput(Problem("--bounds", scenario, allowed, found["where"]))
    return f"{ran}: every index in its place"


def _run_task(task: dict[str, Any]) -> dict[str, Any]:
    from softdock.cli.arguments import load_methods, use_methods
    from softdock.results.index_bounds import run_checked
    from softdock.scenario.files import load_scenario

    own_methods = load_methods([Path(file) for file in task["method_files"]])
    scenario = use_methods(load_scenario(task["scenario"], task["changes"]), own_methods)
    return run_checked(scenario, task["seconds"])._asdict()


def main() -> None:
    """Entry point of the child process."""
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a method prints is no answer
            found = _run_task(json.load(sys.stdin))
    except BadInput as error:
        found = {
            REFUSED: [
                (p.key, None if p.value is None else str(p.value), p.allowed, p.where, p.suggestion)
                for p in error.problems
            ]
        }
    except SoftdockError as error:
        found = {REFUSED: [("--bounds", None, str(error))]}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
