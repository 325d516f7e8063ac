"""Shapes of the target. The list stands here; what differs between them is chosen by the pair's
geometry, an index of the list."""

from __future__ import annotations

from softdock.compile.generated import make_chooser
from softdock.compile.jit import compiled
from softdock.compile.shared_numbers import read_double
from softdock.loop.contact.box import BOX_SHAPE
from softdock.loop.contact.cone import CONE_SHAPE
from softdock.loop.contact.mesh import MESH_SHAPE
from softdock.loop.contact.ring import RING_SHAPE
from softdock.loop.contact.shape import TargetShape, plain_latch_range
from softdock.loop.contact.sphere import SPHERE_SHAPE
from softdock.loop.contact.wall import WALL_SHAPE

SHAPE_MODELS: tuple[TargetShape, ...] = (
    WALL_SHAPE,
    SPHERE_SHAPE,
    CONE_SHAPE,
    MESH_SHAPE,
    RING_SHAPE,
    BOX_SHAPE,
)
DEEPEST = 0.9  # of the way to the middle of a wall
GEOMETRIES = tuple(shape.name for shape in SHAPE_MODELS)
WALL, SPHERE, CONE, MESH = (
    GEOMETRIES.index(one.name) for one in (WALL_SHAPE, SPHERE_SHAPE, CONE_SHAPE, MESH_SHAPE)
)


def shape_named(name: str) -> TargetShape:
    """A shape by its name in a scenario."""
    return SHAPE_MODELS[GEOMETRIES.index(name)]


_touch = make_chooser(
    "touch_shape",
    "geometry, shape, tip, radius, side, active",
    "geometry",
    [one.touch for one in SHAPE_MODELS],
    but="geometry",
)
_seat = make_chooser(
    "seat_of_shape",
    "geometry, shape, tip, radius",
    "geometry",
    [one.seat for one in SHAPE_MODELS],
    but="geometry",
)
_latch_range = make_chooser(
    "latch_range_of_shape",
    "geometry, shape, radius, within",
    "geometry",
    [one.latch_range or plain_latch_range for one in SHAPE_MODELS],
    but="geometry",
)
_sector = make_chooser(
    "sector_of_shape",
    "geometry, shape, side, tip",
    "geometry",
    [one.sector for one in SHAPE_MODELS],
    but="geometry",
)
_through = make_chooser(
    "through_shape",
    "geometry, shape, radius",
    "geometry",
    [one.through for one in SHAPE_MODELS],
    but="geometry",
)
_bend = make_chooser(
    "bend_of_shape",
    "geometry, shape, tip",
    "geometry",
    [one.bend for one in SHAPE_MODELS],
    but="geometry",
)


@compiled
def touch_pair(pair, side, active, tip):
    """The touches of one pair. `side`: of the touch under way (`active`), or where the tip last
    was; `tip`: from the shape, target axes."""
    return _touch(pair.geometry, pair.shape, tip, pair.tip_radius, side, active)


@compiled
def seat_distance(pair, tip):
    """Distance from the surface of the tip to the seat [m], negative where it presses into it;
    `tip`: its centre from the shape, target axes. Infinite outside a cone."""
    return _seat(pair.geometry, pair.shape, tip, pair.tip_radius)


@compiled
def default_latch_range(pair, within):
    """How far from its docked place [m], and turned from its docked attitude [rad], a latch of this
    pair engages where the scenario states no range."""
    return _latch_range(pair.geometry, pair.shape, pair.tip_radius, within)


@compiled
def sector_of(pair, side, tip):
    """Which smooth part of the shape is nearest: 0 a face, else an edge. A point's face is
    endless."""
    if pair.tip_radius == 0.0:
        return 0
    return _sector(pair.geometry, pair.shape, side, tip)


@compiled
def way_through(pair):
    """What the tip's centre must move in a wall before it is through [m]; infinite: never."""
    return _through(pair.geometry, pair.shape, pair.tip_radius)


@compiled
def is_lost(pair, depth):
    """Whether the tip's centre is so far inside that a step more may have it on another side:
    anywhere in a mesh, near the middle of a wall of the shapes that remember no side."""
    if pair.geometry < MESH:
        return False
    radius = pair.tip_radius if pair.tips == 0 else read_double(pair.tips, 2)
    inside = _through(pair.geometry, pair.shape, radius) - radius
    return depth > radius + DEEPEST * inside


@compiled
def bend(pair, tip):
    """Distance over which the normal turns [m]."""
    return _bend(pair.geometry, pair.shape, tip)
