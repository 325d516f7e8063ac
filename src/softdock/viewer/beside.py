"""Beside a rig: what its loop writes into the recorder's rings, as a scene and as words.

Read only. This process maps the rings for reading (recorder/ring_reader.py), has no socket to a
robot and imports nothing that has: it cannot command anything, and the loop cannot wait for it. In:
the path of a ring. Out: a scene of the newest row, the supervisor's state, ages and energies; once
the run is over, the recording of what was seen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from softdock.core.adaptation.registry import METHODS
from softdock.core.orbit import orbit
from softdock.errors import BadRecording
from softdock.placement.motion import motion_of
from softdock.recorder.measured_series import AsSeen
from softdock.recorder.recording import RIG, SCENARIO, Recording, recording_of
from softdock.recorder.ring_reader import Look, running
from softdock.runs.series import Series
from softdock.scenario.build import Scenario, build
from softdock.scenario.files import load_scenario
from softdock.scene.model import Scene
from softdock.scene.moving import Moving

SHOWN_S = 20.0  # of the force curve
CURVE_POINTS = 500
STATES = "states"  # in the table `run` of a recording: the supervisor's states by number
REASONS = "reasons"


class Beside:
    """One run of a rig, looked at while it runs."""

    def __init__(self, path: str | Path) -> None:
        self.look = Look(path)
        self.scenario = scenario_of(self.look.about.attachments, str(path))
        limits = self.look.about.tables.get("limits", {})
        self.touch_N = _number(limits.get("touch_N", ""))
        plan = planned(self.scenario)
        self.orbit = plan.orbit
        self.moving = Moving(plan, facility_of_rig(self.look.about.attachments), self.touch_N)
        self.scene: Scene = self.moving.scene  # as planned, until the first row comes
        self.newest: Series | None = None
        self.forces: list[np.ndarray] = []  # (n, 2): time, size of the measured force

    @property
    def state(self) -> str:
        return self.look.state

    def poll(self) -> bool:
        """Whether something new is to be shown."""
        before = len(self.look.events)
        rows = self.look.poll()
        if not len(rows):
            return len(self.look.events) > before
        series = Series(rows, self.look.stream.channels)
        self.newest = Series(rows[-1:], self.look.stream.channels)
        as_seen = AsSeen(series)
        size = np.linalg.norm(np.nan_to_num(as_seen["true.chaser.force"]), axis=1)
        self.forces.append(np.stack([np.asarray(series["time"], float), size], axis=1))
        self.scene = self.moving.at(as_seen)
        return True

    def recording(self) -> Recording | None:
        """Everything that was seen; None: no row came."""
        return recording_of(self.look.contents()) if self.look.kept else None

    def force_curves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time, measured force and orbit's, of the last seconds."""
        whole = np.concatenate(self.forces) if self.forces else np.zeros((1, 2))
        kept = whole[whole[:, 0] > whole[-1, 0] - SHOWN_S]
        self.forces = [kept]
        thin = np.unique(np.linspace(0, len(kept) - 1, min(len(kept), CURVE_POINTS)).astype(int))
        time, own = kept[thin, 0], self.orbit.series
        force = np.linalg.norm(own["true.chaser.force"], axis=1)
        return time, kept[thin, 1], np.interp(time, own["time"], force, right=0.0)

    def words(self) -> tuple[str, str, str]:
        """Colour of the lamp, the supervisor's state, and what happened last."""
        events = [event for event in self.look.events if event["text"]]
        last = str(events[-1]["text"]) if events else "nothing has been said yet"
        stopped = any(event["level"] >= 50 for event in events)
        if self.state == "dead":
            return "red", "the loop's process is gone", last
        if self.state == "ended":
            return ("red", "stopped", last) if stopped else ("green", "the run is over", last)
        if self.newest is None:
            return "amber", "not docking yet: bodies are drawn as planned", last
        return ("red" if stopped else "green"), self._named(STATES, "state"), last

    def _named(self, table: str, channel: str) -> str:
        names = self.look.about.tables.get("run", {}).get(table, "").split(", ")
        if self.newest is None or channel not in self.newest:
            return "running"
        number = int(self.newest[channel][-1])
        return names[number] if 0 <= number < len(names) else f"{channel} {number}"

    def numbers(self) -> list[tuple[str, str]]:
        """What an operator reads, of the newest row; what is not recorded is not there."""
        row = self.newest
        if row is None:
            return []
        told = (
            ("time", "time", 1.0, "s", ".3f"),
            ("force_age", "age of the force", 1e3, "ms", ".2f"),
            ("pose_age.chaser", "age of the chaser's pose", 1e3, "ms", ".2f"),
            ("pose_age.target", "age of the target's pose", 1e3, "ms", ".2f"),
            ("energy.kinetic", "kinetic energy", 1e3, "mJ", ".3f"),
            ("energy.observed", "observed energy", 1e3, "mJ", "+.3f"),
            ("late_s", "last answer took", 1e6, "us", ".0f"),
            ("lost", "packets lost", 1.0, "", ".0f"),
        )
        found = [
            (label, f"{factor * float(row[name][-1]):{form}} {unit}".strip())
            for name, label, factor, unit, form in told
            if name in row and np.isfinite(row[name][-1])
        ]
        if self.forces:
            found.insert(1, ("measured force", f"{self.forces[-1][-1, 1]:.2f} N"))
        if self.look.missed:
            found.append(("rows missed by this viewer", f"{self.look.missed}"))
        return found


