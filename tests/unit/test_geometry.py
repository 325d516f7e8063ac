"""Wall, sphere and cone: gaps and normals against plain geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cone_geometry import (
    AXIS,
    BOTTOM,
    COSINE,
    DEPTH,
    LENGTH,
    MOUTH,
    SINE,
    THICK,
    at,
    in_half_plane,
    on_wall,
)

from softdock.compile.jit import entry_point
from softdock.loop.contact import cone, sphere, wall
from softdock.loop.contact.pairs import Shape
from softdock.loop.contact.touch import INSIDE, LIP, NO_TOUCH, NONE, OUTSIDE

touch_wall, touch_sphere, touch_cone = (
    entry_point(wall.touch_wall),
    entry_point(sphere.touch_sphere),
    entry_point(cone.touch_cone),
)


def cone_shape(closed=True):
    return Shape(
        axis=AXIS,
        radius=MOUTH,
        bottom_radius=BOTTOM,
        sine=SINE,
        cosine=COSINE,
        length=LENGTH,
        depth=DEPTH,
        thickness=THICK,
        closed=closed,
    )


def flat_shape(radius=0.0):
    return Shape(
        axis=AXIS,
        radius=radius,
        bottom_radius=0.0,
        sine=0.0,
        cosine=0.0,
        length=0.0,
        depth=0.0,
        thickness=0.0,
        closed=False,
    )


def gradient(gap, tip, h=1e-7):
    """By central differences; 1e-7 m: their error is then below 1e-6."""
    return np.array(
        [
            (gap(tuple(np.add(tip, h * e))) - gap(tuple(np.subtract(tip, h * e)))) / (2 * h)
            for e in np.eye(3)
        ]
    )


def test_wall():
    """Depth is the tip's radius minus its height over the plane; the normal is the plane's,
    wherever the tip is."""
    touches = touch_wall(flat_shape(), at(3.0, 0.02), 0.03, NONE, False)
    assert touches.first.depth == pytest.approx(0.01, abs=1e-15)
    assert touches.first.normal == AXIS
    assert touches.second.depth == NO_TOUCH


def test_sphere():
    """Depth is the sum of radii minus the distance; the normal points from centre to tip;
    coincident centres take the axis."""
    tip = (0.1, -0.2, 0.2)
    touches = touch_sphere(flat_shape(0.25), tip, 0.1, NONE, False)
    assert touches.first.depth == pytest.approx(0.05, abs=1e-15)
    assert touches.first.normal == pytest.approx(np.array(tip) / 0.3, abs=1e-15)
    assert touches.first.normal == pytest.approx(
        gradient(lambda p: -touch_sphere(flat_shape(0.25), p, 0.1, NONE, False).first.depth, tip),
        abs=1e-6,
    )
    assert touch_sphere(flat_shape(0.25), (0.0, 0.0, 0.0), 0.1, NONE, False).first.normal == AXIS


def plane_cross(a, b):
    return float(a[0] * b[1] - a[1] * b[0])


def distance_to_polygon(point, corners):
    """From a point outside a convex polygon, or 0 inside: plain geometry, no shared formula."""
    corners = np.array(corners)
    found, inside = math.inf, True
    area = 0.5 * sum(plane_cross(corners[i - 1], corners[i]) for i in range(len(corners)))
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        t = np.clip(np.dot(point - a, b - a) / np.dot(b - a, b - a), 0.0, 1.0)
        found = min(found, float(np.linalg.norm(point - a - t * (b - a))))
        inside &= bool(plane_cross(b - a, point - a) * area >= 0.0)
    return 0.0 if inside else found


def solid_distance(rho, z, closed, cavity):
    """Distance from the wall's cross-section, and from the plate if the tip is outside and the
    bottom is closed. From inside, a closed bottom hides the wall's lower end: the wall goes on."""
    low = -10 * LENGTH if closed and cavity else -LENGTH
    wall_corners = [on_wall(0, 0), on_wall(low, 0), on_wall(low, -THICK), on_wall(0, -THICK)]
    found = distance_to_polygon(np.array([rho, z]), wall_corners)
    if closed and not cavity:
        edge = BOTTOM + THICK * COSINE
        found = min(
            found,
            distance_to_polygon(
                np.array([rho, z]),
                [(0, -DEPTH), (edge, -DEPTH), (edge, -DEPTH - THICK), (0, -DEPTH - THICK)],
            ),
        )
    return found


@pytest.mark.parametrize("closed", [True, False])
def test_cone_gap_is_the_distance_and_normal_its_gradient(closed):
    """On a grid around the whole cone, free of the material: gap = distance from the profile,
    normal = its gradient, of length one."""
    shape, checked = cone_shape(closed), 0
    rng = np.random.default_rng(3)
    for _ in range(600):
        rho, z, radius = float(rng.uniform(0.001, 0.08)), float(rng.uniform(-0.11, 0.03)), 0.002
        x = rho - MOUTH
        n, s = z * SINE - x * COSINE, x * SINE + z * COSINE
        cavity = n >= 0.0 and not (closed and z < -DEPTH)
        if n > -THICK and n < 0.0 and s <= 0.0:
            continue  # in the wall, or below it: there the latch decides
        distance = solid_distance(rho, z, closed, cavity)
        if distance < 1e-4:
            continue
        tip = at(rho, z, float(rng.uniform(0, 6)))
        touches = touch_cone(shape, tip, radius, NONE, False)
        if -THICK < n < 0.0 and closed:
            continue  # above the lip the plate is never nearer
        assert -touches.first.depth == pytest.approx(distance - radius, abs=1e-12), (rho, z)
        side = touches.side
        slope = gradient(
            lambda p, side=side, radius=radius: (
                -touch_cone(shape, p, radius, side, False).first.depth
            ),
            tip,
        )
        if abs(np.linalg.norm(slope) - 1.0) > 1e-5:
            continue  # two faces are equally near: no gradient
        assert touches.first.normal == pytest.approx(slope, abs=1e-5)
        assert np.linalg.norm(touches.first.normal) == pytest.approx(1.0, abs=1e-12)
        checked += 1
    assert checked > 350


