"""The metrics of a run: one plain dict, the same in Python, in `metrics.json`, in `softdock run
--json` and on the page. See docs/metrics.md.

Keys carry their units. Every value is a plain number, text, list or dict; what is not defined (a
restitution without a contact) is None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock._version import __version__
from softdock.loop.vector import TIME_AT, TIMES
from softdock.results.criteria import compute_criteria
from softdock.results.fidelity import compare_with_reference
from softdock.results.latches import compute_latch_metrics, summarise_times
from softdock.results.method_reports import declare_new, list_declarations, make_metrics
from softdock.results.metric import METRICS as METRICS  # with those declared below
from softdock.results.metric import (
    JudgedRun,
    Metric,
    Row,
    are_states_corrected,
    declare,
    tabulate_contact,
    tabulate_ledger,
    tabulate_reference,
    tabulate_state,
)
from softdock.results.momenta import read_mass_properties, read_motions
from softdock.results.quantities import format_quantity
from softdock.results.run import Run
from softdock.results.summary import describe_run
from softdock.results.verdict import make_verdict
from softdock.scenario.checks import RESOLVED_CYCLES

# The first metrics of a run: what was run, by which version, and how far it came. One declaration
# each, as those of metrics.py.

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


# The metrics of a run with latches: one declaration each, as those of metrics.py.

LATCH_METRICS = (
    Metric(
        name="latched",
        meaning="whether every latch went hard and held; None: there is none",
        value=lambda j: (
            math.isfinite(summarise_times(j.run.latches)["latched_at_s"])
            if len(j.run.latches)
            else None
        ),
        tile="Every latch hard and whole at the end of the run",
    ),
    Metric(
        name="latched_at_s",
        meaning="when the last latch went hard: hard dock",
        value=lambda j: summarise_times(j.run.latches)["latched_at_s"],
        row=Row("latched at", "s", if_none="never", only_if="latched"),
    ),
    Metric(
        name="latch",
        meaning="what the latches did and bore, and whether the latched pair grows",
        value=lambda j: compute_latch_metrics(j.run),
    ),
)


# What a reader of a run's numbers must know: what is not defined, resolved or accounted for.

# of the contact's work: more unaccounted for than this is warned about (definition of the ledger's
# second check)
PHYSICS_TO = 1e-3


def collect_warnings(run: Run, m: Mapping[str, Any]) -> list[str]:
    """What a reader of these numbers must know."""
    warnings = []
    if m["fidelity"]["compared_at_s"] is None and m["reference"]["status"] == "completed":
        warnings.append(
            "energy ratio and error after the contacts are not defined: the contact was not over "
            "when the run ended"
        )
    warned = {w.split(".")[1] for w in run.scenario.warnings if w.startswith("contact.")}
    short = [
        c
        for c in m["contacts"]
        if c["parted"] and c["cycles"] < RESOLVED_CYCLES and str(c["pair"]) not in warned
    ]
    if short:
        shortest = min(c["cycles"] for c in short)
        warnings.append(
            f"a contact lasted only {shortest:.2g} cycles; below {RESOLVED_CYCLES:g} the "
            "result depends on the sampling phase (see it with --phases 32)"
        )
    residual = m["ledger"]["physics_residual"]
    if residual is not None and residual > PHYSICS_TO:
        warnings.append(
            f"the energy balance of the contact is open by {100.0 * residual:.2g} % of its work; "
            "raise time.plant_steps"
        )
    if m["reference"]["status"] != "completed":
        warnings.append(f"the on-orbit reference ended early: {m['reference']['status']}")
    return warnings


def compute_metrics(run: Run) -> dict[str, Any]:
    """All metrics of a run, with the reference's beside them."""
    declare_new()
    T = float(run.scenario.vector[TIME_AT + TIMES.cycle])
    criteria = compute_criteria(run)
    judged = JudgedRun(
        run=run,
        orbit=run.reference,
        cycle=T,
        bodies=read_mass_properties(run.scenario.vector),
        against=compare_with_reference(run, run.reference, criteria),
        contacts=[tabulate_contact(c, T, are_states_corrected(run)) for c in run.contacts],
        orbit_contacts=[tabulate_contact(c, T, False) for c in run.reference.contacts],
    )
    result: dict[str, Any] = convert_to_plain(
        {name: m.value(judged) for name, m in METRICS.items()}
    )
    result["criteria"] = convert_to_plain(criteria)
    result["summary"] = describe_run(result)
    result["verdict"] = make_verdict([result], judged.tables["verdict"])
    result["warnings"] = [*run.warnings, *collect_warnings(run, result)]
    return result


def list_shown_rows(m: Mapping[str, Any]) -> list[tuple[str, Row]]:
    """Keys of the metrics that a person is shown in a table, and how."""
    rows = [(one.name, one.row) for one in METRICS.values() if one.row is not None]
    return [
        (key, row) for key, row in rows if key in m and not (row.only_if and m[row.only_if] is None)
    ]


def format_row(m: Mapping[str, Any], key: str, row: Row) -> tuple[str, str, str]:
    """A metric in words, of this rig and on orbit."""
    wanted = m["reference"].get(key) if row.in_orbit is None else row.in_orbit
    own = format_quantity(m[key], row.unit, if_none=row.if_none)
    return row.words, own, format_quantity(wanted, row.unit)


