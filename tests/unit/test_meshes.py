"""A mesh's distances are those of its triangles, its interpolation has a potential, and a mesh that
is no closed solid is refused with a triangle and a remedy."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from mesh_files import brute_distance, cone_profile, revolved, stl, write_stl

from softdock.errors import BadInput
from softdock.meshes.kept import Grid, Wanted, find_grid, make_block
from softdock.meshes.reading import Mesh, read_mesh
from softdock.meshes.tree import make_tree, nearest_of

CELL, RADIUS = 0.002, 0.008  # m
BOX = (
    np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float),
    np.array(
        [
            *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
            *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
        ]
    ),
)


@pytest.fixture(scope="module")
def cone():
    mesh = Mesh(*revolved(cone_profile(), sides=400))
    return Grid(make_block(mesh, "cone.stl", CELL, RADIUS), mesh)


def near_surface(mesh, far, count=400, seed=3):
    """Places outside at up to `far` from the middle of triangles."""
    chance = np.random.default_rng(seed)
    corners = mesh.vertices[mesh.faces[chance.integers(len(mesh.faces), size=count)]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return corners.mean(axis=1) + chance.uniform(0.2, 1.0, (count, 1)) * far * normals


def test_the_tree_finds_the_distance_of_every_triangle(cone):
    points = np.random.default_rng(1).uniform(-0.08, 0.08, (60, 3))
    mesh = Mesh(*revolved(cone_profile(), sides=24, pieces=2))
    found, _ = nearest_of(make_tree(mesh.vertices, mesh.faces), points)
    assert np.abs(found - brute_distance(*mesh, points)).max() < 1e-15


def test_the_grid_has_the_distance_and_its_sign(cone):
    tree = make_tree(cone.mesh.vertices, cone.mesh.faces)
    points = near_surface(cone.mesh, 0.008, count=1000)
    wanted, _ = nearest_of(tree, points)
    found, gradient = cone.distances(points)
    foot = points - wanted[:, None] * gradient
    place = np.stack([np.linalg.norm(foot[:, :2], axis=1), foot[:, 2]], 1)
    edge = np.min([np.linalg.norm(place - corner, axis=1) for corner in cone_profile()], axis=0)
    far = (wanted > 2.0 * CELL) & (edge > CELL)
    assert far.sum() > 300
    assert np.percentile(np.abs(found - wanted)[far], 99) < 1e-5  # m
    r, z = (0.045, 0.0), (-0.02, -0.02)  # in the wall, and on the axis
    inside, outside = cone.distances(np.array([[r[0], 0.0, z[0]], [0.0, 0.0, z[1]]]))[0]
    assert inside < 0.0 < outside


def test_outside_the_grid_a_distance_is_not_too_large(cone):
    points = np.random.default_rng(2).uniform(-0.5, 0.5, (200, 3))
    wanted, _ = nearest_of(make_tree(cone.mesh.vertices, cone.mesh.faces), points)
    found, gradient = cone.distances(points)
    outside = np.abs(points).max(axis=1) > 0.1
    assert (found[outside] <= wanted[outside]).all()
    assert (found[outside] > 0.5 * wanted[outside]).all()
    assert np.linalg.norm(gradient[outside], axis=1).max() < 1.5


def test_the_gradient_is_that_of_the_interpolation(cone):
    points, step = near_surface(cone.mesh, 0.01), 1e-6
    _, gradient = cone.distances(points)
    shifts = step * np.eye(3)
    rises = [cone.distances(points + s)[0] - cone.distances(points - s)[0] for s in shifts]
    assert np.abs(np.stack(rises, 1) / (2.0 * step) - gradient).max() < 1e-6


def test_a_force_around_a_closed_path_does_no_work(cone):
    """k d grad d over closed paths in contact, against the most that is stored on them; a normal
    made one long does work."""
    turn = 2.0 * np.pi * (np.arange(4000) + 0.5) / 4000
    losses, unit = [], []
    for i, place in enumerate(near_surface(cone.mesh, 0.004, count=20)):
        a, b = np.linalg.qr(np.random.default_rng(i).normal(size=(3, 2)))[0].T
        path = place + 0.002 * (np.outer(np.cos(turn), a) + np.outer(np.sin(2.0 * turn), b))
        way = 0.002 * (np.outer(-np.sin(turn), a) + 2.0 * np.outer(np.cos(2.0 * turn), b))
        distance, gradient = cone.distances(path)
        depth = np.maximum(RADIUS - distance, 0.0)
        power = np.einsum("ij,ij->i", gradient, way) * depth
        stored = 0.5 * depth.max() ** 2
        work = abs(power.mean()) * 2.0 * np.pi
        losses.append(work / stored)
        unit.append(abs((power / np.linalg.norm(gradient, axis=1)).mean()) * 2.0 * np.pi / stored)
    assert max(losses) < 1e-6
    assert max(unit) > 1e-5


def test_a_file_is_read_once_and_kept(tmp_path, monkeypatch):
    path = write_stl(tmp_path / "cone.stl", *revolved(cone_profile(), sides=24))
    wanted = Wanted(str(path), "m", (1.0, 0.0, 0.0, 0.0), 0.004, 0.008)
    first = find_grid(wanted)
    assert find_grid(wanted) is first
    monkeypatch.setattr("softdock.meshes.kept._grids", {})
    monkeypatch.setattr("softdock.meshes.kept._known", {})
    monkeypatch.setattr("softdock.meshes.kept.make_block", None)  # it is not made again
    assert (find_grid(wanted).block == first.block).all()


def without(faces, triangle):
    return np.delete(faces, triangle, axis=0)


def flipped(faces, triangle):
    turned = faces.copy()
    turned[triangle] = turned[triangle][::-1]
    return turned


def twice(vertices, turned=False):
    """The box, and another in the same file."""
    other = BOX[1][:, ::-1] if turned else BOX[1]
    return np.concatenate([BOX[0], vertices]), np.concatenate([BOX[1], other + 8])


def crossing():
    """One shell that crosses itself: its upper part is twisted and inside out."""
    x, y, z = BOX[0].T
    return np.stack([np.where(z == 1.0, 0.7 - 0.4 * x, x), y, z], axis=1), BOX[1]


@pytest.mark.parametrize(
    ("mesh", "unit", "words"),
    [
        ((BOX[0], without(BOX[1], 5)), "m", "a hole at triangle"),
        ((BOX[0], BOX[1][:, ::-1]), "m", "point inwards: flip"),
        ((BOX[0], flipped(BOX[1], 7)), "m", "its neighbour disagree"),
        ((200.0 * BOX[0], BOX[1]), "m", 'in m this one is 200 m; unit = "mm"?'),
        ((0.5 * BOX[0], BOX[1]), "mm", "a size of 0.001 to 20 m"),
        ((np.where(np.arange(8)[:, None] == 5, np.nan, BOX[0]), BOX[1]), "m", "triangle 3"),
        (
            (np.concatenate([BOX[0], BOX[0] + 0.3]), np.concatenate([BOX[1], BOX[1] + 8])),
            "",
            "twice",
        ),
        ((BOX[0] * [1.0, 1.0, 0.01], BOX[1]), "", "is 0.01 m thick"),
        (twice(0.4 * BOX[0] + 0.3), "", "the mesh is twice at"),  # one within the other
        (twice(0.4 * BOX[0] + [1.2, 0.0, 0.0], turned=True), "", "a shell is inside out near"),
        (crossing(), "", "a shell is inside out near"),
        ((BOX[0], np.concatenate([BOX[1], BOX[1][:1]])), "m", "more meet at triangle"),
        ((20.0 * BOX[0], BOX[1]), "", "at least 0.042, for a grid of at most 120000000 nodes"),
    ],
)
def test_what_is_no_closed_solid_is_refused(mesh, unit, words):
    def read_and_make():
        return make_block(read_mesh(stl(*mesh), "part.stl", unit or "m"), "part.stl", 0.02, 0.05)

    with pytest.raises(BadInput) as refused:
        read_and_make()
    assert words in str(refused.value)
    assert refused.value.problems[0].key == ("resolution_m" if "nodes" in words else "file")


def test_a_mesh_of_too_many_triangles_is_refused(monkeypatch):
    monkeypatch.setattr("softdock.meshes.reading.MOST_TRIANGLES", 11)
    with pytest.raises(BadInput, match="at most 11 triangles; this mesh has 12: simplify it"):
        read_mesh(stl(*BOX), "part.stl", "m")


def test_a_step_file_needs_cascadio_and_says_its_own_unit(monkeypatch):
    monkeypatch.setitem(sys.modules, "cascadio", None)
    with pytest.raises(BadInput, match=r"pip install 'softdock\[step\]'\), or an STL file"):
        read_mesh(b"ISO-10303-21;", "part.step", "m")
    monkeypatch.setitem(sys.modules, "cascadio", ModuleType("cascadio"))
    with pytest.raises(BadInput, match="says its own unit") as refused:
        read_mesh(b"ISO-10303-21;", "part.stp", "mm")
    assert refused.value.problems[0].key == "unit"
    with pytest.raises(BadInput, match="which begins with ISO-10303-21"):
        read_mesh(b"solid", "part.step", "m")


def test_a_large_grid_says_how_far_it_is(monkeypatch, caplog):
    monkeypatch.setattr("softdock.meshes.kept.MANY_NODES", 1000)
    monkeypatch.setattr("softdock.meshes.kept.REPORT_S", -1.0)
    said = []
    make_block(Mesh(*BOX), "part.stl", 0.05, 0.1, said.append)
    assert said == sorted(said)
    assert said[-1] == 1.0
    assert "part.stl: 100 % of its grid" in caplog.text


def test_files_that_are_none_are_refused():
    for name, data in (("a.igs", b""), ("a.stl", b"solid nothing"), ("a.glb", b"\0" * 40)):
        with pytest.raises(BadInput) as refused:
            read_mesh(data, name, "m")
        assert refused.value.problems[0].key == "file"


def test_ascii_and_obj_give_the_same_mesh():
    vertices, faces = BOX
    lines = [f"v {x} {y} {z}" for x, y, z in vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    facets = [
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join(f"vertex {x} {y} {z}" for x, y, z in vertices[face])
        + "\nendloop\nendfacet"
        for face in faces
    ]
    text = "solid box\n" + "\n".join(facets) + "\nendsolid box\n"
    wanted = np.sort(read_mesh(stl(*BOX), "box.stl", "m").vertices, axis=0)
    for name, data in (("box.obj", "\n".join(lines)), ("box.stl", text)):
        found = read_mesh(data.encode(), name, "m")
        assert (np.sort(found.vertices, axis=0) == wanted).all()
        assert len(found.faces) == 12
