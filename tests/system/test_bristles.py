"""Friction with stiction: what is pushed by less than the limit stays, what slips is braked by
mu N, and what the bristles store is in the energy balance; about the normal as well."""

from __future__ import annotations

import numpy as np
import pytest

from softdock import build, run_loop, run_reference
from softdock.compile.jit import entry_point
from softdock.loop.contact import bristle
from softdock.loop.contact.law import Law
from softdock.loop.contact.pair import Pair
from softdock.loop.contact.shape import Shape
from softdock.loop.contact.touch import Touch

MASS, PRESS, MU, K, STIFF = 40.0, 10.0, 0.3, 2e4, 4000.0  # kg, N, -, N/m, N/m
SETTLING = {"stiffness_N_per_m": 4e5, "damping_Ns_per_m": 8000.0}  # to PRESS in some 50 ms
RADIUS = 0.05  # m, of a disc


def docking(pair, real=None, **more):
    body = {"mass_kg": MASS, "inertia_kg_m2": [3.0, 3.0, 3.0]}
    law = {"stiffness_N_per_m": STIFF, "friction": MU, "friction_stiffness_N_per_m": K}
    wall = {"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": law | (real or {})}
    chaser = {**body, "position_m": [-0.5, 0.0, 0.0], **more.pop("chaser", {})}
    time = {"cycle_ms": 1.0, "duration_s": 0.6, "plant_steps": 4}
    return {
        "time": time,
        "chaser": chaser,
        "target": {**body, "mass_kg": 90.0, **more.pop("target", {})},
        "contact": [{**wall, **pair}],
        **more,
    }


def pressed(along, spin=0.0, **more):
    """At rest on the wall under PRESS, pushed along it [N] from the first instant; `spin`: rad/s.
    The tip is at the centre of mass, so that nothing tilts."""
    chaser = {
        "position_m": [0.9e-6, 0.0, 0.0],  # a deeper touch at the start is refused
        "rate_rad_per_s": [spin, 0.0, 0.0],
        "velocity_m_per_s": [0.0, 0.0, 0.0],
    }
    push = [PRESS, along, 0.0, 0.0, 0.0, 0.0]
    rows = [[0.0, *push], [5.0, *push]]
    pair = more.pop("pair", {"tip_m": [0.0, 0.0, 0.0]})
    return docking(
        pair,
        chaser=chaser,
        target={"fixed": True},
        external={"chaser": {"rows": rows}},
        **more,
    )


