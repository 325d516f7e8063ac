"""A batch on the threads of this machine. Compiled code releases Python's lock, so threads run at
once and share the parameters.

Every run depends on its own row alone, so neither the number of threads nor the size of the chunks
changes a bit of the result. Ctrl-C waits for none of them.
"""

from __future__ import annotations

import os

import numpy as np

from softdock.compile.features import Markers
from softdock.compile.interrupts import each_abandonable
from softdock.loop import entry_points
from softdock.studies.campaign.batch import CONTACTS, Batch, Progress, make_empty_batch
from softdock.studies.campaign.compact_vectors import SparseParameters, expand_rows

CHUNKS_PER_THREAD = 16  # small enough that threads end together when runs differ in length
MOST_RUNS_IN_CHUNK = 256


def count_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_cpu(vectors: SparseParameters, markers: Markers, mem_floats: int) -> None:
    """Compile what `run_cpu` calls, without a run."""
    none = make_empty_batch(vectors, 1)
    entry_points.run_batch(
        expand_rows(vectors, 0, 0), markers, np.zeros(mem_floats), none.logs, none.outcomes, 0, 0
    )


def run_cpu(
    vectors: np.ndarray | SparseParameters,
    markers: Markers,
    mem_floats: int,
    threads: int | None = None,
    contacts: int = CONTACTS,
    chunk: int | None = None,
    progress: Progress | None = None,
) -> Batch:
    """Run every row of `vectors`. `threads`: all cores unless given; `chunk`: runs a thread takes
    at a time."""
    batch = make_empty_batch(vectors, contacts)
    total = len(batch)
    threads = max(1, count_cores() if threads is None else threads)
    chunk = chunk or min(max(1, total // (threads * CHUNKS_PER_THREAD)), MOST_RUNS_IN_CHUNK)

    def run_chunk(first: int) -> int:
        last = min(first + chunk, total)
        rows = expand_rows(vectors, first, last)
        entry_points.run_batch(
            rows,
            markers,
            np.zeros(mem_floats),
            batch.logs[first:last],
            batch.outcomes[first:last],
            0,
            last - first,
        )
        return last - first

    done = 0
    for runs in each_abandonable(run_chunk, range(0, total, chunk), threads):
        done += runs
        if progress is not None:
            progress(done, total)
    return batch
