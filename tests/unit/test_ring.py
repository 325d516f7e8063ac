"""The ring's distance is that of its surface, sampled without the package's code, its normal the
gradient, and it is the same all around."""

from __future__ import annotations

import numpy as np
import pytest

from softdock import build, run_reference
from softdock.compile.jit import entry_point
from softdock.errors import BadInput
from softdock.loop.contact import ring
from softdock.loop.contact.drawing import Flight
from softdock.loop.contact.pairs import Shape

touch_ring = entry_point(ring.touch_ring)
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


def test_possible_touches_lie_on_the_ring():
    pair = dict(zip(KEYS, SHAPES["adapter"], strict=True))
    shape = shape_of(*SHAPES["adapter"])
    flight = Flight(np.zeros(3), AXIS, 0.3 * AXIS, -AXIS, TIP)
    places = ring.RING_SHAPE.drawing.places(pair, flight)
    assert len(places) > 300
    for place in places[::17]:
        here = touch(shape, place.tip)
        assert abs(here.depth) < 2e-4  # an edge is so many straight pieces there
        assert here.normal @ place.normal > 0.99


def test_a_lossless_touch_of_an_edge_gives_the_energy_back():
    body = {"mass_kg": 50.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
    pair = {"geometry": "ring", **dict(zip(KEYS, SHAPES["adapter"], strict=True))}
    pair |= {"tip_m": [1.0, 0.0, 0.0], "tip_radius_m": 0.01, "origin_m": [-0.2, 0.0, 0.0]}
    pair |= {"axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 5000.0}}
    chaser = {**body, "position_m": [-1.24, 0.05, 0.0], "velocity_m_per_s": [0.05, 0.0, 0.0]}
    tables = {"chaser": chaser, "target": body, "contact": [pair]}
    tables["time"] = {"cycle_ms": 1.0, "duration_s": 2.0}
    flown = run_reference(build(tables))
    assert flown.contact_count >= 1
    assert flown.kinetic == pytest.approx(flown.kinetic_start, rel=1e-6)
    pair["edge_radius_m"] = 0.03
    with pytest.raises(BadInput, match=r"edge_radius_m: given 0.03; allowed: at most 0.015"):
        build(tables)
