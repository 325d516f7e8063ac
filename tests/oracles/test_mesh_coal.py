"""The grid's distance against coal's, of a ball and the mesh in 1000 random poses: the group
`oracles` brings coal with Pinocchio.

Behind the marker `oracle`: without the package the test says so and skips, with
SOFTDOCK_REQUIRE_ORACLES=1 it fails.
"""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest
from mesh_files import cone_profile, revolved

from softdock.meshes.kept import Grid, make_block
from softdock.meshes.reading import Mesh

MISSING = importlib.util.find_spec("coal") is None
if MISSING and os.environ.get("SOFTDOCK_REQUIRE_ORACLES") == "1":
    raise ModuleNotFoundError("coal: install the dependency group 'oracles'")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(MISSING, reason="no coal: uv sync --group oracles"),
]
COUNT, CELL, RADIUS = 1000, 0.002, 0.004  # m


def test_the_distance_of_a_ball_is_coal_s():
    """p99 at most 0.01 mm, two cells outside and one cell away from edges."""
    import coal

    mesh = Mesh(*revolved(cone_profile(), sides=400))
    grid = Grid(make_block(mesh, "cone", CELL, 0.012), mesh)
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(mesh.vertices)
    model.addTriangles(mesh.faces.astype(np.int32))
    model.endModel()
    chance, ball = np.random.default_rng(8), coal.Sphere(RADIUS)
    places = chance.uniform(mesh.vertices.min(axis=0), mesh.vertices.max(axis=0), (40 * COUNT, 3))
    found, gradient = grid.distances(places)
    foot = places - found[:, None] * gradient
    profile = np.stack([np.linalg.norm(foot[:, :2], axis=1), foot[:, 2]], 1)
    edge = np.min([np.linalg.norm(profile - corner, axis=1) for corner in cone_profile()], axis=0)
    kept = np.flatnonzero((found > RADIUS) & (found < 0.012) & (edge > CELL))[:COUNT]
    assert len(kept) == COUNT
    apart = []
    for i in kept:
        turn = np.linalg.qr(chance.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
        shift = chance.normal(size=3)  # m, of the mesh: the pose must not matter
        result = coal.DistanceResult()
        coal.distance(
            model,
            coal.Transform3s(turn, shift),
            ball,
            coal.Transform3s(np.eye(3), turn @ places[i] + shift),
            coal.DistanceRequest(),
            result,
        )
        apart.append(result.min_distance - (found[i] - RADIUS))
    assert np.percentile(np.abs(apart), 99) < 1e-5
