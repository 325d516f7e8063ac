"""Set-points ahead of the satellites, by the delay that robots are expected to have (Lange IV-F).

Without force the satellites fly on as they are. With force, as long as the environment is known,
they go on under the wanted contact; so the robots are sent where the satellites will be, and not
where they would be had the contact ended now.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.interface import Output, Wrenches
from softdock.core.adaptation.measured.line_of_action import satellite_motions
from softdock.core.adaptation.remapping.cells import CELL
from softdock.core.adaptation.remapping.keys import AT
from softdock.core.adaptation.remapping.wanted.contact import load_model
from softdock.core.adaptation.remapping.wanted.motion import steps_apart
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import coasting, no_wrench


@apart
def _predicted(method, mem, rig, satellites):
    cycles = int(math.ceil(method.lead / rig.T - 1e-9))
    nothing, model = Wrenches(no_wrench(), no_wrench()), load_model(mem, method.memory + CELL.model)
    for _ in range(cycles):
        satellites = steps_apart(
            rig, model, satellites, method.lead / cycles, method.substeps, nothing
        )[0]
    return satellites


@compiled
def led_motions(method, mem, rig, satellites, output):
    """Where the satellites will be after the lead."""
    if mem[method.memory + CELL.known] != 0.0 and method.vector[method.base + AT.lead_force] != 0.0:
        return satellite_motions(rig, _predicted(method, mem, rig, satellites))
    return Output(coasting(output.chaser, method.lead), coasting(output.target, method.lead))
