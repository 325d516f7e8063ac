"""Recordings with bytes changed: refused, or read back as they were; and what recovery takes from
them is what was written."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import softdock
from benchmarks.hostile.mutations import mutant
from softdock.errors import BadRecording
from softdock.recording.read import Contents, read_contents
from softdock.recording.recover import recover


def _is_part(found: Contents, right: Contents) -> bool:
    """Whether rows, attachments and tables are those that were written, as far as they go."""
    for name, rows in found.rows.items():
        if not np.array_equal(rows, right.rows[name][: len(rows)], equal_nan=True):
            return False
    texts = found.about.attachments.items() <= right.about.attachments.items()
    return texts and all(found.about.tables[n] == right.about.tables[n] for n in found.about.tables)


def changed_recordings(count: int, seed: int) -> dict[str, Any]:
    """Mutants of a run's recording, read and recovered."""
    rng, failures, outcomes = np.random.default_rng(seed), [], {}
    with tempfile.TemporaryDirectory() as made:
        whole, changed, out = (Path(made) / f"{name}.mcap" for name in ("whole", "changed", "out"))
        run = softdock.simulate(softdock.load_scenario("epos_1d", {"time.duration_s": 1.0}))
        run.save_mcap(whole)
        data, right = whole.read_bytes(), read_contents(whole)
        for i in range(count):
            one = mutant(rng, data)
            changed.write_bytes(one.data)
            for name, call in (
                ("read", lambda: softdock.open_recording(changed) and read_contents(changed)),
                ("recover", lambda: read_contents(recover(changed, out, force=True).file)),
            ):
                try:
                    found = call()
                    wrong = "" if _is_part(found, right) else "other contents"
                    ended = "taken"
                except BadRecording:
                    ended, wrong = "refused", ""
                except Exception as error:
                    ended, wrong = "failed", f"{type(error).__name__}: {str(error)[:300]}"
                outcomes[f"{name} {ended}"] = outcomes.get(f"{name} {ended}", 0) + 1
                if wrong:
                    failures.append({"index": i, "what": name, "by": one.what, "wrong": wrong})
    return {"count": count, "outcomes": outcomes, "failures": failures}
