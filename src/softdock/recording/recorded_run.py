"""A recording of a docking as a `Run`, which the criteria of the verdict read like a simulated one;
and that verdict.

In: a recording with its scenario. Out: the run beside its reference, from the first row of the
docking to the last, at the recording's own cycle. The reference starts as the recorded satellites
did: a rig starts at the scenario's state, the log of another program wherever it began.

A rig knows no depth: the measured force of its contacts stands in, which rises and falls with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softdock.loop.method.memory import numbered
from softdock.loop.method.method import no_past, nothing_replaced, nothing_rewound
from softdock.loop.record import CHANNELS, Channel
from softdock.methods.registry import ADVISED, METHODS
from softdock.recording.contacts import BODIES, SHARE, find_sensor_body
from softdock.recording.hands import without_hands
from softdock.results.criteria import compute_criteria
from softdock.results.metrics import convert_to_plain
from softdock.results.run import LoopSummary, Run
from softdock.results.series import Series
from softdock.results.verdict import CRITERIA, make_verdict
from softdock.scenario.build import Scenario
from softdock.scenario.verdict_table import VERDICT
from softdock.studies.identify.contact import measure_free_force

OVER = ("retreat", "way out", "braking", "return", "stopped")  # states in which no satellite flies
PARTS = {"position": "position_m", "attitude": "attitude_wxyz"}
PARTS |= {"velocity": "velocity_m_per_s", "rate": "rate_rad_per_s"}
SAME = 1e-9  # m, m/s, rad/s: a start that is the scenario's own
NEAR_RANGE = 0.999  # of the sensor's range: a reading that is cut off
CHANNEL = {channel.name: channel for channel in CHANNELS}


def count_docking_rows(series: Mapping[str, np.ndarray], tables: Mapping[str, Any]) -> int:
    """Rows of the docking itself: a rig's go on while its robots brake or back off."""
    rows = len(series["time"])
    states = [s.strip() for s in tables.get("run", {}).get("states", "").split(",")]
    ends = [i for i, state in enumerate(states) if state in OVER]
    if "state" in series and ends:
        over = np.flatnonzero(np.isin(np.asarray(series["state"]), ends))
        rows = int(over[0]) if len(over) else rows
    return rows


def find_lacking(series: Mapping[str, np.ndarray]) -> str:
    """The first series without which satellites cannot be compared; empty: none is absent."""
    names = [f"{body}.{part}.x" for body in BODIES for part in PARTS]
    return next((name.removesuffix(".x") for name in names if name not in series), "")


def make_reference_scenario(
    scenario: Scenario, series: Mapping[str, np.ndarray], rows: int
) -> Scenario:
    """The scenario from the recording's own start, with its cycle, and as long at least."""
    time = np.asarray(series["time"])[:rows]
    T = float(np.median(np.diff(time)))
    keys: dict[str, Any] = {}
    for body in BODIES:
        own = scenario.tables[body]
        for part, key in PARTS.items():
            start = np.asarray(series[f"{body}.{part}"][0], float)
            if np.abs(start - np.asarray(own[key], float)).max() > SAME:
                keys[f"{body}.{key}"] = start.tolist()
    if abs(1e-3 * scenario.tables["time"]["cycle_ms"] - T) > SAME:
        keys["time.cycle_ms"] = 1e3 * T
    length = float(time[-1] - time[0])
    if length > scenario.tables["time"]["duration_s"] + 0.5 * T:
        keys["time.duration_s"] = length
    return scenario.replace(keys) if keys else scenario


