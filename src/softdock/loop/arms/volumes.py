"""Distances between simple volumes: capsules (spheres have no length) and boxes.

A volume is a row of VOLUME: who it moves with (`owner`, and the slot of its link), its shape, and
ten numbers in that link's frame: a capsule's start, end and radius; a box's centre, attitude and
half edges. Lengths in m.

Two capsules: the exact distance of two segments less the radii. Capsule and box: the distance from
a point of the segment to the box is convex along it, found by bisection of its slope. Two boxes:
the widest gap along fifteen separating axes, which is at most the distance and positive just when
they are apart. A negative number is an overlap (of boxes: its depth is only a bound).
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point, noinline
from softdock.loop.arms.forward import link_frames
from softdock.loop.arms.layout import ARM, AXIS_VALUES, WORK
from softdock.loop.arms.tip import join
from softdock.loop.bodies import BODIES
from softdock.loop.spatial.motion import POSE, Pose
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
)

NEAREST = Cells(
    "nearest",
    Cell("distance", float, "m", "least distance of a pair of volumes"),
    Cell("row", int, "-", "of the joints, where that is"),
)
VOLUME_PAIR = Cells(
    "volume_pair",
    Cell("one", int, "-", "row of a volume"),
    Cell("other", int, "-", "row of another"),
)
VOLUME = Cells(
    "volume",
    Cell("owner", int, "-", "0 chaser's arm, 1 target's arm, 2 laboratory"),
    Cell("slot", int, "-", "of the link it moves with"),
    Cell("shape", int, "-", "0 capsule, 1 box"),
    Cell("first", 3, "m", "a capsule's start, a box's centre"),
    Cell("second", 4, "m, -", "a capsule's end and radius, a box's attitude"),
    Cell("half", 3, "m", "a box's half edges"),
)
CAPSULE_RADIUS = VOLUME.at.second + 3  # behind its second end
CAPSULE, BOX = 0, 1
LABORATORY = BODIES  # behind the two bodies
BISECTIONS = 30  # to 1e-9 of a segment


@compiled
def _clipped(x):
    return min(max(x, 0.0), 1.0)


@compiled
def segment_distance(a, b, c, d):
    """Least distance between the segments a-b and c-d."""
    u, v, r = subtract(b, a), subtract(d, c), subtract(a, c)
    uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
    s, t = 0.0, 0.0
    determinant = uu * vv - uv * uv
    if uu <= 1e-18 and vv <= 1e-18:
        return norm(r)
    if uu <= 1e-18:
        t = _clipped(vr / vv)
    elif vv <= 1e-18:
        s = _clipped(-ur / uu)
    else:
        if determinant > 1e-12 * uu * vv:
            s = _clipped((uv * vr - ur * vv) / determinant)
        t = (uv * s + vr) / vv
        if t < 0.0:
            t, s = 0.0, _clipped(-ur / uu)
        elif t > 1.0:
            t, s = 1.0, _clipped((uv - ur) / uu)
    return norm(subtract(add_scaled(a, s, u), add_scaled(c, t, v)))


@compiled
def _beyond(x, half):
    """How far a coordinate lies outside of an interval about zero, with its sign."""
    return x - half if x > half else (x + half if x < -half else 0.0)


@compiled
def _outside(p, half):
    """Vector from the nearest point of a box to p, in the box's axes."""
    return (_beyond(p[0], half[0]), _beyond(p[1], half[1]), _beyond(p[2], half[2]))


@noinline
def segment_box_distance(a, b, centre, turn, half):
    """Least distance from a segment to a box; 0 if they meet."""
    p = rotate_back(turn, subtract(a, centre))
    u = subtract(rotate_back(turn, subtract(b, centre)), p)
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        t = 0.5 * (low + high)
        if dot(_outside(add_scaled(p, t, u), half), u) > 0.0:
            high = t
        else:
            low = t
    at_low = norm(_outside(add_scaled(p, low, u), half))
    return min(at_low, norm(_outside(add_scaled(p, high, u), half)))


@compiled
def _box_axis(turn, k):
    return rotate(turn, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0))