@pytest.mark.parametrize(
    ("name", "s", "n", "side", "direction"),
    [
        ("inner wall", -0.04, 0.008, INSIDE, (-COSINE, SINE)),
        ("lip", 0.008, -0.002, LIP, (SINE, COSINE)),
        ("outer wall", -0.04, -THICK - 0.008, OUTSIDE, (COSINE, -SINE)),
    ],
)
def test_cone_faces(name, s, n, side, direction):
    """A tip of 10 mm whose centre is 8 mm off a face is 2 mm in, is pushed square off that face,
    and knows its side."""
    touches = touch_cone(cone_shape(), at(*on_wall(s, n)), 0.01, NONE, False)
    assert touches.side == side
    assert touches.first.depth == pytest.approx(0.002, abs=1e-14)
    assert in_half_plane(touches.first.normal) == pytest.approx(direction, abs=1e-12)


def test_cone_bottom_inside():
    """In the cavity the bottom pushes along the axis, beside the wall and independent of it."""
    touches = touch_cone(cone_shape(), at(0.003, -DEPTH + 0.004), 0.005, NONE, False)
    assert touches.side == INSIDE
    assert touches.second.depth == pytest.approx(0.001, abs=1e-14)
    assert touches.second.normal == AXIS


def test_cone_wall_and_bottom_at_once():
    """In the corner both touch, each with its own depth."""
    s, n = -LENGTH + 0.006, 0.004
    rho, z = on_wall(s, n)
    touches = touch_cone(cone_shape(), at(rho, z), 0.009, NONE, False)
    assert touches.first.depth == pytest.approx(0.005, abs=1e-12)
    assert touches.second.depth == pytest.approx(0.009 - (z + DEPTH), abs=1e-12)
    assert touches.second.depth > 0.0


def test_cone_bottom_outside():
    """From below, the plate pushes down, away from the cone."""
    touches = touch_cone(cone_shape(), at(0.003, -DEPTH - THICK - 0.004), 0.005, NONE, False)
    assert touches.side == OUTSIDE
    assert touches.first.depth == pytest.approx(0.001, abs=1e-14)
    assert touches.first.normal == pytest.approx(-np.array(AXIS), abs=1e-12)
    assert touches.second.depth == NO_TOUCH


def test_an_open_bottom_lets_a_tip_through():
    """On the axis of an open cone nothing touches: mouth, cavity, bottom and beyond."""
    for z in np.linspace(0.03, -DEPTH - 0.03, 40):
        touches = touch_cone(cone_shape(False), at(0.001, float(z)), 0.01, NONE, False)
        assert touches.first.depth < 0.0
        assert touches.second.depth == NO_TOUCH


@pytest.mark.parametrize("n", [-0.001, -0.004, -0.02])
@pytest.mark.parametrize(("side", "sign"), [(INSIDE, 1.0), (OUTSIDE, -1.0)])
def test_a_deep_point_tip_keeps_its_latched_side(side, sign, n):
    """A point in the material, or through it, is pushed back to the side of first touch, never out
    of the other face."""
    n = n if side == INSIDE else -THICK - n
    touches = touch_cone(cone_shape(False), at(*on_wall(-0.04, n)), 0.0, side, True)
    assert touches.side == side
    assert touches.first.depth == pytest.approx(-n if side == INSIDE else n + THICK, abs=1e-14)
    assert in_half_plane(touches.first.normal) == pytest.approx(
        (-sign * COSINE, sign * SINE), abs=1e-12
    )


def test_on_the_axis_a_ring_gives_the_axial_normal():
    """A ball as wide as the cone touches a full ring: the sideways parts cancel and the sine of the
    half-angle is left."""
    radius = 0.042
    touches = touch_cone(cone_shape(), at(0.0, -0.02), radius, NONE, False)
    assert touches.first.depth > 0.0
    assert touches.first.normal == pytest.approx(SINE * np.array(AXIS), abs=1e-15)
    near = touch_cone(cone_shape(), at(1e-6, -0.02), radius, NONE, False)
    assert near.first.depth == pytest.approx(touches.first.depth, abs=2e-6)


@pytest.mark.parametrize("deep", [0.0005, 0.0015, 0.003])
def test_in_a_closed_cones_corner_the_wall_never_pushes_into_the_bottom(deep):
    """The plate closes the wall's lower end: a tip pressed into the bottom until its centre is
    under the plate's face must still be pushed out of the wall square to it, not down along it."""
    for n in (0.0005, 0.001, 0.002):
        z = -DEPTH - deep
        rho = MOUTH + (z * SINE - n) / COSINE
        touches = touch_cone(cone_shape(), at(rho, z), 0.004, INSIDE, True)
        assert touches.first.depth > 0.0
        assert np.dot(touches.first.normal, AXIS) >= 0.0, (
            f"pushed into the bottom at n = {n}, {deep} m under the plate"
        )
