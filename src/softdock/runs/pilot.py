"""A controller of your own in plain Python: what navigation sees, and what the thrusters shall do.

    loop = softdock.Stepper(scenario)            # [guidance] controller = "piloted"
    pilot = softdock.Pilot(loop)
    while loop.cycles < 10_000 and loop.step() == "completed":
        seen = pilot.seen()                      # the newest sample that has arrived; None: none
        if seen is not None:
            pilot.command(force, torque)         # chaser axes, until the next command

In: navigation samples, as a compiled controller gets them. Out: force [N] and torque [Nm], asked of
the thrusters when the next sample arrives. Works on a `Stepper` and on a `Controller`, which a rig
drives. Orbit has no such program: it drifts, and the distance from orbit says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from softdock.core.adaptation.guidance.keys import CELLS, MOST_SAMPLES, SAMPLE
from softdock.core.adaptation.guidance.navigation import Seen
from softdock.core.adaptation.registry import METHODS
from softdock.core.spatial.arrays import product
from softdock.errors import BadInput, Problem
from softdock.scenario.build import Scenario


class Loop(Protocol):
    """What is steered: a `Stepper` or a `Controller`."""

    scenario: Scenario

    def method_memory(self, index: int) -> np.ndarray: ...


class Pilot:
    """Navigation and thrusters of a loop, from outside."""

    def __init__(self, loop: Loop):
        names = [entry["name"] for entry in loop.scenario.tables["methods"]]
        able = [name for name, m in METHODS.items() if getattr(m, "takes_command", False)]
        index = next((i for i, name in enumerate(names) if name in able), None)
        if index is None:
            given = loop.scenario.tables.get("guidance", {}).get("controller")
            allowed = f"one that takes commands: {', '.join(able)}"
            raise BadInput(Problem("guidance.controller", given, allowed))
        self._mem = loop.method_memory(index)
        self._given = METHODS[names[index]].cells.at.own_given  # type: ignore[union-attr]
        self._navigation = loop.scenario.tables["navigation"]

    def seen(self) -> Seen | None:
        """The newest navigation sample that has arrived."""
        number = int(self._mem[CELLS.at.served]) - 1
        if number < 0:
            return None
        first = CELLS.at.samples + SAMPLE.size * (number % MOST_SAMPLES)
        parts: list[Any] = [self._mem[SAMPLE.slice_of(c.name, first)].copy() for c in SAMPLE]
        p, v, turn, rate, attitude, own_rate = parts
        axis = np.asarray(self._navigation["axis"], float)
        docked = np.asarray(self._navigation["docked_wxyz"], float)
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
            time=1e-3 * number * self._navigation["period_ms"],
        )

    def command(self, force: Sequence[float], torque: Sequence[float]) -> None:
        """Force [N] and torque [Nm] on the chaser, chaser axes. What is not a number ends the
        run."""
        at = CELLS.size
        both = np.concatenate([np.asarray(force, float), np.asarray(torque, float)])
        if both.shape != (6,):
            raise BadInput(Problem("command", both.shape, "three of force, three of torque"))
        self._mem[at : at + 6] = both
        self._mem[self._given] = 1.0


def _quaternion(turn: np.ndarray) -> np.ndarray:
    """Of a rotation vector."""
    half = 0.5 * float(np.linalg.norm(turn))
    return np.append(np.cos(half), 0.5 * np.sinc(half / np.pi) * turn)
