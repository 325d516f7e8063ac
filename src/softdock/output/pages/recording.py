"""The page of a recording: what was measured, contact by contact; no ledger, which needs the truth.

Every number is the recording's own (`Recording.metrics`); a section whose series are absent is left
out.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart, choose_unit
from softdock.output.pages.frame.elements import (
    bullets,
    details,
    format_number,
    listing,
    show_number,
    table,
    text,
    tile,
    tiles,
    verdict,
)
from softdock.output.pages.frame.page import page
from softdock.output.pages.frame.replay import replay
from softdock.recording.contacts import BODIES
from softdock.recording.recording import Recording, ShownSeries
from softdock.results.scene import Scene, build_scene
from softdock.scenario.build import build
from softdock.scenario.moving_robots import fixed_bodies

NOTE = "A recording: mock-ups where they were measured, or commanded where nothing was measured."


def _default_tables(recording: Recording) -> dict[str, Any]:
    """Scenario tables for a scene where nothing is known of the bodies."""
    time = recording.series["time"]
    body = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}
    return {
        "time": {
            "cycle_ms": 1e3 * float(time[1] - time[0]) if len(time) > 1 else 4.0,
            "duration_s": max(float(time[-1]), 1e-3) if len(time) else 1.0,
        },
        "chaser": body,
        "target": {**body, "position_m": [-10.0, 0.0, 0.0]},
    }


class _RecordedRun:
    """A recording with the attributes of a run that a scene needs."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        # without a scenario no shapes are known: two bodies of the schema's defaults
        self.scenario: Any = recording.scenario or build(_default_tables(recording))
        self.series: Any = ShownSeries(recording.series)
        self.contacts = [{**contact, "pair": 0} for contact in recording.contacts]
        self.status = "completed"

    @property
    def reference(self) -> Any:
        return self._recording.reference


def build_recording_scene(recording: Recording) -> Scene:
    """Scene of a recording; with the reference beside it if a scenario is attached (simulated here
    if necessary)."""
    run = _RecordedRun(recording)
    if recording.scenario is not None:
        recording.simulate_reference()
    scene = build_scene(run, name=recording.name, reference=recording.scenario is not None)
    return replace(scene, notes=(NOTE, *scene.notes))


SECONDS = "time [s]"
LEAD = "Recorded on a rig. This page shows what was measured; softdock is no safety function."
SIMULATED = "A simulated run, with the signals that a rig can measure."
COLUMNS = (
    ("start_s", "from"),
    ("end_s", "to"),
    ("peak_force_measured_N", "peak force, measured"),
    ("peak_force_satellite_N", "peak force on the satellite"),
    ("impulse_Ns", "impulse"),
    ("work_taken_J", "energy taken"),
    ("restitution_of_centres", "restitution of the centres"),
    ("restitution_energetic", "restitution by energy"),
)
MOST_EVENTS = 500


def recording_page(recording: Recording) -> str:
    """One self-contained HTML page."""
    recording.judge()
    metrics = recording.metrics
    candidates = {
        "verdict": ("", _summary(recording, metrics)),
        "replay": ("Replay", _replay(recording)),
        "forces": ("Forces", _forces(recording)),
        "motion": ("Motion", _motion(recording)),
        "energy": ("Energy", _energy(recording)),
        "ages": ("Ages", _ages(recording)),
        "contacts": ("Contacts", _contacts(metrics)),
        "events": ("Events", _events(recording)),
        "origin": ("Where it comes from", _origin(recording)),
    }
    sections = {key: section for key, section in candidates.items() if section[1]}
    simulated = recording.tables.get("run", {}).get("kind") == "simulated"
    return page(recording.name, SIMULATED if simulated else LEAD, sections, {"metrics": metrics})


def _summary(recording: Recording, metrics: dict[str, Any]) -> str:
    labels = {
        "contact_count": "Contacts",
        "peak_force_measured_N": "Peak measured force",
        "energy_observed_J": "Observed energy",
        "restitution_energetic": "Restitution by energy, first contact",
    }
    found = [
        tile(label, show_number(metrics, key))
        for key, label in labels.items()
        if metrics[key] is not None
    ]
    warnings = bullets(recording.warnings, "warnings") if recording.warnings else ""
    ended = text(f"End of the recording: {recording.status}.")
    judged = metrics["verdict"]
    first = verdict(judged) + text(recording.sentence, "plain")
    return first + tiles(found) + ended + warnings


def _replay(recording: Recording) -> str:
    if recording.scenario is None or not len(recording.series.rows):
        return ""
    try:
        scene = build_recording_scene(recording)
    except KeyError:  # poses of a body were not recorded
        return ""
    return replay("recording", [scene], "What was measured, in three dimensions")


def _contact_windows(recording: Recording) -> list[tuple[float, float]]:
    return [(one["start_s"], one["end_s"]) for one in recording.contacts]


