"""Arms: time of the kinematics, of the check of a run, and of a search for a place.

CPU time, least of many batches. Aims: followed inverse 0.6 us, 3500 cycles checked in 20 ms, 600
candidates for one robot in 15 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from softdock.loop.arms import entry_points, load_arm
from softdock.loop.arms.facility import Facility
from softdock.loop.arms.layout import WORK
from softdock.studies.placement.check import check_run
from softdock.studies.placement.motion import Motion, make_motion
from softdock.studies.placement.search import search

ROWS, BATCHES = 2000, 40


def least(call: Callable[[], object], batches: int = BATCHES) -> float:
    """Least CPU time of a call [s], machine code made before."""
    call()
    found = []
    for _ in range(batches):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def kinematics(name: str) -> dict[str, float]:
    """Microseconds a row of each entry point."""
    arm = load_arm(name).vector
    t = np.linspace(0.0, 1.0, ROWS)[:, None]
    q = np.array([0.0, 0.3, -1.2, 1.1, 0.4, 0.8, 0.2]) + 0.3 * np.sin(3.0 * t + np.arange(7.0))
    q[:, 0] = 0.0
    poses, joints, status = np.zeros((ROWS, 7)), np.zeros((ROWS, 7)), np.zeros(ROWS, np.int64)
    work, rest, pushed = np.zeros(WORK.size), np.zeros((ROWS, 7)), np.zeros((ROWS, 6))
    gravity = np.array([0.0, 0.0, -9.81])
    all8, refused = np.zeros((ROWS, 8, 7)), np.zeros((ROWS, 8), np.int64)
    J, M, into = np.zeros((ROWS, 42)), np.zeros((ROWS, 49)), np.zeros((ROWS, 7))
    entry_points.flange_rows(arm, q, poses)
    base, clear = np.zeros(ROWS), np.zeros((ROWS, 3))
    calls = {
        "forward": lambda: entry_points.flange_rows(arm, q, poses),
        "followed inverse": lambda: entry_points.follow_rows(
            arm, poses, q[0], 0, joints, status, clear
        ),
        "all eight": lambda: entry_points.inverse_rows(arm, poses, base, all8, refused),
        "jacobian": lambda: entry_points.jacobian_rows(arm, q, work, J),
        "torques": lambda: entry_points.torque_rows(
            arm, q, rest, rest, gravity, pushed, work, into
        ),
        "mass matrix": lambda: entry_points.mass_rows(arm, q, work, M),
    }
    return {what: 1e6 * least(call) / ROWS for what, call in calls.items()}


def docking() -> tuple[Motion, Facility]:
    """3500 cycles of 4 ms: an approach, a bounce of 100 ms and a departure; the chaser's KR 16."""
    time_s = 4e-3 * np.arange(3500)
    chaser = np.tile(np.array([0.0, 0, 0, 1, 0, 0, 0]), (3500, 1))
    chaser[:, 0] = -0.4 + 0.03 * time_s
    chaser[:, 1] = 0.02 * np.sin(time_s)
    target = np.tile(np.array([0.8, 0, 0, 1, 0, 0, 0]), (3500, 1))
    push = np.zeros((3500, 3))
    push[3000:3025, 0] = -150.0 * np.sin(np.pi * np.arange(25) / 25)
    return make_motion(time_s, chaser, target, push, (0.3, 0.0, 0.0)), Facility()


def placement() -> dict[str, float]:
    """Seconds of a check of one robot, of two with their volumes, and of 600 candidates."""
    motion, room = docking()
    first = search(room, "chaser", "kr16", motion, candidates=100).best[0].mount
    second = search(room, "target", "kr16", motion, candidates=100).best[0].mount
    one, two = replace(room, chaser=first), replace(room, chaser=first, target=second)
    return {
        "check, one robot": least(lambda: check_run(one, motion)),
        "check, two robots": least(lambda: check_run(two, motion)),
        "600 candidates": least(
            lambda: search(room, "chaser", "kr16", motion, candidates=600), batches=2
        ),
    }


def main() -> None:
    for what, seconds in placement().items():
        print(f"{what:18s} {1e3 * seconds:9.1f} ms")
    for name in ("kr16", "kr120", "ur10e"):
        for what, us in kinematics(name).items():
            print(f"{name:6s} {what:17s} {us:7.3f} us")


if __name__ == "__main__":
    main()
