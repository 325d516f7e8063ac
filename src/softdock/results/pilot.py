"""A controller of your own in plain Python: what navigation sees, and what the thrusters shall do.

    loop = softdock.Stepper(scenario)            # [guidance] controller = "piloted"
    pilot = softdock.Pilot(loop)
    while loop.cycles < 10_000 and loop.step() == "completed":
        seen = pilot.seen()                      # the newest sample that has arrived; None: none
        if seen is not None:
            pilot.command(force, torque)         # chaser axes, until the next command

In: navigation samples, as a compiled controller gets them. Out: force [N] and torque [Nm], asked of
the thrusters when the next sample arrives. Works on a `Stepper` and on a `Controller`, which a rig
drives, with any method that says how it is steered (`Method.steered`). Orbit has no such program:
it drifts, and the distance from orbit says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from softdock._arguments import check_arguments
from softdock.errors import BadInput, Problem
from softdock.methods.registry import METHODS
from softdock.scenario.build import Scenario

if TYPE_CHECKING:
    from softdock.methods import Seen


class Loop(Protocol):
    """What is steered: a `Stepper` or a `Controller`."""

    scenario: Scenario

    def method_memory(self, index: int) -> np.ndarray: ...


def _find_loop_problem(value: Any) -> str:
    able = hasattr(value, "method_memory") and isinstance(
        getattr(value, "scenario", None), Scenario
    )
    return "" if able else "a Stepper or a Controller"


def _find_vector_problem(value: Any) -> str:
    try:
        return "" if np.asarray(value, float).shape == (3,) else "three numbers"
    except (OverflowError, TypeError, ValueError):
        return "three numbers"


class Pilot:
    """Navigation and thrusters of a loop, from outside."""

    @check_arguments(loop=_find_loop_problem)
    def __init__(self, loop: Loop):
        self._tables = loop.scenario.tables
        names = [entry["name"] for entry in self._tables["methods"]]
        able = {name: method for name, method in METHODS.items() if method.steered is not None}
        index = next((i for i, name in enumerate(names) if name in able), None)
        if index is None:
            allowed = f"one that takes commands: {', '.join(able)}"
            top = next((method.at_top for method in able.values() if method.at_top), None)
            if top is None:
                raise BadInput(Problem("methods", names, allowed))
            raise BadInput(Problem(top.key, top.named(self._tables) or None, allowed))
        self._mem = loop.method_memory(index)
        self._cells = able[names[index]].cells
        self._steered: Any = able[names[index]].steered

    def seen(self) -> Seen | None:
        """The newest navigation sample that has arrived."""
        found: Seen | None = self._steered.seen(self._mem, self._tables)
        return found

    @check_arguments(force=_find_vector_problem, torque=_find_vector_problem)
    def command(self, force: Sequence[float], torque: Sequence[float]) -> None:
        """Force [N] and torque [Nm] on the chaser, chaser axes. What is not a number ends the
        run."""
        both = np.concatenate([np.asarray(force, float), np.asarray(torque, float)])
        self._steered.command(self._mem, self._cells, both)
