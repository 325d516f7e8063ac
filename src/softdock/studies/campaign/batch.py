"""What a batch of runs returns, whichever machine ran it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softdock.compile.features import Markers
from softdock.compile.interrupts import run_each_abandonable
from softdock.errors import closest
from softdock.loop import entry_points
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOME_COLUMNS, OUTCOMES

# Many runs as one parameter vector and the columns in which they differ: a million runs in
# megabytes, and little to send to a GPU.


class SparseParameters(NamedTuple):
    """N parameter vectors that are `base` except in the columns `at`."""

    base: np.ndarray  # (n_params,)
    at: np.ndarray  # (c,) columns of the vector
    values: np.ndarray  # (N, c), SI

    @property
    def runs(self) -> int:
        return len(self.values)

    def select(self, first: int, last: int) -> SparseParameters:
        return SparseParameters(self.base, self.at, self.values[first:last])

    def expand(self, first: int = 0, last: int | None = None) -> np.ndarray:
        """The vectors of some runs, one row per run."""
        values = self.values[first:last]
        vectors = np.empty((len(values), len(self.base)))
        vectors[:] = self.base
        vectors[:, self.at] = values
        return vectors


def count_runs(vectors: np.ndarray | SparseParameters) -> int:
    return vectors.runs if isinstance(vectors, SparseParameters) else len(vectors)


def expand_rows(vectors: np.ndarray | SparseParameters, first: int, last: int) -> np.ndarray:
    """Some rows as a contiguous matrix."""
    return (
        vectors.expand(first, last)
        if isinstance(vectors, SparseParameters)
        else np.ascontiguousarray(vectors[first:last])
    )


CONTACTS = 4  # rows of the contact log kept per run, unless told otherwise

Progress = Callable[[int, int], None]  # runs done, runs in all


@dataclass(frozen=True)
class Batch:
    """Outcomes of N runs, and the log of each run's first contacts. Rows in the order of the
    vectors."""

    outcomes: np.ndarray  # (N, columns), see entry_points.OUTCOME_COLUMNS
    logs: (
        np.ndarray
    )  # (N, contacts, columns), see contact_log.LOG_COLUMNS; rows beyond a run's contacts are zero

    def __len__(self) -> int:
        return len(self.outcomes)

    def column(self, name: str) -> np.ndarray:
        """One outcome of every run; or, with a name of the log, that of the first contact (NaN
        where there was none)."""
        if name in OUTCOME_COLUMNS:
            return self.outcomes[:, OUTCOME_COLUMNS.index(name)]
        if name in LOG_COLUMNS:
            return self.contact(0, name)
        near = closest(name, [*OUTCOME_COLUMNS, *LOG_COLUMNS])
        known = (
            f"did you mean '{near}'?"
            if near
            else "there are: " + ", ".join([*OUTCOME_COLUMNS, *LOG_COLUMNS])
        )
        raise KeyError(f"no outcome '{name}'; {known}")

    def contact(self, index: int, name: str) -> np.ndarray:
        """One value of the contact `index` of every run, NaN where there was none."""
        if not 0 <= index < self.logs.shape[1]:
            raise IndexError(f"contact {index}: this batch kept {self.logs.shape[1]} per run")
        return np.where(
            self.column("contacts") > index, self.logs[:, index, LOG_COLUMNS.index(name)], np.nan
        )


def make_empty_batch(vectors: np.ndarray | SparseParameters, contacts: int) -> Batch:
    """Room for the results of these runs."""
    if isinstance(vectors, SparseParameters):
        return Batch(
            np.zeros((vectors.runs, OUTCOMES)), np.zeros((vectors.runs, contacts, len(LOG_COLUMNS)))
        )
    if vectors.ndim != 2 or vectors.dtype != np.float64:
        raise TypeError(
            f"vectors: an (N, n_params) float64 matrix is needed, this is {vectors.dtype} "
            f"{vectors.shape}"
        )
    return Batch(
        np.zeros((len(vectors), OUTCOMES)), np.zeros((len(vectors), contacts, len(LOG_COLUMNS)))
    )


# A batch on the threads of this machine. Compiled code releases Python's lock, so threads run at
# once and share the parameters.
#
# Every run depends on its own row alone, so neither the number of threads nor the size of the
# chunks changes a bit of the result. Ctrl-C waits for none of them.

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
    for runs in run_each_abandonable(run_chunk, range(0, total, chunk), threads):
        done += runs
        if progress is not None:
            progress(done, total)
    return batch
