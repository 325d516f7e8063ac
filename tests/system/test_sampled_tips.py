"""Tips sampled from a mesh lie inside it and touch its surface, evenly and with its area; what a
body does that has them converges as there are more; and what a law's stiffness counts for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mesh_files import write_stl

from softdock import build, run_reference
from softdock.errors import BadInput

SIZE, RADIUS = np.array([0.04, 0.2, 0.16]), 0.004  # m


def box_mesh(size=SIZE):
    corners = 0.5 * size * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_stl(tmp_path_factory.mktemp("tips") / "plate.stl", *box_mesh())


def falling(file, number=64, **change):
    body = {"mass_kg": 40.0, "inertia_kg_m2": [0.3, 0.4, 0.5]}
    pair = {
        "geometry": "wall",
        "axis": [-1.0, 0.0, 0.0],
        "tips_from": {"file": str(file), "number": number, "radius_m": RADIUS},
        "real": {"stiffness_N_per_m": 4000.0, "damping_Ns_per_m": 20.0, "friction": 0.2},
    }
    turned = np.radians(2.0) / 2.0
    chaser = {
        "position_m": [-0.05, 0.0, 0.0],
        "velocity_m_per_s": [0.05, 0.0, 0.0],
        "attitude_wxyz": [np.cos(turned), 0.0, 0.8 * np.sin(turned), 0.6 * np.sin(turned)],
    }
    return {
        "time": {"cycle_ms": 1.0, "duration_s": 1.5},
        "chaser": {**body, **chaser},
        "target": {**body, "mass_kg": 90.0},
        "contact": [{**pair, **change}],
    }


def test_tips_lie_inside_and_touch_the_surface(file):
    rows = np.array(build(falling(file, 128)).tables["contact"][0]["tips"])
    gap = 0.5 * SIZE - np.abs(rows[:, :3])
    assert len(rows) == 128
    assert gap.min() == pytest.approx(RADIUS, rel=1e-3)
    np.testing.assert_allclose(gap.min(axis=1), RADIUS, rtol=1e-3)
    a, b, c = SIZE
    area = 2.0 * (a * b + b * c + c * a)
    assert rows[:, 4].sum() == pytest.approx(area, rel=1e-6)
    assert rows[:, 4].max() < 4.0 * area / 128
    apart = np.linalg.norm(rows[:, None, :3] - rows[:, :3], axis=2) + np.eye(128)
    assert apart.min() > 0.5 * np.sqrt(area / 128)


def test_what_a_sampled_body_does_converges(file):
    """A tilted plate falls on a wall, on its corner, edge and face: with four times the tips the
    motion afterwards differs less and less."""
    found = [run_reference(build(falling(file, number))) for number in (16, 64, 256)]
    assert all(one.contact_count >= 1 for one in found)
    ends = [np.concatenate([one.chaser[7:10] / 0.05, one.chaser[10:]]) for one in found]
    first, second = (np.linalg.norm(b - a) for a, b in itertools.pairwise(ends))
    assert second < 0.6 * first
    assert second < 0.1 * np.linalg.norm(ends[-1])


def test_what_stiffness_counts_for(file):
    whole = build(falling(file)).tables["contact"][0]
    area = sum(row[4] for row in whole["tips"])
    for per, factor in (("set", 1.0), ("tip", 64.0), ("area", area)):
        pair = build(falling(file, law_per=per)).tables["contact"][0]
        for key in ("stiffness_N_per_m", "damping_Ns_per_m"):
            assert pair["real"][key] == pytest.approx(factor * whole["real"][key], rel=1e-12)
        assert pair["real"]["friction"] == 0.2
        if per == "tip":
            assert {row[4] for row in pair["tips"]} == {1.0}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tips_from": {"file": "none.stl", "number": 8, "radius_m": 0.01}}, "a mesh that can be"),
        ({"tips_from": {"number": 8, "radius_m": 0.01}}, "tips_from.file"),
        ({"tips_from": {"file": "x.stl", "number": 513, "radius_m": 0.01}}, "tips_from.number"),
        ({"tips_from": 3}, "a table of file, unit"),
        ({"tips": [[0.0, 0.0, 0.0, 0.1, 1.0]]}, "either tips_from or tips"),
        ({"law_per": "metre"}, "one of set, tip, area"),
    ],
)
def test_what_cannot_be_sampled_is_refused(file, change, words):
    with pytest.raises(BadInput) as refused:
        build(falling(file, **change))
    assert words in str(refused.value)


def test_a_radius_without_room_is_refused(file):
    tables = falling(file)
    tables["contact"][0]["tips_from"]["radius_m"] = 0.03
    with pytest.raises(BadInput, match="of the surface have room for it"):
        build(tables)


def test_a_law_per_tip_needs_a_set():
    tables = falling("unused")
    del tables["contact"][0]["tips_from"]
    tables["contact"][0]["law_per"] = "tip"
    with pytest.raises(BadInput, match="it needs a set of tips"):
        build(tables)
