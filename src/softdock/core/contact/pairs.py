"""Contact pairs: a spherical tip of the chaser against a shape of the target, each pair with its
own law. Up to four at once.

The prepared pairs and their latched sides live in `mem`, one after the other, because their number
depends on the scenario. Real and wanted contact share the shape and may differ in the law.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.contact.laws import HUNT_CROSSLEY, LAWS
from softdock.core.machine.compiled import by_type, compiled
from softdock.core.machine.features import Every, Plain
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.spatial.vectors import (
    add_scaled,
    dot,
    load3,
    norm,
    scale,
    store3,
    symmetric_inverse,
)

MOST_PAIRS = 4
WALL, SPHERE, CONE = 0, 1, 2
GEOMETRIES = ("wall", "sphere", "cone")
SAME_AS_REAL = 0  # of wanted.law

_CONE = ("geometry", ("cone",))
_SPRINGS = ("spring_damper", "spring_damper_pull")
_DAMPED = (*_SPRINGS, "table")
_NOT_TABLE = ("spring_damper", "spring_damper_pull", "hunt_crossley")
_REAL_K, _REAL_DAMPED, _REAL_TABLE = (
    ("real.law", _NOT_TABLE),
    ("real.law", _DAMPED),
    ("real.law", ("table",)),
)
_HUNT = ("real.law", ("hunt_crossley",))
_WANTED, _WANTED_K = ("wanted.law", LAWS), ("wanted.law", _NOT_TABLE)
_WANTED_DAMPED, _WANTED_TABLE = ("wanted.law", _DAMPED), ("wanted.law", ("table",))
_WANTED_HUNT = ("wanted.law", ("hunt_crossley",))
_DEVICE, _DEVICES = ("device.model", ("four_springs",)), ("rigid", "four_springs")
_SPRING = "direction of a spring, chaser axes"
_K = "stiffness; for hunt_crossley in N/m^exponent"

PAIR = Group(
    "pair",
    "One contact pair: the chaser's spherical tip against a shape of the target, with the "
    "real law and the law wanted in orbit.",
    Parameter("geometry", "geometry", "shape of the target's part", choices=GEOMETRIES),
    Parameter(
        "tip",
        "tip_m",
        "centre of the chaser's tip, from its centre of mass, chaser axes",
        (0.0, 0.0, 0.0),
        "m",
        size=3,
        low=-1e3,
        high=1e3,
    ),
    Parameter(
        "tip_radius", "tip_radius_m", "radius of the tip; 0 is a point", 0.0, "m", low=0.0, high=1e3
    ),
    Parameter(
        "origin",
        "origin_m",
        "point of the wall, centre of the sphere or middle of the cone's mouth, from the "
        "target's centre of mass, target axes",
        (0.0, 0.0, 0.0),
        "m",
        size=3,
        low=-1e3,
        high=1e3,
    ),
    Parameter(
        "axis",
        "axis",
        "outward normal of the wall, or the cone's axis out of its mouth, target axes",
        (1.0, 0.0, 0.0),
        size=3,
        kind="direction",
    ),
    Parameter(
        "sphere_radius",
        "sphere_radius_m",
        "radius of the target's sphere",
        0.0,
        "m",
        low=0.0,
        high=1e3,
        when=("geometry", ("sphere",)),
    ),
    Parameter(
        "mouth_radius",
        "mouth_radius_m",
        "inner radius at the mouth",
        None,
        "m",
        low=0.0,
        open_low=True,
        high=1e3,
        when=_CONE,
    ),
    Parameter(
        "bottom_radius",
        "bottom_radius_m",
        "inner radius at the bottom",
        None,
        "m",
        low=0.0,
        high=1e3,
        when=_CONE,
    ),
    Parameter(
        "half_angle",
        "half_angle_deg",
        "angle between axis and wall",
        None,
        "deg",
        0.0,
        89.0,
        open_low=True,
        scale=math.pi / 180.0,
        when=_CONE,
    ),
    Parameter(
        "thickness",
        "wall_thickness_m",
        "thickness of the wall",
        0.005,
        "m",
        low=0.0,
        open_low=True,
        high=1e3,
        when=_CONE,
    ),
    Parameter(
        "closed", "closed_bottom", "true: a plate closes the bottom", False, kind="flag", when=_CONE
    ),
    Parameter(
        "real_law", "real.law", "law of the mock-ups' contact", "spring_damper", choices=LAWS
    ),
    Parameter(
        "real_stiffness", "real.stiffness_N_per_m", _K, None, "N/m", low=0.0, high=1e9, when=_REAL_K
    ),
    Parameter(
        "real_damping",
        "real.damping_Ns_per_m",
        "damping",
        0.0,
        "Ns/m",
        low=0.0,
        high=1e8,
        when=_REAL_DAMPED,
    ),
    Parameter(
        "real_exponent",
        "real.exponent",
        "exponent of the depth",
        1.5,
        low=1.0,
        high=5.0,
        when=_HUNT,
    ),
    Parameter(
        "real_lambda",
        "real.lambda_s_per_m",
        "damping factor",
        0.0,
        "s/m",
        low=0.0,
        high=1e6,
        when=_HUNT,
    ),
    Parameter(
        "real_table",
        "real.table_m_N",
        "rows of depth and force, from 0 0 upwards",
        None,
        "m, N",
        size=2,
        kind="table",
        when=_REAL_TABLE,
    ),
    Parameter(
        "real_friction", "real.friction", "Coulomb friction coefficient", 0.0, low=0.0, high=10.0
    ),
    Parameter(
        "real_slip",
        "real.friction_speed_m_per_s",
        "sliding speed at which friction is at 71 %",
        1e-3,
        "m/s",
        0.0,
        10.0,
        open_low=True,
    ),
    Parameter(
        "wanted_law",
        "wanted.law",
        "law wanted in orbit",
        "same_as_real",
        choices=("same_as_real", *LAWS),
    ),
    Parameter(
        "wanted_stiffness",
        "wanted.stiffness_N_per_m",
        _K,
        None,
        "N/m",
        low=0.0,
        high=1e9,
        when=_WANTED_K,
    ),
    Parameter(
        "wanted_damping",
        "wanted.damping_Ns_per_m",
        "damping",
        0.0,
        "Ns/m",
        low=0.0,
        high=1e8,
        when=_WANTED_DAMPED,
    ),
    Parameter(
        "wanted_exponent",
        "wanted.exponent",
        "exponent of the depth",
        1.5,
        low=1.0,
        high=5.0,
        when=_WANTED_HUNT,
    ),
    Parameter(
        "wanted_lambda",
        "wanted.lambda_s_per_m",
        "damping factor",
        0.0,
        "s/m",
        low=0.0,
        high=1e6,
        when=_WANTED_HUNT,
    ),
    Parameter(
        "wanted_table",
        "wanted.table_m_N",
        "rows of depth and force, from 0 0 upwards",
        None,
        "m, N",
        size=2,
        kind="table",
        when=_WANTED_TABLE,
    ),
    Parameter(
        "wanted_friction",
        "wanted.friction",
        "Coulomb friction coefficient",
        0.0,
        low=0.0,
        high=10.0,
        when=_WANTED,
    ),
    Parameter(
        "wanted_slip",
        "wanted.friction_speed_m_per_s",
        "sliding speed at which friction is at 71 %",
        1e-3,
        "m/s",
        0.0,
        10.0,
        open_low=True,
        when=_WANTED,
    ),
    Parameter(
        "device",
        "device.model",
        "what holds the chaser's tip in the real contact",
        "rigid",
        choices=_DEVICES,
        when=("real.law", ("spring_damper",)),
    ),
    Parameter(
        "springs",
        "device.stiffness_N_per_m",
        "stiffness of the four springs",
        None,
        "N/m",
        0.0,
        1e9,
        True,
        size=4,
        when=_DEVICE,
    ),
    Parameter(
        "spring_1", "device.direction_1", _SPRING, None, size=3, kind="direction", when=_DEVICE
    ),
    Parameter(
        "spring_2", "device.direction_2", _SPRING, None, size=3, kind="direction", when=_DEVICE
    ),
    Parameter(
        "spring_3", "device.direction_3", _SPRING, None, size=3, kind="direction", when=_DEVICE
    ),
    Parameter(
        "spring_4",
        "device.direction_4",
        "direction of the spring along the probe, chaser axes",
        None,
        size=3,
        kind="direction",
        when=_DEVICE,
    ),
    Parameter(
        "lever",
        "device.lever_m",
        "from the probe's pivot to springs and tip; equal: no lever",
        (1.0, 1.0),
        "m",
        0.0,
        1e3,
        True,
        size=2,
        when=_DEVICE,
    ),
)
AT = PAIR.at
FRICTION = (
    AT.real_friction - AT.real_law
)  # from the law; the wanted law's parameters stand in the same order


class Pairs(NamedTuple):
    """How many pairs there are, and of what kind: `KIND_BITS` bits each, see `kind_of_pair`."""

    number: int
    kinds: int
    features: Plain | Every


class KnownPair(NamedTuple):
    """One pair whose prepared numbers are at hand, rather than in `mem`: in a kernel whose runs all
    have it in common."""

    number: int
    kinds: int
    features: Plain | Every
    numbers: tuple  # as in `mem`


class Law(NamedTuple):
    kind: int
    stiffness: float  # N/m, or N/m^exponent
    damping: float  # Ns/m; for hunt_crossley lambda, s/m
    exponent: float
    at: int  # of its table in the vector
    rows: int
    rubs: bool  # there is friction
    friction: float
    slip_speed: float  # m/s


class Shape(NamedTuple):
    """The target's part, with what its geometry needs; unused fields are zero."""

    axis: tuple
    radius: float  # m: of the sphere, or of the cone's mouth
    bottom_radius: float  # m
    sine: float  # of the cone's half-angle
    cosine: float
    length: float  # m, along the cone's wall
    depth: float  # m, of the cone along its axis
    thickness: float  # m
    closed: bool


