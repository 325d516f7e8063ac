"""All that a method of your own imports from `softdock.methods` (docs/your_own_method.md).

Declaration: `Method` by keyword, with a `Group` of `Parameter`s, and `Cells` of memory. Compiled
code: `compiled` (inlined) or `noinline` (called), the structures that hooks get and return,
vectors, rotations and wrenches on plain tuples. World axes and SI units, wrenches about the centre
of mass.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells, layout_of, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.chance import gaussians
from softdock.loop.method.interface import (
    BOOK_DESIGNED,
    BOOK_VIRTUAL,
    CYCLE,
    STOP_REQUEST,
    Measured,
    Output,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.loop.method.memory import recorded
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    Motion,
    Wrench,
    load_motion,
    load_wrench,
    no_wrench,
    opposite,
    store_motion,
    store_wrench,
)
from softdock.loop.spatial.rigid_body import (
    BODY_FLOATS,
    Body,
    BodyParams,
    body_rate,
    kinetic_energy,
    load_body,
    motion_of,
    store_body,
)
from softdock.loop.spatial.rotations import (
    exponential,
    inverse,
    logarithm,
    product,
    renormalise,
    rotate,
    rotate_back,
)
from softdock.loop.spatial.vectors import (
    Quaternion,
    Vector,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load4,
    multiply,
    negate,
    norm,
    scale,
    store3,
    store4,
    subtract,
    symmetric_times,
)
from softdock.loop.vector import RANDOM_AT as _RANDOM_AT
from softdock.loop.vector import RANDOMS as _RANDOMS
from softdock.methods.guidance.guided import Wanted, controller
from softdock.methods.guidance.keys import APPROACHES, DRIFTS, HOLDS
from softdock.methods.guidance.navigation import Guided, Seen
from softdock.methods.measured.line_of_action import (
    effective_mass,
    measured_force,
    mock_ups_when_felt,
    parting_rate,
    plus_wrenches,
    satellite_motions,
    work_between,
)
from softdock.methods.measured.motions import load_both, store_both
from softdock.methods.registry import Belief, Method, register

# where in the parameter vector the key of all random numbers stands
SEED, RUN_NUMBER = _RANDOM_AT + _RANDOMS.seed, _RANDOM_AT + _RANDOMS.run

__all__ = [
    "APPROACHES",
    "BODY_FLOATS",
    "BOOK_DESIGNED",
    "BOOK_VIRTUAL",
    "CYCLE",
    "DRIFTS",
    "HOLDS",
    "MOTION_FLOATS",
    "RUN_NUMBER",
    "SEED",
    "STOP_REQUEST",
    "Belief",
    "Body",
    "BodyParams",
    "Cell",
    "Cells",
    "Group",
    "Guided",
    "Measured",
    "Method",
    "Motion",
    "Output",
    "Parameter",
    "Quaternion",
    "Rig",
    "Satellites",
    "Seen",
    "Vector",
    "Wanted",
    "Wrench",
    "Wrenches",
    "add",
    "add_scaled",
    "body_rate",
    "compiled",
    "controller",
    "cross",
    "dot",
    "effective_mass",
    "exponential",
    "gaussians",
    "inverse",
    "kinetic_energy",
    "layout_of",
    "load3",
    "load4",
    "load_body",
    "load_both",
    "load_motion",
    "load_wrench",
    "logarithm",
    "many",
    "measured_force",
    "mock_ups_when_felt",
    "motion_of",
    "multiply",
    "negate",
    "no_wrench",
    "noinline",
    "norm",
    "opposite",
    "parting_rate",
    "plus_wrenches",
    "product",
    "recorded",
    "register",
    "renormalise",
    "rotate",
    "rotate_back",
    "satellite_motions",
    "scale",
    "store3",
    "store4",
    "store_body",
    "store_both",
    "store_motion",
    "store_wrench",
    "subtract",
    "symmetric_times",
    "work_between",
]
