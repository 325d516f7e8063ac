"""The recording of a rig's run: which cells its rows hold, and what the file says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from softdock.core.rig.arrays import EVENT_TEXTS
from softdock.core.rig.layout import STATES
from softdock.core.rig.reasons import REASONS
from softdock.drivers.net_ft_page import Calibration
from softdock.drivers.rig_scenario import OnRig
from softdock.recorder.provenance import provenance
from softdock.recorder.recorder import Recorder, utc_offset_ns
from softdock.recorder.streams import SENSOR_ON, About, rig_streams
from softdock.runs.controller import Controller
from softdock.scenario.files import to_toml

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
    "pose_age_chaser",
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
    (sensor,) = on.rig.sensors
    found = [*CELLS, f"measured_{sensor}", f"raw_{sensor}"]
    return [*found, "pose_age_target"] if len(on.rig.moving) > 1 else found


def about(
    on: OnRig,
    note: str,
    calibrations: Mapping[str, Calibration | None],
    said: Mapping[str, str],
) -> About:
    """Scenario, rig file, limits, sensor as read, the operator's note. `said`: of this run."""
    touch_N = Controller(on.scenario).touch_N
    (sensor_on,) = on.rig.sensors
    page = calibrations.get(sensor_on)
    sensor = {} if page is None else {k: str(v) for k, v in asdict(page).items()}
    limits = {k: str(v) for k, v in asdict(on.rig.limits).items() if v is not None}
    numbered = {"states": ", ".join(STATES), "reasons": ", ".join(r.name for r in REASONS)}
    return About(
        name=f"{on.rig.name}: {on.scenario.tables['name']}",
        utc_offset_ns=utc_offset_ns(),
        attachments={"scenario.toml": to_toml(on.scenario.tables), "rig.toml": on.rig.toml()},
        tables={
            "provenance": provenance(note or on.rig.note, sensor),
            # a recording's contacts are those of the controller's log; the rig's own is coarser
            "limits": {**limits, "contact_N": str(on.rig.limits.touch_N), "touch_N": str(touch_N)},
            "run": {SENSOR_ON: sensor_on, **numbered, **said},
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
    (sensor,) = on.rig.sensors.values()
    file.parent.mkdir(parents=True, exist_ok=True)
    return Recorder(
        file,
        rig_streams(cells_of(on), on.rig.cycle_s, sensor.rate_Hz),
        about(on, note, calibrations, said),
        flush_s=1e-3 * min(on.rig.record.flush_ms, 100.0),
        seconds=on.rig.record.ring_s,
    )
