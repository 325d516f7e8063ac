"""What an outcome of a campaign is: one declaration from which table, summary, maps,
replay, page and terminal take what they need. The outcomes themselves: `outcomes.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.contact.seat import CAPTURES
from softdock.loop.sensor.force_torque import SENSOR
from softdock.loop.sensor.pose import POSE
from softdock.loop.vector import (
    CAPTURE_AT,
    MAP,
    MEMORY_AT,
    POSE_AT,
    SENSOR_AT,
    TIME_AT,
    TIMES,
)
from softdock.reference import OUTCOME_COLUMNS as ORBITS
from softdock.studies.campaign.arrow_arrays import (
    make_boolean_column,
    make_number_column,
    make_word_column,
)
from softdock.studies.campaign.batch import Batch, SparseParameters
from softdock.studies.campaign.distances import read_columns
from softdock.studies.campaign.references import ReferenceBatch, StoredMotions
from softdock.studies.campaign.variants import Plan

BEHIND = 1000  # place on a page of an outcome that asks for none


class ReferenceResults(NamedTuple):
    """The reference's side of some runs."""

    orbits: ReferenceBatch
    distance: np.ndarray
    later: np.ndarray  # the same, `settle_s` later or at the end of the run
    at_end: np.ndarray  # the same, at the end of the run
    scale: np.ndarray  # J, energy that the first contact can reach
    watched: StoredMotions


@dataclass(frozen=True)
class ShardResult:
    """Runs that a machine has made, and what an outcome may be computed from."""

    plan: Plan
    variant: int
    first: int  # run of the variant
    runs: SparseParameters
    batch: Batch
    reference_results: ReferenceResults | None

    @property
    def count(self) -> int:
        return len(self.batch)


class Map(NamedTuple):
    """How an outcome is drawn over two keys that vary."""

    title: str
    meaning: str  # of its colours: good, bad, force, error, energy; or a colour scale of plotly
    limits: tuple[float, float] | None = None  # None: from the least (or 0) to the most
    is_share: bool = False  # of the runs in a cell: not drawn where each cell has one run
    about_zero: bool = False  # the middle colour is none
    place: int = BEHIND  # among the maps: smaller first
    needs_contact: bool = False  # runs without a contact are not counted
    yes_or_no: tuple[str, str] | None = None  # words for 0 and 1, where a cell has one run


class Quantile(NamedTuple):
    """The 95 % quantile of an outcome in the table of variants."""

    heading: str  # on the page
    terminal: str = ""  # in the terminal, with its unit; empty: not there
    tile: str = ""  # title of a tile on the page; empty: none
    is_share: bool = False  # shown in percent


Columns = Mapping[str, np.ndarray]  # of runs read from the tables; words by their index


@dataclass(frozen=True)
class Outcome:
    """One outcome of every run. Only `name`, `meaning` and one of `column` and `derived` are
    needed; everything else says where it is shown."""

    name: str  # column of the table; ends in its unit
    meaning: str
    column: Callable[[ShardResult], Any] | None = None  # an Arrow array, one value per run
    derived: Callable[[Plan, Columns], np.ndarray | None] | None = None  # no column: from columns
    unit: str = ""  # as people write it: m/s, of a name that ends in _m_per_s
    of_orbit: bool = False  # needs the reference beside the runs
    is_number: bool = True  # can be ranked by, and may be the worst
    replayed: Callable[[Mapping[str, Any]], Any] | None = None  # of one run, from its metrics
    paired_by_age: bool = False  # a single run knows it better than a batch: not compared
    heading: str = ""  # in tables and charts; empty: the name
    place: int = BEHIND  # on a page: smaller first
    has_distribution: bool = False
    is_among_worst: bool = False  # a column of the worst cases
    quantile: Quantile | None = None
    map: Map | None = None


OUTCOMES: dict[str, Outcome] = {}  # by name, in the order of the table's columns


def declare(*outcomes: Outcome) -> None:
    """Make outcomes part of every campaign from now on."""
    for outcome in outcomes:
        if outcome.name in OUTCOMES:
            raise ValueError(f"an outcome '{outcome.name}' exists")
        if (outcome.column is None) == (outcome.derived is None):
            raise ValueError(f"'{outcome.name}' needs either a column or how it is derived")
        OUTCOMES[outcome.name] = outcome


def list_columns(reference: bool) -> list[Outcome]:
    """Those that are columns of the table; the reference's too if it is simulated."""
    return [o for o in OUTCOMES.values() if o.column and (reference or not o.of_orbit)]


def list_page_outcomes(wanted: Callable[[Outcome], Any]) -> list[Outcome]:
    """Those of which something is true, in the order of a page."""
    return sorted((o for o in OUTCOMES.values() if wanted(o)), key=lambda o: o.place)


def get_heading(name: str) -> str:
    """What an outcome, or a user's own, is called in a table."""
    return (OUTCOMES[name].heading or name) if name in OUTCOMES else name


