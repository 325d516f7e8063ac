"""PAIR: what a user writes of one contact pair, and where it stands in the parameter vector.

The shapes' own keys stand one shape after the other, then the real law, the law wanted in orbit
(the same keys once more) and the device that holds the tip.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from softdock.compile.cells import Cell, Cells
from softdock.files.schema import OPTIONAL
from softdock.loop.contact.laws import LAW_MODELS, LAWS
from softdock.loop.contact.models import GEOMETRIES, SHAPE_MODELS
from softdock.loop.contact.tips import TIP_ROWS
from softdock.loop.parameters import Group, Parameter

MOST_PAIRS = 4
# ring and box have one
SHAPE_GROUPS = tuple({id(shape.keys): shape.keys for shape in SHAPE_MODELS}.values())
SAME_AS_REAL = 0  # of wanted.law
RIGID, FOUR_SPRINGS = 0, 1
_DEVICE, _DEVICES = ("device.model", ("four_springs",)), ("rigid", "four_springs")
_SPRING = "direction of a spring, chaser axes"
_K = "stiffness; for hunt_crossley in N/m^exponent"


def _position(name: str, key: str, meaning: str) -> Parameter:
    zero = (0.0, 0.0, 0.0)
    return Parameter(name, key, meaning, zero, unit="m", size=3, low=-1e3, high=1e3)


def _friction(side: str, when: tuple[str, tuple[str, ...]] | None) -> list[Parameter]:
    """The keys that all laws share."""
    return [
        Parameter(
            f"{side}_friction",
            f"{side}.friction",
            "Coulomb friction coefficient",
            0.0,
            low=0.0,
            high=10.0,
            when=when,
        ),
        Parameter(
            f"{side}_slip",
            f"{side}.friction_speed_m_per_s",
            "sliding speed at which friction is at 71 %",
            1e-3,
            unit="m/s",
            low=0.0,
            high=10.0,
            open_low=True,
            when=when,
        ),
        Parameter(
            f"{side}_bristle",
            f"{side}.friction_stiffness_N_per_m",
            "of friction before it slips (a bristle, which stores energy and holds at rest); 0: "
            "friction of the sliding speed alone",
            0.0,
            unit="N/m",
            low=0.0,
            high=1e9,
            when=when,
        ),
        Parameter(
            f"{side}_patch",
            f"{side}.patch_radius_m",
            "radius of the disc that touches, of all tips together: its friction resists a turn "
            "about the normal; 0: none",
            0.0,
            unit="m",
            low=0.0,
            high=1e3,
            when=when,
        ),
    ]


def _law(side: str, law: Parameter, always: bool) -> list[Parameter]:
    """The keys of a law; `always`: there is one, whatever the choice."""

    def when(key: str) -> tuple[str, tuple[str, ...]]:
        return f"{side}.law", tuple(law.name for law in LAW_MODELS if key in law.keys)

    def key(name: str, given: str, meaning: str, default: Any, **more: Any) -> Parameter:
        return Parameter(f"{side}_{name}", f"{side}.{given}", meaning, default, **more)

    return [
        law,
        key(
            "stiffness",
            "stiffness_N_per_m",
            _K,
            None,
            unit="N/m",
            low=0.0,
            high=1e9,
            when=when("stiffness"),
        ),
        key(
            "damping",
            "damping_Ns_per_m",
            "damping",
            0.0,
            unit="Ns/m",
            low=0.0,
            high=1e8,
            when=when("damping"),
        ),
        key(
            "exponent",
            "exponent",
            "exponent of the depth",
            1.5,
            low=1.0,
            high=5.0,
            when=when("exponent"),
        ),
        key(
            "lambda",
            "lambda_s_per_m",
            "damping factor",
            0.0,
            unit="s/m",
            low=0.0,
            high=1e6,
            when=when("lambda"),
        ),
        key(
            "table",
            "table_m_N",
            "rows of depth and force, from 0 0 upwards",
            None,
            unit="m, N",
            size=2,
            kind="table",
            when=when("table"),
        ),
        *_friction(side, None if always else (f"{side}.law", LAWS)),
    ]


def _spring(i: int, meaning: str = _SPRING) -> Parameter:
    return Parameter(
        f"spring_{i}",
        f"device.direction_{i}",
        meaning,
        None,
        size=3,
        kind="direction",
        when=_DEVICE,
    )


PAIR = Group(
    "pair",
    "One contact pair: the chaser's spherical tip against a shape of the target, with the "
    "real law and the law wanted in orbit.",
    Parameter("geometry", "geometry", "shape of the target's part", choices=GEOMETRIES),
    _position("tip", "tip_m", "centre of the chaser's tip, from its centre of mass, chaser axes"),
    Parameter(
        "tip_radius",
        "tip_radius_m",
        "radius of the tip; 0 is a point",
        0.0,
        unit="m",
        low=0.0,
        high=1e3,
    ),
    Parameter(
        "tips",
        "tips",
        "a set of spheres in place of one tip: rows of x, y, z (from tip_m, chaser axes), radius "
        "[m] and area; each has the share of the law that its area has",
        OPTIONAL,
        kind="own_rows",
        rows=TIP_ROWS,
        swept=False,
    ),
    _position(
        "origin",
        "origin_m",
        "point of the wall, centre of the sphere or box, middle of the mouth of a cone or of the "
        "front of a ring, or origin of the mesh, from the target's centre of mass, target axes",
    ),
    Parameter(
        "axis",
        "axis",
        "outward normal of the wall, or the cone's axis out of its mouth, target axes",
        (1.0, 0.0, 0.0),
        size=3,
        kind="direction",
    ),
    *(key for group in SHAPE_GROUPS for key in group),
    *_law(
        "real",
        Parameter(
            "real_law", "real.law", "law of the mock-ups' contact", "spring_damper", choices=LAWS
        ),
        always=True,
    ),
    *_law(
        "wanted",
        Parameter(
            "wanted_law",
            "wanted.law",
            "law wanted in orbit",
            "same_as_real",
            choices=("same_as_real", *LAWS),
        ),
        always=False,
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
        unit="N/m",
        low=0.0,
        high=1e9,
        open_low=True,
        size=4,
        when=_DEVICE,
    ),
    _spring(1),
    _spring(2),
    _spring(3),
    _spring(4, "direction of the spring along the probe, chaser axes"),
    Parameter(
        "lever",
        "device.lever_m",
        "from the probe's pivot to springs and tip; equal: no lever",
        (1.0, 1.0),
        unit="m",
        low=0.0,
        high=1e3,
        open_low=True,
        size=2,
        when=_DEVICE,
    ),
)
AT = PAIR.at
# where the keys of each shape begin in a pair; a shape without keys has none to find
SHAPE_KEYS = tuple(next((getattr(AT, key.name) for key in shape.keys), 0) for shape in SHAPE_MODELS)


NO_ATTRIBUTES = {"lambda": "factor"}  # keys that cannot be names in Python


def _law_parameters(side: str) -> Cells:
    """A law's index in the vector and its other keys behind it."""
    own = [key for key in PAIR if key.name.startswith(f"{side}_")]
    names = [key.name.removeprefix(f"{side}_") for key in own]
    return Cells(
        "law_parameters",
        *(
            Cell(NO_ATTRIBUTES.get(name, name), key.size, key.unit, key.meaning)
            for name, key in zip(names, own, strict=True)
        ),
    )


LAW_PARAMETERS = _law_parameters("real")
# from a law's own index in the vector to its other keys: the same for real and wanted
LAW_KEYS: Any = namedtuple("LAW_KEYS", LAW_PARAMETERS.at._fields[1:])(*LAW_PARAMETERS.at[1:])
if _law_parameters("wanted").at != LAW_PARAMETERS.at:
    raise ValueError("the keys of real and wanted law must stand in the same order")
