"""A recorded run as a rig knows it: series, contacts by measured force, observed energy, events.

It reads like a `Run` where both know the same. What a rig cannot know, or did not record, is an
absent series and None, never zero.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, NotSimulated
from softdock.files.atomic import write_whole
from softdock.loop.record import Channel
from softdock.recording.contacts import find_contacts, find_sensor_body
from softdock.recording.hands import without_hands
from softdock.recording.read import Contents
from softdock.recording.recorded_run import (
    count_docking_rows,
    find_lacking,
    judge_recording,
    make_reference_scenario,
)
from softdock.recording.ring_layout import CYCLE_GROUPS
from softdock.recording.streams import CYCLE, PACKETS, SAMPLES
from softdock.reference import Reference, run_reference
from softdock.results.observed_energy import NEEDED, compute_observed_energy
from softdock.results.quantities import format_quantity
from softdock.results.series import Series, to_dataframe
from softdock.scenario.build import Scenario, build
from softdock.scenario.method_sources import differing_attached, explained_attached
from softdock.scenario.moving_robots import fixed_bodies

# A recording's series for a picture: what a rig cannot know is shown as it was measured or
# commanded.


def has(series: Series, name: str) -> bool:
    """Whether a channel, or one part of it, was recorded."""
    return name in series or any(one.rpartition(".")[0] == name for one in series)


class ShownSeries(Mapping[str, np.ndarray]):
    """Series for a picture: where a rig did not record a mock-up's true place, its measured one
    stands in, then its set-point; for the true force, the measured one."""

    INSTEAD = (
        ("mock_up.", ("seen.", "command.", "")),
        ("true.", ("measured.", "satellite.")),
        ("", ("command.", "seen.")),
    )

    def __init__(self, series: Series) -> None:
        self._series = series

    def __getitem__(self, name: str) -> np.ndarray:
        if has(self._series, name):
            return self._series[name]
        for start, others in self.INSTEAD:
            if name.startswith(start):
                for other in others:
                    if has(self._series, other + name[len(start) :]):
                        return self._series[other + name[len(start) :]]
                break
        if name.startswith("true.") and len(self._series.rows):
            return np.zeros((len(self._series.rows), 3))  # no sensor: no arrow
        return self._series[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._series)

    def __len__(self) -> int:
        return len(self._series)


# The series of a body that is bolted to the floor and that a log therefore does not mention: it
# stands where it is said to stand, and no wrench moves it.

GROUPS = dict(CYCLE_GROUPS)
AXES, TURN = ("x", "y", "z"), ("w", "x", "y", "z")


def add_fixed_body(
    series: Series,
    body: str,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    attitude: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
) -> Series:
    """The series with the motion of a fixed body [m, wxyz]; as it is where any of it was logged."""
    cells = (body, f"command_{body}", f"seen_{body}_p", f"seen_{body}_q", f"satellite_{body}")
    channels = [channel for cell in cells for channel in GROUPS[cell]]
    if "time" not in series or any(channel.name in series for channel in channels):
        return series
    place = {f"position.{axis}": value for axis, value in zip(AXES, position, strict=True)}
    place |= {f"attitude.{axis}": value for axis, value in zip(TURN, attitude, strict=True)}
    at_rest = [place.get(".".join(c.name.split(".")[-2:]), 0.0) for c in channels]
    rows = np.hstack([series.rows, np.tile(at_rest, (len(series.rows), 1))])
    return Series(rows, [*series.channels, *channels])


SCENARIO, RIG = "scenario.toml", "rig.toml"
KNOWN_TO_A_RIG = {channel.name for _, group in CYCLE_GROUPS for channel in group}
POSE_AGES = ("pose_age.chaser", "pose_age.target")


@dataclass
class Recording:
    """What was recorded, and what is found in it."""

    name: str
    series: Series  # one row per cycle
    contacts: list[dict[str, Any]]
    status: str  # how the recording ended
    scenario: Scenario | None  # None: none is attached, or it cannot be built here
    events: list[dict[str, Any]]  # time_s, level, text
    lost: dict[str, int]  # rows, by stream
    tables: dict[str, dict[str, str]]  # provenance, limits, ...
    attachments: dict[str, str]
    packets: Series | None = None  # one row per packet
    samples: Series | None = None  # a row a force sample
    observed: np.ndarray | None = None  # J at every row (Zebenay eq. 114)
    warnings: list[str] = field(default_factory=list)
    source: str = ""  # how a person names it on the command line
    _reference: Reference | None = field(default=None, repr=False)
    _judged: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def cycles(self) -> int:
        return max(len(self.series.rows) - 1, 0)

    @property
    def reference(self) -> Reference:
        """The on-orbit reference of the attached scenario. Raises `NotSimulated` where it was not
        simulated yet: reading never simulates."""
        if self._reference is None:
            raise NotSimulated(
                "the on-orbit reference was not simulated for this recording: "
                "recording.simulate_reference() does so and keeps it"
            )
        return self._reference

    def simulate_reference(self) -> Reference:
        """Simulate the reference with the attached scenario from where the recorded satellites
        began, unless that was done before; it is kept as `recording.reference`. Raises
        `NotSimulated` where no scenario is attached."""
        if self.scenario is None:
            raise NotSimulated(
                "the on-orbit reference cannot be simulated: no scenario is attached"
            )
        if self._reference is None:
            rows = count_docking_rows(self.series, self.tables) if "time" in self.series else 0
            known = rows > 1 and not find_lacking(self.series)
            self._reference = run_reference(
                make_reference_scenario(self.scenario, self.series, rows)
                if known
                else self.scenario
            )
        return self._reference

    @property
    def metrics(self) -> dict[str, Any]:
        """The numbers of this recording, as JSON has them; units in the keys, None: not known."""
        peaks = [contact["peak_force_measured_N"] for contact in self.contacts]
        time = self.series["time"]
        first = self.contacts[0] if self.contacts else {}
        kinetic = self._kinetic_start()
        observed = None if self.observed is None else float(self.observed[-1])
        return {
            "recording": self.name,
            "status": self.status,
            "cycles": self.cycles,
            "ended_at_s": float(time[-1]) if len(time) else None,
            "contact_count": len(self.contacts),
            "contacts": self.contacts,
            "peak_force_measured_N": max(peaks, default=None),
            "restitution_of_centres": first.get("restitution_of_centres"),
            "restitution_energetic": first.get("restitution_energetic"),
            "energy_observed_J": observed,
            "kinetic_start_J": kinetic,
            "rows_lost": dict(self.lost),
            "verdict": self._judged,  # None before `judge` was called
            "error_against_orbit": None,  # nobody knows the truth of a rig
            "warnings": list(self.warnings),
        }

    def _kinetic_start(self) -> float | None:
        if "energy.kinetic" not in self.series or not len(self.series.rows):
            return None
        value = float(self.series["energy.kinetic"][0])
        return value if math.isfinite(value) else None

    def judge(self, source: str = "") -> dict[str, Any]:
        """The verdict (recording/recorded_run.py), kept in `metrics`. Simulates the reference
        where a scenario is attached and that was not done. `source`: the recording's name for
        commands."""
        if self._judged is None or source:
            self._judged = judge_recording(self, source or self.source or "DIR")
        return self._judged

    @property
    def sentence(self) -> str:
        """What happened, from these numbers."""
        m = self.metrics
        if not len(self.series.rows):
            return "Nothing was recorded."
        lost = sum(self.lost.values())
        parts = [
            f"{m['cycles']} cycles, {m['ended_at_s']:.3f} s, "
            f"{m['contact_count'] or 'no'} contact{'' if m['contact_count'] == 1 else 's'}"
        ]
        if m["peak_force_measured_N"] is not None:
            parts.append(f"peak measured force {format_quantity(m['peak_force_measured_N'], 'N')}")
        if m["energy_observed_J"] is not None:
            parts.append(f"observed energy {format_quantity(m['energy_observed_J'], 'J')}")
        parts.append("no row lost" if not lost else f"{lost} rows lost")
        return "; ".join(parts) + "."

    def page(self) -> str:
        """One self-contained HTML page. Simulates the reference where a scenario is attached and
        that was not done."""
        from softdock.output.pages.recording import recording_page

        text: str = recording_page(self)
        return text

    def save_page(self, path: str | Path) -> Path:
        """Write the page."""
        write_whole(path, self.page().encode(), "path")
        return Path(path)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame, indexed by time [s]. Needs the extra `dataframe`."""
        return to_dataframe(self)


