"""The recorder: what a row costs the loop, how many rows a second it can write, and whether any is
lost at a rig's rate: 2 robots at 250 Hz and a sensor at 7 kHz, in real time.

Aims: no row lost in an hour (`make prove` runs the hour, here it is `--seconds`); a kill
loses at most 100 ms, which is the longest time between two looks of the recorder. CPU time, the
minimum of several, for what needs no clock.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the rows of the tests

from recorded import CELLS, CYCLE_S, SAMPLES, about

from softdock.recording.mcap_file import McapFile, Sink
from softdock.recording.read import read_contents
from softdock.recording.recorder import Follower, Recorder
from softdock.recording.ring_file import IN, RingFile, make_ring
from softdock.recording.ring_layout import push_rows
from softdock.recording.streams import make_rig_streams

TARGET = "no row lost at 2 x 250 Hz and 7 kHz; a row costs the loop <= 1 us"
REPEATS = 5
LONGEST_READ_S = 600.0  # of a recording that is read back whole


def pushed_cycles(rings: RingFile, first: int, count: int) -> None:
    """What a loop writes in some cycles, all at once."""
    now = float(time.monotonic_ns())
    for ring, each in zip(rings.rings, (1, 2, SAMPLES), strict=False):
        rows = np.full((each * count, ring.stream.width), 0.5)
        rows[:, 0] = now
        rows[:, 1] = CYCLE_S * first
        rows += 1e-3 * np.random.default_rng(first).normal(size=rows.shape)
        push_rows(ring.slots, ring.count, rows.view(np.int64))


def row_cost_ns() -> float:
    """CPU time of one cycle's row, from compiled code."""
    slots = np.zeros((1024, 2 + 129), np.int64)
    count, rows = np.zeros(1, np.int64), np.ones((20_000, 129)).view(np.int64)
    push_rows(slots, count, rows)
    best = min(_cpu(lambda: push_rows(slots, count, rows)) for _ in range(REPEATS))
    return 1e9 * best / len(rows)


def _cpu(work: Any) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def writing_speed() -> dict[str, float]:
    """Cycles (a row, two packets, 28 samples) a second of CPU that the recorder writes."""
    best, cycles, size = float("inf"), 500, 0
    with tempfile.TemporaryDirectory() as name:
        for i in range(3):
            path = Path(name) / f"{i}.mcap"
            rings = make_ring(make_rig_streams(CELLS), about(), folder=Path(name), seconds=4.0)
            sink = Sink(path)
            follower = Follower(rings, McapFile(sink, rings.about, rings.streams), sink)
            spent = 0.0
            for first in range(0, cycles, 12):  # about 50 ms of them at each look
                pushed_cycles(rings, first, 12)
                spent += _cpu(follower.look)
            follower.finish("measured")
            best, size = min(best, spent), path.stat().st_size
            rings.remove()
    return {
        "cycles_per_cpu_s": cycles / best,
        "times_a_rig": cycles / best * CYCLE_S,
        "kB_per_s_of_rig": 1e-3 * size / (cycles * CYCLE_S),
    }


def in_real_time(seconds: float) -> dict[str, Any]:
    """A loop at a rig's rate beside the recorder's process."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "run.mcap"
        recorder = Recorder(path, make_rig_streams(CELLS, CYCLE_S), about())
        recorder.start()
        total, done, begun = round(seconds / CYCLE_S), 0, time.monotonic()
        while done < total:
            due = min(total, int((time.monotonic() - begun) / CYCLE_S) + 1)
            if due > done:
                pushed_cycles(recorder.rings, done, due - done)
                done = due
            time.sleep(CYCLE_S)
        slowest = recorder.rings.get("slowest_ns")
        wrong = recorder.close(120.0)
        _, _, children, child_system, _ = os.times()
        rings = recorder.rings.rings
        found = {
            "seconds": seconds,
            "rows": {ring.stream.name: int(ring.words[IN.taken]) for ring in rings},
            "lost": recorder.lost,
            "longest_look_ms": 1e-6 * slowest,
            "recorder_cpu_share": (children + child_system) / seconds,
            "MB": 1e-6 * path.stat().st_size,
            "wrong": wrong,
        }
        if seconds <= LONGEST_READ_S:
            contents = read_contents(path)
            found["read_back"] = {name: len(rows) for name, rows in contents.rows.items()}
    whole = found["rows"]["cycle"] == total and found["rows"]["samples"] == SAMPLES * total
    found["met"] = whole and not wrong and not any(found["lost"].values())
    return found


def run(seconds: float = 20.0) -> dict[str, Any]:
    """All of it."""
    found: dict[str, Any] = {"target": TARGET, "row_ns": row_cost_ns(), **writing_speed()}
    found |= in_real_time(seconds)
    found["met"] = bool(found["met"]) and found["row_ns"] <= 1000.0
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0)
    print(json.dumps(run(parser.parse_args().seconds), indent=1))
