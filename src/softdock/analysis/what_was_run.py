"""The first metrics of a run: what was run, by which version, and how far it came. One declaration
each, as those of metrics.py."""

from __future__ import annotations

from softdock._version import __version__
from softdock.analysis.metric import Metric
from softdock.core.machine.vector import TIME_AT, TIMES

SCHEMA = 1  # rises when a key changes its meaning or goes; new keys may come at any time

WHAT_WAS_RUN = (
    Metric(
        name="schema",
        meaning="version of this contract",
        value=lambda j: SCHEMA,
    ),
    Metric(
        name="softdock",
        meaning="version of the package",
        value=lambda j: __version__,
    ),
    Metric(
        name="scenario",
        meaning="what was run",
        value=lambda j: j.run.scenario.name,
    ),
    Metric(
        name="description",
        meaning="what was run, in words",
        value=lambda j: j.tables["description"],
    ),
    Metric(
        name="integrator",
        meaning="integrator of the satellites",
        value=lambda j: j.tables["satellites"]["integrator"],
    ),
    Metric(
        name="methods",
        meaning="methods, in the order in which they apply",
        value=lambda j: [method["name"] for method in j.tables["methods"]],
    ),
    Metric(
        name="status",
        meaning="completed, or why the run stopped",
        value=lambda j: j.run.status,
    ),
    Metric(
        name="stopped_at_s",
        meaning="when it stopped; None: it did not",
        value=lambda j: None if j.run.status == "completed" else j.run.cycles * j.cycle,
    ),
    Metric(
        name="ended_at_s",
        meaning="how far it came",
        value=lambda j: j.run.cycles * j.cycle,
    ),
    Metric(
        name="cycles",
        meaning="control cycles that ran",
        value=lambda j: j.run.cycles,
    ),
    Metric(
        name="cycle_s",
        meaning="length of a cycle",
        value=lambda j: j.cycle,
    ),
    Metric(
        name="duration_s",
        meaning="how far it was meant to go",
        value=lambda j: float(j.run.scenario.vector[TIME_AT + TIMES.duration]),
    ),
)
