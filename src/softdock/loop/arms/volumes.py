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
from softdock.loop.arms.layout import WORK_AT, load7
from softdock.loop.arms.sweep import joined
from softdock.loop.bodies import BODIES
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Pose, load_pose
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load4,
    norm,
    scale,
    store3,
    store4,
    subtract,
)

NEAREST = Cells(
    "nearest",
    Cell("distance", 1, "m", "least distance of a pair of volumes"),
    Cell("row", 1, "-", "of the joints, where that is"),
)
VOLUME_PAIR = Cells(
    "volume_pair",
    Cell("one", 1, "-", "row of a volume"),
    Cell("other", 1, "-", "row of another"),
)
IN_NEAREST, IN_PAIR = NEAREST.at, VOLUME_PAIR.at
VOLUME = Group(
    "volume",
    "One simple volume.",
    Parameter("owner", "owner", "0 chaser's arm, 1 target's arm, 2 laboratory", 0.0),
    Parameter("slot", "slot", "of the link it moves with", 0.0),
    Parameter("shape", "shape", "0 capsule, 1 box", 0.0),
    Parameter("first", "first", "a capsule's start, a box's centre", 0.0, unit="m", size=3),
    Parameter("second", "second", "a capsule's end and radius, a box's attitude", 0.0, size=4),
    Parameter("half", "half", "a box's half edges", 0.0, unit="m", size=3),
)
V = VOLUME.at
CAPSULE_RADIUS = V.second + 3  # behind its second end
CAPSULE, BOX = 0, 1
LABORATORY = BODIES  # behind the two bodies
OWNERS = ("chaser", "target", "laboratory")
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
def _capsule_to_box(capsule, box):
    a, b = load3(capsule, V.first), load3(capsule, V.second)
    found = segment_box_distance(
        a, b, load3(box, V.first), load4(box, V.second), load3(box, V.half)
    )
    return found - capsule[CAPSULE_RADIUS]


@compiled
def volume_distance(one, other):
    """Between two volumes placed in the same frame."""
    if one[V.shape] == CAPSULE and other[V.shape] == CAPSULE:
        a, b = load3(one, V.first), load3(one, V.second)
        c, d = load3(other, V.first), load3(other, V.second)
        return segment_distance(a, b, c, d) - one[CAPSULE_RADIUS] - other[CAPSULE_RADIUS]
    if one[V.shape] == CAPSULE:
        return _capsule_to_box(one, other)
    if other[V.shape] == CAPSULE:
        return _capsule_to_box(other, one)
    return box_gap(
        load3(one, V.first),
        load4(one, V.second),
        load3(one, V.half),
        load3(other, V.first),
        load4(other, V.second),
        load3(other, V.half),
    )


@compiled
def _place(volume, frame, into):
    """A volume of a link's frame into the laboratory's."""
    into[V.shape] = volume[V.shape]
    store3(into, V.first, add(frame.p, rotate(frame.q, load3(volume, V.first))))
    if volume[V.shape] == CAPSULE:
        store3(into, V.second, add(frame.p, rotate(frame.q, load3(volume, V.second))))
        into[CAPSULE_RADIUS] = volume[CAPSULE_RADIUS]
    else:
        turned = joined(frame, Pose(load3(volume, V.first), load4(volume, V.second)))
        store4(into, V.second, turned.q)
        store3(into, V.half, load3(volume, V.half))


@compiled
def _place_all(volumes, owner, base, work, placed):
    """All volumes of one arm, from its links' frames."""
    for k in range(len(volumes)):
        if volumes[k, V.owner] == owner:
            i = int(volumes[k, V.slot])
            origin = load3(work, WORK_AT.origins + 3 * i)
            link = Pose(origin, load4(work, WORK_AT.turns + 4 * i))
            _place(volumes[k], joined(base, link), placed[k])


@entry_point
def nearest_pairs(arms, bases, joints, volumes, pairs, work, placed, least):
    """Least distance of each pair of volumes over rows of joints, and the row: `least` (n, 2).

    `arms` (2, ARM), `bases` (2, 7) poses in the laboratory, `joints` (2, rows, 7).
    """
    for k in range(len(volumes)):
        for i in range(len(volumes[k])):
            placed[k, i] = volumes[k, i]
    for k in range(len(pairs)):
        least[k, IN_NEAREST.distance], least[k, IN_NEAREST.row] = math.inf, 0.0
    for row in range(joints.shape[1]):
        for owner in range(2):
            link_frames(arms[owner], load7(joints[owner, row], 0), work)
            _place_all(volumes, owner, load_pose(bases[owner], 0), work, placed)
        for k in range(len(pairs)):
            one, other = pairs[k, IN_PAIR.one], pairs[k, IN_PAIR.other]
            found = volume_distance(placed[one], placed[other])
            if found < least[k, IN_NEAREST.distance]:
                least[k, IN_NEAREST.distance], least[k, IN_NEAREST.row] = found, row
