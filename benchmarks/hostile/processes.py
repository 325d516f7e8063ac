"""Commands that are killed, have no room, or find their cache damaged, each in its own process.

Killed (`kill -9`) at a random moment and resumed, a campaign's tables are the same to the bit. On a
full disc (here: a limit on the size of a file) a command ends with a message, and goes on when
there is room. Damaged machine code is thrown away and made again, and the numbers are the same.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.mutations import cut_short, flip_a_bit, insert_bytes

COMMAND = [sys.executable, "-c", "from softdock.cli.main import main; main()"]
LONGEST_S = 600.0  # for a command that compiles on a busy machine
CAMPAIGN = """name = "killed"
scenario = "epos_1d"
runs = 6000
[[vary]]
key = "robots.chaser.delay_ms"
uniform = [0.0, 20.0]
"""


def _start(arguments: list[str], **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )


def _done(arguments: list[str], **more: Any) -> tuple[int, str]:
    process = _start(arguments, **more)
    try:
        said, _ = process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return -1, "not done in time"
    return process.returncode, said


def _tables(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted((folder / "runs").glob("*.parquet"))}


def _campaign(folder: Path) -> tuple[Path, list[str]]:
    file = folder / "killed.toml"
    file.write_text(CAMPAIGN)
    return file, ["--shard", "50", "--threads", "1", "--backend", "cpu"]


def kills(count: int, seed: int) -> dict[str, Any]:
    """A campaign killed at random moments, and resumed."""
    rng, failures, shards = np.random.default_rng(seed), [], []
    with tempfile.TemporaryDirectory() as made:
        file, options = _campaign(Path(made))
        whole, cut = Path(made) / "whole", Path(made) / "cut"
        code, said = _done(["campaign", str(file), "--out", str(whole), *options])
        if code:
            return {"count": 0, "failures": [{"wrong": said[-500:]}]}
        right = _tables(whole)
        for i in range(count):
            shutil.rmtree(cut, ignore_errors=True)
            process = _start(["campaign", str(file), "--out", str(cut), *options])
            _wait_for(cut / "campaign.json", process)
            time.sleep(float(rng.uniform(0.0, 3.0)))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if not (cut / "campaign.json").exists():
                failures.append({"index": i, "wrong": "there is no campaign to resume"})
                continue
            shards.append(len(_tables(cut)))
            code, said = _done(["campaign", str(cut), "--resume", *options[2:]])
            if code or _tables(cut) != right or not (cut / "report.html").exists():
                failures.append({"index": i, "wrong": f"exit code {code}: {said[-500:]}"})
    return {"count": count, "shards_there_when_killed": shards, "failures": failures}


def _wait_for(file: Path, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + LONGEST_S
    while not file.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)


def _limited(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return limit


def full_disc(count: int, seed: int) -> dict[str, Any]:
    """Files that cannot grow beyond a random size: a message and exit code 2, no traceback; then,
    with room, the campaign goes on to the same bytes."""
    rng, failures, codes = np.random.default_rng(seed), [], []
    with tempfile.TemporaryDirectory() as made:
        file, options = _campaign(Path(made))
        file.write_text(CAMPAIGN.replace("6000", "200"))
        whole = Path(made) / "whole"
        code, said = _done(["campaign", str(file), "--out", str(whole), *options])
        if code:
            return {"count": 0, "failures": [{"wrong": said[-500:]}]}
        for i in range(count):
            out, size = Path(made) / f"out{i}", int(10 ** rng.uniform(1.0, 6.5))
            what = ["campaign", str(file), *options] if i % 2 else ["run", "epos_1d"]
            code, said = _done([*what, "--out", str(out)], preexec_fn=_limited(size))
            codes.append([size, what[0], code])
            wrong = "a traceback" if "Traceback" in said else ""
            if code not in (0, 2):
                wrong = f"exit code {code}"
            if what[0] == "campaign" and (out / "campaign.json").exists() and not wrong:
                code, said = _done(["campaign", str(out), "--resume", *options[2:]])
                if code or _tables(out) != _tables(whole):
                    wrong = "not resumed to the same bytes"
            elif code == 2 and "--resume` goes on" in said and what[0] == "campaign":
                wrong = "a promise of --resume without a campaign"
            if wrong:
                failures.append({"index": i, "size": size, "wrong": wrong, "said": said[-800:]})
    return {"count": count, "codes": codes, "failures": failures}


DAMAGES: tuple[Callable[..., bytes], ...] = (
    *(flip_a_bit, cut_short, insert_bytes),
    *(lambda rng, data: b"", lambda rng, data: rng.bytes(100)),
)


def damaged_caches(count: int, seed: int) -> dict[str, Any]:
    """Every file of a cache damaged, each in a way of its own: the same numbers, no traceback, and
    at most a line that says so."""
    rng, failures = np.random.default_rng(seed), []
    command = ["run", "epos_1d", "--json"]
    with tempfile.TemporaryDirectory() as made:
        whole = Path(made) / "cache"
        code, right = _metrics(command, whole)
        if code:
            return {"count": 0, "failures": [{"wrong": str(right)[-500:]}]}
        for i in range(count):
            copy = Path(made) / f"cache{i}"
            shutil.copytree(whole, copy)
            files = sorted(p for p in copy.rglob("*") if p.is_file())
            for file in files:
                damage = DAMAGES[int(rng.integers(len(DAMAGES)))]
                file.write_bytes(damage(rng, file.read_bytes()))
            code, found = _metrics(command, copy)
            if code or found != right:
                failures.append({"index": i, "files": len(files), "wrong": str(found)[-500:]})
            shutil.rmtree(copy)
    return {"count": count, "failures": failures}


def swapped_caches(count: int, seed: int) -> dict[str, Any]:
    """Files of a cache under each other's names, beside folders of somebody else's that have the
    name and the age of old machine code: the same numbers, and the others' folders stay."""
    rng, failures = np.random.default_rng(seed), []
    command = ["run", "epos_1d", "--json"]
    with tempfile.TemporaryDirectory() as made:
        whole = Path(made) / "cache"
        code, right = _metrics(command, whole)
        if code:
            return {"count": 0, "failures": [{"wrong": str(right)[-500:]}]}
        for i in range(count):
            copy = Path(made) / f"cache{i}"
            shutil.copytree(whole, copy)
            files = [p for p in sorted(copy.rglob("*")) if p.is_file() and p.stat().st_size]
            shuffled = [files[j].read_bytes() for j in rng.permutation(len(files))]
            for file, data in zip(files, shuffled, strict=True):
                file.write_bytes(data)
            foreign = copy / f"{int(rng.integers(2**62)):016x}"
            foreign.mkdir()
            (foreign / "mine").touch()
            os.utime(foreign, (0.0, 0.0))
            if rng.random() < 0.5:  # as if these sources were new here: clean-up runs
                shutil.rmtree(next(p for p in copy.iterdir() if p != foreign))
            code, found = _metrics(command, copy)
            if code or found != right:
                failures.append({"index": i, "files": len(files), "wrong": str(found)[-500:]})
            if not (foreign / "mine").is_file():
                failures.append({"index": i, "wrong": "somebody else's folder was removed"})
            shutil.rmtree(copy)
    return {"count": count, "failures": failures}


def _metrics(command: list[str], cache: Path) -> tuple[int, Any]:
    done = subprocess.run(
        [*COMMAND, *command],
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        env={**os.environ, "SOFTDOCK_CACHE_DIR": str(cache)},
    )
    if done.returncode or "Traceback" in done.stderr:
        return done.returncode or 1, done.stderr
    return 0, json.loads(done.stdout)