@compiled
def _half_width(turn, half, n):
    """Half of a box's width along a unit vector."""
    m = rotate_back(turn, n)
    return half[0] * abs(m[0]) + half[1] * abs(m[1]) + half[2] * abs(m[2])


@compiled
def _gap(between, turn_a, half_a, turn_b, half_b, n):
    size = norm(n)
    if size < 1e-9:  # of two parallel edges: no axis
        return -math.inf
    n = scale(1.0 / size, n)
    return abs(dot(between, n)) - _half_width(turn_a, half_a, n) - _half_width(turn_b, half_b, n)


@noinline
def box_gap(p_a, turn_a, half_a, p_b, turn_b, half_b):
    """The widest gap between two boxes along their faces' normals and their edges' products."""
    between, widest = subtract(p_b, p_a), -math.inf
    for i in range(3):
        a = _box_axis(turn_a, i)
        widest = max(widest, _gap(between, turn_a, half_a, turn_b, half_b, a))
        b = _box_axis(turn_b, i)
        widest = max(widest, _gap(between, turn_a, half_a, turn_b, half_b, b))
        for k in range(3):
            n = cross(a, _box_axis(turn_b, k))
            widest = max(widest, _gap(between, turn_a, half_a, turn_b, half_b, n))
    return widest


@compiled
def _capsule_end(capsule):
    end = capsule.second
    return (end[0], end[1], end[2])


@compiled
def _capsule_radius(capsule):
    return capsule.second[3]


@compiled
def _capsule_to_box(capsule, box):
    found = segment_box_distance(
        capsule.first, _capsule_end(capsule), box.first, box.second, box.half
    )
    return found - _capsule_radius(capsule)


@compiled
def volume_distance(one, other):
    """Between two volumes placed in the same frame."""
    if one.shape == CAPSULE and other.shape == CAPSULE:
        apart = segment_distance(one.first, _capsule_end(one), other.first, _capsule_end(other))
        return apart - _capsule_radius(one) - _capsule_radius(other)
    if one.shape == CAPSULE:
        return _capsule_to_box(one, other)
    if other.shape == CAPSULE:
        return _capsule_to_box(other, one)
    return box_gap(one.first, one.second, one.half, other.first, other.second, other.half)


@compiled
def _place(volume, frame, into):
    """A volume of a link's frame into the laboratory's."""
    into.shape = volume.shape
    into.first = add(frame.p, rotate(frame.q, volume.first))
    if volume.shape == CAPSULE:
        end = add(frame.p, rotate(frame.q, _capsule_end(volume)))
        into.second = (end[0], end[1], end[2], _capsule_radius(volume))
    else:
        into.second = join(frame, Pose(volume.first, volume.second)).q
        into.half = volume.half


@compiled
def _place_all(volumes, owner, base, work, placed):
    """All volumes of one arm, from its links' frames."""
    for k in range(len(volumes)):
        volume = VOLUME(volumes, k)
        if volume.owner == owner:
            link = Pose(work.origins[volume.slot], work.turns[volume.slot])
            _place(volume, join(base, link), VOLUME(placed, k))


@entry_point
def nearest_pairs(arms, bases, joints, volumes, pairs, work, placed, least):
    """Least distance of each pair of volumes over rows of joints, and the row: `least` (n, 2).

    `arms` (2, ARM), `bases` (2, 7) poses in the laboratory, `joints` (2, rows, 7).
    """
    for k in range(len(volumes)):
        for i in range(len(volumes[k])):
            placed[k, i] = volumes[k, i]
    for k in range(len(pairs)):
        nearest = NEAREST(least, k)
        nearest.distance, nearest.row = math.inf, 0
    along = WORK(work)
    for row in range(joints.shape[1]):
        for owner in range(2):
            link_frames(ARM(arms, owner), AXIS_VALUES(joints[owner], row).values, along)
            _place_all(volumes, owner, POSE(bases, owner).whole, along, placed)
        for k in range(len(pairs)):
            pair, nearest = VOLUME_PAIR(pairs, k), NEAREST(least, k)
            found = volume_distance(VOLUME(placed, pair.one), VOLUME(placed, pair.other))
            if found < nearest.distance:
                nearest.distance, nearest.row = found, row