class Pair(NamedTuple):
    geometry: int
    tip: tuple  # p_CtipC_C, m
    tip_radius: float
    origin: tuple  # p_TO_T, m
    shape: Shape
    law: Law
    soft: bool = False  # the tip is held by springs
    compliance: tuple = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )  # of the springs, m/N, chaser axes: xx, yy, zz, xy, xz, yz


# one pair in mem: its kind and 26 prepared numbers, then the latched side, then the compliance that
# holds the tip
LATCH = 27
COMPLIANCE = 28
PAIR_FLOATS = 34
KIND_BITS = 8  # geometry: 2, law: 3, closed bottom: 1, springs behind the tip: 1, friction: 1


@compiled
def kind_of_pair(vector, base, wanted):
    """Geometry, law, and whether there are a bottom, springs and friction, in one whole number:
    what a kernel may be compiled for."""
    geometry, first, law = _law_of(vector, base, wanted)
    closed = 1 if geometry == CONE and vector[base + AT.closed] != 0.0 else 0
    soft = 1 if vector[base + AT.device] != 0.0 and first == base + AT.real_law else 0
    rubs = 1 if vector[first + FRICTION] > 0.0 else 0
    return geometry + (law << 2) + (closed << 5) + (soft << 6) + (rubs << 7)


@compiled
def _law_of(vector, base, wanted):
    """Geometry; where the law's parameters begin; which law."""
    geometry, first = int(vector[base + AT.geometry]), base + AT.real_law
    if wanted and int(vector[base + AT.wanted_law]) != SAME_AS_REAL:
        first = base + AT.wanted_law
        return geometry, first, int(vector[first]) - 1
    return geometry, first, int(vector[first])