def test_a_push_below_the_limit_moves_no_more_than_the_bristle():
    push = 0.4 * MU * PRESS
    tables = pressed(push)
    tables["contact"][0]["real"] |= SETTLING
    tables["time"]["duration_s"] = 2.0
    flown = run_reference(build(tables))
    late = flown.series["time"] > 0.5
    way = flown.series["chaser.position"][late, 1]
    assert np.ptp(way) < 2.5 * push / K  # it swings on the bristle
    assert way.mean() == pytest.approx(way[: len(way) // 2].mean(), abs=0.1 * push / K)


def test_a_push_beyond_the_limit_is_braked_by_it():
    push = 2.0 * MU * PRESS
    tables = pressed(push)
    tables["contact"][0]["real"] |= SETTLING
    flown = run_reference(build(tables))
    v = flown.series["chaser.velocity"][:, 1]
    gained = (v[600] - v[300]) / 0.3
    assert gained == pytest.approx((push - MU * PRESS) / MASS, rel=1e-3)


def slide(**change):
    real = change.pop("real", {})
    chaser = {"velocity_m_per_s": [0.05, 0.02, 0.01], "rate_rad_per_s": [0.2, 0.0, 0.0]}
    tip = {"tip_m": [0.49, 0.0, 0.0], "tip_radius_m": 0.01}
    return docking({**tip, **change}, {"patch_radius_m": RADIUS, **real}, chaser=chaser)


@pytest.mark.parametrize("mu", [MU, 3.0])
def test_the_balance_holds_on_orbit(mu):
    flown = run_reference(build(slide(real={"friction": mu})))
    assert flown.contact_count == 1
    missing = flown.kinetic + flown.stored + flown.dissipated - flown.kinetic_start
    assert abs(missing) < 1e-8 * flown.kinetic_start
    assert flown.dissipated > 0.0
    gained = np.diff(flown.series["energy.dissipated"])
    assert gained.min() > -1e-7 * flown.kinetic_start


def test_orbit_converges_with_its_steps():
    """Where a touch slips the order is one."""
    coarse, fine = (run_reference(build(slide()), coarser=c) for c in (1.0, 0.5))
    assert abs(coarse.dissipated - fine.dissipated) < 2e-6 * fine.kinetic_start
    assert abs(coarse.kinetic - fine.kinetic) < 2e-6 * fine.kinetic_start


def test_the_balance_holds_in_the_loop():
    run = run_loop(build(slide()))
    ledger = run.ledger
    assert ledger["dissipated"] > 1e-4
    assert ledger["real"] == pytest.approx(ledger["dissipated"] + ledger["stored"], rel=1e-3)


def test_an_evenly_pressed_disc_is_braked_by_two_thirds_of_mu_n_r():
    """One tip with a patch, and so many tips on the disc, each with its part of it."""
    found = {}
    for number in (1, 7, 61, 300):
        turn = 2.399963 * np.arange(number)
        r = RADIUS * np.sqrt((np.arange(number) + 0.5) / number) if number > 1 else [0.0]
        rows = [[0.0, a, b, 0.0, 1.0] for a, b in zip(r * np.cos(turn), r * np.sin(turn))]
        tables = pressed(0.0, spin=2.0, pair={"tips": rows})
        tables["contact"][0]["real"] |= {"patch_radius_m": RADIUS, **SETTLING}
        tables["time"]["duration_s"] = 0.4
        tables["chaser"]["inertia_kg_m2"] = [3.0, 300.0, 300.0]
        rate = run_reference(build(tables)).series["chaser.rate"][:, 0]
        found[number] = -3.0 * (rate[400] - rate[300]) / 0.1
    exact = 2.0 / 3.0 * MU * PRESS * RADIUS
    errors = [abs(found[number] / exact - 1.0) for number in (7, 61, 300)]
    assert found[1] == pytest.approx(exact, rel=1e-3)
    assert errors[2] < errors[1] < errors[0]
    assert errors[2] < 5e-3


def test_a_set_with_bristles_is_so_many_pairs():
    places, areas = [(0.0, 0.12, 0.03), (0.0, -0.1, 0.08)], (3.0, 1.0)
    radius = {"patch_radius_m": 0.0}
    rows = [[*place, 0.01, area] for place, area in zip(places, areas, strict=True)]
    one = slide(tip_m=[0.49, 0.0, 0.0], tip_radius_m=0.0, tips=rows, real=radius)
    many = slide(real=radius)
    (pair,) = many["contact"]
    many["contact"] = [
        {
            **pair,
            "tip_m": list(np.add([0.49, 0.0, 0.0], place)),
            "real": {
                **pair["real"],
                "stiffness_N_per_m": STIFF * area / 4.0,
                "friction_stiffness_N_per_m": K * area / 4.0,
            },
        }
        for place, area in zip(places, areas, strict=True)
    ]
    a, b = run_loop(build(one)), run_loop(build(many))
    assert a.contact_count >= 1
    for name in ("chaser.position", "chaser.rate"):
        assert np.abs(a.series[name] - b.series[name]).max() < 1e-12
    assert a.ledger["dissipated"] == pytest.approx(b.ledger["dissipated"], abs=1e-13)
    a, b = run_reference(build(one)), run_reference(build(many))
    np.testing.assert_allclose(a.chaser, b.chaser, atol=1e-9)
    assert a.dissipated == pytest.approx(b.dissipated, rel=1e-7)


AT = 1 + bristle.POSE_FLOATS
rub = entry_point(bristle.rub)
keep = entry_point(bristle.keep_place)


def test_a_bristle_that_does_not_slip_gives_all_back():
    """Around a closed path of places and turns below the limits, in steps: no work is lost; and
    a path beyond them loses what slips."""
    zero = (0.0, 0.0, 0.0)
    law = Law(
        kind=0,
        stiffness=STIFF,
        damping=0.0,
        exponent=1.0,
        at=0,
        rows=0,
        rubs=True,
        friction=MU,
        slip_speed=1.0,
        bristle=K,
        patch=RADIUS,
    )
    sizes = ("radius", "bottom_radius", "sine", "cosine", "length", "depth", "thickness")
    shape = Shape(axis=(-1.0, 0.0, 0.0), **dict.fromkeys(sizes, 0.0), closed=False)
    pair = Pair(0, zero, 0.0, zero, shape, law)
    touch, limit = Touch(1e-3, (-1.0, 0.0, 0.0)), MU * PRESS / K
    for share, loses in ((0.9, False), (3.0, True)):
        mem = np.zeros(2 + bristle.POSE_FLOATS + bristle.TIP_FLOATS)
        lost, stored = 0.0, []
        for a in np.linspace(0.0, 2.0 * np.pi, 201):
            way = 0.5 * share * limit
            p = (0.0, way * (1.0 - np.cos(a)), way * np.sin(2.0 * a))
            half = 0.5 * 0.5 * share * limit / RADIUS * np.sin(a)
            here = bristle.Place(p, (np.cos(half), np.sin(half), 0.0, 0.0))
            found = rub(mem, 1, AT, pair, touch, PRESS, p, here, True)
            keep(mem, 1, here)
            lost += found.lost
            stored.append(found.stored)
        assert max(stored) > 0.0
        if loses:
            assert lost > max(stored)
        else:
            assert abs(lost) < 1e-12 * max(stored)
            assert stored[-1] < 1e-6 * max(stored)
