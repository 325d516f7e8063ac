"""The verdict of a recording: the verdict object of every run (analysis/judgement.py), from what a
rig knows.

With a scenario the reference is flown from the recording's own start, and every criterion whose
series were recorded is judged against it, at the one sampling phase that there was. Without one a
contact that gave the satellites more energy than it took is unsafe all the same; nothing else can
be said. What was not judged stands among the doubts, with what the log lacks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.analysis.criteria import criteria_of
from softdock.analysis.judgement import CRITERIA, judgement
from softdock.analysis.metrics import plain
from softdock.core.adaptation.method import no_past, nothing_replaced, nothing_rewound
from softdock.core.adaptation.registry import METHODS
from softdock.recorder.recorded_run import as_run, docking_rows, lacking
from softdock.scenario.build import Scenario
from softdock.scenario.verdict_table import VERDICT

FEWEST = 10  # rows of a docking
COUNTS = 0.1  # of the largest measured force: a smaller touch is not judged
DEFAULTS = {p.key: p.default for p in VERDICT}  # bounds, where no scenario is attached
ENDED = ("none", "completed", "retreated")  # reasons that end a run and stop nothing
# reasons of a rig's supervisor by which the loop itself is to blame (core/rig/reasons.py)
LIMITS = (
    *("restitution", "energy_contact", "energy_run", "power", "force", "torque", "sensor_range"),
    *("speed", "rate", "acceleration", "turn_acceleration", "box", "correction", "angle"),
    *("not_finite", "controller"),
)
Contact = Mapping[str, Any]


def judged(recording: Any, source: str = "DIR") -> dict[str, Any]:
    """The verdict. `source`: how a person names the recording on the command line."""
    scenario = recording.scenario
    if scenario is None:
        numbers = _without_scenario(recording.contacts)
        step = (
            f"`softdock identify {source} --scenario FILE.toml` writes what this log tells into a "
            "scenario; `softdock run FILE.toml` judges it."
        )
        found = _judgement(numbers, DEFAULTS, [], source, step)
        return _with_doubt(
            found, "a log without a scenario has no reference: only energy is judged"
        )
    numbers, absent = _against_reference(recording)
    step = (
        f"`softdock replay {source} --method faithful` forecasts what another method makes of it."
    )
    methods = [entry["name"] for entry in scenario.tables["methods"]]
    found = _judgement(numbers, scenario.tables["verdict"], methods, source, step)
    for doubt in (*_of_the_log(recording), *absent):
        found = _with_doubt(found, doubt)
    return found


def _judgement(
    numbers: Mapping[str, Any],
    bounds: Mapping[str, Any],
    methods: list[str],
    source: str,
    step: str,
) -> dict[str, Any]:
    run = {"criteria": numbers, "methods": methods, "scenario": source, "method_books": {}}
    return judgement([run], bounds, source, step)


def _with_doubt(found: dict[str, Any], doubt: str) -> dict[str, Any]:
    return {**found, "doubts": [*found["doubts"], f"{doubt[0].upper()}{doubt[1:]}."]}


def _empty(reason: str) -> dict[str, Any]:
    """The numbers of a run of which nothing is known."""
    numbers = dict.fromkeys(CRITERIA, None)
    nothing = ("growth_error", "mock_up_force_N", "mock_up_force_on_orbit_N")
    return {**numbers, **dict.fromkeys(nothing), "limits": "", "outcome": [], "no_verdict": reason}


def _without_scenario(contacts: Sequence[Contact]) -> dict[str, Any]:
    """Energy of consecutive contacts over what the first one took."""
    largest = max((c["peak_force_measured_N"] for c in contacts), default=0.0)
    clear = [c for c in contacts if c["peak_force_measured_N"] >= COUNTS * largest]
    if not clear:
        return _empty("the log has no scenario, and nothing touched in it")
    if any(not c.get("work_taken_J") or c["restitution_energetic"] is None for c in clear):
        return _empty(
            "the log has no scenario, and not the satellites' motion and the wrenches on them"
        )
    most, ahead = -math.inf, 0.0
    for c in clear:
        ahead = max(ahead, 0.0) + c["work_taken_J"] * (c["restitution_energetic"] ** 2 - 1.0)
        most = max(most, ahead)
    return {**_empty("the log has no scenario"), "energy": most / clear[0]["work_taken_J"]}


def _against_reference(recording: Any) -> tuple[dict[str, Any], list[str]]:
    """All numbers of a recording with its scenario, and what is not judged."""
    stopped = reason_of(recording)
    words = stopped.replace("_", " ")
    limits = f"the rig's supervisor stopped the run ({words})" if stopped in LIMITS else ""
    outside = f"the run was stopped from outside ({words})"
    outside = "" if stopped in (*ENDED, *LIMITS) else outside
    why = outside or _too_little(recording)
    if _too_little(recording):
        return {**_empty(why), "limits": limits}, []
    with np.errstate(all="ignore"):
        numbers: dict[str, Any] = plain(criteria_of(as_run(recording)))
    numbers |= {"limits": numbers["limits"] or limits, "no_verdict": why or numbers["no_verdict"]}
    return _left_out(numbers, recording)


def _too_little(recording: Any) -> str:
    """Why there is nothing to be compared; empty: there is."""
    series = recording.series
    if "time" not in series or docking_rows(series, recording.tables) < FEWEST:
        return f"fewer than {FEWEST} cycles of a docking were recorded"
    if lacking(series):
        return f"the log lacks {lacking(series)}"
    if any(_numbers(recording.tables.get("run", {}).get("dry_shift_m", ""))):
        return "a dry run: the mock-ups were kept apart"
    return ""


def _numbers(text: str) -> list[float]:
    try:
        return [float(x) for x in text.strip("[] ").split(",") if x.strip()]
    except ValueError:
        return []


def reason_of(recording: Any) -> str:
    """Why a rig's run ended, by the name of the supervisor's reason; `none` where no supervisor
    was."""
    names = [s.strip() for s in recording.tables.get("run", {}).get("reasons", "").split(",")]
    if "reason" not in recording.series or not len(recording.series.rows):
        return "none"
    code = int(recording.series["reason"][-1])
    return names[code] if 0 <= code < len(names) else "none"


def _left_out(numbers: dict[str, Any], recording: Any) -> tuple[dict[str, Any], list[str]]:
    """The numbers without those that this log cannot have, and why."""
    tables, series = recording.scenario.tables, recording.series
    said, names = [], set()
    if any("satellite." + b + ".force.x" not in series for b in _pushed(recording.scenario)):
        names |= {"peak_force", "free_flight"}
        said.append("the log lacks the forces on the satellites")
    own = [entry["name"] for entry in tables["methods"] if _computes_contact(entry["name"])]
    if own:
        names |= {"peak_force"}
        said.append(f"of {own[0]}, which computes the contact itself, a log has what was applied")
    if tables["capture"].get("latch"):
        names |= {"latch_force", "growth", "energy_kept"}
        said.append("a log has no forces and states of latches")
    if numbers["still_touching"]:
        names |= {"energy_kept"}
        said.append("a log has no energy stored in the contact")
    for name in names:
        numbers[name] = None
    numbers["outcome"] = [one for one in numbers["outcome"] if one.startswith("touched")]
    if not names:
        return numbers, []
    words = ", ".join(name.replace("_", " ") for name in CRITERIA if name in names)
    return numbers, [f"not judged: {words} ({'; '.join(said)})"]


def _computes_contact(name: str) -> bool:
    """Whether a method puts a contact or a past of its own in place of what was measured."""
    method = METHODS[name]
    return (
        method.rewound is not nothing_rewound
        or method.replaced is not nothing_replaced
        or method.past is not no_past
    )


def _pushed(scenario: Scenario) -> list[str]:
    return [body for body in ("chaser", "target") if not scenario.tables[body]["fixed"]]


def _of_the_log(recording: Any) -> list[str]:
    """What makes a recording doubtful itself."""
    lost = sum(recording.lost.values()) if recording.lost else 0
    return [f"{lost} rows of the recording are lost and were filled in"] if lost else []
