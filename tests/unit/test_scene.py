"""The scene of a run: everything stands where its pose says, nothing is lost, nothing is
injected."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall

from softdock.analysis.metrics import plain
from softdock.core.cycle import STATUSES
from softdock.core.machine.record import CHANNELS
from softdock.core.spatial.arrays import exponential, product, rotate, rotation_vector
from softdock.errors import BadInput
from softdock.runs.run import Series
from softdock.scenario.build import build
from softdock.scene import Scene, scene_of, scene_of_orbit
from softdock.scene.export import export, screen_times
from softdock.scene.frames import FAR, MOST_FRAMES, chosen_rows
from softdock.scene.image_files import gif, png
from softdock.scene.mock_ups import cuboid
from softdock.scene.pack import packed, unpacked
from softdock.scene.poster import poster, poster_frame
from softdock.scene.projection import camera_of, pixels, world
from softdock.scene.raster import picture
from softdock.scene.side_by_side import in_step
from softdock.scene.turning import from_z_to

HOSTILE = "</script><script>alert(1)</script>"
PETAL = [[-0.5, 0.0, -0.866], [-0.5, 0.75, 0.433], [-0.5, -0.75, 0.433]]


def drifting(
    tables: dict[str, Any], rows: int = 400, status: str = "completed", **changes: Any
) -> Any:
    """A run that never ran: bodies drift as their first state says, and a force grows and falls.

    What a scene makes of series needs no compiled loop.
    """
    scenario = build(tables | changes)
    series = Series(np.zeros((rows, len(CHANNELS))))
    names = list(series)
    time = 0.004 * np.arange(rows)
    series.rows[:, names.index("time")] = time
    for prefix in ("", "mock_up.", "command."):
        for body in ("chaser", "target"):
            given = scenario.tables[body]
            at = names.index(f"{prefix}{body}.position.x")
            way = np.outer(time, np.array(given["velocity_m_per_s"]))
            series.rows[:, at : at + 3] = np.array(given["position_m"]) + way
            series.rows[:, at + 3] = 1.0
    at = names.index("true.chaser.force.x")
    series.rows[150:251, at] = 30.0 * np.sin(np.linspace(0.0, np.pi, 101))
    contact = {"start_s": time[150], "end_s": time[250], "pair": 0}
    flown = SimpleNamespace(series={}, contacts=[contact], status="completed")
    flown.series = {name: np.asarray(series[name]).copy() for name in ("time", "true.chaser.force")}
    for body in ("chaser", "target"):
        for key in ("position", "attitude"):
            flown.series[f"{body}.{key}"] = np.asarray(series[f"{body}.{key}"]).copy()
    flown.series["chaser.position"][:, 1] += 0.0004  # orbit is 0.4 mm beside the rig
    assert status in STATUSES
    return SimpleNamespace(
        scenario=scenario, series=series, contacts=[contact], status=status, orbit=flown
    )


@cache
def docking() -> Scene:
    return scene_of(drifting(cone_docking()))


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
    edges, axes = cuboid(body)
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
    scene = scene_of(drifting(tables))
    assert scene.parts
    assert ("contact" in scene.views) == bool(tables["contact"])
    for key, mesh in scene.meshes.items():
        assert np.isfinite(mesh.vertices).all(), key
        assert mesh.faces.max() < len(mesh.vertices)
        first, second, third, fourth = (mesh.vertices[mesh.faces[:, i]] for i in range(4))
        inside = np.sum(first * np.cross(second, third)) + np.sum(first * np.cross(third, fourth))
        assert inside > 0.0, f"{key} is inside out"  # six times its volume


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
    rows = chosen_rows(time, [(20.0, 20.3)])
    assert set(range(20_000, 20_301)) <= set(rows.tolist())
    assert rows[0] == 0
    assert rows[-1] == len(time) - 1
    assert len(chosen_rows(time, [(1.0, 50.0)])) <= MOST_FRAMES


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
    scene = scene_of(run)
    assert scene.ended == "diverged"
    assert scene.time[-1] == pytest.approx(0.004 * 299)
    assert all(np.isfinite(track.position).all() for track in scene.tracks.values())
    assert packed([scene])["panels"][0]["ended"] == "diverged"
    run.series.rows[200:300, at] = -0.9 * FAR  # far, but a place: the cameras stay with the bodies
    eye = scene_of(run).views["facility"].eye
    assert np.linalg.norm(eye) < 0.1 * FAR
    json.dumps(plain(packed([scene_of(run)])), allow_nan=False)


def test_packing_gives_every_pose_back() -> None:
    """Within a micrometre and a microradian, and equal arrays are stored once."""
    scene = docking()
    data = packed([scene, replace(scene, name="again")])
    once = packed([scene])
    assert data["length"] == once["length"]
    for key, track in scene.tracks.items():
        slots = data["panels"][1]["tracks"][key]
        for name, wanted in (("p", track.position), ("q", track.attitude)):
            found = unpacked(data["numbers"], data["length"], slots[name])
            assert np.abs(found - wanted).max() <= 0.51e-6, key
    json.dumps(plain(data), allow_nan=False)


def test_side_by_side_scenes_share_cameras_and_scales() -> None:
    """Two panels can be held against each other: same cameras, and one newton as long in both."""
    run = drifting(cone_docking())
    first, second = scene_of_orbit(run), scene_of(run, orbit=False)
    second = replace(second, arrows=tuple(replace(a, scale=0.5 * a.scale) for a in second.arrows))
    first, second = in_step([first, second])
    assert first.views is second.views
    assert {a.scale for a in first.arrows if a.kind == "force"} == {
        a.scale for a in second.arrows if a.kind == "force"
    }


def test_force_arrow_starts_at_the_tip_and_is_as_long_as_its_force() -> None:
    """The arrow of the contact force stands at the touch and is in proportion to the force."""
    scene = docking()
    arrow = next(a for a in scene.arrows if a.name == "contact force")
    frame = int(np.argmax(np.linalg.norm(arrow.vector, axis=1)))
    assert frame == poster_frame(scene)
    assert np.linalg.norm(arrow.vector[frame]) == pytest.approx(30.0)
    track = scene.tracks["mock_up.chaser"]
    tip = track.position[frame] + rotate(
        track.attitude[frame], np.array(cone_docking()["contact"][0]["tip_m"])
    )
    assert np.allclose(arrow.at[frame], tip - [0.01, 0.0, 0.0], atol=1e-9)  # on the tip's ball
    trail = scene.trails[0]
    assert set(np.diff(trail.frames)) == {1}
    assert trail.frames[-1] < len(scene.time)


def test_poster_holds_no_text_of_a_scenario() -> None:
    """A hostile name reaches neither the drawing nor, unescaped, the replay's figure."""
    from softdock.report.frame.replay import replay

    scene = replace(docking(), name=HOSTILE, ended=HOSTILE)
    assert "alert" not in poster(scene)
    html = replay("x", [scene, scene], HOSTILE, HOSTILE)
    assert "<script>" not in html
    assert html.count("</script>") == 1  # its own block of data
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize("view", ["contact", "facility", "orbit"])
def test_raster_draws_a_part_where_its_corners_are(view: str) -> None:
    """The picture's coloured pixels span what the projection says, within two pixels."""
    scene = docking()
    part = next(part for part in scene.parts if part.name == "cone 1")
    alone = replace(scene, parts=(replace(part, opacity=1.0),), arrows=(), trails=())
    alone = replace(alone, views={k: replace(v, floor=False) for k, v in scene.views.items()})
    size, frame = (480, 320), 40
    image = picture(alone, frame, size, view).astype(int)
    drawn = np.abs(image - image[0, 0]).sum(axis=2) > 60
    flat, _ = pixels(camera_of(alone, alone.views[view], frame, size), world(alone, part, frame))
    flat = flat.clip(0, np.array(size))
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    found = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    assert np.abs(found - np.concatenate([flat.min(axis=0), flat.max(axis=0)])).max() < 2.0


