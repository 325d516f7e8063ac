"""The recording of a rig's run: which cells its rows hold, and what the file says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from softdock.core.rig.arrays import EVENT_TEXTS
from softdock.core.rig.layout import STATES
from softdock.core.rig.reasons import REASONS
from softdock.drivers.net_ft_page import Calibration
from softdock.drivers.rig_program import samples_stream
from softdock.drivers.rig_scenario import OnRig
from softdock.files.folders import ensure_folder
from softdock.recorder.provenance import provenance
from softdock.recorder.recorder import Recorder, utc_offset_ns
from softdock.recorder.streams import BOTH, SENSOR_ON, About, rig_streams
from softdock.runs.controller import Controller
from softdock.scenario.files import to_toml
from softdock.scenario.method_sources import attached_methods

CELLS = (
    "chaser",
    "target",
    "command_chaser",
    "command_target",
    "seen_chaser_p",
    "seen_chaser_q",
    "seen_target_p",
    "seen_target_q",
    "satellite_chaser",
    "satellite_target",
    "force_age",
    "pose_age",
    "energy_kinetic",
    "energy_external",
    "energy_observed",
    "state",
    "reason",
    "late_s",
    "lost",
)


def cells_of(on: OnRig) -> list[str]:
    """Cells that this rig fills: of the sensors and robots that it has."""
    own = [f"{cell}_{body}" for body in on.rig.sensors for cell in ("measured", "raw")]
    ages = [f"pose_age_{body}" for body in on.rig.moving]
    return [*CELLS, *own, *ages]


def about(
    on: OnRig,
    note: str,
    calibrations: Mapping[str, Calibration | None],
    said: Mapping[str, str],
) -> About:
    """Scenario, rig file, files of the user's methods, limits, sensor as read, the operator's note.
    `said`: of this run."""
    touch_N = Controller(on.scenario).touch_N
    bodies = tuple(on.rig.sensors)
    sensor: dict[str, str] = {}
    for body in bodies:  # of one sensor without its name, as all files had it
        page, name = calibrations.get(body), f"{body}." if len(bodies) > 1 else ""
        if page is not None:
            sensor |= {f"{name}{k}": str(v) for k, v in asdict(page).items()}
    limits = {k: str(v) for k, v in asdict(on.rig.limits).items() if v is not None}
    numbered = {"states": ", ".join(STATES), "reasons": ", ".join(r.name for r in REASONS)}
    return About(
        name=f"{on.rig.name}: {on.scenario.tables['name']}",
        utc_offset_ns=utc_offset_ns(),
        attachments={
            "scenario.toml": to_toml(on.scenario.tables),
            "rig.toml": on.rig.toml(),
            **attached_methods(on.scenario.tables),
        },
        tables={
            "provenance": provenance(note or on.rig.note, sensor),
            # a recording's contacts are those of the controller's log; the rig's own is coarser
            "limits": {**limits, "contact_N": str(on.rig.limits.touch_N), "touch_N": str(touch_N)},
            "run": {
                SENSOR_ON: bodies[0] if len(bodies) == 1 else BOTH,
                "master": on.rig.clock.master,
                **numbered,
                **said,
            },
        },
        event_texts=EVENT_TEXTS,
    )


def recorder_for(
    on: OnRig,
    file: Path,
    note: str,
    calibrations: Mapping[str, Calibration | None],
    said: Mapping[str, str],
) -> Recorder:
    """Rings and the process behind them, not started yet."""
    rates = {samples_stream(on.rig, n): end.rate_Hz for n, end in on.rig.sensors.items()}
    ensure_folder(file.parent)
    return Recorder(
        file,
        rig_streams(cells_of(on), on.rig.cycle_s, rates),
        about(on, note, calibrations, said),
        flush_s=1e-3 * min(on.rig.record.flush_ms, 100.0),
        seconds=on.rig.record.ring_s,
    )