def make_recording(contents: Contents, *, as_rig: bool = False) -> Recording:
    """The recording of a file's contents. `as_rig`: only what a rig can know (of a simulated
    run)."""
    about = contents.about
    series = _make_series(contents, as_rig)
    scenario, warnings = _read_scenario(about.attachments)
    for body in () if scenario is None else fixed_bodies(scenario.tables):
        own = scenario.tables[body]  # type: ignore[union-attr]
        series = add_fixed_body(series, body, own["position_m"], own["attitude_wxyz"])
    limits = about.tables.get("limits", {})
    touch = _parse_number(limits.get("touch_N"))
    lost = {
        key.partition(".")[2]: int(value)
        for key, value in contents.end.items()
        if key.startswith("lost.") and value.isdigit()
    }
    missing = _count_gaps(contents)
    for name, rows in missing.items():
        lost[name] = max(rows, lost.get(name, 0))
    warnings += [f"{rows} rows of '{name}' are lost" for name, rows in lost.items() if rows]
    return Recording(
        name=about.name,
        series=series,
        contacts=find_contacts(without_hands(scenario, about.attachments, series), touch)
        if "time" in series
        else [],
        status=contents.end.get("why", "unknown"),
        scenario=scenario,
        events=_read_events(contents),
        lost=lost,
        tables={name: dict(table) for name, table in about.tables.items()},
        attachments=dict(about.attachments),
        packets=_read_other_series(contents, PACKETS),
        samples=_read_other_series(contents, SAMPLES),
        observed=_compute_observed(series, scenario.tables if scenario else None),
        warnings=warnings,
    )


