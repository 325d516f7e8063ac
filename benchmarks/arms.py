"""Arms: time of the kinematics, of the check of a run, and of a search for a place. CPU time, least of
many batches. Aims: followed inverse 0.6 us, 3500 cycles checked 20 ms, 600 candidates 15 s."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from softdock.arms import load_arm
from softdock.core.arms import doors
from softdock.core.arms.layout import WORK

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
    """Microseconds a row of each door."""
    arm = load_arm(name).vector
    t = np.linspace(0.0, 1.0, ROWS)[:, None]
    q = np.array([0.0, 0.3, -1.2, 1.1, 0.4, 0.8, 0.2]) + 0.3 * np.sin(3.0 * t + np.arange(7.0))
    q[:, 0] = 0.0
    poses, joints, status = np.zeros((ROWS, 7)), np.zeros((ROWS, 7)), np.zeros(ROWS, np.int64)
    work, rest, pushed = np.zeros(WORK.size), np.zeros((ROWS, 7)), np.zeros((ROWS, 6))
    gravity = np.array([0.0, 0.0, -9.81])
    all8, refused = np.zeros((ROWS, 8, 7)), np.zeros((ROWS, 8), np.int64)
    J, M, into = np.zeros((ROWS, 42)), np.zeros((ROWS, 49)), np.zeros((ROWS, 7))
    doors.flange_rows(arm, q, poses)
    base = np.zeros(ROWS)
    calls = {
        "forward": lambda: doors.flange_rows(arm, q, poses),
        "followed inverse": lambda: doors.follow_rows(arm, poses, q[0], 0, joints, status),
        "all eight": lambda: doors.inverse_rows(arm, poses, base, all8, refused),
        "jacobian": lambda: doors.jacobian_rows(arm, q, work, J),
        "torques": lambda: doors.torque_rows(arm, q, rest, rest, gravity, pushed, work, into),
        "mass matrix": lambda: doors.mass_rows(arm, q, work, M),
    }
    return {what: 1e6 * least(call) / ROWS for what, call in calls.items()}


def main() -> None:
    for name in ("kr16", "kr120", "ur10e"):
        for what, us in kinematics(name).items():
            print(f"{name:6s} {what:17s} {us:7.3f} us")


if __name__ == "__main__":
    main()
