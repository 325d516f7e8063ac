"""What a batch kept for its verdicts (loop/settled_motion.py), and the distance from orbit of every
run at the instants at which it is compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softdock.loop.entry_points import MOTIONS
from softdock.loop.settled_motion import SETTLED_ROWS, WATCHED
from softdock.loop.vector import TIME_AT, TIMES
from softdock.reference import OUTCOME_COLUMNS
from softdock.studies.campaign.batch import Batch
from softdock.studies.campaign.compact_vectors import SparseParameters
from softdock.studies.campaign.distances import (
    compute_approach_energies,
    compute_distances,
    read_columns,
    rotate_back,
)
from softdock.studies.campaign.orbits import (
    ReferenceBatch,
    compute_motions_before_contact,
    is_pushed,
    read_both_motions,
    simulate_references_until,
)


class Instant(NamedTuple):
    """Motions of every run at an instant of its own, (N, 2, 13), and when that was [s]; NaN: there
    is none."""

    motions: np.ndarray
    at: np.ndarray


class StoredMotions(NamedTuple):
    """What runs that were told kept for their verdict."""

    after: Instant  # the first at which neither is in contact any more
    later: Instant  # `settle_s` after that, or the end of the run
    numbers: np.ndarray  # (N, ...) `settled_motion.WATCHED`

    def number(self, name: str) -> np.ndarray:
        return np.asarray(self.numbers[:, getattr(WATCHED.at, name)])


def split_stored_motions(batch: Batch) -> tuple[Batch, StoredMotions]:
    """What runs that were told kept in the last rows of their log, and the batch without it."""
    contacts = batch.logs.shape[1] - SETTLED_ROWS
    kept = batch.logs[:, contacts:].reshape(len(batch), -1)[:, : WATCHED.size].copy()
    after, later = (
        Instant(read_both_motions(kept, motion), kept[:, time])
        for motion, time in (
            (WATCHED.at.chaser, WATCHED.at.time),
            (WATCHED.at.later_chaser, WATCHED.at.later_time),
        )
    )
    return Batch(batch.outcomes, np.ascontiguousarray(batch.logs[:, :contacts])), StoredMotions(
        after, later, kept
    )


def collect_ends(runs: SparseParameters, batch: Batch) -> Instant:
    """The ends of all runs that did not stop early."""
    T = read_columns(runs, TIME_AT + TIMES.cycle, 1)[:, 0]
    end = np.where(batch.column("status") == 0.0, batch.column("cycles") * T, np.nan)
    return Instant(read_both_motions(batch.outcomes, MOTIONS), end)


def find_instants(
    runs: SparseParameters, batch: Batch, watched: StoredMotions, orbits: ReferenceBatch
) -> tuple[Instant, Instant]:
    """When every run is compared with orbit: after the contacts, and `settle_s` later or at the
    end. Where nothing touches, at the end."""
    end = collect_ends(runs, batch)
    none = (batch.column("contacts") == 0.0) & np.isnan(orbits.first_touch)
    late = np.isnan(watched.later.at) & np.isfinite(watched.after.at)
    return _replace_by_end(watched.after, end, none), _replace_by_end(
        watched.later, end, none | late
    )


def _replace_by_end(one: Instant, end: Instant, use: np.ndarray) -> Instant:
    """The end of the run where `use` says so."""
    motions = np.where(use[:, None, None], end.motions, one.motions)
    return Instant(motions, np.where(use, end.at, one.at))


def compute_distances_at(
    runs: SparseParameters,
    batch: Batch,
    instant: Instant,
    orbits: ReferenceBatch,
    scale: np.ndarray,
    threads: int | None = None,
) -> np.ndarray:
    """Distance from orbit of every run at its instant; NaN where there is none. `scale`: energy
    that the first contact can reach [J]."""
    found = np.full(len(batch), np.nan)
    fine = np.flatnonzero(np.isfinite(instant.at) & orbits.completed)
    if not len(fine):
        return found
    mine, at = SparseParameters(runs.base, runs.at, runs.values[fine]), instant.at[fine]
    reached = orbits.outcomes[fine, OUTCOME_COLUMNS.index("time_s")]
    if is_pushed(runs, orbits.methods) and np.any(at != reached):
        orbit = simulate_references_until(mine, orbits.methods, at, threads)
    else:
        orbit = rotate_back(mine, orbits.motions[fine], reached - at)
    found[fine] = compute_distances(mine, instant.motions[fine], orbit, scale[fine])
    return found


def compute_reachable_energies(
    runs: SparseParameters, batch: Batch, orbits: ReferenceBatch, threads: int | None = None
) -> np.ndarray:
    """Energy that the first contact can reach [J]: orbit's; where orbit does not touch that of the
    approach, and where nothing touches the work from outside."""
    reach = orbits.outcomes[:, OUTCOME_COLUMNS.index("reach_J")]
    everyone = np.arange(len(batch))
    start = compute_approach_energies(
        runs, compute_motions_before_contact(runs, everyone, batch, orbits, threads)
    )
    given = orbits.outcomes[:, OUTCOME_COLUMNS.index("external_J")]
    none = np.where(given > 0.0, given, np.nan)
    return np.where(reach > 0.0, reach, np.where(batch.column("contacts") > 0.0, start, none))
