"""From orbit to the laboratory: which robot carries how much of the relative motion, and where down
is.

Only the relative motion of the two mock-ups matters to the contact. With `share` s, the point (1 -
s) p_chaser + s p_target of orbit stays at rest in the laboratory: s = 1, the chaser's robot carries
all of it; s = 0, the target's. `absolute`: both robots carry their satellite's own motion.
Attitudes are never shared. The constant rotation and shift from orbit to laboratory axes do not
change the contact; they matter for gravity, reach and what a real robot is sent. `nominal`: see
nominal.py.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rotations import normalise, rotate, rotate_back
from softdock.loop.spatial.vectors import add, scale, subtract

ABSOLUTE, SHARED, NOMINAL = 0, 1, 2

LABORATORY = Group(
    "laboratory",
    "How orbit is laid into the laboratory.",
    Parameter(
        "mapping",
        "mapping",
        "absolute: each robot its satellite's motion; shared: a share of the relative motion; "
        "nominal: its satellite's motion relative to the target's free one",
        "absolute",
        choices=("absolute", "shared", "nominal"),
    ),
    Parameter(
        "share",
        "chaser_share",
        "share of the relative motion that the chaser's robot carries",
        1.0,
        low=0.0,
        high=1.0,
        when=("mapping", ("shared",)),
    ),
    Parameter(
        "attitude",
        "attitude_wxyz",
        "laboratory axes from orbit axes",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
    ),
    Parameter(
        "position",
        "position_m",
        "where orbit's origin lies in the laboratory",
        (0.0, 0.0, 0.0),
        unit="m",
        size=3,
        low=-1e4,
        high=1e4,
    ),
    Parameter(
        "gravity",
        "gravity_m_per_s2",
        "gravity in laboratory axes",
        (0.0, 0.0, -9.81),
        unit="m/s^2",
        size=3,
        low=-100.0,
        high=100.0,
    ),
)


class LaboratoryParams(NamedTuple):
    q: tuple  # laboratory from orbit
    p: tuple  # m, laboratory axes
    gravity: tuple  # m/s^2, orbit axes


@compiled
def prepare_laboratory(vector, base):
    keys = LABORATORY(vector, base)
    q = normalise(keys.attitude)
    return LaboratoryParams(q, keys.position, rotate_back(q, keys.gravity))


@compiled
def is_mapped(vector, base, mapping):
    return int(LABORATORY(vector, base).mapping) == mapping


@compiled
def _keep_own(features, vector, base, chaser: Motion, target: Motion):
    return chaser, target


@noinline
def _share_out(features, vector, base, chaser: Motion, target: Motion):
    """Set-points of both robots that share the relative motion of both bodies; orbit axes."""
    s = LABORATORY(vector, base).share
    p = add(scale(1.0 - s, chaser.p), scale(s, target.p))
    v = add(scale(1.0 - s, chaser.v), scale(s, target.v))
    first = Motion(subtract(chaser.p, p), chaser.q, subtract(chaser.v, v), chaser.w)
    return first, Motion(subtract(target.p, p), target.q, subtract(target.v, v), target.w)


@by_type(lambda cls: _share_out if is_full(cls) else _keep_own)
def share_out(features, vector, base, chaser, target):
    """Set-points of both robots that share the relative motion of both bodies; orbit axes."""


@compiled
def map_to_laboratory(laboratory: LaboratoryParams, point):
    """A point of orbit in laboratory axes [m]."""
    return add(rotate(laboratory.q, point), laboratory.p)
