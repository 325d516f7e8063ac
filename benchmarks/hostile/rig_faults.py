"""Faults of robots, sensors, clocks and processes, each once in real time, with robots that know
nothing of softdock: rig_peer.c, written from the public protocols. What must come of each is in
ROWS; what the robots were told is counted by them, not by softdock.

    python -m benchmarks.hostile.rig_faults [ROW...]     # needs cc; about 15 s a row

A machine that had no time for the run is no fault of either: where the robots counted late answers
before the fault, or an answer that took half a cycle, a row is tried again, twice at most.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from softdock.rig.machine import find_free_ports

HERE = Path(__file__).parent
SOFTDOCK = [sys.executable, "-m", "softdock"]
LONGEST_S = 180.0  # of one command, on a busy machine
TRIES = 3
LATE_US = 2000.0  # half a cycle: 99 % of the answers, and every telegram, were there before
APPROACH_MJ = 12.6  # of epos_1d: 63 kg at 0.02 m/s; before a contact the rig says no bound

RIG = """schema = 1
name = "peers_in_c"
[clock]
master = "chaser"
[robots.chaser]
address = "127.0.0.1"
bind = "127.0.0.1"
port = {0}
timeout_packets = 100
box_min_m = [-0.3, -0.3, -0.3]
box_max_m = [0.3, 0.3, 0.3]
delay_ms = 16.0
[robots.target]
address = "127.0.0.1"
bind = "127.0.0.1"
port = {1}
timeout_packets = 100
box_min_m = [-0.3, -0.3, -0.3]
box_max_m = [0.3, 0.3, 0.3]
delay_ms = 16.0
[sensors.chaser]
address = "127.0.0.1"
port = {2}
http_port = 0
rate_Hz = 1000
sample_Hz = 1000
range_N = 1000.0
range_Nm = 100.0
[limits]
restitution = 1.2
energy_contact = 0.4
energy_run = 0.8
force_N = 100.0
force_step_N = 50.0
"""


def predict_restitution(delay_s: float = 0.016, age_s: float = 1e-4) -> float:
    """epos_1d in plain numbers: 63 kg under a force that is held for a cycle, and a robot that goes
    straight from one set-point to the next, `delay_s` late, against 1000 N/m."""
    T, mass, stiffness, speed, gap = 0.004, 63.0, 1000.0, 0.02, 0.01
    points, x, v, k, touched = [gap], gap, -speed, 0, False

    def place(t: float) -> float:
        s = (t - delay_s) / T
        if s <= 0.0:
            return gap - speed * (t - delay_s)
        i = int(s)
        return points[i] + (s - i) * (points[min(i + 1, len(points) - 1)] - points[i])

    while True:
        force = stiffness * max(0.0, -place(k * T - age_s))
        if touched and force == 0.0 and v > 0.0:
            return v / speed
        touched = touched or force > 0.0
        x, v, k = x + v * T + 0.5 * force / mass * T * T, v + force / mass * T, k + 1
        points.append(x)


class Running(NamedTuple):
    """A run under way, for what is done to it in the contact."""

    process: subprocess.Popen[str]
    folder: Path
    clock: Path


Act = Callable[[Running], None]


class Row(NamedTuple):
    name: str
    faults: str = ""  # of rig_peer.c
    ends: tuple[str, ...] = ("completed",)  # reasons of which one is the run's
    says: str = ""  # a regular expression that what was said must have
    within: float = 1e-3  # restitution to the prediction; 0: not asked
    act: Act | None = None
    options: tuple[str, ...] = ()
    prepared: Callable[[Path], None] | None = None
    ignores: bool = False  # SIGINT, as what a script puts into the background
    whole: bool = True  # the recording, without `rig recover`
    rests: bool = True
    code: int | None = None  # of exit; default: 0 of completed, 3 of others
    as_json: bool = True  # else what a person reads


def _signalled(number: int) -> Act:
    return lambda run: run.process.send_signal(number)


def _stopped(of: str, number: int = signal.SIGSTOP) -> Act:
    """A process of the run stands for a second, or ends."""

    def act(run: Running) -> None:
        for pid in _find(run.process.pid, of):
            os.kill(pid, number)
            if number == signal.SIGSTOP:
                time.sleep(1.0)
                os.kill(pid, signal.SIGCONT)

    return act


def _find(parent: int, of: str) -> list[int]:
    """Processes below one, by what is in their command; "": the parent."""
    if not of:
        return [parent]
    found, waiting = [], [parent]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            if pid != parent and of in Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "):
                found.append(pid)
    if not found:
        raise ValueError(f"no process {of}")
    return found


def _set_clock(ms: float) -> Act:
    def act(run: Running) -> None:
        run.clock.write_bytes(struct.pack("=qq", round(ms * 1e6), time.time_ns()))

    return act


def _small_disc(folder: Path) -> None:
    """A file system without room for the recording."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(folder / "out")], check=True
    )


