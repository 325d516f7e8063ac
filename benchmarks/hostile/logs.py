"""Damaged and odd logs of other programs: imported, or refused by a softdock error that names the
file, within bounded memory and time; never a traceback, and never the end of the process.

Files are read in forked processes, so that a crash of a library is a failure and not the end.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.files import HUNG_S, Hung, stopping_after
from benchmarks.hostile.kept import keep
from benchmarks.hostile.log_samples import FORMATS
from benchmarks.hostile.mutations import mutant
from softdock.errors import SoftdockError

PATIENCE_S = 20.0  # of CPU time for one file
MEMORY = 3 << 30  # bytes of address space beyond those that a process begins with
AT_ONCE = 50  # files of one process


def made_file(name: str, odd: bool, seed: int, i: int) -> tuple[bytes, str]:
    """The bytes of a file, and what it is."""
    rng = np.random.default_rng([seed, list(FORMATS).index(name), int(odd), i])
    _, whole, strange = FORMATS[name]
    if odd:
        return strange(rng), "odd"
    found = mutant(rng, whole(rng))
    return found.data, found.what


def read_log(path: Path, mapped: Path) -> tuple[str, str]:
    """What the commands make of a file: taken or refused, and what is wrong with that."""
    from softdock.output.folders.identified import load_calibration
    from softdock.output.folders.sources import read_log_contents
    from softdock.recording.logs.guess import guess_log
    from softdock.recording.logs.guess_text import make_preview, write_map
    from softdock.recording.logs.mapping import parse_map

    def guessed() -> None:
        guess = guess_log(path)
        make_preview(guess)
        own = parse_map(write_map(path, guess), str(mapped), path.parent)
        read_log_contents(path, own)

    steps = [guessed, lambda: read_log_contents(path, mapped)]
    if path.suffix == ".csv":
        steps.append(lambda: load_calibration(path, "chaser", (0.0, 0.0, -9.81)))
    outcome = "refused"
    for step in steps:
        began = time.process_time()
        try:
            with warnings.catch_warnings(), stopping_after(HUNG_S):
                warnings.simplefilter("error", RuntimeWarning)
                step()
            outcome = "taken"
        except SoftdockError as error:
            said = str(error)
            if path.name not in said and mapped.name not in said:
                return "failed", f"a refusal that does not name the file: {said[:200]}"
        except (Exception, Hung) as error:
            return "failed", f"{type(error).__name__}: {str(error)[:300]}"
        if time.process_time() - began > PATIENCE_S:
            return "failed", f"{time.process_time() - began:.0f} s of CPU time"
    return outcome, ""


def _child(name: str, odd: bool, seed: int, numbers: range, folder: Path, sink: int) -> None:
    """Reads files and tells the outcome of each, a line a file."""
    with open("/proc/self/statm") as file:
        own = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + MEMORY, own + MEMORY))
    path, mapped = folder / f"odd{FORMATS[name][0]}", folder / "good.map.toml"
    for i in numbers:
        data, what = made_file(name, odd, seed, i)
        path.write_bytes(data)
        os.write(sink, (json.dumps([i, *read_log(path, mapped), what]) + "\n").encode())


def _outcomes(name: str, odd: bool, seed: int, count: int, folder: Path) -> list[list[Any]]:
    """Outcomes of files by number; what ends a process is a failure of the file it was at."""
    found: list[list[Any]] = []
    while len(found) < count:
        numbers = range(len(found), min(len(found) + AT_ONCE, count))
        source, sink = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(source)
                _child(name, odd, seed, numbers, folder, sink)
            except MemoryError:
                os.write(sink, (json.dumps([-1, "failed", "MemoryError", ""]) + "\n").encode())
            finally:
                os._exit(0)
        os.close(sink)
        with open(source, encoding="utf-8") as lines:
            found += [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        if len(found) < numbers.stop and len(found) < count:
            found.append([len(found), "failed", f"the process ended with {status}", ""])
    return found


def damaged_logs(name: str, count: int, seed: int, odd: bool, kept: bool = True) -> dict[str, Any]:
    """Counts by outcome, and every failure with the file that it was kept as."""
    from softdock.recording.logs.guess import guess_log
    from softdock.recording.logs.guess_text import write_map

    counts: dict[str, int] = {}
    failures = []
    suffix, whole, _ = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        good = Path(folder) / f"good{suffix}"
        good.write_bytes(whole(np.random.default_rng(seed)))
        good.with_suffix(".map.toml").write_text(write_map(good, guess_log(good)))
        for i, status, wrong, what in _outcomes(name, odd, seed, count, Path(folder)):
            counts[status] = counts.get(status, 0) + 1
            if wrong:
                told = {"kind": name, "seed": seed, "index": i, "what": what, "wrong": wrong}
                data = made_file(name, odd, seed, i)[0] if i >= 0 else b""
                small = kept and len(data) < 100_000
                told["file"] = keep(f"log_{name}", suffix, data, told) if small else ""
                failures.append(told)
    return {"count": count, "outcomes": counts, "failures": failures}