def convert_to_run(recording: Any) -> Run:
    """The run, with its reference, which is flown where that was not done."""
    rows = count_docking_rows(recording.series, recording.tables)
    scenario = make_reference_scenario(recording.scenario, recording.series, rows)
    time = np.asarray(recording.series["time"])[:rows]
    T = 1e-3 * float(scenario.tables["time"]["cycle_ms"])
    even = T * np.arange(round((time[-1] - time[0]) / T) + 1)  # rows that were lost are filled in
    own = {
        name: np.interp(even, time - time[0], recording.series[name][:rows])
        for name in recording.series
    }
    contacts = _list_contacts(recording, float(time[0]), even)
    force = _compute_force_size(recording)[:rows]
    size = np.interp(even, time - time[0], force)
    depth = np.zeros(len(even))
    for one in contacts:
        inside = (even >= one["felt_s"]) & (even <= one["felt_until_s"])
        depth[inside] = np.maximum(size[inside], np.finfo(float).tiny)
    nothing = np.zeros(len(even))
    own = {"energy.external": nothing, "force_age": nothing, **own, "contact.depth": depth}
    own.setdefault("pose_age", own["force_age"])
    for body in BODIES:
        for axis in "xyz":
            own.setdefault(f"satellite.{body}.force.{axis}", nothing)
    own |= _hold_channels(scenario, own)
    known = {channel.name: channel for channel in recording.series.channels}
    channels = [known.get(n) or CHANNEL.get(n) or Channel(n, "-", "-", "made here") for n in own]
    series = Series(np.stack(list(own.values()), axis=1), channels)
    series["time"][:] = even
    return Run(
        scenario=scenario,
        series=series,
        contacts=contacts,
        contact_count=len(contacts),
        cycles=len(even) - 1,
        status="completed",
        state=np.zeros(0),
        events=_find_saturated(scenario, series, contacts),
        reached=LoopSummary(peak_force_real_N=max((c["felt_N"] for c in contacts), default=0.0)),
        _reference=recording.simulate_reference(),
    )