# How the outcomes of a campaign come from what a machine returned: one array per outcome. And the
# same of a single run, from its metrics.

ACTIVE = 0.01  # of the energy at the start: a run that adds more is active
ACTIVITIES = ("passive", "active", "stopped")
Column = Callable[[ShardResult], Any]


def from_loop(name: str, kind: type[np.generic] = np.float64) -> Column:
    """An outcome as the loop left it (loop/entry_points.py)."""
    return lambda shard: make_number_column(shard.batch.column(name).astype(kind))


def from_reference(name: str, kind: type[np.generic] = np.float64) -> Column:
    """An outcome of the reference's flight."""
    at = ORBITS.index(name)
    return lambda shard: make_number_column(
        compute_reference_results(shard).orbits.outcomes[:, at].astype(kind)
    )


def from_metrics(*path: str) -> Callable[[Mapping[str, Any]], Any]:
    """The same of a single run, from its metrics."""

    def found(metrics: Mapping[str, Any]) -> Any:
        value: Any = metrics
        for key in path:
            value = value[key]
        return value

    return found


def compute_reference_results(shard: ShardResult) -> ReferenceResults:
    if shard.reference_results is None:
        raise ValueError("the on-orbit reference was not simulated for these runs")
    return shard.reference_results


def list_run_numbers(shard: ShardResult) -> Any:
    start = np.uint32(shard.variant * shard.plan.design.runs + shard.first)
    return make_number_column(np.arange(shard.count, dtype=np.uint32) + start)


def repeat_word(word: str, count: int) -> Any:
    return make_word_column(np.zeros(count, dtype=np.int8), (word,))


def read_statuses(shard: ShardResult) -> np.ndarray:
    return shard.batch.column("status").astype(np.int8)


def make_activity_column(shard: ShardResult) -> Any:
    added, start = shard.batch.column("energy_added_J"), shard.batch.column("kinetic_start_J")
    words = np.where(read_statuses(shard) != 0, 2, np.where(added > ACTIVE * start, 1, 0))
    return make_word_column(words.astype(np.int8), ACTIVITIES)


def read_activity(metrics: Mapping[str, Any]) -> int:
    start, added = metrics["ledger"]["kinetic_start_J"], metrics["energy_added_J"]
    stopped = metrics["status"] != "completed"
    return ACTIVITIES.index(
        "stopped" if stopped else "active" if added > ACTIVE * start else "passive"
    )


def read_captures(shard: ShardResult) -> Any:
    asked = read_columns(shard.runs, CAPTURE_AT + CAPTURES.hold, 1)[:, 0] > 0.0
    return make_boolean_column(np.isfinite(shard.batch.column("captured_at_s")), asked)


def read_reference_captures(shard: ShardResult) -> Any:
    asked = read_columns(shard.runs, CAPTURE_AT + CAPTURES.hold, 1)[:, 0] > 0.0
    orbits = compute_reference_results(shard).orbits
    captured = np.isfinite(orbits.captured)  # not known where the reference ended early
    return make_boolean_column(captured, asked & (captured | orbits.completed))


def read_latched(shard: ShardResult) -> Any:
    asked = read_columns(shard.runs, MEMORY_AT + MAP.latch_count, 1)[:, 0] > 0.0
    return make_boolean_column(np.isfinite(shard.batch.column("latched_at_s")), asked)


def read_cycles_s(runs: SparseParameters) -> np.ndarray:
    return read_columns(runs, TIME_AT + TIMES.cycle, 1)[:, 0]


def read_observed_energy(shard: ShardResult) -> Any:
    """NaN where the newest force and the newest pose are not of about one instant: a batch has no
    record in which to pair others."""
    at = (
        SENSOR_AT + SENSOR.at.delay,
        POSE_AT + POSE.at.delay,
        SENSOR_AT + SENSOR.at.period,
        POSE_AT + POSE.at.period,
    )
    T = read_cycles_s(shard.runs)
    force, pose, *periods = (read_columns(shard.runs, one, 1)[:, 0] for one in at)
    same = (np.abs(force - pose) <= 0.5 * T) & (np.maximum(*periods) <= T * (1.0 + 1e-9))
    return make_number_column(np.where(same, shard.batch.column("observed_J"), np.nan))


def compute_invented_share(plan: Plan, columns: Columns) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(columns["energy_added_J"] / columns["kinetic_start_J"])


def find_runs_within_limit(plan: Plan, columns: Columns) -> np.ndarray | None:
    if "error_against_orbit" not in columns:
        return None
    distance = columns["error_against_orbit"]
    worst = np.fmax(distance, columns["error_against_orbit_later"])
    within = np.where(np.isfinite(distance), worst <= plan.spec.error_limit, np.nan)
    # a run that stopped is not within the limit
    return np.where(np.isnan(distance) & (columns["status"] != 0), 0.0, within)
