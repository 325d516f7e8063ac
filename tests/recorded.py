"""A loop that records, for the tests: rows whose contents follow from their numbers, at a rate."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from softdock.recording.mcap_file import McapFile, Sink
from softdock.recording.recorder import Follower, Recorder, measure_utc_offset_ns
from softdock.recording.ring_file import RingFile
from softdock.recording.streams import About, make_rig_streams

# what a rig with one sensor fills
CELLS = (
    "chaser",
    "target",
    "command_chaser",
    "command_target",
    "seen_chaser_p",
    "seen_chaser_q",
    "seen_target_p",
    "seen_target_q",
    "measured_chaser",
    "satellite_chaser",
    "satellite_target",
    "force_age",
    "pose_age_chaser",
    "pose_age_target",
    "raw_chaser",
    "joints_chaser",
    "energy_kinetic",
    "state",
)
CYCLE_S = 0.004
SAMPLES = 28  # of the sensor in a cycle: 7 kHz
ROOT = Path(__file__).parents[1]


def about(**tables: dict[str, str]) -> About:
    return About(
        name="a rig",
        utc_offset_ns=measure_utc_offset_ns(),
        attachments={"rig.toml": 'schema = 1\nname = "test"\n'},
        tables={"provenance": {"sensor.serial": "FT12345", "note": "first light"}, **tables},
        event_texts=("the {who}'s robot is {b:.4g} ms late at {a:.0f}", "stopped"),
    )


def row_of(number: int, width: int) -> np.ndarray:
    """A row that a reader can check by its number."""
    return np.arange(width) + 1e-3 * number


def write_cycle(rings: RingFile, number: int) -> None:
    """What a loop writes in a cycle: one row, two packets, 28 samples; an event now and then."""
    cycle, packets, samples, events = rings.rings
    now = float(time.monotonic_ns())
    row = row_of(number, cycle.stream.width)
    row[0], row[1] = now, CYCLE_S * number
    cycle.push(row)
    for robot in (0, 1):
        packet = row_of(2 * number + robot, packets.stream.width)
        packet[0] = now
        packets.push(packet)
    for i in range(SAMPLES):
        sample = row_of(SAMPLES * number + i, samples.stream.width)
        sample[0] = now
        samples.push(sample)
    if number % 50 == 0:
        events.push(np.array([now, 30.0, 0.0, float(number), 2.5, 1.0]))


def recorded(rings: RingFile, path: Path, cycles: int, flush_every: int = 10) -> Follower:
    """A file of some cycles, as the recorder's process would write it."""
    sink = Sink(path)
    follower = Follower(rings, McapFile(sink, rings.about, rings.streams), sink)
    for number in range(cycles):
        write_cycle(rings, number)
        if number % flush_every == flush_every - 1:
            follower.look()
    return follower


def loop(recorder: Recorder, seconds: float, first: int = 0) -> int:
    """Cycles in real time, as well as this machine can: the number after the last."""
    begun, number = time.monotonic(), first
    while time.monotonic() < begun + seconds:
        write_cycle(recorder.rings, number)
        number += 1
        time.sleep(CYCLE_S)
    return number


def main() -> None:
    """A loop of its own process: `recorded.py FILE SECONDS`; says where its rings and recorder
    are, then writes until it is killed."""
    recorder = Recorder(sys.argv[1], make_rig_streams(CELLS, CYCLE_S), about(), seconds=5.0)
    recorder.start()
    assert recorder.process is not None
    print(recorder.rings.path, recorder.process.pid, os.getpid(), flush=True)
    loop(recorder, float(sys.argv[2]))
    recorder.close()


if __name__ == "__main__":
    main()
