"""A whole rig, recorded for an hour: two emulated robots at 250 Hz, two sensors at 7 kHz, the
compiled loop with a docking's program, and the recorder beside it. No row may be lost on its way,
and no more telegrams than a bare echo in C (echo.c) loses with two robots of its own meanwhile.

    python -m benchmarks.rig_hour --seconds 60        (`make prove` runs the hour: part `rig_hour`)

What is counted: telegrams lost and replies late, by loop and echo; rows that the loop handed to its
rings, rows that the recorder took, and what the closed file says of itself (the summary that MCAP's
own reader gives). The satellite creeps (0.01 mm/s), so that an hour of it stays within the robots'
reach; limits that a busy machine would break (late and lost telegrams) are out of the way.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.c_echo import echoing
from benchmarks.wire import free_ports
from softdock import load_scenario
from softdock.rig.emulated_rig import start_peers
from softdock.rig.file import load_rig
from softdock.rig.peers import open_peers
from softdock.rig.program import RigProgram, name_samples_stream
from softdock.rig.runs import run_series
from softdock.rig.scenario import OnRig, put_on_rig
from softdock.rig.wire import links

NEVER = 1_000_000  # late packets until an emulated robot gives up
FOR_EVER_NS = 1 << 60
SPEED = 1e-5  # m/s
SAMPLE_HZ, CYCLE_HZ, ROBOTS = 7000, 250, 2
SENSOR = {"address": "127.0.0.1", "rate_Hz": SAMPLE_HZ, "range_N": 1000.0, "range_Nm": 100.0}
PATIENT: dict[str, Any] = {
    "limits.lost_share": 1.0,
    "limits.lost_in_a_row": 100,
    "limits.late_in_a_row": 100,
    "limits.silence_cycles": 100,
    "limits.bad_in_a_row": 100,
    "limits.stale_ms": 1000.0,
    "limits.compute_share": 1.0,
    "limits.tracking_m": 0.05,
    "limits.late_share_of_timeout": 1.0,
}
PORTS = (
    "robots.chaser.port",
    "robots.target.port",
    "sensors.chaser.port",
    "sensors.chaser.http_port",
    "sensors.target.port",
    "sensors.target.http_port",
)


def creeping(seconds: float) -> OnRig:
    """epos_1d at 0.01 mm/s on the preset, on ports of its own."""
    second = {f"sensors.target.{key}": value for key, value in SENSOR.items()}
    changes = {**PATIENT, **second, **dict(zip(PORTS, free_ports(len(PORTS))))}
    rig = load_rig("emulated_pair", changes)
    robots = {name: replace(end, timeout_packets=NEVER) for name, end in rig.robots.items()}
    scenario = load_scenario(
        "epos_1d",
        {"time.duration_s": seconds, "chaser.velocity_m_per_s": [-SPEED, 0.0, 0.0]},
    )
    return put_on_rig(replace(rig, robots=robots), scenario)


def in_file(path: Path) -> dict[str, Any]:
    """What a reader of others finds: messages by topic, and how the recording ended."""
    from mcap.reader import make_reader

    with path.open("rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        counts = summary.statistics.channel_message_counts
        topics = {summary.channels[i].topic: int(number) for i, number in counts.items()}
        ends = [m.metadata for m in reader.iter_metadata() if m.name == "softdock.end"]
    return {"messages": topics, "end": dict(ends[0]) if ends else {}}


def _rows(program: RigProgram) -> dict[str, int]:
    """Rows that the loop has handed to its rings."""
    arrays = program.arrays
    return {
        "cycle": int(arrays.cycles.count[0]),
        "packets": int(arrays.packets.count[0]),
        **{
            name_samples_stream(program.on.rig, name): int(ring.count[0])
            for name, ring in zip(program.on.rig.sensors, arrays.samples)
        },
    }


def recorded(
    seconds: float,
    folder: Path | None = None,
    tell: Callable[[dict[str, Any]], None] = lambda found: None,
) -> dict[str, Any]:
    """One run of so many seconds, and where its rows went. `tell` hears of it on its way."""
    with tempfile.TemporaryDirectory() as name:
        return _recorded(seconds, folder or Path(name), tell)


def _recorded(
    seconds: float, folder: Path, tell: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    on, begun = creeping(seconds), time.monotonic()

    def look(program: RigProgram, elapsed_s: float) -> None:
        tell({"seconds": seconds, "elapsed_s": round(elapsed_s, 1), **_rows(program)})

    with start_peers(on) as emulators, open_peers(on.rig) as peers:
        assert emulators is not None, "these ports were free a moment ago"
        for link in peers.robots.values():  # a machine that stands still is no clock that jumps
            link.arrays.settings[links.JUMP_NS] = FOR_EVER_NS
        with echoing() as echo:
            series = run_series(on, peers, emulators.go, folder=folder, look=look)
    (run,) = series.runs
    outcome, handed = run.outcome, _rows(run.program)
    assert run.recording is not None
    if run.problems:  # the file is not whole: what there is to say of it is said
        return {"met": False, "rows_of_the_loop": handed, "said": run.problems, "why": outcome.why}
    file = in_file(run.recording)
    taken = {name: int(file["end"].get(f"rows.{name}", "-1")) for name in handed}
    lost = {name: int(file["end"].get(f"lost.{name}", "-1")) for name in handed}
    expected, lost_by_us = round(seconds * CYCLE_HZ), sum(r.lost for r in outcome.robots)
    return {
        "seconds": seconds,
        "wall_s": round(time.monotonic() - begun, 1),
        "reason": outcome.reason,
        "why": outcome.why,
        "fifo": series.granted.fifo,
        "rows_of_the_loop": handed,
        "rows_taken": taken,
        "rows_lost": lost,
        "said": run.problems,
        "messages": file["messages"],
        "MB": round(1e-6 * run.recording.stat().st_size, 1),
        "samples_lost_before_the_loop": outcome.samples_lost,
        "telegrams_lost_before_the_loop": lost_by_us,
        "late_replies": sum(r.late for r in outcome.robots),
        "not_taken": series.not_taken,
        "c_echo": {k: echo[k] for k in ("received", "answered", "missed")},
        "slowest_us": outcome.slowest_us,
        "met": bool(
            outcome.completed
            and outcome.cycles == expected
            and taken == handed
            and not any(lost.values())
            and not run.problems
            and lost_by_us <= echo["missed"]
        ),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    print(json.dumps(recorded(parser.parse_args().seconds), indent=1))
