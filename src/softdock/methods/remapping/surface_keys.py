"""Keys of the re-mapping for a target surface that the user describes."""

from __future__ import annotations

from softdock.loop.parameters import Parameter

_BOX = ("surface.shape", ("box",))
_SHAPES = ("scenario", "plane", "sphere", "cylinder", "bore", "box", "inner_cone", "outer_cone")
OF_SCENARIO, PLANE, SPHERE, CYLINDER, BORE, BOX, INNER_CONE, OUTER_CONE = range(len(_SHAPES))

SURFACE_KEYS = (
    Parameter(
        "surface",
        "surface.shape",
        "the target mock-up's surface for the contact point, in target axes; scenario: the "
        "scenario's own contact pairs. A cone is endless, as is a cylinder",
        "scenario",
        choices=_SHAPES,
        when=("contact_point", ("shape",)),
    ),
    Parameter(
        "surface_origin",
        "surface.origin_m",
        "a point of the plane, the centre of sphere or box, a point of the axis of cylinder "
        "or bore, the apex of the cone; target axes",
        (0.0, 0.0, 0.0),
        unit="m",
        low=-1e3,
        high=1e3,
        size=3,
        when=("surface.shape", _SHAPES[1:]),
    ),
    Parameter(
        "surface_axis",
        "surface.axis",
        "outward normal of the plane, axis of cylinder or bore, direction in which the cone "
        "opens; target axes",
        None,
        size=3,
        kind="direction",
        when=("surface.shape", ("plane", "cylinder", "bore", "inner_cone", "outer_cone")),
    ),
    Parameter(
        "surface_radius",
        "surface.radius_m",
        "of sphere, cylinder or bore",
        None,
        unit="m",
        low=0.0,
        high=1e3,
        open_low=True,
        when=("surface.shape", ("sphere", "cylinder", "bore")),
    ),
    Parameter(
        "surface_half",
        "surface.half_edges_m",
        "half the edges of the box, target axes",
        None,
        unit="m",
        low=0.0,
        high=1e3,
        open_low=True,
        size=3,
        when=_BOX,
    ),
)
