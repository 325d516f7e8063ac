"""SIGINT at random moments of commands that compile, run, make campaigns or show: exit code 130 (or
0 where the command was over), no traceback, nothing that hangs, no half results."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.processes import COMMAND, LONGEST_S, _campaign
from softdock.errors import SoftdockError

ENDS_WITHIN_S = 30.0  # of wall time, on a busy machine; compiled code is not waited for
GOES_ON_S = {"compile": 25.0, "run": 3.0, "campaign": 6.0, "view": 6.0}


def _command(what: str, folder: Path) -> tuple[list[str], dict[str, str]]:
    """The command, and what it finds in its environment."""
    if what == "compile":
        new = {"SOFTDOCK_CACHE_DIR": str(folder / "cache")}
        return ["run", "epos_1d", "--out", str(folder / "out")], new
    if what == "run":
        return ["run", "epos_3d", "--phases", "20", "--out", str(folder / "out")], {}
    if what == "campaign":
        file, options = _campaign(folder)
        return ["campaign", str(file), "--out", str(folder / "out"), *options], {}
    return ["view", "epos_1d", "--no-browser"], {}


def _wrong(what: str, code: int | None, said: str, out: Path) -> str:
    """What is wrong with how a command ended."""
    if code is None:
        return f"goes on {ENDS_WITHIN_S:g} s after Ctrl-C"
    if "Traceback" in said or "Exception ignored" in said:
        return f"a traceback: {said[-800:]}"
    began = "softdock" in said or code in (0, 130)
    if code not in (0, 2, 3, 130) and not (code == -signal.SIGINT and not began):
        return f"exit code {code}: {said[-300:]}"
    if what in ("compile", "run") and (out / "run.json").exists():
        from softdock.output.folders.run_folder import open_run

        try:
            open_run(out)
        except SoftdockError as error:
            return f"half a run: {error}"
    return ""


def interrupts(count: int, seed: int) -> dict[str, Any]:
    """So many of each command, each interrupted once."""
    rng, failures, codes = np.random.default_rng(seed), [], {}
    for what, most in GOES_ON_S.items():
        for i in range(count):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                arguments, more = _command(what, folder)
                process = subprocess.Popen(
                    [*COMMAND, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    cwd=folder,
                    env={**os.environ, **more},
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
                )
                after = float(rng.uniform(0.8, most))  # Python itself is up by then
                time.sleep(after)
                process.send_signal(signal.SIGINT)
                code: int | None = None
                try:
                    said, _ = process.communicate(timeout=ENDS_WITHIN_S)
                    code = process.returncode
                except subprocess.TimeoutExpired:
                    process.kill()
                    said, _ = process.communicate(timeout=LONGEST_S)
                wrong = _wrong(what, code, said, folder / "out")
                codes.setdefault(what, []).append(code)
                if wrong:
                    failures.append({"what": what, "index": i, "after_s": after, "wrong": wrong})
    return {"count": sum(map(len, codes.values())), "codes": codes, "failures": failures}
