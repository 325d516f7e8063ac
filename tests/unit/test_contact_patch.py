"""The contact patch of a scene: which tips touch, where on the surface and how wide."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from softdock import build, run_loop
from softdock.loop.spatial.arrays import rotate
from softdock.results.scene import build_scene, patches
from softdock.results.scene.model import Track
from softdock.results.scene.pack import pack_scenes
from softdock.results.scene.patches import make_patches
from softdock.results.scene.poster import draw_poster

MOVING = {
    "mass_kg": 100.0,
    "inertia_kg_m2": [10.0, 10.0, 10.0],
    "position_m": [-1.007, 0.0, 0.0],
}
RADIUS, DEPTH, TIP = 0.1, 0.0004, 0.005  # m


def tables(**shape):
    body = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]}
    turns = 2.0 * math.pi * np.arange(12) / 12
    rows = [[0.0, RADIUS * math.cos(a), RADIUS * math.sin(a), TIP, 1.0] for a in turns]
    pair = {
        "geometry": "ring",
        "tip_m": [0.5, 0.0, 0.0],
        "tips": rows,
        "origin_m": [-0.5, 0.0, 0.0],
        "axis": [-1.0, 0.0, 0.0],
        "outer_radius_m": RADIUS + 0.01,
        "inner_radius_m": RADIUS - 0.01,
        "length_m": 0.02,
        "real": {"stiffness_N_per_m": 1e4},
    }
    return {
        "time": {"cycle_ms": 2.0, "duration_s": 0.05},
        "chaser": {**body, "position_m": [-1.1, 0.0, 0.0]},
        "target": {**body, "fixed": True},
        "contact": [{**pair, **shape}],
    }


def tracks(positions, attitudes=None):
    count = len(positions)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    chaser = still if attitudes is None else np.array(attitudes)
    return {
        "mock_up.chaser": Track(np.array(positions, float), chaser),
        "mock_up.target": Track(np.zeros((count, 3)), still),
    }


def test_every_tip_that_touches_is_a_disc_on_the_ring():
    scenario = build(tables())
    away, pressed = [-1.05, 0.0, 0.0], [-1.0 - TIP + DEPTH, 0.0, 0.0]
    moved = tracks([away, pressed, pressed])
    (patch,) = make_patches(scenario, moved, np.array([True, True, False]), 0.1)
    assert patch.frames.tolist() == [1] * 12  # frame 0 does not touch, 2 is no contact's
    assert np.abs(patch.points[:, 0] + 0.5).max() < 1e-12
    assert np.abs(np.linalg.norm(patch.points[:, 1:], axis=1) - RADIUS).max() < 1e-12
    assert np.abs(patch.normals - [-1.0, 0.0, 0.0]).max() < 1e-12
    assert patch.radii == pytest.approx(patches.LEAST * 0.1)  # the flat is narrower
    outline = patch.outlines(1)
    assert outline.shape == (12, 16, 3)
    assert np.linalg.norm(outline - patch.points[:, None], axis=2) == pytest.approx(0.004)
    points = patch.middles(np.full((3, 3), 7.0), moved["mock_up.target"])
    assert points[1] == pytest.approx([-0.5, 0.0, 0.0], abs=1e-12)
    assert (points[[0, 2]] == 7.0).all()


def test_a_poster_draws_the_discs_of_its_frame():
    run = run_loop(build({**tables(), "chaser": {**MOVING, "velocity_m_per_s": [0.1, 0.0, 0.0]}}))
    scene = build_scene(run, reference=False)
    assert run.contact_count == 1
    discs = 'class="r-c4 k7" opacity="0.8"'
    touched = draw_poster(scene, frame=int(scene.patches[0].frames[0]))
    assert discs in touched
    assert touched.count("Z") > 12
    assert discs not in draw_poster(scene, frame=0)
    assert "trail" in scene.layers
    (packed,) = pack_scenes([scene])["panels"]
    assert packed["patches"][0]["frames"]["rows"] == len(scene.patches[0].frames)


def test_a_tilted_set_touches_on_one_side():
    half = 0.5 * 0.01  # rad about y: the tips at +z come forward
    attitude = [math.cos(half), 0.0, -math.sin(half), 0.0]
    arm = 0.5 * np.array([math.cos(2 * half), 0.0, math.sin(2 * half)])
    tip = np.array([-0.5 - TIP - 0.5 * RADIUS * math.sin(2 * half), 0.0, 0.0])
    moved = tracks([tip - arm], [attitude])
    (patch,) = make_patches(build(tables()), moved, np.array([True]), 1e-6)
    assert 0 < len(patch.frames) < 6
    side = np.sign(patch.points[0, 2])
    assert (side * patch.points[:, 2] > 0.5 * RADIUS).all()
    rows = np.array(tables()["contact"][0]["tips"])[:, :3]
    centres = tip[0] + rotate(np.array(attitude), rows)[:, 0]
    depths = TIP + centres + 0.5
    depths = depths[depths > 0.0]
    assert sorted(patch.radii) == pytest.approx(
        sorted(np.sqrt(depths * (2 * TIP - depths))), rel=1e-9
    )


def test_of_many_discs_the_widest_are_kept(monkeypatch):
    monkeypatch.setattr(patches, "MOST_DISCS", 4)
    found = np.zeros((6, 8))
    found[:, 0] = [0, 0, 0, 1, 1, 1]
    found[:, 7] = [3, 1, 2, 4, 6, 5]
    assert patches._thin(found, 2)[:, 7].tolist() == [3, 2, 6, 5]


def test_one_ball_before_a_smooth_shape_has_no_patch():
    one = build(tables(tips=[], tip_radius_m=TIP))
    nothing = make_patches(one, tracks([[-1.0, 0.1, 0.0]]), np.array([True]), 0.1)
    assert nothing == ()
    assert make_patches(SimpleNamespace(tables=one.tables), {}, np.array([False]), 0.1) == ()
