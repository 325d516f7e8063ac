"""What a batch of runs returns, whichever machine ran it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.errors import closest
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOME_COLUMNS, OUTCOMES
from softdock.studies.campaign.compact_vectors import SparseParameters

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
