"""A controller's view and command from outside, in plain Python: what `softdock.Pilot` reads of the
method's memory and writes into it.

In: the method's slice of `mem`, the scenario's tables, force [N] and torque [Nm] in chaser axes.
Out: the newest navigation sample that has arrived, as a compiled controller gets it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.core.adaptation.declaration import Steered
from softdock.core.adaptation.guidance.keys import CELLS, MOST_SAMPLES, SAMPLE
from softdock.core.adaptation.guidance.navigation import Seen
from softdock.core.machine.cells import Cells
from softdock.core.spatial.arrays import product


def seen(mem: np.ndarray, tables: Mapping[str, Any]) -> Seen | None:
    """None: no sample has arrived."""
    navigation = tables["navigation"]
    number = int(mem[CELLS.at.served]) - 1
    if number < 0:
        return None
    first = CELLS.at.samples + SAMPLE.size * (number % MOST_SAMPLES)
    parts: list[Any] = [mem[SAMPLE.slice_of(c.name, first)].copy() for c in SAMPLE]
    p, v, turn, rate, attitude, own_rate = parts
    axis = np.asarray(navigation["axis"], float)
    docked = np.asarray(navigation["docked_wxyz"], float)
    docked = docked / np.linalg.norm(docked)
    to_target: Any = product(_quaternion(turn)[None, :], docked[None, :])[0]
    return Seen(
        position=p,
        velocity=v,
        turn=turn,
        rate=rate,
        attitude=attitude,
        own_rate=own_rate,
        to_target=to_target,
        distance=float(p @ axis / np.linalg.norm(axis)),
        time=1e-3 * number * navigation["period_ms"],
    )


def command(mem: np.ndarray, cells: Cells, both: np.ndarray) -> None:
    """Force and torque into the head of the controller's own cells."""
    mem[CELLS.size : CELLS.size + 6] = both
    mem[cells.at.own_given] = 1.0


def _quaternion(turn: np.ndarray) -> np.ndarray:
    """Of a rotation vector."""
    half = 0.5 * float(np.linalg.norm(turn))
    return np.append(np.cos(half), 0.5 * np.sinc(half / np.pi) * turn)


STEERED = Steered(seen=seen, command=command)