def _parse_number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0.0 else None


def _make_series(contents: Contents, as_rig: bool) -> Series:
    stream = contents.stream(CYCLE)
    if stream is None:
        return Series(np.zeros((0, 1)), [Channel("time", "s", "-", "time")])
    rows, channels = contents.rows[CYCLE], list(stream.channels)
    names = [channel.name for channel in channels]
    if as_rig:
        absent = contents.about.absent
        kept = [
            i
            for i, name in enumerate(names)
            if name in KNOWN_TO_A_RIG and not name.startswith(absent)
        ]
        rows, channels = rows[:, kept], [channels[i] for i in kept]
    ages = [names.index(name) for name in POSE_AGES if name in names]
    if ages and "pose_age" not in names and not as_rig:
        older = rows[:, ages].max(axis=1, keepdims=True)
        rows = np.hstack([rows, older])
        channels.append(Channel("pose_age", "s", "-", "age of the older of the measured poses"))
    return Series(rows, channels)


def _read_other_series(contents: Contents, name: str) -> Series | None:
    stream = contents.stream(name)
    if stream is None or not len(contents.rows[name]):
        return None
    return Series(contents.rows[name], stream.channels)


def _read_scenario(attachments: Mapping[str, str]) -> tuple[Scenario | None, list[str]]:
    if SCENARIO not in attachments:
        return None, []
    try:
        scenario = build(tomllib.loads(attachments[SCENARIO]))
    except BadInput as error:
        why = explained_attached(error, attachments)
        return None, [f"its scenario cannot be built here: {why}"]
    except (ValueError, RecursionError) as error:
        return None, [f"its scenario cannot be built here: {error}"]
    return scenario, differing_attached(scenario.tables, attachments)


def _compute_observed(series: Series, tables: dict[str, Any] | None) -> np.ndarray | None:
    """Observed energy where force and motion are both recorded [J]."""
    body = find_sensor_body(series)
    if body is None or len(series.rows) < 2 or any(not has(series, name) for name in NEEDED):
        return None
    both = all(f"measured.{one}.force.x" in series for one in ("chaser", "target"))
    return compute_observed_energy("both" if both else body, series, tables)


def _read_events(contents: Contents) -> list[dict[str, Any]]:
    """Events by the time of the run, as far as it is known."""
    stream = contents.stream(CYCLE)
    start = contents.about.utc_offset_ns
    if stream is not None and len(contents.rows[CYCLE]):
        names = [channel.name for channel in stream.channels]
        if "stamp_ns" in names and "time" in names:
            first = contents.rows[CYCLE][0]
            start += round(first[names.index("stamp_ns")] - 1e9 * first[names.index("time")])
    return [
        {
            "time_s": (one["time_ns"] - start) * 1e-9,
            "level": one["level"],
            "text": one["text"],
        }
        for one in contents.events
    ]


def _count_gaps(contents: Contents) -> dict[str, int]:
    """Rows whose numbers are missing between the first and the last that are there."""
    found = {}
    for name, numbers in contents.numbers.items():
        steps = np.diff(numbers)
        gaps = int((steps[steps > 1] - 1).sum())
        if gaps:
            found[name] = gaps
    return found
