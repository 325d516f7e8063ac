"""What a metric of a run is: one declaration from which `run.metrics`, the page and the terminal
take what they need. The metrics themselves: `metrics.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from softdock.reference import Orbit
from softdock.results.momenta import MassProperties
from softdock.results.run import Run


@dataclass(frozen=True)
class JudgedRun:
    """What metrics are computed from: a run, orbit beside it, and how far they are apart."""

    run: Run
    orbit: Orbit
    cycle: float  # s
    bodies: MassProperties
    against: Mapping[str, float]  # fidelity.compare
    contacts: Sequence[Mapping[str, Any]]
    orbit_contacts: Sequence[Mapping[str, Any]]

    @property
    def tables(self) -> dict[str, Any]:
        """The scenario's, every default written out."""
        return self.run.scenario.tables


class Row(NamedTuple):
    """A row of the table in the terminal."""

    words: str
    form: str  # of the number
    unit: str = ""
    in_orbit: float | None = None  # what orbit has by definition; None: `reference` says
    if_none: str = "-"
    only_if: str = ""  # key that is None where the row would say nothing


@dataclass(frozen=True)
class Metric:
    """One key at the top level of `run.metrics`. `name`, `meaning` and `value` are needed; the rest
    says where it is shown."""

    name: str  # ends in its unit
    meaning: str
    value: Callable[[JudgedRun], Any]
    label: str = ""  # on a page; empty: spelled out from the name
    row: Row | None = None  # in the terminal
    tile: str = ""  # on the page, among the first numbers: what is said below it; empty: none
    over_phases: bool = False  # one of the numbers whose spread is shown first


METRICS: dict[str, Metric] = {}  # by name, in the order of `run.metrics`


def declare(*metrics: Metric) -> None:
    """Make metrics part of every run from now on."""
    for metric in metrics:
        if metric.name in METRICS:
            raise ValueError(f"a metric '{metric.name}' exists")
        METRICS[metric.name] = metric


def list_phase_metrics() -> list[str]:
    """Numbers whose mean and spread over the sampling phase are shown first."""
    return [metric.name for metric in METRICS.values() if metric.over_phases]