OPERATOR = {"ends": ("operator",)}
ROWS = (
    Row("none"),
    Row("loss of 1 %", "loss=0.01 from=0", within=1e-2),
    Row("loss of 10 %", "loss=0.1 from=0", ("lost_share", "lost", "late", "late_in_all")),
    Row("duplicates", "double=0.1 from=0"),
    Row("reordered 5 %", "reorder=0.05 from=0", ("lost_share",), "overtaken"),
    Row(
        "flipped bits, 5 % of all",
        "bits=0.05 sensor_bits=0.05 from=0",
        ("lost_share", "touch", "force_implausible", "sensor_status", "sensor_range"),
    ),
    Row(
        "flipped bits, 20 % of the sensor's",
        "bits=0.02 sensor_bits=0.2 from=0",
        ("lost_share", "touch", "force_implausible", "sensor_status", "sensor_range"),
    ),
    Row("50 old telegrams again", "replay=50"),
    Row("IPOC + 100", "ipoc=100", ("lost",), "chaser's robot lost in a row"),
    Row(
        "ticks 2.5 ms later", "late_tick=2.5", ("clock",), "clock of the chaser's robot has jumped"
    ),
    Row("wall clock back 50 ms", act=_set_clock(-50.0), says="wall clock was set back by 50 ms"),
    Row("wall clock back 5 ms", act=_set_clock(-5.0), says="wall clock was set back by 5 ms"),
    Row(
        "wall clock forward 50 ms", act=_set_clock(50.0), says="wall clock was set forward by 50 ms"
    ),
    Row("pose jumps by 5 mm", "jump=5", ("pose_jump",), "pose of the chaser's robot jumped by"),
    Row(
        "chaser silent for 1 s",
        "silent=1 for=1",
        ("silence",),
        "the chaser's robot has been silent",
    ),
    Row(
        "target silent for 1 s",
        "silent=2 for=1",
        ("silence",),
        "the target's robot has been silent",
    ),
    Row(
        "sensor silent", "sensor_silent=1", ("force_stale",), "newest force of the chaser's sensor"
    ),
    Row("sensor frozen", "frozen=1", ("force_frozen",), "sent the same six values"),
    Row("sensor saturated for 0.5 s", "saturated=1 for=0.5", ("sensor_status",), "saturated"),
    Row(
        "+30 N for 1 s", "offset=30 for=1", ("restitution", "energy_contact", "energy_run", "power")
    ),
    Row("one record of +60 N", "spike=60", says='"forces_held_back": 1'),
    Row(
        "zero drifts by 0.05 N/s",
        "drift=0.05",
        says="zero of the chaser's sensor is off.*0.05 N/s",
        within=0.0,
        options=("--set", "limits.energy_floor_J=0.01"),
    ),
    Row("count 1000 back", "count=-1000", says="count of the chaser's sensor began anew"),
    Row("DiL = 1", "stop_input=1", ("stop_input",), "stop input of the chaser's robot is 1"),
    Row("a second sender, 3 telegrams", "foreign=3", says="second (program|sender)"),
    Row("a second sender for good", "foreign=1e9", says="second (program|sender)"),
    Row("the same, 0.3 mm off", "foreign=1e9 foreign_off=0.3", says="second (program|sender)"),
    Row("2000 forged records", "forged=2000", says='"other_address": 2000'),
    Row("SIGTERM", act=_signalled(signal.SIGTERM), **OPERATOR),
    Row("SIGHUP", act=_signalled(signal.SIGHUP), **OPERATOR),
    Row("Ctrl-C", act=_signalled(signal.SIGINT), **OPERATOR),
    Row("SIGINT in the background", act=_signalled(signal.SIGINT), ignores=True, **OPERATOR),
    Row("controller killed", act=_signalled(signal.SIGKILL), ends=(), code=-9),
    Row(
        "recorder killed",
        act=_stopped("softdock.recording.recorder", signal.SIGKILL),
        says="its recorder was killed",
        whole=False,
        code=3,
    ),
    Row("chaser's robot gone", "gone=1", ("silence",), "the chaser's robot has been silent"),
    Row("target's robot gone", "gone=2", ("silence",), "the target's robot has been silent"),
    Row("sensor gone", "sensor_gone=1", ("force_stale",), "newest force of the chaser's sensor"),
    Row(
        "viewer and live stream killed",
        act=lambda run: [
            _stopped(of, signal.SIGKILL)(run) for of in ("view --rig", "recording.live")
        ],
        says="view has ended.*(stream has ended)|stream has ended.*(view has ended)",
        options=("--view", "--foxglove", "0"),
        as_json=False,
    ),
    Row(
        "controller stands for 1 s",
        act=_stopped(""),
        ends=("late_in_all", "late", "silence", "lost", "force_stale", "slow", "clock"),
    ),
    Row("recorder stands for 1 s", act=_stopped("softdock.recording.recorder")),
    Row("disc full", prepared=_small_disc, says="No space left", whole=False, code=3),
)


