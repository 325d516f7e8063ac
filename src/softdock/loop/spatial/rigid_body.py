"""A satellite: one rigid body, free or fixed.

State: position of the centre of mass [m] and velocity [m/s] in world axes, attitude quaternion
(world from body), and the angular momentum about the centre of mass in *world* axes [kg m^2/s],
which free flight leaves untouched to the last bit. A wrench acts about the centre of mass, in world
axes. The mass may differ per world axis (per-axis models, as De Stefano's); then a rotated scenario
is another one.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from softdock.compile.cells import layout_of
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import normalise, rotate, rotate_back
from softdock.loop.spatial.vectors import (
    Quaternion,
    SymmetricMatrix,
    Vector,
    dot,
    symmetric_inverse,
    symmetric_times,
)

BODY = Group(
    "body",
    "A satellite: mass properties and initial state. World axes unless the key says body.",
    Parameter(
        "fixed",
        "fixed",
        "true: the body never moves (a wall, a clamped mock-up)",
        False,
        kind="flag",
    ),
    Parameter(
        "mass",
        "mass_kg",
        "mass; three values make it differ per world axis",
        unit="kg",
        low=0.0,
        high=1e9,
        open_low=True,
        size=3,
        kind="mass",
    ),
    Parameter(
        "inertia",
        "inertia_kg_m2",
        "inertia about the centre of mass, body axes",
        unit="kg m^2",
        size=6,
        kind="inertia",
    ),
    Parameter(
        "position",
        "position_m",
        "initial position of the centre of mass",
        (0.0, 0.0, 0.0),
        unit="m",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "attitude",
        "attitude_wxyz",
        "initial attitude, world from body",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
    ),
    Parameter(
        "velocity",
        "velocity_m_per_s",
        "initial velocity",
        (0.0, 0.0, 0.0),
        unit="m/s",
        size=3,
        low=-1e3,
        high=1e3,
    ),
    Parameter(
        "rate",
        "rate_rad_per_s",
        "initial angular velocity, body axes",
        (0.0, 0.0, 0.0),
        unit="rad/s",
        size=3,
        low=-100.0,
        high=100.0,
    ),
)


class BodyParams(NamedTuple):
    fixed: bool
    mass: Annotated[Vector, "kg", "per world axis"]
    inverse_mass: Annotated[Vector, "1/kg"]
    inertia: Annotated[SymmetricMatrix, "kg m^2", "body axes: xx, yy, zz, xy, xz, yz"]
    inverse_inertia: Annotated[SymmetricMatrix, "1/(kg m^2)"]


class Body(NamedTuple):
    """State of a satellite."""

    p: Annotated[Vector, "m", "position of the centre of mass, world axes: p_WB_W"]
    q: Annotated[Quaternion, "-", "attitude, world from body, wxyz: q_WB"]
    v: Annotated[Vector, "m/s", "velocity, world axes: v_WB_W"]
    L: Annotated[Vector, "kg m^2/s", "angular momentum about the centre of mass, world axes"]


@compiled
def prepare_body(vector, base):
    keys = BODY(vector, base)
    mass = keys.mass
    return BodyParams(
        fixed=keys.fixed != 0.0,
        mass=mass,
        inverse_mass=(1.0 / mass[0], 1.0 / mass[1], 1.0 / mass[2]),
        inertia=keys.inertia,
        inverse_inertia=symmetric_inverse(keys.inertia),
    )


@compiled
def initial_body(params: BodyParams, vector, base):
    keys = BODY(vector, base)
    q = normalise(keys.attitude)
    if params.fixed:
        return Body(keys.position, q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    L = rotate(q, symmetric_times(params.inertia, keys.rate))
    return Body(keys.position, q, keys.velocity, L)


@compiled
def body_rate(params: BodyParams, q, L):
    """Angular velocity in body axes from the world-axes angular momentum."""
    return symmetric_times(params.inverse_inertia, rotate_back(q, L))


@compiled
def motion_of(params: BodyParams, body: Body):
    """Pose and twist of a satellite."""
    return Motion(body.p, body.q, body.v, body_rate(params, body.q, body.L))


@compiled
def kinetic_energy(params: BodyParams, body: Body):
    """Kinetic energy in the world frame [J]."""
    if params.fixed:
        return 0.0
    L_B = rotate_back(body.q, body.L)
    m = params.mass
    v = body.v
    translation = m[0] * v[0] * v[0] + m[1] * v[1] * v[1] + m[2] * v[2] * v[2]
    return 0.5 * (translation + dot(L_B, symmetric_times(params.inverse_inertia, L_B)))


BODY_STATE = layout_of(Body)
BODY_FLOATS = BODY_STATE.size


@compiled
def store_body(array, at, body: Body):
    BODY_STATE(array, at).whole = body


@compiled
def load_body(array, at):
    return BODY_STATE(array, at).whole
