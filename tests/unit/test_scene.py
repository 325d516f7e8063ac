"""The scene of a run: everything stands where its pose says, nothing is lost, nothing is
injected."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drifting_scenes import docking, drifting
from scenarios import cone_docking, epos_wall

from softdock.loop.contact.drawing import Solid
from softdock.loop.spatial.arrays import exponential, product, rotate, rotation_vector
from softdock.results.metrics import convert_to_plain
from softdock.results.scene import build_reference_scene, build_scene, mock_ups
from softdock.results.scene.build import FAR, MOST_FRAMES, choose_rows
from softdock.results.scene.mock_ups import compute_cuboid
from softdock.results.scene.pack import pack_scenes, synchronise, unpack_array
from softdock.results.scene.poster import choose_poster_frame
from softdock.results.scene.surfaces import box, from_z_to

PETAL = [[-0.5, 0.0, -0.866], [-0.5, 0.75, 0.433], [-0.5, -0.75, 0.433]]


def test_quaternions_turn_as_they_say() -> None:
    """A turn and its vector are inverse, products turn twice, and z goes where it is told, also
    back."""
    rng = np.random.default_rng(3)
    vectors, points = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    q = exponential(vectors)
    assert np.allclose(rotation_vector(exponential(0.5 * vectors)), 0.5 * vectors)
    assert np.allclose(rotate(product(q, q), points), rotate(q, rotate(q, points)))
    ways = np.concatenate([vectors, [[0.0, 0.0, -2.0]]])
    ends = rotate(from_z_to(ways), np.array([0.0, 0.0, 1.0]))
    assert np.allclose(ends, ways / np.linalg.norm(ways, axis=1, keepdims=True))


def test_box_has_the_mass_and_inertia_of_its_body() -> None:
    """The cuboid drawn for a satellite is the even one of its mass and inertia, products
    included."""
    body = cone_docking()["chaser"]
    edges, axes = compute_cuboid(body)
    squares = edges**2
    moments = body["mass_kg"] / 12.0 * (squares.sum() - squares)
    assert np.allclose(axes.T @ np.diag(moments) @ axes, body["inertia_kg_m2"])


@pytest.mark.parametrize(
    "tables",
    [
        epos_wall(),
        cone_docking(),
        epos_wall()
        | {
            "contact": [
                {"geometry": "sphere", "sphere_radius_m": 0.2, "origin_m": [-0.2, 0.0, 0.0]}
            ]
        },
        epos_wall() | {"contact": [{"geometry": "wall", "axis": axis} for axis in PETAL]},
        epos_wall()
        | {
            "contact": [
                {"geometry": "wall", "tip_m": [0.0, y, z], "tip_radius_m": 0.01}
                for y in (-0.1, 0.1)
                for z in (-0.1, 0.1)
            ]
        },
        epos_wall() | {"contact": []},
    ],
    ids=["wall", "cone", "sphere", "petals", "four pairs", "no shape"],
)
def test_every_contact_geometry_becomes_a_closed_scene(tables: dict[str, Any]) -> None:
    """Each shape, several at once, and a body without a shape give surfaces that look outwards."""
    for pair in tables["contact"]:
        pair.setdefault("real", {"stiffness_N_per_m": 1000.0})
    scene = build_scene(drifting(tables))
    assert scene.parts
    assert ("contact" in scene.views) == bool(tables["contact"])
    for key, mesh in scene.meshes.items():
        assert np.isfinite(mesh.vertices).all(), key
        assert mesh.faces.max() < len(mesh.vertices)
        first, second, third, fourth = (mesh.vertices[mesh.faces[:, i]] for i in range(4))
        inside = np.sum(first * np.cross(second, third)) + np.sum(first * np.cross(third, fourth))
        assert inside > 0.0, f"{key} is inside out"  # six times its volume


def test_a_shape_that_is_not_round_is_drawn_by_its_corners_and_faces(monkeypatch) -> None:
    """A box of a shape of one's own: where its pair has it, in target axes, closed and with its
    outside outside (the volume that its faces enclose is its own)."""
    edges = np.array([0.4, 0.2, 0.1])
    made = box(edges, np.zeros(3))
    solid = Solid(
        0.2,
        corners=tuple(map(tuple, made.vertices.tolist())),
        faces=tuple(map(tuple, made.faces.tolist())),
    )
    monkeypatch.setattr(mock_ups, "get_shape_solid", lambda pair: solid)
    pair = {"geometry": "box", "origin_m": [1.0, 2.0, 3.0], "axis": [0.0, 1.0, 1.0]}
    ((name, mesh),) = mock_ups.make_target_shapes([pair], 0.1)
    assert name == "box 1"
    assert np.allclose(mesh.vertices.min(axis=0), [0.8, 1.9, 2.95])
    assert np.allclose(mesh.vertices.max(axis=0), [1.2, 2.1, 3.05])
    a, b, c, d = (mesh.vertices[mesh.faces[:, k]] for k in range(4))
    enclosed = sum(
        np.einsum("ij,ij->", p, np.cross(q, r)) / 6.0 for p, q, r in ((a, b, c), (a, c, d))
    )
    assert enclosed == pytest.approx(edges.prod())


def test_tip_of_the_probe_is_where_the_contact_has_it() -> None:
    """The drawn probe ends exactly in the pair's tip, and the drawn cone has exactly its mouth."""
    scene, pair = docking(), cone_docking()["contact"][0]
    part = next(part for part in scene.parts if part.name == "probe 1")
    points = scene.meshes[part.mesh].vertices
    tip = np.array(pair["tip_m"])
    assert np.min(np.linalg.norm(points - tip, axis=1)) < 1e-12
    cone = scene.meshes[next(part.mesh for part in scene.parts if part.name == "cone 1")].vertices
    at_mouth = cone[np.abs((cone - np.array(pair["origin_m"])) @ np.array(pair["axis"])) < 1e-12]
    radii = np.linalg.norm(at_mouth - np.array(pair["origin_m"]), axis=1)
    assert np.allclose(radii, pair["mouth_radius_m"])


