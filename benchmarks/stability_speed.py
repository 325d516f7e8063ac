"""How fast is the stability analysis, on one core? Targets: a 1000 x 1000 chart of the closed form
in 0.2 s; the sampled critical damping of one operating point in 5 ms (mass, hold, delay up to 20
samples) and in 50 ms (the full loop: fast filtered sensor, two lagging robots, late poses).

Each number is checked before it is reported: the charted region against single points, the dampings
by an eigenvalue on the unit circle.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softdock.studies.stability import Loop, Robot, critical_delay, lifted_matrix, stable_stretch
from softdock.studies.stability.response import forget_responses

CHART_S, PLAIN_S, FULL_S = 0.2, 5e-3, 50e-3
REPEATS = 40
PLAIN = Loop(
    mass=15.6, stiffness=300.0, damping=0.0, robots=(Robot(delay=0.08),), cycle=0.004
)  # 20 samples
FULL = PLAIN.changed(
    stiffness=3000.0,
    sensor_period=0.001,
    handover="mean",
    lowpass=60.0,
    sensor_delay=0.002,
    robots=(Robot(0.3, 0.014, lag=80.0, lag_damping=0.7), Robot(0.7, 0.0103, lag=60.0)),
    pose_delay=0.016,
    virtual_damping=20.0,
)


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest of several goes, nothing remembered between them."""
    times, found = [], None
    for _ in range(REPEATS):
        forget_responses()
        began = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - began)
    return min(times), found


def stable_region() -> np.ndarray:
    damping, delay = np.meshgrid(np.linspace(0.5, 600.0, 1000), np.linspace(0.0, 0.25, 1000))
    return np.asarray(delay < critical_delay(60.0, damping, 1000.0))


def neutral(loop: Loop, damping: float) -> bool:
    return bool(
        abs(
            np.abs(np.linalg.eigvals(lifted_matrix(loop.changed(damping=float(damping))))).max()
            - 1.0
        )
        < 1e-9
    )


def run() -> dict[str, Any]:
    chart_s, region = best(stable_region)
    plain_s, plain = best(lambda: stable_stretch(PLAIN, "damping"))
    full_s, full = best(lambda: stable_stretch(FULL, "damping"))
    if (
        region[-1, -1]
        or not region[0, 0]
        or not (neutral(PLAIN, plain[0]) and neutral(FULL, full[0]))
    ):
        raise RuntimeError("the analysis is wrong, however fast")
    return {
        "chart_s": chart_s,
        "plain_ms": 1e3 * plain_s,
        "full_ms": 1e3 * full_s,
        "target": f"chart <= {CHART_S:g} s, plain <= {1e3 * PLAIN_S:g} ms, "
        f"full <= {1e3 * FULL_S:g} ms",
        "met": chart_s <= CHART_S and plain_s <= PLAIN_S and full_s <= FULL_S,
    }
