"""What a shape of the target says of itself: how a tip touches it, and what orbit, captures and the
analyses need to know.

A shape is one file that ends in `SHAPE = TargetShape(...)` and one line in models.py. Its prepared
numbers stand in `Shape`; what a user writes of it is its own `keys`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from softdock.compile.cells import Cells, layout_of
from softdock.compile.jit import compiled
from softdock.loop.contact.drawing import PLAIN, Drawing
from softdock.loop.parameters import Group
from softdock.loop.spatial.vectors import ZERO, Vector


class Shape(NamedTuple):
    """The target's part, with what its geometry needs; unused fields are zero."""

    axis: Annotated[Vector, "-", "outward normal, or axis out of the mouth, target axes"]
    radius: Annotated[float, "m", "of the sphere, or of the cone's mouth"]
    bottom_radius: Annotated[float, "m", "of the cone's bottom"]
    sine: Annotated[float, "-", "of the cone's half-angle"]
    cosine: Annotated[float, "-", "of the cone's half-angle"]
    length: Annotated[float, "m", "along the cone's wall"]
    depth: Annotated[float, "m", "of the cone along its axis"]
    thickness: Annotated[float, "m", "of its wall"]
    closed: bool
    grid: Annotated[int, "-", "address of a mesh's distances (meshes/grid.py)"] = 0
    across: Annotated[Vector, "-", "across the axis: of a box, or to a ring's first petal"] = ZERO
    petals: Annotated[int, "-", "of a ring"] = 0
    # within the rounding; a box's along the axis, `across` and the third; a petal's place is its
    # foot's distance from the axis
    half: Annotated[Vector, "m", "half sizes of a box; of a petal: half width, length, place"] = (
        ZERO
    )
    petal: Annotated[float, "m", "half a petal's thickness"] = 0.0


# of a prepared pair in `mem`; whether it is closed is a bit of the pair's kind
SHAPE_CELLS = Cells("shape", *(cell for cell in layout_of(Shape) if cell.name != "closed"))


@dataclass(frozen=True)
class TargetShape:
    """One shape. Compiled functions, but for the last three; `shape`: a `Shape`; `tip`: the centre
    of the chaser's tip from the pair's origin, target axes [m]; `radius`: of the tip [m]."""

    name: str
    keys: Group  # what a user writes of it; each applies only to this shape
    touch: Any  # (shape, tip, radius, side, active) -> Touches
    seat: (
        Any  # (shape, tip, radius) -> m, from the tip's surface to the seat (loop/contact/seat.py)
    )
    # (vector, own, numbers): its numbers from its keys, which begin at `own`, into a view of
    # `SHAPE_CELLS`
    store: Any
    closed: Any  # (vector, own) -> bool
    sector: Any  # (shape, side, tip) -> which smooth part of it is nearest; 0: there is one
    through: Any  # (shape, radius) -> m that a tip's centre moves until it is through; inf: never
    bend: Any  # (shape, tip) -> m over which the normal turns; inf: flat
    # for contact points found from a wrench (line_on_shape.py):
    # (vector, own, origin, axis, p, n) -> whether a straight line through p along n leaves the
    # surface, and where; None: not told, and a method that must know refuses
    meets: Any = None
    # (vector, own, axis, away, n) -> cosine between n and the surface's normal at such a point;
    # `away`: from the pair's origin. Needed with `meets`
    faces: Any = None
    is_sided: bool = False  # it remembers on which side a tip is: no sets of tips
    is_flat: bool = False  # its one normal is the pair's axis
    # plain Python: (vector, own) -> complaints as (key, value, what is allowed)
    problems: Callable[..., list[tuple[str, float, str]]] | None = None
    # plain Python: of its table, the address of what was made of its `file`, which stands in place
    # of that key in the vector. Raises BadInput
    place_file: Callable[[Mapping[str, Any]], float] | None = None
    # plain Python: (vector, own) -> largest angle of a normal from the axis [deg]
    widest: Callable[..., float] | None = None
    drawing: Drawing = PLAIN  # plain Python: for pages and analyses
    # (shape, radius, within) -> m and rad from the docked pose in which a latch engages, where a
    # scenario states none; `within`: capture.within_m
    latch_range: Any = None


@compiled
def plain_latch_range(shape, radius, within):
    """Of a seat without an edge, a wall's or a sphere's surface."""
    return radius + 10.0 * within, math.pi / 9.0


@compiled
def store_nothing(vector, own, numbers):
    return None


@compiled
def never_closed(vector, own):
    return False


@compiled
def one_sector(shape, side, tip):
    return 0