def convert_to_plain(value: Any) -> Any:
    """Fit for JSON: numpy to Python, NaN and infinity to None."""
    if isinstance(value, Mapping):
        return {str(key): convert_to_plain(v) for key, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and np.isfinite(value).all():
        return value.tolist()  # curves of a page: many numbers at once
    if isinstance(value, list | tuple | np.ndarray):
        return [convert_to_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def format_metrics_json(metrics: Mapping[str, Any]) -> str:
    """As it stands in `metrics.json` and comes from `softdock run --json`."""
    return json.dumps(metrics, indent=1, allow_nan=False) + "\n"


def is_captured(j: JudgedRun) -> bool | None:
    """Of a scenario that asks for it."""
    if not j.tables["capture"]["for_s"] > 0.0:
        return None
    return math.isfinite(j.run.reached.captured_at_s)


declare(
    *WHAT_WAS_RUN,
    Metric(
        name="restitution",
        meaning="of the first contact: minus the rate of the gap after over before",
        value=lambda j: j.run.restitution,
        label="Restitution",
        row=Row("restitution, first contact"),
        tile="Speed of parting over speed of closing, of the first contact",
        over_phases=True,
    ),
    Metric(
        name="restitution_energetic",
        meaning="of the first contact: root of the energy given back over the energy taken",
        value=lambda j: j.contacts[0]["restitution_energetic"] if j.contacts else math.nan,
        label="Restitution by energy",
        row=Row("restitution by energy, first contact"),
        over_phases=True,
    ),
    Metric(
        name="energy_ratio",
        meaning="kinetic energy after the last contact over before the first",
        value=lambda j: j.against["energy_ratio"],
        label="Energy ratio",
        row=Row("energy after / before"),
        tile="Kinetic energy after the last contact over before the first",
        over_phases=True,
    ),
    Metric(
        name="energy_added_J",
        meaning="energy that no contact, hand or thruster accounts for",
        value=lambda j: j.run.energy_added_J,
        label="Energy added by the loop",
        row=Row("energy added by the loop", "J", in_orbit=0.0),
        tile="Energy that no contact, hand or thruster accounts for",
        over_phases=True,
    ),
    Metric(
        name="energy_error_J",
        meaning="kinetic energy after the last contact, less that of the on-orbit reference",
        value=lambda j: j.against["energy_error_J"],
        label="Kinetic energy less that on orbit",
        row=Row("kinetic energy less that on orbit", "J", in_orbit=0.0),
        over_phases=True,
    ),
    Metric(
        name="error_against_orbit",
        meaning="error against the on-orbit reference; 1 is an error as large as the approach",
        value=lambda j: j.against["error_against_orbit"],
        label="Error against the reference",
        row=Row("error against the reference, after the contacts", "%", in_orbit=0.0),
        tile="Difference of both satellites' motion from the on-orbit reference after the last "
        "contact; 100 % is an error as large as the approach speed",
        over_phases=True,
    ),
    Metric(
        name="error_against_orbit_later",
        meaning="the same `verdict.settle_s` later, where a push after parting shows",
        value=lambda j: j.against["error_against_orbit_later"],
        label="Error against the reference, settle_s later",
        row=Row("error against the reference, settle_s later", "%", in_orbit=0.0),
        over_phases=True,
    ),
    Metric(
        name="error_against_orbit_at_end",
        meaning="the same at the end of the run",
        value=lambda j: j.against["error_against_orbit_at_end"],
        label="Error against the reference at the end of the run",
        row=Row("error against the reference, at the end", "%", in_orbit=0.0),
        over_phases=True,
    ),
    Metric(
        name="error_against_orbit_worst",
        meaning="the worse of after the contacts and settle_s later, which judges",
        value=lambda j: j.against["error_against_orbit_worst"],
        label="Error against the reference, the worse of both",
        over_phases=True,
    ),
    Metric(
        name="peak_force_real_N",
        meaning="largest true force of a contact pair",
        value=lambda j: j.run.reached.peak_force_real_N,
        label="Peak force between the mock-ups",
        row=Row("peak force, mock-ups", "N"),
        tile="Of all contacts",
    ),
    Metric(
        name="peak_torque_real_Nm",
        meaning="largest true torque about either centre of mass",
        value=lambda j: j.run.reached.peak_torque_real_Nm,
        label="Peak torque between the mock-ups",
        row=Row("peak torque, mock-ups", "Nm"),
        tile="True torque about either centre of mass, the larger",
    ),
    Metric(
        name="captured",
        meaning="whether the probe came to its seat and stayed; None: the scenario has no capture",
        value=is_captured,
        tile="The probe at its seat and slow, for the time that the scenario states",
    ),
    Metric(
        name="captured_at_s",
        meaning="when that was sure",
        value=lambda j: j.run.reached.captured_at_s,
        row=Row("captured at", "s", if_none="never", only_if="captured"),
    ),
    *LATCH_METRICS,
    *(metric for shown in list_declarations() for metric in make_metrics(shown)),
    Metric(
        name="ledger",
        meaning="where the added energy comes from",
        value=lambda j: tabulate_ledger(j.run),
    ),
    Metric(
        name="method_books",
        meaning="energy that the methods removed and returned",
        value=lambda j: j.run.method_books,
    ),
    Metric(
        name="events",
        meaning="faults of readings and robots",
        value=lambda j: j.run.events,
    ),
    Metric(
        name="contacts",
        meaning="real contacts",
        value=lambda j: j.contacts,
    ),
    Metric(
        name="contact_count",
        meaning="all contacts, also those beyond the log",
        value=lambda j: j.run.contact_count,
        label="Contacts",
        row=Row("contacts"),
        tile="Touches of the mock-ups; touches in quick succession count as one",
        over_phases=True,
    ),
    Metric(
        name="final",
        meaning="the satellites at the end",
        value=lambda j: tabulate_state(
            j.bodies, read_motions(j.run.series, -1), j.run.cycles * j.cycle
        ),
    ),
    Metric(
        name="reference",
        meaning="the on-orbit reference",
        value=tabulate_reference,
    ),
    Metric(
        name="fidelity",
        meaning="everything compared with the on-orbit reference",
        value=lambda j: j.against,
    ),
)
