"""A controller outside: plain Python writes the force and the torque, softdock applies them.

In: what `Pilot.command` wrote (results/controller.py), chaser axes. Out: the same,
asked of the thrusters whenever a navigation sample arrives. Orbit has no such hand and drifts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Rig
from softdock.loop.parameters import Group
from softdock.methods.guidance.guided import Wanted, controller
from softdock.methods.guidance.keys import APPROACHES, DRIFTS
from softdock.methods.guidance.navigation import Guided, Seen

PILOTED = Group("piloted", "Force and torque come from outside, once a navigation sample.")
STATE = Cells(
    "piloted",
    Cell("force", 3, "N", "that is wanted, chaser axes"),
    Cell("torque", 3, "Nm", "that is wanted, chaser axes"),
    Cell("given", bool, "-", "something was written"),
)


class Piloted(NamedTuple):
    memory: int = 0
    guided: Any = 0


@compiled
def prepare(marker: Piloted, vector, base, memory, guided: Guided):
    return Piloted(memory, guided)


@compiled
def steer(m: Piloted, mem, own, rig: Rig, seen: Seen):
    s = STATE(mem, own)
    return Wanted(s.force, s.torque, APPROACHES if s.given else DRIFTS)


METHOD = controller(
    name="piloted",
    summary="force and torque by a program of your own, in plain Python",
    group=PILOTED,
    marker=Piloted(),
    prepare=prepare,
    steer=steer,
    cells=STATE,
    takes_command=True,
    while_latched="what its program commands",
)
