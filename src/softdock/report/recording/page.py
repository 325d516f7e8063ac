"""The page of a recording: what was measured, contact by contact; no ledger, which needs the truth.

Every number is the recording's own (`Recording.metrics`); a section whose series are absent is left
out.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from softdock.recorder.contacts import BODIES
from softdock.recorder.recording import Recording
from softdock.report.frame.charts import Line, chart, scaled
from softdock.report.frame.elements import (
    bullets,
    folded,
    judgement,
    listing,
    shown,
    table,
    text,
    tile,
    tiles,
)
from softdock.report.frame.page import page
from softdock.report.frame.replay import replay
from softdock.report.recording.scene import scene_of_recording
from softdock.scenario.moving_robots import fixed_bodies

SECONDS = "time [s]"
LEAD = "Recorded on a rig. This page shows what was measured; softdock is no safety function."
SIMULATED = "A simulated run, shown with what a rig would know of it."
COLUMNS = (
    ("start_s", "from [s]"),
    ("end_s", "to [s]"),
    ("peak_force_measured_N", "largest measured force [N]"),
    ("peak_force_satellite_N", "largest force on the satellite [N]"),
    ("impulse_Ns", "impulse [Ns]"),
    ("work_taken_J", "energy taken [J]"),
    ("restitution_of_centres", "restitution of the centres"),
    ("restitution_energetic", "restitution, energetic"),
)
MOST_EVENTS = 500


def recording_page(recording: Recording) -> str:
    """One self-contained HTML page."""
    recording.judgement()
    metrics = recording.metrics
    made = {
        "verdict": ("", _first_look(recording, metrics)),
        "replay": ("Replay", _replay(recording)),
        "forces": ("Forces", _forces(recording)),
        "motion": ("Motion", _motion(recording)),
        "energy": ("Energy", _energy(recording)),
        "ages": ("Ages", _ages(recording)),
        "contacts": ("Contacts", _contacts(metrics)),
        "events": ("Events", _events(recording)),
        "origin": ("Where it comes from", _origin(recording)),
    }
    sections = {key: section for key, section in made.items() if section[1]}
    simulated = recording.tables.get("run", {}).get("kind") == "simulated"
    return page(recording.name, SIMULATED if simulated else LEAD, sections, {"metrics": metrics})


def _first_look(recording: Recording, metrics: dict[str, Any]) -> str:
    labels = {
        "contact_count": "contacts",
        "peak_force_measured_N": "largest measured force",
        "energy_observed_J": "observed energy",
        "restitution_energetic": "restitution of the first contact, energetic",
    }
    found = [
        tile(label, shown(metrics, key))
        for key, label in labels.items()
        if metrics[key] is not None
    ]
    warnings = bullets(recording.warnings, "warnings") if recording.warnings else ""
    ended = text(f"The recording ended because: {recording.status}.")
    judged = metrics["judgement"]
    first = judgement(judged) + text(recording.sentence, "plain")
    return first + tiles(found) + ended + warnings


def _replay(recording: Recording) -> str:
    if recording.scenario is None or not len(recording.series.rows):
        return ""
    try:
        scene = scene_of_recording(recording)
    except KeyError:  # poses of a body were not recorded
        return ""
    return replay("recording", [scene], "What was measured, in three dimensions")


def _windows(recording: Recording) -> list[tuple[float, float]]:
    return [(one["start_s"], one["end_s"]) for one in recording.contacts]


def _moving(recording: Recording) -> list[str]:
    """The bodies that are no bolted mock-up: by the scenario, or by what was commanded."""
    series, fixed = recording.series, []
    if recording.scenario is not None:
        fixed = list(fixed_bodies(recording.scenario.tables))
    for body in BODIES:
        key = f"command.{body}.velocity"
        if f"{key}.x" in series and not np.any(series[key]):
            fixed.append(body)
    return [body for body in BODIES if body not in fixed]


def _sizes(recording: Recording, patterns: dict[str, str], kind: str) -> list[Line]:
    """Sizes of vectors over time, of those that were recorded."""
    series, lines = recording.series, []
    for body in _moving(recording):
        for pattern, role in patterns.items():
            key = f"{pattern.format(body)}.{kind}"
            if f"{key}.x" in series:
                size = np.linalg.norm(series[key], axis=1)
                name = f"{pattern.format(body).replace('.', ' ')}"
                dash = "solid" if body == BODIES[0] else "dash"
                lines.append(Line(name, role, series["time"], size, dash=dash))
    return lines


def _forces(recording: Recording) -> str:
    lines = _sizes(recording, {"measured.{}": "measured", "satellite.{}": "satellite"}, "force")
    if not lines:
        return ""
    caption = "Sizes: handed over by the sensors, and on the satellites."
    return chart(
        "force",
        "Forces",
        lines,
        SECONDS,
        "force [N]",
        caption=caption,
        windows=_windows(recording),
    )


def _motion(recording: Recording) -> str:
    lines = _sizes(recording, {"{}": "satellite", "command.{}": "mock_up"}, "velocity")
    if not lines:
        return ""
    factor, unit = scaled([line.y for line in lines], "m/s")
    for line in lines:
        line.y = factor * line.y
    return chart("speed", "Speeds", lines, SECONDS, f"speed [{unit}]", windows=_windows(recording))


def _energy(recording: Recording) -> str:
    if recording.observed is None:
        return ""
    factor, unit = scaled([recording.observed], "J")
    line = Line("observed", "total", recording.series["time"], factor * recording.observed)
    caption = "What the rig can tell of its own activity; above zero it gave energy."
    return chart(
        "observed",
        "Observed energy",
        [line],
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=_windows(recording),
    )


def _ages(recording: Recording) -> str:
    series, lines = recording.series, []
    names = [name for name in series if name.startswith(("force_age", "pose_age", "late_s"))]
    for i, name in enumerate(names):
        lines.append(Line(name, f"c{i % 8 + 1}", series["time"], 1e3 * series[name]))
    if lines and not any(np.any(line.y) for line in lines):
        return text("All ages are stated as zero: forces and poses are taken as new as their rows.")
    return chart("ages", "Ages", lines, SECONDS, "age [ms]") if lines else ""


def _contacts(metrics: dict[str, Any]) -> str:
    if not metrics["contacts"]:
        return ""
    rows = [
        [f"{i + 1}", *(shown(metrics, f"contacts.{i}.{key}", "") for key, _ in COLUMNS)]
        for i in range(len(metrics["contacts"]))
    ]
    said = (
        "By the measured force. Restitution of the centres holds for a touch in line with them; "
        "the energetic one is the root of the energy given back over the energy taken."
    )
    headings = ["contact", *(heading for _, heading in COLUMNS)]
    return text(said) + table("Contacts", headings, rows)


def _events(recording: Recording) -> str:
    if not recording.events:
        return ""
    first = recording.events[:MOST_EVENTS]
    rows = [[f"{one['time_s']:.4f}", escape(str(one["text"]))] for one in first]
    more = len(recording.events) - len(first)
    rest = text(f"{more} more are in the file.") if more else ""
    return table("Events", ["time [s]", "what"], rows, words=(1,)) + rest


def _origin(recording: Recording) -> str:
    rows = [
        [escape(name), escape(key), escape(value)]
        for name, one in recording.tables.items()
        for key, value in one.items()
    ]
    html = table("As written", ["table", "key", "value"], rows, words=(1, 2)) if rows else ""
    for name, content in recording.attachments.items():
        if name.endswith(".toml"):
            html += folded(name, listing(content))
    return html