@compiled
def device_compliance(vector, base):
    """Inverse stiffness of the tip on its four springs (compliance.py: device_matrix), m/N."""
    first = base + AT.spring_1
    probe = load3(vector, first + 9)
    probe = scale(1.0 / norm(probe), probe)
    ratio = vector[base + AT.lever] / vector[base + AT.lever + 1]
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(4):
        direction = load3(vector, first + 3 * i)
        l = scale(1.0 / norm(direction), direction)
        l = add_scaled(
            scale(ratio, l), (1.0 - ratio) * dot(probe, l), probe
        )  # what a motion of the tip does to this spring
        k = vector[base + AT.springs + i]
        xx, yy, zz = xx + k * l[0] * l[0], yy + k * l[1] * l[1], zz + k * l[2] * l[2]
        xy, xz, yz = xy + k * l[0] * l[1], xz + k * l[0] * l[2], yz + k * l[1] * l[2]
    return symmetric_inverse((xx, yy, zz, xy, xz, yz))


@compiled
def store_pair(vector, base, mem, at, wanted):
    """Prepare pair parameters from the vector into `mem`; `wanted`: with the law wanted in
    orbit."""
    geometry, first, law = _law_of(vector, base, wanted)
    axis = load3(vector, base + AT.axis)
    mem[at] = float(kind_of_pair(vector, base, wanted))
    store3(mem, at + 1, load3(vector, base + AT.tip))
    mem[at + 4] = vector[base + AT.tip_radius]
    store3(mem, at + 5, load3(vector, base + AT.origin))
    store3(mem, at + 8, scale(1.0 / norm(axis), axis))
    if geometry == SPHERE:
        mem[at + 11] = vector[base + AT.sphere_radius]
    if geometry == CONE:
        mouth, bottom = vector[base + AT.mouth_radius], vector[base + AT.bottom_radius]
        sine, cosine = (
            math.sin(vector[base + AT.half_angle]),
            math.cos(vector[base + AT.half_angle]),
        )
        mem[at + 11] = mouth
        mem[at + 12] = bottom
        mem[at + 13] = sine
        mem[at + 14] = cosine
        mem[at + 15] = (mouth - bottom) / sine
        mem[at + 16] = (mouth - bottom) * cosine / sine
        mem[at + 17] = vector[base + AT.thickness]
    mem[at + 20] = vector[first + 1]  # stiffness
    mem[at + 21] = (
        vector[first + 4] if law == HUNT_CROSSLEY else vector[first + 2]
    )  # lambda, or damping
    mem[at + 22] = vector[first + 3] if law == HUNT_CROSSLEY else 1.0  # exponent
    for i in range(4):
        mem[at + 23 + i] = vector[first + FRICTION - 2 + i]  # table, friction
    mem[at + LATCH] = 0.0
    soft = vector[base + AT.device] != 0.0 and first == base + AT.real_law
    if soft:
        compliance = device_compliance(vector, base)
        for i in range(6):
            mem[at + COMPLIANCE + i] = compliance[i]


