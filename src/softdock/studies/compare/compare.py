"""Scenario in, comparison out: every candidate against the same reference, with right and with
wrong knowledge, and its cost."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from numba.core.errors import NumbaError

from softdock._arguments import PROGRESS, TEXT, TEXTS, check_arguments, optional, whole_number
from softdock._notebook import format_block, format_note, format_table
from softdock._version import __version__
from softdock.errors import BadInput, Problem, SoftdockError
from softdock.loop.method.method import no_external
from softdock.methods.registry import METHODS, RAW
from softdock.reference import Reference, run_reference
from softdock.results.feasibility import check_feasible
from softdock.results.free_flight import list_warnings as free_flight_warnings
from softdock.results.free_flight import suggest_first_step
from softdock.results.metric import list_phase_metrics
from softdock.results.phases import MOST_PHASES, judge_metrics
from softdock.results.phases import list_phases as sampled
from softdock.results.quantities import format_percent
from softdock.results.run import Run
from softdock.results.simulation import SCENARIO_OR_TABLES
from softdock.scenario.build import Scenario, build
from softdock.scenario.candidates import ALL, Candidate, Refused, candidates
from softdock.scenario.method_compile import why_not_compiled
from softdock.scenario.own_models import refuse_own_models
from softdock.studies.compare.knowledge import WrongBelief, list_beliefs, list_wrong_beliefs
from softdock.studies.compare.outcomes import (
    Curves,
    make_curves,
    make_reference_curves,
    measure_costs_per_cycle,
    run_against,
    summarise_outcome,
)
from softdock.studies.compare.ranking import collect_vouching, find_worst, rank, recommend
from softdock.studies.compare.settings import advise_settings, format_lines_to_paste

# What a comparison holds: every number as plain data (`results`, the JSON), and the curves that
# a page draws.


@dataclass(repr=False)
class Comparison:
    """Candidates on one scenario, best first."""

    scenario: Scenario
    results: dict[str, Any]
    curves: list[Curves] = field(default_factory=list)  # reference first, candidates by rank

    @property
    def ranked(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.results["candidates"]
        return rows

    @property
    def recommendation(self) -> str:
        return str(self.results["recommendation"])

    def __repr__(self) -> str:
        best = self.ranked[0] if self.ranked else None
        said = f"; first {best['label']}, {best['verdict']['word']}" if best else ""
        return f"Comparison({self.scenario.name}: {len(self.ranked)} candidates{said})"

    def _repr_html_(self) -> str:
        """For a notebook: candidates by rank, the worst of their sampling phases. Energy gained:
        by the satellites over their contacts, after what a method removed."""
        head = (
            "",
            "verdict",
            "error against the reference",
            "energy gained",
            "peak force, difference",
        )
        rows = []
        for row in self.ranked:
            judged = row["verdict"]["criteria"]
            energy, force = judged["energy"]["number"], judged["peak_force"]["number"]
            shares = (
                judged["distance"]["number"],
                None if energy is None else max(energy, 0.0),
                None if force is None else abs(force),
            )
            rows.append((row["label"], row["verdict"]["word"], *map(format_percent, shares)))
        phases = self.results["phases"]
        note = f"The worst of {phases} sampling phases." if phases > 1 else "One sampling phase."
        return format_block(
            f"{self.scenario.name}: {len(self.ranked)} candidates",
            format_note(self.recommendation),
            format_table(head, rows, texts=2),
            format_note(note),
        )

    def to_json(self) -> str:
        return json.dumps(self.results, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    def page(self) -> str:
        """The comparison as one self-contained page."""
        from softdock.output.pages.comparison import comparison_page

        html: str = comparison_page(self)
        return html

    def save(self, folder: str | Path, force: bool = False) -> Path:
        """Page, JSON and scenario, each whole or not at all. Refuses a folder that has something in
        it, unless `force`. Returns its path."""
        from softdock.output.folders.study_folders import save_comparison

        path: Path = save_comparison(self, folder, force)
        return path


SCHEMA = 1
RECOMMENDED, TRIED = "recommended", ("exact_hold", "symplectic_euler")
PHASES, ERROR_PHASES = 8, 2  # of a row, and of each error of knowledge
Progress = Callable[[int, int, str], None]  # candidates done, candidates in all, what is running


class SimulatedReferences(NamedTuple):
    """The reference at every phase, and the methods that push from outside in it."""

    pushing: list[Any]
    orbits: list[Reference]


@check_arguments(
    scenario=SCENARIO_OR_TABLES,
    methods=TEXTS,
    integrators=TEXTS,
    phases=whole_number(1, MOST_PHASES),
    progress=PROGRESS,
    method_file=optional(TEXT),
)
def compare(
    scenario: Scenario | Mapping[str, Any],
    methods: str | Sequence[str] = ALL,
    integrators: str | Sequence[str] = RECOMMENDED,
    phases: int = PHASES,
    progress: Progress | None = None,
    method_file: str | None = None,
) -> Comparison:
    """Run every method on the scenario. `methods`: names, chains "a+b", or "all"; `integrators`:
    names, "all", or "recommended": one row a method, with the better of two; `phases`: sampling
    phases, with noise each with a seed of its own: means, and the worst, by which rows are ranked.

    `method_file`: where a user's methods came from (`load_method_file` has loaded them), to be said
    on the page.
    """
    if not isinstance(scenario, Scenario):
        scenario = build(scenario)
    refuse_own_models(scenario, "a comparison")
    check_feasible(scenario)
    recommended = integrators == RECOMMENDED or list(integrators) == [RECOMMENDED]
    chosen = ",".join(TRIED) if recommended else integrators
    able, unable = candidates(scenario, methods, chosen, advise_settings)
    orbits = [run_reference(phased) for phased in list_phases(scenario, phases)]
    references = SimulatedReferences(list_pushing_methods(scenario), orbits)
    rows: list[dict[str, Any]] = []
    curves: dict[str, Curves] = {}
    ran: list[Candidate] = []
    bad: BadInput | None = None
    for i, candidate in enumerate(able):
        if progress is not None:
            progress(i, len(able), f"{candidate.method} with {candidate.integrator}")
        try:
            row, curve = _measure_candidate(candidate, references)
        except NumbaError as error:
            unable.append(Refused(candidate.method, "any", why_not_compiled(error)))
            continue
        except BadInput as error:  # the start is impossible, for one or for all
            bad = bad or error
            unable.append(Refused(candidate.method, candidate.integrator, str(error)))
            continue
        except (SoftdockError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            unable.append(
                Refused(
                    candidate.method,
                    candidate.integrator,
                    f"it failed: {type(error).__name__}: {error}",
                )
            )
            continue
        rows.append(row)
        curves[row["label"]] = curve
        ran.append(candidate)
    if bad is not None and not ran:
        raise bad
    if recommended:
        ran, rows = select_best_integrators(ran, rows)
    _add_knowledge(ran, rows, SimulatedReferences(references.pushing, orbits[:ERROR_PHASES]))
    _add_costs(scenario, ran, rows)
    ranked = rank(rows)
    reference = _summarise_reference(orbits[0])
    results = {
        "schema": SCHEMA,
        "softdock": __version__,
        "scenario": scenario.name,
        "description": scenario.tables["description"],
        "phases": phases,
        "method_file": method_file,
        "orbit": reference,
        "recommendation": recommend(ranked, reference, suggest_first_step(scenario)),
        "paste": format_lines_to_paste(ranked),
        "candidates": ranked,
        "refused": [asdict(one) for one in dict.fromkeys(unable)],
        "warnings": [*scenario.warnings, *free_flight_warnings(scenario)],
    }
    return Comparison(
        scenario,
        results,
        [make_reference_curves(scenario, orbits[0]), *(curves[row["label"]] for row in ranked)],
    )


def list_phases(scenario: Scenario, phases: int) -> list[Scenario]:
    """The scenario as it stands first, then moved by even fractions of a cycle, with noise each
    with a seed of its own."""
    if not 1 <= phases <= MOST_PHASES:
        raise BadInput(Problem("phases", phases, f"a whole number from 1 to {MOST_PHASES}"))
    return sampled(scenario, phases)


def _measure_candidate(
    candidate: Candidate, references: SimulatedReferences
) -> tuple[dict[str, Any], Curves]:
    """One candidate with right and with wrong knowledge."""
    label = f"{candidate.method}, {candidate.integrator}"
    runs = _run_phases(candidate.scenario, references)
    nominal = summarise_outcome(runs)
    found = [run.metrics for run in runs]
    warnings = judge_metrics(candidate.scenario, found)
    chain = [METHODS[name] for name in candidate.methods]
    knows = [method.knows for method in chain if method.knows != "no parameter"]
    row = {
        "label": label,
        "method": candidate.method,
        "integrator": candidate.integrator,
        "summary": ", then ".join(method.summary for method in chain),
        "knows": "; ".join(knows) or "no parameter",
        "settings": candidate.entries,
        "beliefs": list_beliefs(candidate.scenario),
        **nominal,
        "peak_force_satellite_N": max(
            (c["peak_force_satellite_N"] for run in runs for c in run.contacts), default=0.0
        ),
        "verdict": warnings,
        "vouch": collect_vouching(chain, runs, warnings["word"]),
        "worst": None,
        "knowledge_errors": [],
        "warnings": [w for w in runs[0].warnings if w not in candidate.scenario.warnings],
    }
    return row, make_curves(runs[0], label)


def _add_knowledge(
    ran: list[Candidate], rows: list[dict[str, Any]], references: SimulatedReferences
) -> None:
    """What errors of knowledge make of each, at the first phases."""
    for candidate, row in zip(ran, rows, strict=True):
        errors = [
            _run_with_error(wrong, references) for wrong in list_wrong_beliefs(candidate.scenario)
        ]
        row |= {"knowledge_errors": errors, "worst": find_worst(errors)}


def select_best_integrators(
    ran: list[Candidate], rows: list[dict[str, Any]]
) -> tuple[list[Candidate], list[dict[str, Any]]]:
    """One row a method: that of the integrator with which it ranks first."""
    kept = {row["method"]: row["label"] for row in reversed(rank(rows))}
    best = [i for i, row in enumerate(rows) if kept[row["method"]] == row["label"]]
    return [ran[i] for i in best], [rows[i] for i in best]


def list_pushing_methods(scenario: Scenario) -> list[Any]:
    """The listed methods that push from outside, as the reference has them too."""
    return [
        entry
        for entry in scenario.tables["methods"]
        if METHODS[entry["name"]].external is not no_external
    ]


def _run_phases(scenario: Scenario, references: SimulatedReferences) -> list[Run]:
    """At every phase, against the reference that was simulated; a method that pushes has a
    reference of its own."""
    phased = list_phases(scenario, len(references.orbits))
    same = list_pushing_methods(scenario) == references.pushing
    return [
        run_against(one, reference if same else run_reference(one))
        for one, reference in zip(phased, references.orbits, strict=True)
    ]


def _run_with_error(wrong: WrongBelief, references: SimulatedReferences) -> dict[str, Any]:
    """What an error of knowledge makes of a candidate."""
    row = {"kind": wrong.kind, "error_percent": wrong.percent, "believed": wrong.believed}
    if wrong.scenario is None:
        return {
            **row,
            "status": "not run",
            "word": None,
            **dict.fromkeys(list_phase_metrics()),
            "reason": wrong.reason,
        }
    runs = _run_phases(wrong.scenario, references)
    word = judge_metrics(wrong.scenario, [run.metrics for run in runs])["word"]
    return {**row, "word": word, **summarise_outcome(runs), "reason": ""}


def _add_costs(scenario: Scenario, ran: list[Candidate], rows: list[dict[str, Any]]) -> None:
    """ns per cycle, and as a multiple of the raw loop's with the same integrator, measured in the
    same turns."""
    names = list(dict.fromkeys(c.integrator for c in ran))
    raw, _ = candidates(scenario, [RAW], names)
    costs = measure_costs_per_cycle([c.scenario for c in [*raw, *ran]])
    of_raw = {c.integrator: cost for c, cost in zip(raw, costs[: len(raw)], strict=True)}
    for candidate, row, cost in zip(ran, rows, costs[len(raw) :], strict=True):
        base = of_raw.get(candidate.integrator)
        row["cost_ns_per_cycle"] = cost
        row["cost_ratio_to_direct"] = (
            1.0 if candidate.methods == (RAW,) else (cost / base if cost and base else None)
        )


def _summarise_reference(references: Reference) -> dict[str, Any]:
    restitution = references.restitution
    return {
        "peak_force_N": max(
            (c["peak_force_satellite_N"] for c in references.contacts), default=0.0
        ),
        "status": references.status,
        "restitution": None if math.isnan(restitution) else restitution,
        "contact_count": references.contact_count,
        "contacts": [{"start_s": c["start_s"], "end_s": c["end_s"]} for c in references.contacts],
    }
