"""A ring as a rig's loop fills it, for the tests of what looks on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from softdock.recording.ring_file import RingFile, make_ring
from softdock.recording.streams import About, make_rig_streams
from softdock.scenario.files import load_scenario, to_toml

CELLS = (
    *("chaser", "target", "command_chaser", "command_target"),
    *("seen_chaser_p", "seen_chaser_q", "seen_target_p", "seen_target_q"),
    *("measured_chaser", "force_age", "energy_kinetic", "energy_observed", "state", "late_s"),
)
STATES = "idle, arming, to the start, run-up, approach, contact, retreat, way out, braking"


def rig_ring(
    folder: Path, preset: str = "epos_3d", seconds: float = 4.0, name: str = "a rig"
) -> RingFile:
    """Rings whose writer is this process, with a scenario attached."""
    tables = load_scenario(preset).tables
    about = About(
        name=name,
        attachments={"scenario.toml": to_toml(tables), "rig.toml": 'schema = 1\nname = "t"\n'},
        tables={"run": {"states": STATES, "sensor_on": "chaser"}, "limits": {"touch_N": "0.5"}},
        event_texts=("state: {a}", "stopped: {a}"),
    )
    return make_ring(make_rig_streams(CELLS, 0.004), about, folder=folder, seconds=seconds)


def row_at(rings: RingFile, time: float, force: float = 0.0) -> np.ndarray:
    """A cycle's row: bodies that drift from where EPOS 3-D begins, the chaser along x."""
    stream = rings.ring("cycle").stream
    row, at = np.zeros(stream.width), stream.index

    def put(channel: str, values: Any) -> None:
        place = at(channel)
        assert place is not None, channel
        row[place : place + np.size(values)] = values

    chaser = [-2.01 + 0.015 * time, 0.035, 0.0]
    for prefix in ("", "command.", "seen."):
        put(f"{prefix}chaser.position.x", chaser)
        put(f"{prefix}chaser.attitude.w", 1.0)
        put(f"{prefix}target.attitude.w", 1.0)
    put("stamp_ns", 1e9 * time)
    put("time", time)
    put("measured.chaser.force.x", -force)
    put("state", 5.0 if force else 4.0)
    return row


def write(rings: RingFile, times: Any, force: float = 0.0) -> None:
    for time in times:
        rings.ring("cycle").push(row_at(rings, float(time), force))