def scenario_of(attachments: Mapping[str, str], path: str) -> Scenario:
    """The scenario that the loop flies. Methods of a user's own file are left out, which runs only
    where it is named: what is drawn as planned is orbit, without what they would add there. Raises
    `BadRecording` where none is attached."""
    if SCENARIO not in attachments:
        raise BadRecording(f"{path}: no scenario is attached: nothing is known to draw")
    tables = tomllib.loads(attachments[SCENARIO])
    listed = tables.get("methods", [])
    tables["methods"] = [one for one in listed if one.get("name") in METHODS]
    return build(tables)


def facility_of_rig(attachments: Mapping[str, str]) -> dict[str, Any] | None:
    """The rig file's `[facility]` over the scenario's, robot by robot; None: neither has one."""
    found: dict[str, Any] = {}
    for name in (SCENARIO, RIG):
        table = tomllib.loads(attachments.get(name, "")).get("facility", {})
        for key, value in table.items():
            both = isinstance(value, dict) and isinstance(found.get(key), dict)
            found[key] = {**found[key], **value} if both else value
    return found or None


def planned(scenario: Scenario) -> Any:
    """What the docking asks of the robots, as a run: orbit's motion, laid out in the room."""
    motion, flown = motion_of(scenario), orbit(scenario)
    series = {"time": motion.time}
    for body, poses in motion.poses.items():
        series[f"mock_up.{body}.position"] = poses[:, :3]
        series[f"mock_up.{body}.attitude"] = poses[:, 3:]
        for key in ("position", "attitude"):
            series[f"{body}.{key}"] = np.asarray(flown.series[f"{body}.{key}"])
    nothing = np.zeros((len(motion.time), 3))
    series |= {"true.chaser.force": nothing, "true.chaser.torque": nothing}
    return SimpleNamespace(
        scenario=scenario, series=series, contacts=[], status="completed", orbit=flown
    )


def load_code() -> None:
    """Machine code of orbit and of the arms into this process, before a rig needs the machine."""
    plan = planned(load_scenario("epos_3d", ["time.duration_s=0.02"]))
    Moving(plan).at(plan.series)


def _number(text: str) -> float:
    try:
        return max(float(text), 0.0)
    except ValueError:
        return 0.0


def newest_ring(folder: Path | None = None) -> Path | None:
    """The ring of the loop that began last on this machine; None: none runs."""
    found = running(folder)
    return found[0] if found else None
