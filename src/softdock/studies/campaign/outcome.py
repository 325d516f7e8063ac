"""What an outcome of a campaign is: one declaration from which table, summary, maps,
replay, page and terminal take what they need. The outcomes themselves: `outcomes.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softdock.studies.campaign.batch import Batch
from softdock.studies.campaign.compact_vectors import SparseParameters
from softdock.studies.campaign.compared import StoredMotions
from softdock.studies.campaign.orbits import ReferenceBatch
from softdock.studies.campaign.variants import Plan

BEHIND = 1000  # place on a page of an outcome that asks for none


class ReferenceResults(NamedTuple):
    """Orbit's side of some runs."""

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
    beside: ReferenceResults | None

    @property
    def count(self) -> int:
        return len(self.batch)


class Map(NamedTuple):
    """How an outcome is drawn over two keys that vary."""

    title: str
    colours: str
    limits: tuple[float, float] | None = None  # None: from the least (or 0) to the most
    is_share: bool = False  # of the runs in a cell: not drawn where each cell has one run
    about_zero: bool = False  # the middle colour is none
    place: int = BEHIND  # among the maps: smaller first
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
    of_orbit: bool = False  # needs orbit beside the runs
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
    """Those that are columns of the table; orbit's too if it is flown."""
    return [o for o in OUTCOMES.values() if o.column and (reference or not o.of_orbit)]


def list_page_outcomes(wanted: Callable[[Outcome], Any]) -> list[Outcome]:
    """Those of which something is true, in the order of a page."""
    return sorted((o for o in OUTCOMES.values() if wanted(o)), key=lambda o: o.place)


def get_heading(name: str) -> str:
    """What an outcome, or a user's own, is called in a table."""
    return (OUTCOMES[name].heading or name) if name in OUTCOMES else name