@compiled
def kind_in(mem, at):
    return int(mem[at])


@compiled
def load_pair(mem, at, kind):
    """A prepared pair; `kind` from `kind_in`, or of the loop's `Pairs`, where a kernel may know it
    beforehand."""
    shape = Shape(
        axis=load3(mem, at + 8),
        radius=mem[at + 11],
        bottom_radius=mem[at + 12],
        sine=mem[at + 13],
        cosine=mem[at + 14],
        length=mem[at + 15],
        depth=mem[at + 16],
        thickness=mem[at + 17],
        closed=(kind >> 5) & 1 != 0,
    )
    law = Law(
        kind=(kind >> 2) & 7,
        stiffness=mem[at + 20],
        damping=mem[at + 21],
        exponent=mem[at + 22],
        at=int(mem[at + 23]),
        rows=int(mem[at + 24]),
        rubs=(kind >> 7) & 1 != 0,
        friction=mem[at + 25],
        slip_speed=mem[at + 26],
    )
    d = at + COMPLIANCE
    compliance = (mem[d], mem[d + 1], mem[d + 2], mem[d + 3], mem[d + 4], mem[d + 5])
    return Pair(
        geometry=kind & 3,
        tip=load3(mem, at + 1),
        tip_radius=mem[at + 4],
        origin=load3(mem, at + 5),
        shape=shape,
        law=law,
        soft=(kind >> 6) & 1 != 0,
        compliance=compliance,
    )


@compiled
def _stored_pair(pairs, mem, at, i):
    return load_pair(mem, at, pairs.kinds >> (KIND_BITS * i))


@compiled
def _known_pair(pairs, mem, at, i):
    n, kind = pairs.numbers, pairs.kinds
    shape = Shape(
        axis=(n[8], n[9], n[10]),
        radius=n[11],
        bottom_radius=n[12],
        sine=n[13],
        cosine=n[14],
        length=n[15],
        depth=n[16],
        thickness=n[17],
        closed=(kind >> 5) & 1 != 0,
    )
    law = Law(
        kind=(kind >> 2) & 7,
        stiffness=n[20],
        damping=n[21],
        exponent=n[22],
        at=int(n[23]),
        rows=int(n[24]),
        rubs=(kind >> 7) & 1 != 0,
        friction=n[25],
        slip_speed=n[26],
    )
    compliance = (n[28], n[29], n[30], n[31], n[32], n[33])
    return Pair(
        geometry=kind & 3,
        tip=(n[1], n[2], n[3]),
        tip_radius=n[4],
        origin=(n[5], n[6], n[7]),
        shape=shape,
        law=law,
        soft=(kind >> 6) & 1 != 0,
        compliance=compliance,
    )


@by_type(lambda cls: _known_pair if cls is KnownPair else _stored_pair)
def pair_here(pairs, mem, at, i):
    """Pair number i, whose part of `mem` begins at `at`."""
