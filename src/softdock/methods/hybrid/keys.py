"""Keys of the hybrid contact, what it refuses, and the NamedTuple that its hooks get."""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.methods.measured.frame import FRAMES
from softdock.methods.measured.line_of_action import (
    CONTACT_THRESHOLD,
    find_noise_warnings,
)

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
    CONTACT_THRESHOLD,
    Parameter(
        "tip",
        "tip_m",
        "where the virtual force acts: the chaser's tip, chaser axes",
        None,
        unit="m",
        size=3,
        low=-1e3,
        high=1e3,
        when=_AT_TIP,
    ),
    Parameter(
        "stiffness", "stiffness_N_per_m", _STIFF, _NONE, unit="N/m", low=0.0, high=1e9, size=3
    ),
    Parameter("damping", "damping_Ns_per_m", _DAMP, _NONE, unit="Ns/m", low=0.0, high=1e8, size=3),
    Parameter(
        "turn_stiffness",
        "rotation_stiffness_Nm_per_rad",
        _TURN_STIFF,
        _NONE,
        unit="Nm/rad",
        low=0.0,
        high=1e9,
        size=3,
    ),
    Parameter(
        "turn_damping",
        "rotation_damping_Nms_per_rad",
        _TURN_DAMP,
        _NONE,
        unit="Nms/rad",
        low=0.0,
        high=1e8,
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
        unit="ms",
        low=0.0,
        high=1e5,
        open_low=True,
        scale=1e-3,
    ),
)


GAINS_ROW = Cells(
    "gains_row", Cell("time", 1, "s"), Cell("stiffness", 3, "N/m"), Cell("damping", 3, "Ns/m")
)


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
    keys = HYBRID(vector, base)
    return Hybrid(
        memory=memory,
        vector=vector,
        base=base,
        frame=int(keys.frame),
        pose=int(keys.pose),
        contact=int(keys.contact),
        threshold=keys.threshold,
        tip=keys.tip,
        blend=keys.blend,
    )


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
        "are not distinguished"
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
    return problems, find_noise_warnings(values, tables)