def _list_moving(recording: Recording) -> list[str]:
    """Bodies that move: not fixed by the scenario, and commanded to move."""
    series, fixed = recording.series, []
    if recording.scenario is not None:
        fixed = list(fixed_bodies(recording.scenario.tables))
    for body in BODIES:
        key = f"command.{body}.velocity"
        if f"{key}.x" in series and not np.any(series[key]):
            fixed.append(body)
    return [body for body in BODIES if body not in fixed]


def _magnitude_lines(
    recording: Recording, patterns: dict[str, tuple[str, str]], kind: str
) -> list[Line]:
    """Magnitudes of the recorded vectors over time."""
    series, lines = recording.series, []
    for body in _list_moving(recording):
        for pattern, (role, words) in patterns.items():
            key = f"{pattern.format(body)}.{kind}"
            if f"{key}.x" in series:
                size = np.linalg.norm(series[key], axis=1)
                name = f"{body}, {words}"
                dash = "solid" if body == BODIES[0] else "dash"
                lines.append(Line(name, role, series["time"], size, dash=dash))
    return lines


def _forces(recording: Recording) -> str:
    lines = _magnitude_lines(
        recording,
        {
            "measured.{}": ("measured", "measured"),
            "satellite.{}": ("satellite", "on the satellite"),
        },
        "force",
    )
    if not lines:
        return ""
    caption = "Magnitudes of the measured forces and of the forces on the satellites."
    return chart(
        "force",
        "Forces",
        lines,
        SECONDS,
        "force [N]",
        caption=caption,
        windows=_contact_windows(recording),
    )


def _motion(recording: Recording) -> str:
    lines = _magnitude_lines(
        recording,
        {"{}": ("satellite", "satellite"), "command.{}": ("mock_up", "commanded")},
        "velocity",
    )
    if not lines:
        return ""
    factor, unit = choose_unit([line.y for line in lines], "m/s")
    for line in lines:
        line.y = factor * line.y
    return chart(
        "speed", "Speeds", lines, SECONDS, f"speed [{unit}]", windows=_contact_windows(recording)
    )


def _energy(recording: Recording) -> str:
    if recording.observed is None:
        return ""
    factor, unit = choose_unit([recording.observed], "J")
    line = Line("observed", "total", recording.series["time"], factor * recording.observed)
    caption = "Energy computed from the rig's own signals; above zero the rig added energy."
    return chart(
        "observed",
        "Observed energy",
        [line],
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=_contact_windows(recording),
    )


def _ages(recording: Recording) -> str:
    series, lines = recording.series, []
    names = [name for name in series if name.startswith(("force_age", "pose_age", "late_s"))]
    for i, name in enumerate(names):
        words = _name_age(name)
        lines.append(Line(words, f"c{i % 8 + 1}", series["time"], 1e3 * series[name]))
    if lines and not any(np.any(line.y) for line in lines):
        return text("The log states no ages: forces and poses count as new as their rows.")
    return chart("ages", "Ages", lines, SECONDS, "age [ms]") if lines else ""


def _name_age(name: str) -> str:
    """Words for a series of ages: pose_age.chaser -> age of the chaser's pose."""
    kind, _, whose = name.partition(".")
    what = {"force_age": "force", "pose_age": "pose", "late_s": "delay of our reply"}[kind]
    of = f"{whose}'s {what}" if whose else what
    return of if kind == "late_s" else f"age of the {of}"


def _contacts(metrics: dict[str, Any]) -> str:
    if not metrics["contacts"]:
        return ""
    rows = [
        [f"{i + 1}", *(show_number(metrics, f"contacts.{i}.{key}") for key, _ in COLUMNS)]
        for i in range(len(metrics["contacts"]))
    ]
    note = (
        "By the measured force. Restitution of the centres holds for a touch in line with them; "
        "by energy it is the root of the energy given back over the energy taken."
    )
    headings = ["contact", *(heading for _, heading in COLUMNS)]
    return text(note) + table("Contacts", headings, rows)


def _events(recording: Recording) -> str:
    if not recording.events:
        return ""
    first = recording.events[:MOST_EVENTS]
    rows = [[format_number(float(one["time_s"]), 4), escape(str(one["text"]))] for one in first]
    more = len(recording.events) - len(first)
    rest = text(f"{more} more are in the file.") if more else ""
    return table("Events", ["time [s]", "what"], rows, words=(1,)) + rest


def _origin(recording: Recording) -> str:
    rows = [
        [escape(name), escape(key), escape(value)]
        for name, one in recording.tables.items()
        for key, value in one.items()
    ]
    written = table("As written", ["table", "key", "value"], rows, words=(1, 2))
    html = details("Programs, sensor and limits", written) if rows else ""
    for name, content in recording.attachments.items():
        if name.endswith(".toml"):
            html += details(name, listing(content))
    return html