def test_picture_files_hold_their_pixels() -> None:
    """A PNG gives its pixels back; a GIF has as many frames as asked for, and both end properly."""
    image = picture(docking(), 10, (64, 40), theme="dark")
    data = png(image)
    at = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[at - 4 : at])
    raw = np.frombuffer(zlib.decompress(data[at + 4 : at + 4 + length]), np.uint8)
    assert np.array_equal(raw.reshape(40, 1 + 3 * 64)[:, 1:].reshape(40, 64, 3), image)
    noise = np.random.default_rng(5).integers(0, 256, (90, 120, 3)).astype(np.uint8)
    animation = gif([noise, noise[::-1]], [0.1, 0.2])
    colours = np.frombuffer(animation[13 : 13 + 768], np.uint8).reshape(256, 3).astype(int)
    frames = decoded_gif(animation)
    assert len(frames) == 2
    for found, wanted in zip(frames, (noise, noise[::-1]), strict=True):
        off = np.abs(colours[found].reshape(90, 120, 3) - wanted.astype(int))
        assert off.max() <= 26  # half a step of the coarsest colour


def decoded_gif(data: bytes) -> list[np.ndarray]:
    """Colour numbers of each frame, by a decoder written from GIF's definition."""
    at, frames = 13 + 768, []
    while data[at : at + 1] != b";":
        if data[at : at + 1] == b"!":
            at += 2
        else:
            at += 11  # the picture's head and its symbols' size
        block = b""
        while data[at]:
            block += data[at + 1 : at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if len(block) > 20:
            frames.append(np.array(unpacked_lzw(block)))
    return frames


def unpacked_lzw(block: bytes) -> list[int]:
    bits, held, width, at = 0, 0, 9, 0
    table: list[list[int]] = []
    out: list[int] = []
    last: list[int] = []
    while True:
        while held < width:
            bits |= block[at] << held
            held, at = held + 8, at + 1
        code, bits, held = bits & ((1 << width) - 1), bits >> width, held - width
        if code == 257:
            return out
        if code == 256:
            table, width, last = [[i] for i in range(258)], 9, []
            continue
        entry = table[code] if code < len(table) else [*last, last[0]]
        if last and len(table) < 4096:
            table.append([*last, entry[0]])
        if len(table) == 1 << width and width < 12:
            width += 1
        out, last = out + entry, entry


FFMPEG = """#!{python}
import sys
open(sys.argv[-1], "w").write(str(len(sys.stdin.buffer.read())))
"""


def test_animation_slows_down_in_contacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures stand closer in contacts; each kind of file is written; what cannot be is
    refused."""
    scene = docking()
    times = np.array(screen_times(scene))
    steps, (start, end) = np.diff(times), scene.contacts[0]
    inside = (times[:-1] >= start) & (times[1:] <= end)
    assert inside.sum() > 20
    assert steps[inside].max() < 0.5 * steps[~inside].max()
    short = replace(scene, contacts=())
    sizes = {"size": (48, 32), "theme": "dark", "view": "facility"}
    assert export(scene, tmp_path / "a.png", **sizes) == 1
    assert export(short, tmp_path / "frames", **sizes) == len(list((tmp_path / "frames").iterdir()))
    assert export(scene, tmp_path / "a.svg") == 1
    assert (tmp_path / "a.svg").read_text().count("<svg") == 1
    with pytest.raises(BadInput, match=r"\.gif"):
        export(scene, tmp_path / "a.bmp")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="needs ffmpeg"):
        export(scene, tmp_path / "a.mp4", **sizes)
    stand_in = tmp_path / "ffmpeg"  # takes raw pictures, and writes how many bytes came
    stand_in.write_text(FFMPEG.format(python=sys.executable))
    stand_in.chmod(0o755)
    count = export(short, tmp_path / "a.mp4", **sizes)
    assert (tmp_path / "a.mp4").read_text() == str(count * 48 * 32 * 3)
    with pytest.raises(BadInput, match="contact, facility, orbit"):
        export(scene, tmp_path / "a.png", view="moon")
