"""One simulated docking in the axes of a robot's base, and what it takes to write it as a table."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from scenarios import epos_wall
from scipy.spatial.transform import Rotation

import softdock

BASE = Rotation.from_euler("ZYX", [0.4, -0.3, 0.2])  # the robot's base stands turned
TOOL = Rotation.from_euler("ZYX", [20.0, 75.0, -10.0], degrees=True)  # and its tool in it


class Docking(NamedTuple):
    """A touch of a wall, in the axes of a robot's base; a row every 4 ms."""

    t: np.ndarray  # s
    cmd: np.ndarray  # m
    act: np.ndarray  # m
    turned: Rotation  # base from tool
    force: np.ndarray  # N, on the tool, base axes
    torque: np.ndarray  # Nm
    t_fast: np.ndarray  # s, of a sensor of 1 kHz
    force_fast: np.ndarray
    contact: dict[str, Any]  # as the run's own recording has it


@functools.cache
def docking() -> Docking:
    from softdock.recording.contacts import find_contacts

    tables = epos_wall()
    tables["time"]["duration_s"] = 1.6
    tables["sensor"] = {"noise_N": 0.02, "period_ms": 1.0}
    tables["random"] = {"seed": 7}
    series = softdock.simulate(tables).series
    t = series["time"]
    turned = Rotation.concatenate([BASE * TOOL] * len(t))
    force = BASE.apply(series["measured.chaser.force"])
    fast = np.arange(0.0, t[-1], 0.001)
    row = np.minimum((fast / 0.004).astype(int), len(t) - 1)
    return Docking(
        t=t,
        cmd=BASE.apply(series["command.chaser.position"]) + [0.6, -0.2, 0.5],
        act=BASE.apply(series["seen.chaser.position"]) + [0.6, -0.2, 0.5],
        turned=turned,
        force=force,
        torque=0.01 * force,
        t_fast=fast,
        force_fast=force[row],
        contact=find_contacts(series)[0],
    )


Columns = dict[str, Any]


def text(
    columns: Columns,
    delimiter: str = ",",
    decimal: str = ".",
    eol: str = "\n",
    digits: int = 9,
    above: tuple[str, ...] = (),
    below: tuple[str, ...] = (),
    head: str | None = None,
    quote: bool = False,
    end: str = "",
    nothing: str = "",
) -> str:
    """A table as text. `above` and `below` the line of names; NaN is written as `nothing`."""

    def cell(value: Any) -> str:
        if isinstance(value, str | np.str_ | int | np.integer):
            written = str(value)
        else:
            written = nothing if np.isnan(value) else f"{value:.{digits}g}".replace(".", decimal)
        return f'"{written}"' if quote else written

    names = [f'"{name}"' if quote else name for name in columns]
    lines = [*above, delimiter.join(names) + end if head is None else head, *below]
    lines += [delimiter.join(map(cell, row)) + end for row in zip(*columns.values(), strict=True)]
    return eol.join(line for line in lines if line is not None) + eol


def xyz(pattern: str, rows: np.ndarray, scale: float = 1.0, axes: str = "xyz") -> Columns:
    return {pattern.format(a): scale * rows[:, i] for i, a in enumerate(axes)}


def abc(pattern: str, turned: Rotation) -> Columns:
    return xyz(pattern, turned.as_euler("ZYX", degrees=True), axes="ABC")


def rows_of(columns: Columns, keep: np.ndarray) -> Columns:
    return {name: np.where(keep, column, np.nan) for name, column in columns.items()}
