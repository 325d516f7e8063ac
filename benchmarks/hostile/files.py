"""Mutated files of every kind that is no code: refused with key and line, or taken; never a
traceback, a warning of NumPy's, an escape in the message or more than some seconds, and nothing is
written.
"""

from __future__ import annotations

import contextlib
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.hostile.kept import keep
from benchmarks.hostile.kinds import KINDS, Kind
from benchmarks.hostile.mutations import mutant
from softdock.errors import BadInput

PATIENCE_S = 2.0  # of CPU time to refuse a file; checking every draw of a large campaign takes more
TAKEN_S = 20.0  # of CPU time to read one that is in order

HUNG_S = 60.0  # of CPU time after which nothing more is expected

Outcome = tuple[str, str]  # refused or taken; what is wrong with that, empty: nothing


class Hung(BaseException):
    """No `Exception`: nothing that catches those may swallow it."""


@contextlib.contextmanager
def stopping_after(seconds: float) -> Iterator[None]:
    """Raises `Hung` after so many seconds of CPU time, between two of Python's instructions."""

    def stop(number: int, frame: Any) -> None:
        raise Hung(f"not done after {seconds:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def read_one(kind: Kind, path: Path) -> Outcome:
    """What a reader makes of a file."""
    before, began = set(path.parent.iterdir()), time.process_time()
    try:
        with warnings.catch_warnings(), stopping_after(HUNG_S):
            warnings.simplefilter("error", RuntimeWarning)
            kind.read(path)
    except BadInput as error:
        return "refused", _of_refusal(kind, error, time.process_time() - began)
    except (Exception, Hung) as error:
        return "failed", f"{type(error).__name__}: {str(error)[:300]}"
    spent = time.process_time() - began
    if spent > TAKEN_S:
        return "taken", f"{spent:.1f} s of CPU"
    more = {p.name for p in set(path.parent.iterdir()) - before if p.suffix != ".toml"}
    return "taken", f"wrote {', '.join(sorted(more))}" if more else ""


def _of_refusal(kind: Kind, error: BadInput, spent: float) -> str:
    said = str(error)
    if spent > PATIENCE_S:
        return f"{spent:.1f} s of CPU to refuse"
    if any(not (c.isprintable() or c in "\n\t") for c in said):
        return "control characters in the message"
    for problem in error.problems:
        if not problem.key and not problem.where:
            return f"a refusal without a key: {said[:200]}"
        if kind.has_lines and not problem.where:
            return f"a refusal that does not say where: {said[:200]}"
    return "" if error.problems else "a refusal without a reason"


def mutated_files(name: str, count: int, seed: int, keep_failures: bool = True) -> dict[str, Any]:
    """Counts by outcome, and every failure with the file that it was kept as."""
    kind, counts, failures = KINDS[name], {}, []
    samples = kind.samples()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            rng = np.random.default_rng([seed, i])
            made = mutant(rng, samples[int(rng.integers(len(samples)))])
            path = Path(folder) / f"mutant{kind.suffix}"
            path.write_bytes(made.data)
            status, wrong = read_one(kind, path)
            counts[status] = counts.get(status, 0) + 1
            if wrong:
                told = {"kind": name, "seed": seed, "index": i, "what": made.what, "wrong": wrong}
                kept = keep(name, kind.suffix, made.data, told) if keep_failures else ""
                failures.append(told | {"file": kept})
    return {"count": count, "outcomes": counts, "failures": failures}
