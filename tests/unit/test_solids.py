"""Rings, petals and boxes: the distance is that of the surface, sampled without the package's code,
its normal the gradient, and a ring is the same all around, a ring with petals after each petal."""

from __future__ import annotations

import numpy as np
import pytest

from softdock import build, run_loop, run_reference
from softdock.compile.jit import entry_point
from softdock.errors import BadInput
from softdock.loop.contact import box, ring
from softdock.loop.contact.drawing import Flight
from softdock.loop.contact.pairs import Shape

touch_ring, touch_box = entry_point(ring.touch_ring), entry_point(box.touch_box)
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
TIP = 0.004  # m
KEYS = ("outer_radius_m", "inner_radius_m", "length_m", "edge_radius_m")
SHAPES = {
    "tube": (0.08, 0.05, 0.04, 0.0),
    "adapter": (0.08, 0.05, 0.04, 0.006),
    "cylinder": (0.05, 0.0, 0.09, 0.01),
    "capsule": (0.03, 0.0, 0.12, 0.03),
    "torus": (0.08, 0.04, 0.04, 0.02),
}


def shape_of(outer, inner, length, edge):
    zero = dict.fromkeys(("sine", "cosine", "depth"), 0.0)
    sizes = {"radius": outer, "bottom_radius": inner, "length": length, "thickness": edge}
    return Shape(axis=tuple(AXIS), **sizes, **zero, closed=False)


def touch(shape, place):
    return touch_ring(shape, tuple(float(x) for x in place), TIP, 0, False).first