def build(folder: Path) -> tuple[Path, Path]:
    """The peers and the clock, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("rig_faults needs a C compiler: cc")
    peer, clock = folder / "rig_peer", folder / "rig_clock.so"
    words = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu99"]
    subprocess.run([*words, "-o", peer, HERE / "rig_peer.c", "-lm"], check=True)
    subprocess.run(
        [*words, "-shared", "-fPIC", "-o", clock, HERE / "rig_clock.c", "-ldl"], check=True
    )
    return peer, clock


def try_row(row: Row, peer: Path, clock: Path, seed: int) -> dict[str, Any]:
    """One run: what the robots saw, what was said, what is wrong."""
    ports = find_free_ports(3)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "rig.toml").write_text(RIG.format(*ports))
        (folder / "out").mkdir()
        step = folder / "clock"
        step.write_bytes(bytes(16))
        if row.prepared is not None:
            row.prepared(folder)
        words = [str(peer), *map(str, ports), *row.faults.split(), f"seed={seed}"]
        try:
            return _fly(row, words, _start(row, folder, clock, step))
        finally:
            if row.prepared is not None:
                subprocess.run(["umount", str(folder / "out")], check=False)


def _start(row: Row, folder: Path, clock: Path, step: Path) -> Running:
    """`softdock rig run`, under a wall clock that can be set."""
    words = [*SOFTDOCK, "rig", "run", "rig.toml", "epos_1d", "--out", "out", *row.options]

    def begin() -> None:
        """As a terminal starts it, whatever this process was told to ignore."""
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN if row.ignores else signal.SIG_DFL)

    with (folder / "said").open("w") as said, (folder / "told").open("w") as told:
        process = subprocess.Popen(
            [*words, "--json"] if row.as_json else words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=told,
            text=True,
            env={**os.environ, "LD_PRELOAD": str(clock), "SOFTDOCK_CLOCK_FILE": str(step)},
            preexec_fn=begin,
        )
    return Running(process, folder, step)


def _fly(row: Row, words: list[str], run: Running) -> dict[str, Any]:
    peer = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    seen: dict[str, Any] = {}

    def follow() -> None:
        assert peer.stdout is not None
        for line in peer.stdout:
            if line.startswith("contact") and row.act is not None:
                time.sleep(0.1)
                try:
                    row.act(run)
                except (OSError, ValueError) as error:
                    seen["acted"] = str(error)
            elif line.startswith("{"):
                seen.update(json.loads(line))

    follower = threading.Thread(target=follow)
    follower.start()
    try:
        code: int | None = run.process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        run.process.kill()
        code = None
    follower.join(10.0)
    peer.terminate()
    peer.wait()
    follower.join()
    said, told = (run.folder / "said").read_text(), (run.folder / "told").read_text()
    wrong, found = _judge(row, code, said, told, seen, run.folder / "out")
    return {
        "wrong": wrong,
        "code": code,
        **found,
        "robots": seen,
        "told": told[-600:] if wrong else "",
    }


def _judge(
    row: Row, code: int | None, said: str, told: str, seen: dict[str, Any], out: Path
) -> tuple[list[str], dict[str, Any]]:
    wrong, run = [seen["acted"]] if "acted" in seen else [], {}
    if "rest" not in seen:
        return [*wrong, "the robots did not end"], run
    if said.strip() and row.as_json:
        run = json.loads(said)["runs"][0]
    expected = row.code if row.code is not None else (0 if "completed" in row.ends else 3)
    if code != expected:
        wrong.append(f"exit code {code}, not {expected}")
    if "Traceback" in told:
        wrong.append("a traceback")
    if row.ends and row.as_json and run.get("reason") not in row.ends:
        wrong.append(f"ended by {run.get('reason')}: {run.get('why')}")
    if not re.search(row.says, " ".join((said + told).split())):
        wrong.append(f"does not say {row.says}")
    if row.rests and not seen.get("rest", False):
        wrong.append("the set-points do not rest at the end")
    if run:
        bound = max(1e3 * run["kinetic_bound_J"], APPROACH_MJ)
        if seen["kinetic_mJ"] > 1.02 * bound:
            wrong.append(f"{seen['kinetic_mJ']} mJ at the robots, bound {bound:.4g} mJ")
        if run["reason"] == "completed" and row.within:
            predicted = predict_restitution(age_s=1e-3 * run["force_age_ms"])
            if not abs(run["restitution"] - predicted) < row.within:
                wrong.append(f"restitution {run['restitution']}, predicted {predicted:.6f}")
    wrong += _look_at_recording(row, out, run)
    found = {k: run.get(k) for k in ("reason", "why", "warnings", "restitution", "force_age_ms")}
    return wrong, found


def _look_at_recording(row: Row, out: Path, run: dict[str, Any]) -> list[str]:
    """Every row of the loop is in the file, by the numbers at its end; a file that is not whole is
    made whole from the ring."""
    from mcap.reader import make_reader

    file = out / "run.mcap"
    if not row.whole:
        whole = out.parent / "whole.mcap"
        done = subprocess.run(
            [*SOFTDOCK, "rig", "recover", str(file), "--out", str(whole)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return [f"not recovered: {done.stderr[-300:]}"]
        file = whole
        wrong = _clear_ring(out)
        if wrong:
            return wrong
    if not file.exists():
        return ["no recording"]
    with file.open("rb") as opened:
        reader = make_reader(opened)
        ends = {m.name: m.metadata for m in reader.iter_metadata()}
        summary = reader.get_summary()
    assert summary is not None
    assert summary.statistics is not None
    topics = {
        c.topic: summary.statistics.channel_message_counts.get(i, 0)
        for i, c in summary.channels.items()
    }
    cycles = topics.get("/softdock/cycle", 0)
    lost = {
        k: v for k, v in ends.get("softdock.end", {}).items() if k.startswith("lost.") and v != "0"
    }
    if lost or cycles < run.get("cycles", 1):
        return [f"{cycles} cycles recorded of {run.get('cycles')}, lost {lost}"]
    return []


def _clear_ring(out: Path) -> list[str]:
    """The ring that this run has left is listed; it is taken away, and no other."""
    done = subprocess.run(
        [*SOFTDOCK, "rig", "recover", "--list", "--json"], capture_output=True, text=True
    )
    left = [r["ring"] for r in json.loads(done.stdout)["rings"] if str(out) in r["recording"]]
    for path in left:
        Path(path).unlink(missing_ok=True)
    return [] if left else ["the ring that was left is not listed"]


def was_machine_late(found: dict[str, Any]) -> bool:
    """Whether the robots saw that nobody had time for them."""
    robots = found["robots"]
    return not robots or max(robots["trip_p99_us"], 1e3 * robots["stood_ms"]) > LATE_US


def rows(names: list[str], seed: int, tell: Callable[[str], None] = print) -> dict[str, Any]:
    """Every row, or those named."""
    failures, results = [], {}
    with tempfile.TemporaryDirectory() as made:
        peer, clock = build(Path(made))
        for number, row in enumerate(ROWS):
            if names and row.name not in names:
                continue
            for tried in range(1, TRIES + 1):
                found = try_row(row, peer, clock, seed + 100 * number + tried)
                if not found["wrong"]:
                    break
                tell(f"  {row.name}: {found}")
                if not was_machine_late(found):
                    break
            results[row.name] = {**found, "tries": tried}
            if found["wrong"]:
                failures.append({"row": row.name, **found})
            tell(f"{row.name}: {'; '.join(found['wrong']) or found['why'] or found['code']}")
    return {"count": len(results), "rows": results, "failures": failures}


if __name__ == "__main__":
    sys.exit(bool(rows(sys.argv[1:], 1)["failures"]))
