"""Hybrid contact: the measured wrench plus a virtual contact, springs and dampers that exist only
in software (Zebenay eq. 121).

The virtual contact begins when a force above `contact_N` is measured and ends when it is gone. Its
deformation is the relative motion of the two bodies since then, of the mock-ups as measured
(default: it then lags as the real contact does, and eq. 121 adds both in one delayed loop) or of
the simulated satellites (no lag). Frames: `normal`, along the line of the measured force; `target`,
`chaser`, `world`: per axis, at the chaser's tip.

Energy: what the virtual elements absorb is counted at their own port, the motion their deformation
is taken from, and booked one cycle later, when that motion is known. A change of gains makes no
jump: the difference of the forces is carried as an offset that fades with the time constant
`blend_ms`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.core.adaptation import suggestions
from softdock.core.adaptation.declaration import Belief, LinearPart, Values
from softdock.core.adaptation.hybrid.keys import (
    AT,
    HYBRID,
    ROW,
    ROW_FLOATS,
    SIMULATED,
    Hybrid,
    check,
    prepare,
)
from softdock.core.adaptation.hybrid.virtual_contact import (
    CELL,
    CELLS,
    GAIN_FLOATS,
    virtual_contact,
)
from softdock.core.adaptation.interface import BOOK_VIRTUAL, Wrenches
from softdock.core.adaptation.measured.line_of_action import (
    mean_of,
    measured_force,
    mock_ups_when_felt,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.core.adaptation.measured.motions import load_both, store_both
from softdock.core.adaptation.method import Method
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import load_wrench, no_wrench, store_wrench
from softdock.core.tables import IN_KEY


@compiled
def _update_gains(method, mem, rig):
    """Gains asked for, in mem: from the scenario at the start, then from its rows of gains; or
    written there by whoever steps the loop."""
    m, vector = method.memory, method.vector
    if rig.cycle == 0:
        for i in range(GAIN_FLOATS):
            mem[m + CELL.gains + i] = vector[method.base + AT.stiffness + i]
            mem[m + CELL.in_use + i] = mem[m + CELL.gains + i]
    gains = method.base + AT.gains
    at, rows = int(vector[gains + IN_KEY.at]), int(vector[gains + IN_KEY.rows])
    row = int(mem[m + CELL.next_row])
    while row < rows and vector[at + ROW_FLOATS * row] <= rig.cycle * rig.T:
        for i in range(6):
            mem[m + CELL.gains + i] = vector[at + ROW_FLOATS * row + ROW.stiffness + i]
        row += 1
    mem[m + CELL.next_row] = float(row)


@compiled
def _book(method, mem, T, last, port, virtual, stored, power, offset_power):
    """Energy absorbed at the port since the last cycle: trapezoid of the virtual wrenches over the
    port's displacement."""
    m = method.memory
    before = Wrenches(
        load_wrench(mem, m + CELL.chaser_wrench), load_wrench(mem, m + CELL.target_wrench)
    )
    absorbed = -work_between(mean_of(before, virtual), last, port)
    mem[BOOK_VIRTUAL] += absorbed
    mem[m + CELL.absorbed] += absorbed
    mem[m + CELL.stored] = stored
    mem[m + CELL.dissipated] += 0.5 * T * (mem[m + CELL.power] + power)
    mem[m + CELL.offset_work] += 0.5 * T * (mem[m + CELL.offset_power] + offset_power)
    mem[m + CELL.power], mem[m + CELL.offset_power] = power, offset_power
    store_wrench(mem, m + CELL.chaser_wrench, virtual.chaser)
    store_wrench(mem, m + CELL.target_wrench, virtual.target)


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    m, force = method.memory, measured_force(measured)
    _update_gains(method, mem, rig)
    felt = mock_ups_when_felt(measured)
    port = felt
    if method.pose == SIMULATED:
        port = satellite_motions(rig, satellites)
    if rig.cycle == 0:
        store_both(mem, m + CELL.port, port)
        store_both(mem, m + CELL.seen, felt)
    last = load_both(mem, m + CELL.port)
    virtual, stored, power, offset_power = Wrenches(no_wrench(), no_wrench()), 0.0, 0.0, 0.0
    if force > method.threshold:
        virtual, stored, power, offset_power = virtual_contact(
            method,
            mem,
            rig.T,
            measured,
            satellites,
            wrenches,
            last,
            felt=felt,
            port=port,
            force=force,
        )
    else:
        mem[m + CELL.dissipated] += mem[m + CELL.stored]  # what springs held at separation is gone
        mem[m + CELL.depth] = 0.0
    _book(method, mem, rig.T, last, port, virtual, stored, power=power, offset_power=offset_power)
    mem[m + CELL.acts] = 1.0 if force > method.threshold else 0.0
    store_both(mem, m + CELL.port, port)
    store_both(mem, m + CELL.seen, felt)
    return plus_wrenches(wrenches, 1.0, virtual)


def linear_part(values: Values, normals: Mapping[str, Any]) -> LinearPart:
    """Its springs and dampers along the contact's normal, for the stability of the loop."""
    n = np.asarray(normals[values["frame"]], float)
    found = {
        "virtual_stiffness": float(n * n @ np.asarray(values["stiffness_N_per_m"], float)),
        "virtual_damping": float(n * n @ np.asarray(values["damping_Ns_per_m"], float)),
        "virtual_from": values["pose"],
        "virtual_pulls": values["contact"] == "pull",
    }
    changing = "hybrid: gains that change in the run are left out; analysed with those of the start"
    return found, [changing] if values["gains"] else []


METHOD = Method(
    name="hybrid",
    summary="the measured wrench plus a virtual contact",
    knows="virtual stiffness and damping; the tip, in frames other than normal",
    while_latched="its virtual damping acts along the measured force: half of k (h + T/2) halves "
    "the growth, all of it holds the pair",
    group=HYBRID,
    marker=Hybrid(
        memory=0,
        vector=0,
        base=0,
        frame=0,
        pose=0,
        contact=0,
        threshold=0.0,
        tip=(0.0, 0.0, 0.0),
        blend=0.0,
    ),
    prepare=prepare,
    wrench=wrench,
    cells=CELLS,
    check=check,
    needs=(
        Belief("stiffness", "damping_Ns_per_m"),
        Belief("delay", "damping_Ns_per_m"),
    ),  # b = k h: an error in either is one in b
    suggest=suggestions.damper,
    advised=suggestions.neutral_damper,
    refuses=suggestions.needs_stiffness,
    may_compensate_delay=True,
    linear_part=linear_part,
)
