"""The reference beside every run of a campaign, and the distance from it.

The reference is simulated once for all runs that differ only in what it does not know (robots,
sensors, noise, methods), before the runs. Each run then stores its motion at the first cycle, after
the reference's last contact, in which no contact force acts on it either (loop/settled_motion.py).
The reference's motion at that instant follows from the one at its end, because nothing but its spin
turns a body in free flight; where something else acts (schedules, hands, the tide, methods that
push, networks), the reference is simulated again, up to there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softdock.compile.interrupts import run_each_abandonable
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.contact.seat import CAPTURES
from softdock.loop.entry_points import MOTIONS, capture_time
from softdock.loop.method.hooks import any_external
from softdock.loop.schedules import ENTRY
from softdock.loop.sensor.pose import POSE
from softdock.loop.settled_motion import SETTLED_ROWS, WATCHED
from softdock.loop.spatial.motion import MOTION_FLOATS
from softdock.loop.tide import ORBIT
from softdock.loop.vector import (
    CAPTURE_AT,
    CHASER_EXTERNAL_AT,
    CHASER_HAND_AT,
    CHASER_ROBOT_AT,
    MAP,
    MEMORY_AT,
    METHODS_AT,
    ORBIT_AT,
    POSE_AT,
    RANDOM_AT,
    SATELLITES_AT,
    STOP_AT,
    TARGET_EXTERNAL_AT,
    TARGET_HAND_AT,
    TIME_AT,
    TIMES,
)
from softdock.reference import (
    LOGGED_CONTACTS,
    OUTCOME_COLUMNS,
    RECORD,
    RECORD_FLOATS,
    count_reference_floats,
    hook_memory,
    orbit_marker,
    read_latch_states,
    run_orbit,
)
from softdock.results.latches import summarise_times
from softdock.studies.campaign.batch import Batch, SparseParameters, count_cores
from softdock.studies.campaign.distances import (
    compute_approach_energies,
    compute_distances,
    read_columns,
    read_initial_motions,
    rotate_back,
)

CHUNK = 16  # runs a thread simulates at a time
IN_ORBIT = MAP.orbit_network_count, MAP.orbit_servicer  # that satellites have parts of their own
AT_ONCE = 1e-12  # s; of a reference without contacts, which has done with them from the start
ROWS = ENTRY.at.rows  # of a schedule
FIRST_MOTION = OUTCOME_COLUMNS.index("chaser.px")
STATUS, CONTACTS, TIME = (OUTCOME_COLUMNS.index(one) for one in ("status", "contacts", "time_s"))
FIRST_RECORDED = RECORD["chaser.position"].start  # of both motions in a record
AFTER_RECORDED = FIRST_RECORDED + 2 * MOTION_FLOATS
UNKNOWN_TO_ORBIT = (  # parts of the vector
    (RANDOM_AT, SATELLITES_AT),
    (CHASER_ROBOT_AT, POSE_AT + POSE.size),  # robots, sensor, mock-ups, pose
    (STOP_AT, ORBIT_AT),  # limits and captures
    (MEMORY_AT, 10**9),  # memory map and methods
)


def read_both_motions(rows: np.ndarray, first: int) -> np.ndarray:
    """Of both bodies, (N, 2, 13), from the column of the first float on."""
    return rows[:, first : first + 2 * MOTION_FLOATS].reshape(-1, 2, MOTION_FLOATS)


class ReferenceBatch(NamedTuple):
    """Of every run: the reference's outcomes (orbit.OUTCOME_COLUMNS), its first restitution, and
    when it touched; NaN without a contact."""

    outcomes: np.ndarray
    restitution: np.ndarray
    first_touch: np.ndarray  # s
    last_touch: np.ndarray
    latched: np.ndarray  # s, when the last latch went hard; NaN: not
    broken: np.ndarray  # s, when the first latch broke; NaN: none
    latch_peak: np.ndarray  # N, largest force of a latch; 0: none
    captured: np.ndarray  # s, when the probe was captured; NaN: not, or nobody asked
    simulated: int  # references that differ
    methods: tuple  # markers of the listed methods

    @property
    def motions(self) -> np.ndarray:
        """Of both bodies at the end, (N, 2, 13)."""
        return read_both_motions(self.outcomes, FIRST_MOTION)

    @property
    def completed(self) -> np.ndarray:
        return np.asarray(self.outcomes[:, STATUS] == 0.0)


def simulate_references(
    runs: SparseParameters,
    methods: tuple,
    threads: int | None = None,
    features: Any = None,
) -> ReferenceBatch:
    """The reference of every run. `methods`: the listed methods' markers, as in the runs.
    `features`: those of the loop; without, nobody asks for captures."""
    known = np.array(
        [not any(a <= at < b for a, b in UNKNOWN_TO_ORBIT) for at in runs.at], dtype=bool
    )
    marker = orbit_marker(runs.base, methods)
    if any(runs.base[MEMORY_AT + at] > 0.0 for at in IN_ORBIT) or marker.methods:
        known |= runs.at >= METHODS_AT  # methods that it has: networks, and those that push
    if runs.base[MEMORY_AT + MAP.latch_count] > 0.0:
        known |= (runs.at >= CAPTURE_AT) & (runs.at < MEMORY_AT)  # what makes a latch engage
    hold = CAPTURE_AT + CAPTURES.hold
    captures = features is not None and (runs.base[hold] > 0.0 or bool((runs.at == hold).any()))
    if captures:
        known |= (runs.at >= CAPTURE_AT) & (runs.at < ORBIT_AT)
    _, first, which = np.unique(
        runs.values[:, known], axis=0, return_index=True, return_inverse=True
    )
    outcomes, logged = (
        np.zeros((len(first), len(OUTCOME_COLUMNS))),
        np.full((len(first), 7), np.nan),
    )

    def fly(begin: int) -> None:
        log = np.zeros((LOGGED_CONTACTS, len(LOG_COLUMNS)))
        for i in range(begin, min(begin + CHUNK, len(first))):
            vector = runs.expand(first[i], first[i] + 1)[0]
            T, duration = (vector[TIME_AT + at] for at in (TIMES.cycle, TIMES.duration))
            rows = max(1, math.ceil(duration / T - 1e-9)) + 1 if captures else 0
            record = np.zeros((rows, RECORD_FLOATS if rows else 0))
            while True:
                mem = np.zeros(count_reference_floats(vector))
                run_orbit(
                    marker=marker,
                    vector=vector,
                    mem=mem,
                    own=hook_memory(marker, vector),
                    log=log,
                    record=record,
                    outcome=outcomes[i],
                    coarser=1.0,
                )
                count = int(outcomes[i, CONTACTS])
                if count <= len(log):
                    break
                log = np.zeros((count, len(LOG_COLUMNS)))  # the last of them is asked for
            latch = summarise_times(read_latch_states(vector, mem))
            logged[i, 3:6] = [latch[key] for key in ("latched_at_s", "broken_at_s", "peak_force_N")]
            if captures:
                done = math.floor(outcomes[i, TIME] / T + 1e-9) + 1
                motions = np.ascontiguousarray(record[:done, FIRST_RECORDED:AFTER_RECORDED])
                logged[i, 6] = capture_time(vector, features, mem, motions)
            if count > 0:
                logged[i, :3] = (
                    log[0, LOG_COLUMNS.index("restitution")],
                    log[0, LOG_COLUMNS.index("start_s")],
                    log[count - 1, LOG_COLUMNS.index("end_s")],
                )

    for _ in run_each_abandonable(fly, range(0, len(first), CHUNK), threads or count_cores()):
        pass
    which = which.reshape(-1)
    restitution, first_touch, last_touch, latched, broken, latch_peak, captured = logged[which].T
    return ReferenceBatch(
        outcomes=outcomes[which],
        restitution=restitution,
        first_touch=first_touch,
        last_touch=last_touch,
        latched=latched,
        broken=broken,
        latch_peak=latch_peak,
        captured=captured,
        simulated=len(first),
        methods=methods,
    )


def compile_reference(vector: np.ndarray, methods: tuple) -> None:
    """By simulating one cycle."""
    short = vector.copy()
    short[TIME_AT + TIMES.duration] = short[TIME_AT + TIMES.cycle]
    simulate_references(
        SparseParameters(short, np.zeros(0, dtype=np.int64), np.zeros((1, 0))), methods, 1
    )


def add_reference_times(
    runs: SparseParameters, orbits: ReferenceBatch, settle: float
) -> SparseParameters:
    """The same runs, told when the reference first touches and when it has done with its contacts,
    and how long after them they are compared again."""
    done = np.fmax(orbits.last_touch, AT_ONCE)
    first = np.where(np.isfinite(orbits.first_touch), orbits.first_touch, np.inf)
    places = [MEMORY_AT + at for at in (MAP.orbit_done, MAP.orbit_first, MAP.settle)]
    told = [done, first, np.full(len(done), settle)]
    return SparseParameters(
        runs.base, np.append(runs.at, places), np.column_stack([runs.values, *told])
    )


def compute_motions_before_contact(
    mine: SparseParameters,
    fine: np.ndarray,
    batch: Batch,
    orbits: ReferenceBatch,
    threads: int | None,
) -> np.ndarray:
    """The reference's motions before the first contact, of the runs `fine`: those of the start,
    unless something pushes the bodies."""
    start = read_initial_motions(mine)
    if not is_pushed(mine, orbits.methods):
        return start
    T = read_columns(mine, TIME_AT + TIMES.cycle, 1)[:, 0]
    touched = np.fmin(batch.column("start_s"), orbits.first_touch)[fine]
    before = np.floor(np.where(np.isfinite(touched), touched, 0.0) / T + 1e-9)
    there = simulate_references_until(mine, orbits.methods, np.maximum(before, 1.0) * T, threads)
    return np.where((before > 0.0)[:, None, None], there, start)


def is_pushed(runs: SparseParameters, methods: tuple) -> bool:
    """Whether anything but contacts acts on the bodies in orbit."""
    schedules = (CHASER_HAND_AT, TARGET_HAND_AT, CHASER_EXTERNAL_AT, TARGET_EXTERNAL_AT)
    tide = (ORBIT_AT + ORBIT.at.altitude, ORBIT_AT + ORBIT.at.mean_motion)
    parts = (MEMORY_AT + at for at in IN_ORBIT)
    pushing = (*parts, *tide, *(at + ROWS for at in schedules))
    is_varied = bool(np.isin(tide, runs.at).any())
    return is_varied or any_external(methods) or any(runs.base[at] > 0.0 for at in pushing)


def simulate_references_until(
    runs: SparseParameters, methods: tuple, time: np.ndarray, threads: int | None
) -> np.ndarray:
    """The reference's motions at a time of every run's own, by simulating it up to there."""
    duration = TIME_AT + TIMES.duration
    kept = runs.at != duration
    return simulate_references(
        SparseParameters(
            runs.base,
            np.append(runs.at[kept], duration),
            np.column_stack([runs.values[:, kept], time]),
        ),
        methods,
        threads,
    ).motions


# What a batch kept for its verdicts (loop/settled_motion.py), and the distance from the reference
# of every run at the instants at which it is compared.


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
    """Distance from the reference of every run at its instant; NaN where there is none. `scale`:
    energy that the first contact can reach [J]."""
    distances = np.full(len(batch), np.nan)
    fine = np.flatnonzero(np.isfinite(instant.at) & orbits.completed)
    if not len(fine):
        return distances
    mine, at = SparseParameters(runs.base, runs.at, runs.values[fine]), instant.at[fine]
    reached = orbits.outcomes[fine, OUTCOME_COLUMNS.index("time_s")]
    if is_pushed(runs, orbits.methods) and np.any(at != reached):
        orbit = simulate_references_until(mine, orbits.methods, at, threads)
    else:
        orbit = rotate_back(mine, orbits.motions[fine], reached - at)
    distances[fine] = compute_distances(mine, instant.motions[fine], orbit, scale[fine])
    return distances


def compute_reachable_energies(
    runs: SparseParameters, batch: Batch, orbits: ReferenceBatch, threads: int | None = None
) -> np.ndarray:
    """Energy that the first contact can reach [J]: the reference's; where the reference does not
    touch that of the approach, and where nothing touches the work from outside."""
    reach = orbits.outcomes[:, OUTCOME_COLUMNS.index("reach_J")]
    everyone = np.arange(len(batch))
    start = compute_approach_energies(
        runs, compute_motions_before_contact(runs, everyone, batch, orbits, threads)
    )
    given = orbits.outcomes[:, OUTCOME_COLUMNS.index("external_J")]
    none = np.where(given > 0.0, given, np.nan)
    return np.where(reach > 0.0, reach, np.where(batch.column("contacts") > 0.0, start, none))
