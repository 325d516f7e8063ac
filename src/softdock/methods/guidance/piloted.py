"""A controller outside: plain Python writes the force and the torque, softdock flies them.

In: what `Pilot.command` wrote (results/controller.py), chaser axes. Out: the same,
asked of the thrusters whenever a navigation sample arrives. Orbit has no such hand and drifts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group
from softdock.loop.spatial.vectors import load3
from softdock.methods.guidance.guided import Wanted, controller
from softdock.methods.guidance.keys import APPROACHES, DRIFTS

PILOTED = Group("piloted", "Force and torque come from outside, once a navigation sample.")
CELLS = Cells(
    "piloted",
    Cell("force", 3, "N", "that is wanted, chaser axes"),
    Cell("torque", 3, "Nm", "that is wanted, chaser axes"),
    Cell("given", 1, "-", "1: something was written"),
)
IN = CELLS.at


class Piloted(NamedTuple):
    memory: int = 0
    guided: Any = 0


@compiled
def prepare(marker, vector, base, memory, guided):
    return Piloted(memory, guided)


@compiled
def steer(m, mem, own, rig, seen):
    mode = APPROACHES if mem[own + IN.given] > 0.0 else DRIFTS
    return Wanted(load3(mem, own + IN.force), load3(mem, own + IN.torque), mode)


METHOD = controller(
    name="piloted",
    summary="force and torque by a program of your own, in plain Python",
    group=PILOTED,
    marker=Piloted(),
    prepare=prepare,
    steer=steer,
    cells=CELLS,
    takes_command=True,
    while_latched="what its program commands",
)