def sideways():
    across = np.cross(AXIS, [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    return across, np.cross(AXIS, across)


def outline(outer, inner, length, edge, count=20001):
    """Points of the profile: its straight sides and its arcs."""
    s, turn = np.linspace(0.0, 1.0, count), np.linspace(0.0, 0.5 * np.pi, count)
    low = inner + edge if inner > 0.0 else 0.0
    flat = low + s * (outer - edge - low)
    tall = -length + edge + s * (length - 2.0 * edge)
    parts = [(flat, 0.0 * s), (flat, 0.0 * s - length), (0.0 * s + outer, tall)]
    for up, sign in ((-edge, 1.0), (edge - length, -1.0)):
        arc_z = up + sign * edge * np.sin(turn)
        parts.append((outer - edge + edge * np.cos(turn), arc_z))
        if inner > 0.0:
            parts.append((inner + edge - edge * np.cos(turn), arc_z))
    if inner > 0.0:
        parts.append((0.0 * s + inner, tall))
    return np.concatenate([np.stack(part, 1) for part in parts])


@pytest.mark.parametrize("name", SHAPES)
def test_the_distance_is_that_of_the_outline(name):
    """To the sampling of the outline, inside the material as well as outside."""
    shape, rows = shape_of(*SHAPES[name]), outline(*SHAPES[name])
    chance, (across, _) = np.random.default_rng(4), sideways()
    for rho, z in zip(chance.uniform(0.0, 0.12, 40), chance.uniform(-0.15, 0.05, 40), strict=True):
        found = TIP - touch(shape, rho * across + z * AXIS).depth
        exact = np.linalg.norm(rows - [rho, z], axis=1).min()
        assert abs(found) == pytest.approx(exact, rel=1e-4, abs=2e-6)


@pytest.mark.parametrize("name", SHAPES)
def test_the_normal_is_the_gradient_of_the_gap_and_the_same_all_around(name):
    shape, step = shape_of(*SHAPES[name]), 1e-6
    across, third = sideways()
    for rho, z in ((0.03, 0.01), (0.09, 0.013), (0.11, -0.017), (0.02, -0.15)):
        found = []
        for turn in (0.3, 2.0, 4.4):
            out = np.cos(turn) * across + np.sin(turn) * third
            place = rho * out + z * AXIS
            here = touch(shape, place)
            rises = [
                touch(shape, place - step * e).depth - touch(shape, place + step * e).depth
                for e in np.eye(3)
            ]
            np.testing.assert_allclose(here.normal, np.array(rises) / (2.0 * step), atol=1e-6)
            found.append((here.depth, here.normal @ out, here.normal @ AXIS))
        np.testing.assert_allclose(found, [found[0]] * 3, atol=1e-9)


SIZE, EDGE = (0.06, 0.1, 0.14), 0.008
PETAL = {"radius": 0.065, "width": 0.05, "length": 0.08, "thickness": 0.01, "tilt": 25.0}
ACROSS = (0.0, 1.0, 1.0)
PETALS = {
    **dict(zip(KEYS, SHAPES["adapter"], strict=True)),
    **{f"petal_{name}_m": PETAL[name] for name in ("radius", "width", "length", "thickness")},
    "petals": 3,
    "petal_tilt_deg": PETAL["tilt"],
    "across": list(ACROSS),
}
BOX = {"geometry": "box", "size_m": list(SIZE), "edge_radius_m": EDGE, "across": list(ACROSS)}


def frame():
    across = np.array(ACROSS) - AXIS * (AXIS @ np.array(ACROSS))
    across /= np.linalg.norm(across)
    return np.stack([AXIS, across, np.cross(AXIS, across)])


def box_shape():
    plain = shape_of(1.0, 0.0, 1.0, EDGE)
    half = tuple(0.5 * size - EDGE for size in SIZE)
    return plain._replace(across=tuple(frame()[1]), half=half)


def petals_shape():
    half = 0.5 * PETAL["thickness"]
    tilt = np.radians(PETAL["tilt"])
    return shape_of(*SHAPES["adapter"])._replace(
        across=tuple(frame()[1]),
        petals=3,
        sine=float(np.sin(tilt)),
        cosine=float(np.cos(tilt)),
        half=(0.5 * PETAL["width"] - half, PETAL["length"] - half, PETAL["radius"]),
        petal=half,
    )


def touch_solid(name, place):
    where = tuple(float(x) for x in place)
    if name == "box":
        return touch_box(box_shape(), where, TIP, 0, False).first
    return touch_ring(petals_shape(), where, TIP, 0, False).second


def plate(foot, across, along, width, length, count=400):
    """Points of a rectangle that begins at the middle of its foot."""
    s, t = np.meshgrid(np.linspace(-0.5, 0.5, count), np.linspace(0.0, 1.0, count))
    return foot + width * s.reshape(-1, 1) * across + length * t.reshape(-1, 1) * along


def core_points(name):
    """Points of what is nearer than a rounding radius to every point of the solid: the surface of
    the box of the edges' centres; the rectangles of all petals."""
    axis, across, third = frame()
    if name == "box":
        inner, found = np.array(SIZE) - 2.0 * EDGE, []
        for i in range(3):
            a, b, c = np.roll(frame(), -i, axis=0)
            x, y, z = np.roll(inner, -i)
            found += [plate(sign * 0.5 * x * a - 0.5 * z * c, b, c, y, z) for sign in (-1.0, 1.0)]
        return np.concatenate(found), EDGE
    tilt, found = np.radians(PETAL["tilt"]), []
    for turn in 2.0 * np.pi * np.arange(3) / 3.0:
        out = np.cos(turn) * across + np.sin(turn) * third
        along = np.cos(tilt) * axis - np.sin(tilt) * out
        wide, long = PETAL["width"] - PETAL["thickness"], PETAL["length"] - 0.5 * PETAL["thickness"]
        found.append(plate(PETAL["radius"] * out, np.cross(axis, out), along, wide, long))
    return np.concatenate(found), 0.5 * PETAL["thickness"]


def spread(count):
    return np.random.default_rng(7).uniform(-0.12, 0.12, (count, 3))


@pytest.mark.parametrize("name", ["box", "petals"])
def test_the_distance_of_a_box_and_of_petals_is_that_of_their_points(name):
    points, rounding = core_points(name)
    inner = 0.5 * np.array(SIZE) - EDGE
    for place in spread(40):
        if name == "box" and (np.abs(frame() @ place) < inner).all():
            continue
        exact = np.sqrt(((points - place) ** 2).sum(axis=1).min()) - rounding
        assert TIP - touch_solid(name, place).depth == pytest.approx(exact, rel=1e-3, abs=2e-6)


def test_in_the_material_of_a_box_the_nearest_face_counts():
    for place in 0.2 * spread(20):
        inside = np.abs(frame() @ place) - 0.5 * np.array(SIZE)
        if (inside < -EDGE).all():
            assert TIP - touch_solid("box", place).depth == pytest.approx(inside.max(), abs=1e-12)


@pytest.mark.parametrize("name", ["box", "petals"])
def test_the_normal_of_a_box_and_of_petals_is_the_gradient_of_the_gap(name):
    step = 1e-6
    for place in spread(40):
        here = touch_solid(name, place)
        rises = [
            touch_solid(name, place - step * e).depth - touch_solid(name, place + step * e).depth
            for e in np.eye(3)
        ]
        np.testing.assert_allclose(here.normal, np.array(rises) / (2.0 * step), atol=1e-6)


def test_petals_are_the_same_after_a_third_of_a_turn():
    axis, across, third = frame()
    c, s = np.cos(2.0 * np.pi / 3.0), np.sin(2.0 * np.pi / 3.0)
    turned = np.stack([axis, c * across + s * third, c * third - s * across])
    turn = frame().T @ turned  # row vectors
    for place in spread(40):
        here, there = touch_solid("petals", place), touch_solid("petals", place @ turn)
        assert there.depth == pytest.approx(here.depth, abs=1e-12)
        np.testing.assert_allclose(there.normal, np.array(here.normal) @ turn, atol=1e-9)


def test_possible_touches_lie_on_the_solid():
    flight = Flight(np.zeros(3), AXIS, 0.3 * AXIS, -AXIS, TIP)
    for drawing, pair, least in (
        (ring.RING_SHAPE.drawing, PETALS, 300),
        (box.BOX_SHAPE.drawing, BOX, 50),
    ):
        places = drawing.places({**pair, "axis": list(AXIS)}, flight)
        assert len(places) > least
        for place in places[::17]:
            where = tuple(float(x) for x in place.tip)
            found = touch_ring(petals_shape(), where, TIP, 0, False)
            if pair is BOX:
                found = touch_box(box_shape(), where, TIP, 0, False)
            near = min((found.first, found.second), key=lambda one: abs(one.depth))
            assert abs(near.depth) < 1e-3  # edges are so many straight pieces there
            assert np.dot(near.normal, place.normal) > 0.7


def docking(pair, across):
    body = {"mass_kg": 50.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
    pair = {**pair, "tip_m": [1.0, 0.0, 0.0], "tip_radius_m": 0.01, "origin_m": [-0.2, 0.0, 0.0]}
    pair |= {"axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 5000.0}}
    chaser = {**body, "position_m": [-1.35, *across], "velocity_m_per_s": [0.05, 0.0, 0.0]}
    tables = {"chaser": chaser, "target": body, "contact": [pair]}
    return {**tables, "time": {"cycle_ms": 1.0, "duration_s": 5.0}}


ADAPTER = {"geometry": "ring", **dict(zip(KEYS, SHAPES["adapter"], strict=True))}
WITH_PETALS = {"geometry": "ring", **PETALS, "across": [0.0, 0.0, 1.0]}


@pytest.mark.parametrize(
    ("pair", "across"),
    [
        (ADAPTER, (0.05, 0.0)),  # its edge
        (WITH_PETALS, (0.005, 0.035)),  # the end of a petal
        (WITH_PETALS, (0.01, 0.052)),  # its back
        ({**BOX, "across": [0.0, 0.0, 1.0]}, (0.072, 0.047)),  # a corner
    ],
)
def test_a_lossless_touch_gives_the_energy_back(pair, across):
    flown = run_reference(build(docking(pair, across)))
    assert flown.contact_count >= 1
    assert flown.status == "completed"
    assert flown.kinetic == pytest.approx(flown.kinetic_start, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({**ADAPTER, "edge_radius_m": 0.03}, "edge_radius_m: given 0.03; allowed: at most 0.015"),
        ({**BOX, "edge_radius_m": 0.05}, "edge_radius_m: given 0.05; allowed: at most 0.03"),
        ({**BOX, "across": [1.0, 0.0, 0.0]}, "another direction than the axis"),
        ({**WITH_PETALS, "petal_thickness_m": 0.0}, "petal_thickness_m: given 0"),
        ({**WITH_PETALS, "petal_length_m": 0.001}, "at least petal_thickness_m = 0.01"),
        ({**WITH_PETALS, "petals": 8}, "a petal within its sector"),
    ],
)
def test_what_is_no_solid_is_refused(change, words):
    with pytest.raises(BadInput, match=words):
        build(docking(change, (0.0, 0.0)))


def test_a_tip_near_the_middle_of_a_wall_ends_the_run():
    """Beyond it the other face is nearer, and would push the tip through."""
    tables = docking({**ADAPTER, "edge_radius_m": 0.0}, (0.1, 0.0))
    tables["contact"][0]["tip_radius_m"] = 0.002
    tables["contact"][0]["real"] = {"stiffness_N_per_m": 20.0}
    tables["contact"][0]["length_m"] = 0.4
    tables["chaser"] |= {"position_m": [-0.9, 0.1, 0.0], "velocity_m_per_s": [0.0, -0.05, 0.0]}
    tables["chaser"]["position_m"][0] = -1.35 + 0.3
    scenario = build(tables)
    assert run_reference(scenario).status == "a tip is too deep in a wall"
    assert run_loop(scenario).status == "a tip is too deep in a wall"
