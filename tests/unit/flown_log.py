"""A run as the log of another program, for the tests of importing."""

from __future__ import annotations

import functools
from pathlib import Path

import exported
import numpy as np
from scenarios import cone_docking

import softdock
from softdock.results.run import Run

NOISE = {"period_ms": 1.0, "delay_ms": 6.0, "noise_N": 0.25, "noise_Nm": 0.02}


@functools.cache
def flown() -> Run:
    """A probe in a cone, both bodies turning; noisy force of 1 kHz, poses 8 ms old."""
    tables = cone_docking(delay_ms=16.0, duration_s=3.0)
    tables["sensor"] = dict(NOISE)
    tables["pose"] = {"delay_ms": 8.0}
    return softdock.simulate(tables)


def one_file(folder: Path, angles: str = "abc", **columns: np.ndarray) -> tuple[Path, Path]:
    """Everything in one CSV file, a row a cycle, and its map."""
    series = flown().series
    rows = exported.robot_columns(series, angles) | exported.force_columns(series)
    rows |= {"force_age_ms": 1e3 * series["force_age"]}
    log = exported.write_csv(folder / "log.csv", rows | columns)
    (folder / "map.toml").write_text(exported.map_text(angles), encoding="utf-8")
    return log, folder / "map.toml"