def _hold_channels(scenario: Scenario, own: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of methods that put a contact of their own in place of the real one: where it acts, by the
    force on the satellite, as a log has no series of methods."""
    size = np.sqrt(sum(own[f"satellite.chaser.force.{axis}"] ** 2 for axis in "xyz"))
    acts = np.where(size > SHARE * float(size.max()), 2.0, 0.0)
    names = [entry["name"] for entry in scenario.tables["methods"]]
    return {
        f"{prefix}.{METHODS[name].holds_contact}": acts
        for name, prefix in zip(names, numbered(names), strict=True)
        if METHODS[name].holds_contact
    }


def _compute_force_size(recording: Any) -> np.ndarray:
    """Of the measured force beyond what it is in free flight [N]."""
    series, body = recording.series, find_sensor_body(recording.series)
    if body is None:
        return np.zeros(len(series["time"]))
    force = np.nan_to_num(np.asarray(series[f"measured.{body}.force"]))
    zero, _ = measure_free_force(force, None)
    return np.asarray(np.linalg.norm(force - zero, axis=1))


def _list_contacts(recording: Any, begun: float, even: np.ndarray) -> list[dict[str, Any]]:
    """Contacts by the time at which the mock-ups touched: a reading's age before it was felt."""
    series = recording.series
    ages = series["force_age"] if "force_age" in series else np.zeros(len(series["time"]))
    contacts = []
    for one in recording.contacts:
        start, end = one["start_s"] - begun, one["end_s"] - begun
        if start > even[-1]:
            continue
        age = [float(np.interp(t + begun, series["time"], ages)) for t in (start, end)]
        ended = one["ended"] and end < even[-1]
        contacts.append(
            {
                "start_s": max(start - age[0], 0.0),
                "end_s": min(end, even[-1]) - age[1],
                "felt_s": start,
                "felt_until_s": min(end, even[-1]),
                "felt_N": one["peak_force_measured_N"],
                "peak_force_satellite_N": one["peak_force_satellite_N"] or 0.0,
                "restitution": 0.0 if ended else np.nan,
            }
        )
    return contacts


def _find_saturated(
    scenario: Scenario, series: Series, contacts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Contacts in which a force channel was at the sensor's range."""
    most, body = float(scenario.tables["sensor"]["range_N"]), find_sensor_body(series)
    if most <= 0.0 or body is None:
        return []
    high = np.abs(series[f"measured.{body}.force"]).max(axis=1) >= NEAR_RANGE * most
    at = series["time"][high]
    return [
        {"what": "saturated", "from_s": c["start_s"], "to_s": c["end_s"]}
        for c in contacts
        if np.any((at >= c["felt_s"]) & (at <= c["felt_until_s"]))
    ]


# The verdict of a recording: the verdict object of every run (results/verdict.py), from what a
# rig knows.
#
# With a scenario the reference is flown from the recording's own start, and every criterion whose
# series were recorded is judged against it, at the one sampling phase that there was. Without one a
# contact that gave the satellites more energy than it took is unsafe all the same; nothing else can
# be said. What was not judged stands among the doubts, with what the log lacks.

FEWEST = 10  # rows of a docking
COUNTS = 0.1  # of the largest measured force: a smaller touch is not judged
DEFAULTS = {p.key: p.default for p in VERDICT}  # bounds, where no scenario is attached
ENDED = ("none", "completed", "retreated")  # reasons that end a run and stop nothing
# reasons of a rig's supervisor by which the loop itself is to blame (rig/supervisor/reasons.py)
LIMITS = (
    *("restitution", "energy_contact", "energy_run", "power", "force", "torque", "sensor_range"),
    *("speed", "rate", "acceleration", "turn_acceleration", "box", "correction", "angle"),
    *("not_finite", "controller"),
)
Contact = Mapping[str, Any]


def judge_recording(recording: Any, source: str = "DIR") -> dict[str, Any]:
    """The verdict. `source`: how a person names the recording on the command line."""
    scenario = recording.scenario
    if scenario is None:
        numbers = _judge_without_scenario(recording.contacts)
        step = (
            f"`softdock identify {source} --scenario FILE.toml` writes what this log tells into a "
            "scenario; `softdock run FILE.toml` judges it."
        )
        verdict = _make_verdict(numbers, DEFAULTS, [], source, step)
        return _add_doubt(
            verdict, "a log without a scenario has no reference, so only energy is judged"
        )
    numbers, absent = _compare_with_reference(recording)
    step = (
        f"`softdock replay {source} --method {ADVISED}` forecasts what another method makes of it."
    )
    methods = [entry["name"] for entry in scenario.tables["methods"]]
    verdict = _make_verdict(numbers, scenario.tables["verdict"], methods, source, step)
    for doubt in (*_find_doubts(recording), *absent):
        verdict = _add_doubt(verdict, doubt)
    return verdict


def _make_verdict(
    numbers: Mapping[str, Any],
    bounds: Mapping[str, Any],
    methods: list[str],
    source: str,
    step: str,
) -> dict[str, Any]:
    run = {"criteria": numbers, "methods": methods, "scenario": source, "method_books": {}}
    return make_verdict([run], bounds, source, step)


def _add_doubt(verdict: dict[str, Any], doubt: str) -> dict[str, Any]:
    return {**verdict, "doubts": [*verdict["doubts"], f"{doubt[0].upper()}{doubt[1:]}."]}


def _make_empty(reason: str) -> dict[str, Any]:
    """The numbers of a run of which nothing is known."""
    numbers = dict.fromkeys(CRITERIA, None)
    nothing = ("growth_error", "mock_up_force_N", "mock_up_force_on_orbit_N")
    return {**numbers, **dict.fromkeys(nothing), "limits": "", "outcome": [], "no_verdict": reason}


def _judge_without_scenario(contacts: Sequence[Contact]) -> dict[str, Any]:
    """Energy of consecutive contacts over what the first one took."""
    largest = max((c["peak_force_measured_N"] for c in contacts), default=0.0)
    clear = [c for c in contacts if c["peak_force_measured_N"] >= COUNTS * largest]
    if not clear:
        return _make_empty("the log has no scenario, and nothing touched in it")
    if any(not c.get("work_taken_J") or c["restitution_energetic"] is None for c in clear):
        return _make_empty(
            "the log has no scenario and lacks the satellites' motion or the wrenches on them, so "
            "the energy balance cannot be computed"
        )
    most, ahead = -math.inf, 0.0
    for c in clear:
        ahead = max(ahead, 0.0) + c["work_taken_J"] * (c["restitution_energetic"] ** 2 - 1.0)
        most = max(most, ahead)
    return {**_make_empty("the log has no scenario"), "energy": most / clear[0]["work_taken_J"]}


def _compare_with_reference(recording: Any) -> tuple[dict[str, Any], list[str]]:
    """All numbers of a recording with its scenario, and what is not judged."""
    stopped = find_reason(recording)
    words = stopped.replace("_", " ")
    limits = f"the rig's supervisor stopped the run ({words})" if stopped in LIMITS else ""
    outside = f"the run was stopped from outside ({words})"
    outside = "" if stopped in (*ENDED, *LIMITS) else outside
    why = outside or _find_too_little(recording)
    if _find_too_little(recording):
        return {**_make_empty(why), "limits": limits}, []
    series = without_hands(recording.scenario, recording.attachments, recording.series)
    recording = replace(recording, series=series)
    with np.errstate(all="ignore"):
        numbers: dict[str, Any] = convert_to_plain(compute_criteria(convert_to_run(recording)))
    numbers |= {"limits": numbers["limits"] or limits, "no_verdict": why or numbers["no_verdict"]}
    return _leave_out(numbers, recording)


def _find_too_little(recording: Any) -> str:
    """Why there is nothing to be compared; empty: there is."""
    series = recording.series
    if "time" not in series or count_docking_rows(series, recording.tables) < FEWEST:
        return f"fewer than {FEWEST} cycles of a docking were recorded"
    if find_lacking(series):
        return f"the log lacks {find_lacking(series)}"
    if any(_parse_numbers(recording.tables.get("run", {}).get("dry_shift_m", ""))):
        return "a dry run: the mock-ups were kept apart"
    return ""


def _parse_numbers(text: str) -> list[float]:
    try:
        return [float(x) for x in text.strip("[] ").split(",") if x.strip()]
    except ValueError:
        return []


def find_reason(recording: Any) -> str:
    """Why a rig's run ended, by the name of the supervisor's reason; `none` where no supervisor
    was."""
    names = [s.strip() for s in recording.tables.get("run", {}).get("reasons", "").split(",")]
    if "reason" not in recording.series or not len(recording.series.rows):
        return "none"
    code = int(recording.series["reason"][-1])
    return names[code] if 0 <= code < len(names) else "none"


def _leave_out(numbers: dict[str, Any], recording: Any) -> tuple[dict[str, Any], list[str]]:
    """The numbers without those that this log cannot have, and why."""
    tables, series = recording.scenario.tables, recording.series
    why, names = [], set()
    if any("satellite." + b + ".force.x" not in series for b in _find_pushes(recording.scenario)):
        names |= {"peak_force", "free_flight"}
        why.append("the log lacks the forces on the satellites")
    own = [entry["name"] for entry in tables["methods"] if _computes_contact(entry["name"])]
    if own:
        names |= {"peak_force"}
        why.append(f"of {own[0]}, which computes the contact itself, a log has what was applied")
    if tables["capture"].get("latch"):
        names |= {"latch_force", "growth", "energy_kept"}
        why.append("a log has no forces and states of latches")
    if numbers["still_touching"]:
        names |= {"energy_kept"}
        why.append("a log has no energy stored in the contact")
    for name in names:
        numbers[name] = None
    numbers["outcome"] = [one for one in numbers["outcome"] if one.startswith("touched")]
    if not names:
        return numbers, []
    words = ", ".join(name.replace("_", " ") for name in CRITERIA if name in names)
    return numbers, [f"not judged: {words} ({'; '.join(why)})"]


def _computes_contact(name: str) -> bool:
    """Whether a method puts a contact or a past of its own in place of what was measured."""
    method = METHODS[name]
    return (
        method.rewound is not nothing_rewound
        or method.replaced is not nothing_replaced
        or method.past is not no_past
    )


def _find_pushes(scenario: Scenario) -> list[str]:
    return [body for body in ("chaser", "target") if not scenario.tables[body]["fixed"]]


def _find_doubts(recording: Any) -> list[str]:
    """What makes a recording doubtful itself."""
    lost = sum(recording.lost.values()) if recording.lost else 0
    return [f"{lost} rows of the recording are lost and were filled in"] if lost else []
