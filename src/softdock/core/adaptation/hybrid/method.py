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
from typing import Any, NamedTuple

import numpy as np

from softdock.core.adaptation import suggestions
from softdock.core.adaptation.hybrid.frame import FRAMES
from softdock.core.adaptation.hybrid.virtual_contact import (
    CELL,
    CELLS,
    load_both,
    store_both,
    virtual_contact,
)
from softdock.core.adaptation.interface import BOOK_VIRTUAL, Wrenches
from softdock.core.adaptation.measured.line_of_action import (
    mean_of,
    measured_force,
    mock_ups_when_felt,
    noise_warnings,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.core.adaptation.method import Belief, LinearPart, Method, Values
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.spatial.motion import load_wrench, no_wrench, store_wrench
from softdock.core.spatial.vectors import load3

MEASURED, SIMULATED = 0, 1
POSES, CONTACTS = ("measured", "simulated"), ("one_sided", "pull")
_AT_TIP = ("frame", ("target", "chaser", "world"))
_STIFF, _DAMP = (
    "virtual stiffness per axis of the frame (normal: x is the normal, y and z are 0)",
    "virtual damping per axis of the frame",
)
_TURN_STIFF, _TURN_DAMP = (
    "virtual stiffness about each axis (normal: y and z equal)",
    "virtual damping about each axis (normal: y and z equal)",
)
_NONE = (0.0, 0.0, 0.0)

HYBRID = Group(
    "hybrid",
    "The measured wrench plus a virtual contact: springs and dampers per axis and rotation "
    "axis, while a force is measured.",
    Parameter(
        "frame",
        "frame",
        "axes of the virtual contact: along the measured force, or per axis at the tip",
        "normal",
        choices=FRAMES,
    ),
    Parameter(
        "pose",
        "pose",
        "the motion that deforms it: of the measured mock-ups, or of the simulated satellites",
        "measured",
        choices=POSES,
    ),
    Parameter(
        "contact",
        "contact",
        "one_sided: measured plus virtual force never pull; pull: they may (the papers' law)",
        "one_sided",
        choices=CONTACTS,
    ),
    Parameter(
        "threshold",
        "contact_N",
        "measured force above which there is contact; set it above the sensor's noise",
        0.0,
        "N",
        0.0,
        1e6,
    ),
    Parameter(
        "tip",
        "tip_m",
        "where the virtual force acts: the chaser's tip, chaser axes",
        None,
        "m",
        size=3,
        low=-1e3,
        high=1e3,
        when=_AT_TIP,
    ),
    Parameter("stiffness", "stiffness_N_per_m", _STIFF, _NONE, "N/m", 0.0, 1e9, size=3),
    Parameter("damping", "damping_Ns_per_m", _DAMP, _NONE, "Ns/m", 0.0, 1e8, size=3),
    Parameter(
        "turn_stiffness",
        "rotation_stiffness_Nm_per_rad",
        _TURN_STIFF,
        _NONE,
        "Nm/rad",
        0.0,
        1e9,
        size=3,
    ),
    Parameter(
        "turn_damping",
        "rotation_damping_Nms_per_rad",
        _TURN_DAMP,
        _NONE,
        "Nms/rad",
        0.0,
        1e8,
        size=3,
    ),
    Parameter(
        "gains",
        "gains",
        "rows of time_s, three stiffnesses_N_per_m, three dampings_Ns_per_m that hold from then on",
        (),
        size=2,
        kind="gains",
    ),
    Parameter(
        "blend",
        "blend_ms",
        "time constant in which the force offset left by a change of gains fades",
        50.0,
        "ms",
        0.0,
        1e5,
        True,
        1e-3,
    ),
)
AT = HYBRID.at

GAINS_ROW = Cells(
    "gains_row", Cell("time", 1, "s"), Cell("stiffness", 3, "N/m"), Cell("damping", 3, "Ns/m")
)
ROW_FLOATS, ROW = GAINS_ROW.size, GAINS_ROW.at  # in the parameter vector


class Hybrid(NamedTuple):
    memory: int
    vector: Any  # the parameter vector, for the rows of gains
    base: int
    frame: int
    pose: int
    contact: int
    threshold: float  # N
    tip: tuple  # m, chaser axes
    blend: float  # s


@compiled
def prepare(marker, vector, base, memory):
    return Hybrid(
        memory,
        vector,
        base,
        int(vector[base + AT.frame]),
        int(vector[base + AT.pose]),
        int(vector[base + AT.contact]),
        vector[base + AT.threshold],
        load3(vector, base + AT.tip),
        vector[base + AT.blend],
    )


@compiled
def _update_gains(method, mem, rig):
    """Gains asked for, in mem: from the scenario at the start, then from its rows of gains; or
    written there by whoever steps the loop."""
    m, vector = method.memory, method.vector
    if rig.cycle == 0:
        for i in range(12):
            mem[m + CELL.gains + i] = vector[method.base + AT.stiffness + i]
            mem[m + CELL.in_use + i] = mem[m + CELL.gains + i]
    at, rows = int(vector[method.base + AT.gains]), int(vector[method.base + AT.gains + 1])
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
            method, mem, rig.T, measured, satellites, wrenches, last, felt, port, force
        )
    else:
        mem[m + CELL.dissipated] += mem[m + CELL.stored]  # what springs held at separation is gone
        mem[m + CELL.depth] = 0.0
    _book(method, mem, rig.T, last, port, virtual, stored, power, offset_power)
    mem[m + CELL.acts] = 1.0 if force > method.threshold else 0.0
    store_both(mem, m + CELL.port, port)
    store_both(mem, m + CELL.seen, felt)
    return plus_wrenches(wrenches, 1.0, virtual)


def check(values: dict[str, Any], tables: Any) -> Any:
    """Problems across keys, and warnings. In the normal frame only the normal and the turning about
    it have a direction of their own."""
    problems = []
    across = (
        "[normal, 0, 0] in the frame normal: a force across the normal needs a point; take the "
        "frame target, chaser or world"
    )
    turning = (
        "equal second and third numbers in the frame normal: the directions across the normal "
        "are not told apart"
    )
    if values["frame"] == "normal":
        for key in ("stiffness_N_per_m", "damping_Ns_per_m"):
            if any(values[key][1:]):
                problems.append((key, values[key], across))
        for key in ("rotation_stiffness_Nm_per_rad", "rotation_damping_Nms_per_rad"):
            if values[key][1] != values[key][2]:
                problems.append((key, values[key], turning))
        for row in values["gains"]:
            if any(row[i] for i in (2, 3, 5, 6)):
                problems.append(("gains", row, "0 across the normal, in the frame normal"))
    return problems, noise_warnings(values, tables)


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
    refuses=suggestions.needs_stiffness,
    linear_part=linear_part,
)