def test_frames_keep_contacts_whole_and_stay_few() -> None:
    """Every row of a contact is a frame; a long run has no more frames than allowed; ends are
    kept."""
    time = 0.001 * np.arange(60_000)
    rows = choose_rows(time, [(20.0, 20.3)])
    assert set(range(20_000, 20_301)) <= set(rows.tolist())
    assert rows[0] == 0
    assert rows[-1] == len(time) - 1
    assert len(choose_rows(time, [(1.0, 50.0)])) <= MOST_FRAMES


def test_orbit_is_beside_the_rig_by_the_stated_factor() -> None:
    """The plain ghost is where orbit has the chaser; the exaggerated one is that much further."""
    scene = docking()
    rig, ghost = scene.tracks["mock_up.chaser"].position, scene.tracks["orbit.chaser"].position
    assert np.allclose(ghost - rig, [0.0, 0.0004, 0.0], atol=1e-9)
    assert scene.exaggeration > 1.0
    far = scene.tracks["orbit_far.chaser"].position
    assert np.allclose(far - rig, scene.exaggeration * (ghost - rig), atol=1e-9)


def test_diverged_run_is_shown_as_far_as_it_can_be() -> None:
    """A run that left for infinity ends at its last row that can be shown, and says why."""
    run = drifting(cone_docking(), status="diverged")
    at = list(run.series).index("mock_up.chaser.position.x")
    run.series.rows[300:, at] = 2.0 * FAR
    run.series.rows[320:, at] = np.nan
    scene = build_scene(run)
    assert scene.ended == "diverged"
    assert scene.time[-1] == pytest.approx(0.004 * 299)
    assert all(np.isfinite(track.position).all() for track in scene.tracks.values())
    assert pack_scenes([scene])["panels"][0]["ended"] == "diverged"
    run.series.rows[200:300, at] = -0.9 * FAR  # far, but a place: the cameras stay with the bodies
    eye = build_scene(run).views["rig"].eye
    assert np.linalg.norm(eye) < 0.1 * FAR
    json.dumps(convert_to_plain(pack_scenes([build_scene(run)])), allow_nan=False)


def test_packing_gives_every_pose_back() -> None:
    """Within a micrometre and a microradian, and equal arrays are stored once."""
    scene = docking()
    data = pack_scenes([scene, replace(scene, name="again")])
    once = pack_scenes([scene])
    assert data["length"] == once["length"]
    for key, track in scene.tracks.items():
        slots = data["panels"][1]["tracks"][key]
        for name, wanted in (("p", track.position), ("q", track.attitude)):
            found = unpack_array(data["numbers"], data["length"], slots[name])
            assert np.abs(found - wanted).max() <= 0.51e-6, key
    json.dumps(convert_to_plain(data), allow_nan=False)


def test_side_by_side_scenes_share_cameras_and_scales() -> None:
    """Two panels can be held against each other: same cameras, and one newton as long in both."""
    run = drifting(cone_docking())
    first, second = build_reference_scene(run), build_scene(run, reference=False)
    second = replace(second, arrows=tuple(replace(a, scale=0.5 * a.scale) for a in second.arrows))
    first, second = synchronise([first, second])
    assert first.views is second.views
    assert {a.scale for a in first.arrows if a.kind == "force"} == {
        a.scale for a in second.arrows if a.kind == "force"
    }


def test_force_arrow_starts_at_the_tip_and_is_as_long_as_its_force() -> None:
    """The arrow of the contact force stands at the touch and is in proportion to the force."""
    scene = docking()
    arrow = next(a for a in scene.arrows if a.name == "contact force")
    frame = int(np.argmax(np.linalg.norm(arrow.vector, axis=1)))
    assert frame == choose_poster_frame(scene)
    assert np.linalg.norm(arrow.vector[frame]) == pytest.approx(30.0)
    track = scene.tracks["mock_up.chaser"]
    tip = track.position[frame] + rotate(
        track.attitude[frame], np.array(cone_docking()["contact"][0]["tip_m"])
    )
    assert np.allclose(arrow.at[frame], tip - [0.01, 0.0, 0.0], atol=1e-9)  # on the tip's ball
    trail = scene.trails[0]
    assert set(np.diff(trail.frames)) == {1}
    assert trail.frames[-1] < len(scene.time)
