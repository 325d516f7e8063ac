"""Another method on a recording: in open loop, and as a forecast.

*Open loop*: the recorded reports drive the other method's controller. Its commands are computed;
the robots would have moved differently, and the forces would have been others. It shows what a
method makes of given forces, not what a docking would be.

*Forecast*: contact, delays and ages are identified from the recording, and the scenario is
simulated with them and with that method, in closed loop. It is as good as the identified numbers:
the same forecast with the recorded method is shown beside the recording.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock._arguments import TEXT, check_arguments, instance_of, optional
from softdock.errors import BadInput, Problem, SoftdockError
from softdock.output.folders.identified import scenario_changes
from softdock.recording.recorded_run import count_docking_rows
from softdock.recording.recording import Recording
from softdock.results.driving import RecordedFacility, drive
from softdock.results.metrics import convert_to_plain
from softdock.results.run import Run
from softdock.results.simulation import judge, simulate
from softdock.scenario.build import Scenario
from softdock.scenario.candidates import candidates
from softdock.studies.identify import identify

FEWEST = 10  # rows
AS_RECORDED = "as recorded"


@dataclass(frozen=True)
class MethodReplay:
    """Result of one method, in open loop or as a forecast."""

    method: str
    run: Run
    restitution: float | None
    peak_force_N: float | None  # measured, largest
    apart_mm: float | None  # set-points from the recorded ones, at most; None in a forecast

    @property
    def verdict(self) -> str | None:
        """Verdict of a forecast, at one sampling phase; None in open loop."""
        return self.run.metrics["verdict"]["word"] if self.run.is_judged else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "restitution": self.restitution,
            "peak_force_N": self.peak_force_N,
            "largest_distance_of_set_points_mm": self.apart_mm,
            "contacts": len(self.run.contacts),
            "verdict": self.verdict,
            "status": self.run.status,
        }


@dataclass(frozen=True)
class Replay:
    """The recorded method and the other one, each in open loop and as a forecast."""

    recording: str
    recorded_methods: str
    rows: int
    recorded_restitution: float | None
    recorded_peak_N: float | None
    open_loop: tuple[MethodReplay, ...]  # as recorded, the other
    forecast: tuple[MethodReplay, ...]
    identified: dict[str, Any]  # keys of the scenario that the recording told
    no_forecast: str  # why there is none
    verdict: dict[str, Any]  # the verdict of the recording

    def to_dict(self) -> dict[str, Any]:
        return {
            "recording": self.recording,
            "recorded": {
                "methods": self.recorded_methods,
                "rows": self.rows,
                "restitution": self.recorded_restitution,
                "peak_force_N": self.recorded_peak_N,
            },
            "open_loop": [one.to_dict() for one in self.open_loop],
            "forecast": [one.to_dict() for one in self.forecast],
            "identified": self.identified,
            "no_forecast": self.no_forecast,
            "verdict": convert_to_plain(self.verdict),
            "what_it_is": {
                "open_loop": "recorded reports, another controller; the forces do not answer",
                "forecast": "simulated anew with the identified contact and delays",
            },
        }


def usable_rows(recording: Any) -> int:
    """Number of rows that belong to the docking."""
    return count_docking_rows(recording.series, getattr(recording, "tables", None) or {})


def _use_method(scenario: Scenario, method: str) -> Scenario:
    able, unable = candidates(scenario, [method], [scenario.tables["satellites"]["integrator"]])
    if not able:
        raise BadInput(Problem("--method", method, unable[0].reason))
    return able[0].scenario


def _name_methods(scenario: Scenario) -> str:
    return "+".join(entry["name"] for entry in scenario.tables["methods"]) or "none"


def _first_restitution(run: Run) -> float | None:
    found = [c["restitution"] for c in run.contacts if c["restitution"] == c["restitution"]]
    return float(found[0]) if found else None


def _peak_force(run: Run) -> float | None:
    keys = ("peak_force_measured_N", "peak_force_real_N")
    found = [c[key] for c in run.contacts for key in keys if key in c]
    return float(max(found)) if found else None


def _replay_open_loop(scenario: Scenario, series: Any, rows: int, method: str) -> MethodReplay:
    T = 1e-3 * float(scenario.tables["time"]["cycle_ms"])
    timed = scenario.replace({"time.duration_s": (rows - 1) * T})
    run = drive(timed, RecordedFacility(series, T, rows))
    apart = 0.0
    for body in ("chaser", "target"):
        own, recorded = (
            np.asarray(s[f"command.{body}.position"], float) for s in (run.series, series)
        )
        n = min(len(own), len(recorded), rows)
        apart = max(apart, float(np.linalg.norm(own[:n] - recorded[:n], axis=1).max()))
    return MethodReplay(
        method=method,
        run=run,
        restitution=_first_restitution(run),
        peak_force_N=_peak_force(run),
        apart_mm=1e3 * apart,
    )


def split_ages(keys: dict[str, Any], scenario: Scenario) -> dict[str, Any]:
    """Ages below a cycle, as a simulation can represent them. A sensor that samples once a cycle
    has ages of whole cycles, so the rest of the force's age becomes delay of the robots, which the
    loop cannot distinguish. A pose younger than a cycle has no age."""
    tables, changes = scenario.tables, dict(keys)
    T = float(tables["time"]["cycle_ms"])
    if changes.get("pose.delay_ms", T) < T:
        del changes["pose.delay_ms"]
    age = changes.pop("sensor.delay_ms", None)
    if age is None:
        return changes
    whole = T * math.floor(age / T + 1e-6) if not tables["sensor"]["period_ms"] else age
    changes["sensor.delay_ms"] = whole
    for body in ("chaser", "target"):
        key = f"robots.{body}.delay_ms"
        changes[key] = changes.get(key, tables["robots"][body]["delay_ms"]) + age - whole
    return changes


def _forecast(
    scenario: Scenario, recording: Any, method: str
) -> tuple[tuple[MethodReplay, ...], dict[str, Any], str]:
    try:
        forecast = identify(recording)
    except SoftdockError as error:
        return (), {}, str(error)
    keys = {key: value for key, (value, _) in scenario_changes(forecast, scenario).items()}
    keys = split_ages(keys, scenario)
    base = scenario.replace(keys)
    forecasts = []
    for name, one in ((AS_RECORDED, base), (method, _use_method(base, method))):
        run = simulate(one)
        forecasts.append(
            MethodReplay(
                method=name,
                run=run,
                restitution=_first_restitution(run),
                peak_force_N=_peak_force(run),
                apart_mm=None,
            )
        )
    return tuple(forecasts), keys, ""


@check_arguments(
    recording=instance_of("a Recording or a Run", Recording, Run),
    method=TEXT,
    scenario=optional(instance_of("a Scenario", Scenario)),
)
def replay(recording: Recording | Run, method: str, scenario: Scenario | None = None) -> Replay:
    """Commands of another method on a recording, and a forecast with it. `scenario`: if the log has
    none attached, or to replace its own."""
    scenario = scenario or recording.scenario
    if scenario is None:
        allowed = (
            "a recording with its scenario attached, or --scenario FILE.toml: masses, shapes and "
            "methods are in it (softdock identify --scenario writes one from the log)"
        )
        raise BadInput(Problem("scenario.toml", None, allowed))
    rows = usable_rows(recording)
    if rows < FEWEST:
        raise BadInput(Problem("rows", rows, f"at least {FEWEST} cycles of a docking"))
    other = _use_method(scenario, method)
    series = recording.series
    open_loops = tuple(
        _replay_open_loop(one, series, rows, name)
        for name, one in ((AS_RECORDED, scenario), (method, other))
    )
    forecast, keys, why = _forecast(scenario, recording, method)
    first = recording.contacts[0] if recording.contacts else {}
    named = ("restitution", "restitution_of_centres", "restitution_energetic")
    known = [float(first[k]) for k in named if first.get(k) is not None and first[k] == first[k]]
    peaks = [
        c[k]
        for c in recording.contacts
        for k in ("peak_force_measured_N", "peak_force_real_N")
        if c.get(k) is not None
    ]
    return Replay(
        recording=getattr(recording, "name", scenario.name),
        recorded_methods=_name_methods(scenario),
        rows=rows,
        recorded_restitution=known[0] if known else None,
        recorded_peak_N=float(max(peaks)) if peaks else None,
        open_loop=open_loops,
        forecast=forecast,
        identified=keys,
        no_forecast=why,
        verdict=_judge(recording, scenario),
    )


def _judge(recording: Recording | Run, scenario: Scenario) -> dict[str, Any]:
    """Verdict of the recording."""
    if isinstance(recording, Recording):
        if recording.scenario is None:
            recording = replace(recording, scenario=scenario, _reference=None, _judged=None)
        return recording.judge()
    found: dict[str, Any] = judge(recording).metrics["verdict"]
    return found
