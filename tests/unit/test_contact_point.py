"""The contact point from the wrench: lines of action through known points of known shapes find them
again."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softdock.compile.jit import compiled, entry_point
from softdock.loop.contact.line import on_cone, on_plane, on_sphere
from softdock.loop.contact.line_on_shape import facing, on_pair
from softdock.loop.contact.pairs import GEOMETRIES, PAIR
from softdock.loop.spatial.motion import Wrench
from softdock.methods.remapping.environment import (
    find_line_of_action,
    on_box,
    on_cylinder,
)

PLANE, SPHERE, BORE, SHAFT, BOX, INNER_CONE, OUTER_CONE, OF_A_PAIR = range(8)


@compiled
def _meet(vector, shape, p, n, a, b, size):
    if shape == PLANE:
        return on_plane(p, n, a, b)
    if shape == SPHERE:
        return on_sphere(p, n, a, size)
    if shape in (BORE, SHAFT):
        return on_cylinder(p, n, a, b, size, shape == SHAFT)
    if shape == BOX:
        return on_box(p, n, a, b)
    if shape == OF_A_PAIR:
        return on_pair(vector, 0, p, n)
    return on_cone(p, n, a, b, shape == OUTER_CONE)


meet = entry_point(_meet)
line = entry_point(find_line_of_action)
squarely = entry_point(facing)
NOTHING = np.zeros(PAIR.size)


def unit(v):
    return np.asarray(v, dtype=float) / np.linalg.norm(v)


def frame(generator):
    """Origin, axis and two directions across it."""
    axis = unit(generator.normal(size=3))
    across = unit(np.cross(axis, generator.normal(size=3)))
    return generator.normal(size=3), axis, across, np.cross(axis, across)


def a_touch(shape, g):
    """A random shape of a kind, a point of its surface and the outward normal there: (a, b, size,
    point, normal)."""
    origin, axis, x, y = frame(g)
    size, turn = g.uniform(0.1, 1.0), g.uniform(0.0, 2.0 * math.pi)
    radial = math.cos(turn) * x + math.sin(turn) * y
    if shape == PLANE:
        return origin, axis, 0.0, origin + g.normal() * x + g.normal() * y, axis
    if shape == SPHERE:
        return origin, axis, size, origin + size * radial, radial
    if shape in (BORE, SHAFT):
        return (
            origin,
            axis,
            size,
            origin + size * radial + g.normal() * axis,
            radial if shape == SHAFT else -radial,
        )
    if shape == BOX:
        half, side = g.uniform(0.1, 1.0, 3), g.integers(3)
        point, normal = half * g.uniform(-0.9, 0.9, 3), np.zeros(3)
        normal[side] = g.choice([-1.0, 1.0])
        point[side] = half[side] * normal[side]
        return origin, half, 0.0, origin + point, normal
    angle = g.uniform(0.2, 1.2)
    outward = math.cos(angle) * radial - math.sin(angle) * axis
    point = origin + size * (math.cos(angle) * axis + math.sin(angle) * radial)
    return origin, axis, size, point, outward if shape == OUTER_CONE else -outward


@pytest.mark.parametrize("shape", [PLANE, SPHERE, BORE, SHAFT, BOX, INNER_CONE, OUTER_CONE])
def test_every_shape_finds_the_point_again(shape):
    """Lange eqs. 36 to 38 and their kin: force and torque about some centre of mass give back the
    point at which the force acts, to rounding."""
    g = np.random.default_rng(shape)
    for _ in range(200):
        a, b, size, point, normal = a_touch(shape, g)
        centre, f = g.normal(size=3), g.uniform(0.1, 300.0) * normal
        p, n = line(tuple(centre), Wrench(tuple(f), tuple(np.cross(point - centre, f))))
        hit, found = meet(NOTHING, shape, p, n, tuple(a), tuple(b), size)
        assert hit
        assert np.asarray(found) == pytest.approx(point, abs=1e-11)
        assert np.asarray(n) == pytest.approx(normal, abs=1e-12)


@pytest.mark.parametrize("shape", [SPHERE, SHAFT, BOX, PLANE])
def test_a_line_that_misses_says_so(shape):
    """No point is invented: the flag is false, and the point lies on the line all the same."""
    p, n = (0.0, 0.0, 5.0), (1.0, 0.0, 0.0)
    hit, found = meet(
        NOTHING,
        shape,
        p,
        n,
        (0.0, 0.0, 0.0),
        (0.0, 1.0, 0.0) if shape != BOX else (1.0, 1.0, 1.0),
        1.0,
    )
    assert not hit
    assert np.cross(np.asarray(found) - p, n) == pytest.approx(0.0, abs=1e-12)


def test_the_faces_of_a_scenarios_cone():
    """Inside, outside and bottom of a truncated cone with a thick wall, by the direction of the
    force."""
    vector, at = np.zeros(PAIR.size), PAIR.at
    vector[at.geometry], vector[at.axis : at.axis + 3] = GEOMETRIES.index("cone"), (0.0, 0.0, 1.0)
    angle, mouth, bottom, wall = math.radians(30.0), 0.2, 0.05, 0.02
    (
        vector[at.mouth_radius],
        vector[at.bottom_radius],
        vector[at.half_angle],
        vector[at.thickness],
        vector[at.closed],
    ) = mouth, bottom, angle, wall, 1.0
    vector[at.origin : at.origin + 3] = (0.3, 0.0, 0.0)
    inward = np.array([-math.cos(angle), 0.0, math.sin(angle)])
    on_wall = np.array([0.3 + mouth - 0.1 * math.sin(angle), 0.0, -0.1 * math.cos(angle)])
    floor = np.array([0.32, 0.01, -(mouth - bottom) / math.tan(angle)])
    up = np.array([0.0, 0.0, 1.0])
    for point, n in (
        (on_wall, inward),
        (on_wall - wall * inward, -inward),
        (floor, up),
        (floor - wall * up, -up),
    ):
        hit, found = meet(
            vector,
            OF_A_PAIR,
            tuple(point + 0.4 * n),
            tuple(n),
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            0.0,
        )
        assert hit
        assert np.asarray(found) == pytest.approx(point, abs=1e-12)
        assert squarely(vector, 0, tuple(point + 0.4 * n), tuple(n)) == pytest.approx(
            1.0, abs=1e-12
        )
    vector[at.geometry], vector[at.sphere_radius] = GEOMETRIES.index("sphere"), 0.5
    for aside, cosine in ((0.0, 1.0), (0.3, 0.8), (0.6, -1.0)):  # of 0.5 m
        assert squarely(vector, 0, (0.3, aside, 4.0), (0.0, 0.0, 1.0)) == pytest.approx(
            cosine, abs=1e-12
        )
