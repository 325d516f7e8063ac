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

from softdock.compile.jit import compiled, noinline
from softdock.loop.method import declaration as suggestions
from softdock.loop.method.declaration import Belief, LinearPart, Values
from softdock.loop.method.interface import BOOK_VIRTUAL, Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.method import Method
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.tables import IN_KEY
from softdock.methods.hybrid.keys import (
    GAINS_ROW,
    HYBRID,
    SIMULATED,
    Hybrid,
    check,
    prepare,
)
from softdock.methods.hybrid.virtual_contact import (
    STATE,
    Gains,
    compute_virtual_contact,
)
from softdock.methods.measured.line_of_action import (
    average,
    measured_force,
    mock_ups_when_felt,
    plus_wrenches,
    satellite_motions,
    work_between,
)


@compiled
def _update_gains(method: Hybrid, mem, rig: Rig):
    """Gains asked for, in mem: from the scenario at the start, then from its rows of gains; or
    written there by whoever steps the loop."""
    s, vector = STATE(mem, method.memory), method.vector
    keys = HYBRID(vector, method.base)
    if rig.cycle == 0:
        s.gains = Gains(keys.stiffness, keys.damping, keys.turn_stiffness, keys.turn_damping)
        s.in_use = s.gains
    at, rows = int(keys.gains[IN_KEY.at]), int(keys.gains[IN_KEY.rows])
    while s.next_row < rows:
        row = GAINS_ROW(vector, at + GAINS_ROW.size * s.next_row)
        if row.time > rig.cycle * rig.T:
            break
        s.gains = Gains(row.stiffness, row.damping, s.gains.k_turn, s.gains.b_turn)
        s.next_row += 1


@compiled
def _count_energies(
    s, mem, T, last: Output, port: Output, virtual: Wrenches, stored, power, offset_power
):
    """Energy absorbed at the port since the last cycle: trapezoid of the virtual wrenches over the
    port's displacement."""
    before = Wrenches(Wrench(s.chaser_force, s.chaser_torque), s.target_wrench)
    absorbed = -work_between(average(before, virtual), last, port)
    mem[BOOK_VIRTUAL] += absorbed
    s.absorbed += absorbed
    s.stored = stored
    s.dissipated += 0.5 * T * (s.power + power)
    s.offset_work += 0.5 * T * (s.offset_power + offset_power)
    s.power, s.offset_power = power, offset_power
    s.chaser_force, s.chaser_torque = virtual.chaser
    s.target_wrench = virtual.target


@noinline
def wrench(
    method: Hybrid, mem, rig: Rig, measured: Measured, satellites: Satellites, wrenches: Wrenches
):
    s, force = STATE(mem, method.memory), measured_force(measured)
    _update_gains(method, mem, rig)
    felt = mock_ups_when_felt(measured)
    port = felt
    if method.pose == SIMULATED:
        port = satellite_motions(rig, satellites)
    if rig.cycle == 0:
        s.port, s.seen = port, felt
    last = s.port
    virtual, stored, power, offset_power = Wrenches(no_wrench(), no_wrench()), 0.0, 0.0, 0.0
    if force > method.threshold:
        virtual, stored, power, offset_power = compute_virtual_contact(
            method,
            s,
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
        s.dissipated += s.stored  # what springs held at separation is gone
        s.depth = 0.0
    _count_energies(
        s, mem, rig.T, last, port, virtual, stored, power=power, offset_power=offset_power
    )
    s.acts = force > method.threshold
    s.port, s.seen = port, felt
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
    cells=STATE,
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
