"""A set of tips touches as so many pairs of one tip each, and a face of many tips as one spring: in
the loop, on orbit and in a batch; and who knows one tip only refuses a set."""

from __future__ import annotations

import numpy as np
import pytest
from mesh_files import plate_docking

from softdock import build, run_loop, run_reference
from softdock.errors import BadInput
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns

K, B = 4000.0, 30.0  # N/m, Ns/m
PLACES = [(0.0, 0.12, 0.03), (0.004, -0.1, 0.08), (-0.002, 0.02, -0.11)]  # m, from tip_m
RADII, AREAS = (0.01, 0.015, 0.012), (2.0, 1.0, 1.0)


def docking(pairs):
    body = {"mass_kg": 40.0, "inertia_kg_m2": [3.0, 4.0, 5.0]}
    rate = [0.02, -0.03, 0.01]
    chaser = {"position_m": [-0.54, 0.0, 0.0], "velocity_m_per_s": [0.05, 0.004, 0.0]}
    return {
        "time": {"cycle_ms": 1.0, "duration_s": 2.0},
        "chaser": {**body, **chaser, "rate_rad_per_s": rate},
        "target": {**body, "mass_kg": 90.0},
        "contact": pairs,
    }


def pair(tip, share, **more):
    real = {"stiffness_N_per_m": share * K, "damping_Ns_per_m": share * B, "friction": 0.2}
    wall = {"geometry": "wall", "axis": [-1.0, 0.0, 0.0]}
    return {"tip_m": list(tip), "real": real, **wall, **more}


def apart():
    tips = zip(PLACES, RADII, AREAS, strict=True)
    return docking(
        [
            pair(np.add([0.5, 0.0, 0.0], place), area / sum(AREAS), tip_radius_m=radius)
            for place, radius, area in tips
        ]
    )


def together(**more):
    rows = [[*p, r, a] for p, r, a in zip(PLACES, RADII, AREAS, strict=True)]
    return docking([pair((0.5, 0.0, 0.0), 1.0, **{"tips": rows, **more})])


def test_a_set_in_the_loop_is_so_many_pairs():
    one, many = run_loop(build(together())), run_loop(build(apart()))
    assert many.contact_count >= 1
    for name in ("chaser.position", "chaser.rate", "target.velocity"):
        assert np.abs(one.series[name] - many.series[name]).max() < 1e-12
    for name in ("stored", "dissipated"):
        assert one.ledger.get(name, 0.0) == pytest.approx(many.ledger.get(name, 0.0), abs=1e-14)
    assert one.energy_added_J == pytest.approx(many.energy_added_J, abs=1e-13)


def test_a_set_on_orbit_is_so_many_pairs():
    one, many = run_reference(build(together())), run_reference(build(apart()))
    assert one.contact_count == many.contact_count
    assert one.kinetic == pytest.approx(many.kinetic, rel=1e-9)
    assert one.dissipated == pytest.approx(many.dissipated, rel=1e-8)
    np.testing.assert_allclose(one.chaser, many.chaser, atol=1e-9)


def test_a_face_of_tips_is_one_spring_however_fine():
    """Head on, without rotation: the set has the law of the pair, whatever the number of tips."""
    found = []
    for number in (1, 13, 100):
        turn = 2.4 * np.arange(number)
        r = 0.1 * np.sqrt((np.arange(number) + 0.5) / number) if number > 1 else np.zeros(1)
        rows = [[0.0, a, b, 0.01, 1.0] for a, b in zip(r * np.cos(turn), r * np.sin(turn))]
        tables = docking([pair((0.5, 0.0, 0.0), 1.0, tips=rows)])
        tables["contact"][0]["real"] |= {"friction": 0.0, "damping_Ns_per_m": 0.0}
        tables["chaser"] |= {"rate_rad_per_s": [0.0, 0.0, 0.0]}
        tables["chaser"]["inertia_kg_m2"] = tables["target"]["inertia_kg_m2"] = [1e9, 1e9, 1e9]
        tables["chaser"]["velocity_m_per_s"] = [0.05, 0.0, 0.0]
        flown = run_reference(build(tables))
        assert flown.kinetic == pytest.approx(flown.kinetic_start, rel=1e-9)
        found.append((flown.contacts[0]["peak_force_real_N"], flown.contacts[0]["impulse_Ns"]))
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-8)


def test_a_set_touches_a_mesh():
    tables = plate_docking()
    (one,) = tables["contact"]
    rows = [[0.0, y, z, 0.01, 1.0] for y in (-0.02, 0.02) for z in (-0.02, 0.02)]
    many = {**tables, "contact": [{**one, "tip_radius_m": 0.0, "tips": rows}]}
    a, b = run_loop(build(tables)), run_loop(build(many))
    assert a.contact_count == b.contact_count == 1
    assert b.restitution == pytest.approx(a.restitution, abs=1e-6)


def test_a_batch_has_the_set():
    scenario = build(together())
    batch = run_cpu(*make_columns(scenario, {"chaser.mass_kg": np.array([40.0, 60.0])}), threads=2)
    assert batch.column("energy_added_J")[0] == run_loop(scenario).energy_added_J


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tips": [[0.0, 0.0, 0.0, -1.0, 1.0]]}, "row 0 has a radius < 0"),
        ({"tips": [[0.0, 0.0, 0.0, 0.1]]}, "contact.0.tips"),
        ({"tips": [[0.0, 0.0, 0.0, 0.1, 1.0]] * 513}, "at most 512 rows"),
        (
            {
                "geometry": "cone",
                "mouth_radius_m": 0.1,
                "bottom_radius_m": 0.0,
                "half_angle_deg": 30,
            },
            "one tip against a cone",
        ),
        (
            {"real": {"law": "table", "table_m_N": [[0, 0], [1e-3, 1]]}},
            "one tip with the law table",
        ),
    ],
)
def test_what_a_set_cannot_do_is_refused(more, words):
    with pytest.raises(BadInput) as refused:
        build(together(**more))
    assert words in str(refused.value)


def test_a_method_that_knows_one_tip_refuses_a_set():
    with pytest.raises(BadInput, match="one tip a pair, for the method model_mediated"):
        build({**together(), "methods": [{"name": "model_mediated"}]})
